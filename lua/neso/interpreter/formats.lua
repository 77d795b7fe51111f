--- Floats as doubles: rounding to a format, once, to nearest and ties to even; and the bits of a
--- value. A double holds every value of these formats.
--
-- A NaN keeps its bits while it is only moved: they lie in the low word of the double. No NaN is
-- read from memory as a number, and none that has bits is negated: LuaJIT takes negative NaNs with
-- high bits for values of other types.

local bit = require "bit"
local ffi = require "ffi"

local band, bor, rshift = bit.band, bit.bor, bit.rshift
local abs, huge, max = math.abs, math.huge, math.max

local M = {}

local double = ffi.new [[union {
  double value;
  struct { uint32_t low, high; } word;
  int64_t bits;
}]]
local single = ffi.new [[union { float value; uint32_t bits; }]]

local QUIET = 0x7ff80000 -- high word of a positive NaN
local NAN = 0 / 0
local ROUNDER = 6755399441055744 -- 1.5 * 2^52: adding and taking it away rounds to whole numbers

local power = ffi.new("double[2200]") -- power[e + 1100] = 2^e
for e = -1100, 1023 do power[e + 1100] = 2 ^ e end

local function exponent(x)
  double.value = x
  return band(rshift(double.word.high, 20), 0x7ff) - 1023
end

local function is_negative(x)
  double.value = x
  return double.word.high >= 0x80000000
end
M.is_negative = is_negative

--- A NaN that carries bits; and the bits that a NaN carries, 0 for none.
local function nan_of(bits)
  double.word.high, double.word.low = QUIET, bits
  return double.value
end

local function nan_bits(x)
  double.value = x
  return double.word.low
end

-- mantissa bits, bias, greatest finite value, what is beyond it, has -0, bits of the NaN
local rows = {
  f16 = { 10, 15, 65504, huge, true, 0x7e00 },
  bf16 = { 7, 127, 3.3895313892515355e38, huge, true, 0x7fc0 },
  f8e5m2 = { 2, 15, 57344, huge, true, 0x7e },
  f8e4m3fn = { 3, 7, 448, NAN, true, 0x7f },
  f8e4b15 = { 3, 15, 1.75, 1.75, true, 0x7f },
  f8e4m3fnuz = { 3, 8, 240, NAN, false, 0x80 },
  f8e5m2fnuz = { 2, 16, 57344, NAN, false, 0x80 },
}

local function rounding(mantissa, bias, greatest, beyond, has_minus_zero)
  local least = 1 - bias
  return function(x)
    if x ~= x then return x end
    local magnitude = abs(x)
    if magnitude == huge then return x > 0 and beyond or -beyond end
    local unit = power[max(exponent(x), least) - mantissa + 1100]
    local rounded = ((x / unit + ROUNDER) - ROUNDER) * unit
    if rounded == 0 then return has_minus_zero and x * 0 or 0 end
    if abs(rounded) > greatest then return x > 0 and beyond or -beyond end
    return rounded
  end
end

local function encoding(mantissa, bias, beyond, nan, width)
  local least, sign_bit = 1 - bias, 2 ^ (width - 1)
  local scale = 2 ^ mantissa
  local infinity = (2 ^ (width - 1 - mantissa) - 1) * scale
  return function(x)
    if x ~= x then
      local bits = nan_bits(x)
      return bits ~= 0 and bits or nan
    end
    local sign = is_negative(x) and sign_bit or 0
    local magnitude = abs(x)
    if magnitude == 0 then return sign end
    if magnitude == huge then return sign + (beyond == huge and infinity or nan) end
    local e = exponent(x)
    if e < least then return sign + magnitude / power[least - mantissa + 1100] end
    return sign + (magnitude / power[e + 1100] - 1 + e + bias) * scale
  end
end

local function decoding(mantissa, bias, greatest, beyond, has_minus_zero, nan, width)
  local sign_bit, scale = 2 ^ (width - 1), 2 ^ mantissa
  local top = 2 ^ (width - 1 - mantissa) - 1
  return function(bits)
    local sign, rest = 1, bits
    if bits >= sign_bit then
      if bits == nan and not has_minus_zero then return nan_of(bits) end
      sign, rest = -1, bits - sign_bit
    end
    local e = rshift(rest, mantissa)
    local fraction = band(rest, scale - 1)
    if beyond == huge and e == top then
      return fraction == 0 and sign * huge or nan_of(bits)
    end
    if rest == nan and beyond == greatest then return sign * greatest end
    if rest == nan then return nan_of(bits) end
    if e == 0 then return sign * fraction * power[1 - bias - mantissa + 1100] end
    return sign * (1 + fraction / scale) * power[e - bias + 1100]
  end
end

--- By name: `round(x)`, `bits(x)` of a value of the format as a number, `value(bits)`.
M.formats = {}

for name, row in pairs(rows) do
  local mantissa, bias, greatest, beyond, has_minus_zero, nan = unpack(row, 1, 6)
  local width = name:find "^f8" and 8 or 16
  M.formats[name] = {
    round = rounding(mantissa, bias, greatest, beyond, has_minus_zero),
    bits = encoding(mantissa, bias, beyond, nan, width),
    value = decoding(mantissa, bias, greatest, beyond, has_minus_zero, nan, width),
  }
end

M.formats.f32 = {
  round = function(x)
    if x ~= x then return x end
    single.value = x
    return single.value
  end,
  bits = function(x)
    if x ~= x then
      local bits = nan_bits(x)
      return bits ~= 0 and bits or 0x7fc00000
    end
    single.value = x
    return single.bits
  end,
  value = function(bits)
    if bits % 0x80000000 > 0x7f800000 then return nan_of(bits) end
    single.bits = bits
    return single.value
  end,
}

-- A NaN of f64 becomes quiet, and a negative one travels as a positive one that is not: a negative
-- NaN is no number that Lua may hold. One without a payload gets one, since it would be infinity.
local PAYLOAD_HIGH, PAYLOAD_LOW = 0x2a5a5, 0x5a5a1234

M.formats.f64 = {
  round = function(x) return x end,
  bits = function(x)
    double.value = x
    if x ~= x then
      local high, payload = double.word.high, band(double.word.high, 0x7ffff)
      if high >= 0x80000000 then
        double.word.high, double.word.low = QUIET, 0
      elseif band(high, 0x80000) == 0 then
        if payload == PAYLOAD_HIGH and double.word.low == PAYLOAD_LOW then
          payload, double.word.low = 0, 0
        end
        double.word.high = 0xfff80000 + payload
      end
    end
    return double.bits
  end,
  value = function(bits)
    double.bits = bits
    local high, payload = double.word.high, band(double.word.high, 0x7ffff)
    local fraction = band(high, 0xfffff)
    if band(high, 0x7ff00000) == 0x7ff00000 and (fraction ~= 0 or double.word.low ~= 0) then
      if high < 0x80000000 then
        double.word.high = QUIET + payload
      elseif payload == 0 and double.word.low == 0 then
        double.word.high, double.word.low = 0x7ff00000 + PAYLOAD_HIGH, PAYLOAD_LOW
      else
        double.word.high = 0x7ff00000 + payload
      end
    end
    return double.value
  end,
}

--- x with the sign of y.
function M.copysign(x, y)
  local magnitude = abs(x)
  if x == x and is_negative(y) then return -magnitude end
  return magnitude
end

--- a * b + c of numbers of f32 or narrower as a double whose last bit is set when it is not exact:
--- rounding it once more is rounding the sum once.
function M.odd_sum(a, b, c)
  local product = a * b
  local sum = product + c
  if sum ~= sum or abs(sum) == huge then return sum end
  local back = sum - product
  local error_of_sum = (product - (sum - back)) + (c - back)
  if error_of_sum == 0 then return sum end
  double.value = sum
  if band(double.word.low, 1) == 1 then return sum end
  local toward = (error_of_sum > 0) == (sum > 0)
  double.bits = double.bits + (toward and 1 or -1)
  return double.value
end

--- An integer (int64_t) as a double rounded to odd, for one more rounding to 32 bits or fewer.
local function odd_integer(x)
  if x > -0x10000000000000LL and x < 0x10000000000000LL then return tonumber(x) end
  local low = band(x, 0x7ffLL)
  return tonumber(low == 0 and x or bor(x - low, 0x800LL))
end
M.odd_integer = odd_integer

--- The same of the bits of an unsigned integer.
function M.odd_unsigned(x)
  if x >= 0 then return odd_integer(x) end
  return 2 * odd_integer(bor(rshift(x, 1), band(x, 1LL)))
end

--- An unsigned integer as a double, rounded to nearest.
function M.unsigned(x)
  if x >= 0 then return tonumber(x) end
  return 2 * tonumber(bor(rshift(x, 1), band(x, 1LL)))
end

return M
