-- Conversions, exhaustively: every value of 8 and 16 bits to every float, narrower floats around
-- every midpoint of two neighbours, integers around theirs, and constants against loaded values.
-- The references are exact: whole numbers, or sums of a few powers of two in a double.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")
local bit, ffi = require "bit", require "ffi"

local cases = {}

local function mapped(count, f)
  local out = {}
  for i = 1, count do out[i] = f(i - 1) end
  return out
end

-- ---------------------------------------------------- all values of 8 and 16 bits --

local function all(from, value)
  local bits = make.bits(from)
  local count = 2 ^ bits
  for _, to in ipairs(make.floats) do
    if to ~= from then
      local fit = make.fit(to)
      cases[#cases + 1] = {
        name = ("all of %s to %s"):format(from, to), grid = count / 256,
        kernel = ([[function k(out)
          local i = tl.program_id(0) * 256 + tl.arange(0, 256)
          tl.store(out + i, i:to(tl.u%d):bitcast(tl.%s):to(tl.%s))
        end]]):format(bits, from, to),
        args = { out = { to, count = count } },
        want = { out = function()
          return mapped(count, function(i) return fit(value(i)) end)
        end },
      }
    end
  end
end

for _, bits in ipairs { 8, 16 } do
  all("u" .. bits, function(i) return i end)
  all("i" .. bits, function(i) return i < 2 ^ (bits - 1) and i or i - 2 ^ bits end)
end
for _, from in ipairs(make.halves) do
  all(from, function(i) return make.half(from, i) end)
end

-- ------------------------------------------------------------ around midpoints --

-- Bits of finite magnitudes, the last midpoint being that to infinity.
local finite = { f16 = 0x7c00, bf16 = 0x7f80 }

-- Midpoints of neighbours and the doubles or singles beside them; bits that want to come out.
local function around(to, from)
  local inputs, want = {}, {}
  local beside = from == "f32" and 2 ^ -23 or 2 ^ -52
  local least = from == "f32" and 2 ^ -149 or 2 ^ -1074
  for i = 0, finite[to] - 1 do
    local low = make.half(to, i)
    local high = i + 1 < finite[to] and make.half(to, i + 1)
      or 2 * low - make.half(to, i - 1)
    local middle = (low + high) / 2
    local away = math.max(middle * beside, least)
    local n = #inputs
    inputs[n + 1], want[n + 1] = middle, i + i % 2
    inputs[n + 2], want[n + 2] = -(middle + away), i + 1 + 32768
    inputs[n + 3], want[n + 3] = middle - away, i
    inputs[n + 4], want[n + 4] = -low, i + 32768
  end
  return inputs, want
end

for _, to in ipairs(make.halves) do
  for _, from in ipairs { "f32", "f64" } do
    local inputs, want = around(to, from)
    cases[#cases + 1] = {
      name = ("%s around all midpoints to %s"):format(from, to), grid = math.ceil(#inputs / 1024),
      kernel = ([[function k(out, px, n)
        local i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
        tl.store(out + i, tl.load(px + i, i < n):to(tl.%s):bitcast(tl.u16), i < n)
      end]]):format(to),
      args = { out = { "u16", count = #inputs }, px = { from, inputs }, n = #inputs },
      want = { out = want },
    }
  end
end

-- f64 to f32: midpoints at all exponents, of even and odd neighbours.
do
  local inputs = {}
  for e = -150, 128 do
    local step = 2 ^ (math.max(e, -126) - 23)
    for _, k in ipairs { 0, 1, 2, 1000001, 4194303, 8388606, 8388607 } do
      local middle = (e >= -126 and 2 ^ e or 0) + (k + 0.5) * step
      local away = middle * 2 ^ -52
      for _, x in ipairs { middle, middle + away, middle - away, middle - step / 2 } do
        inputs[#inputs + 1], inputs[#inputs + 2] = x, -x
      end
    end
  end
  local n = #inputs
  cases[#cases + 1] = {
    name = "f64 around midpoints to f32", grid = math.ceil(n / 1024),
    kernel = [[function k(out, px, n)
      local i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
      tl.store(out + i, tl.load(px + i, i < n):to(tl.f32), i < n)
    end]],
    args = { out = { "f32", count = n }, px = { "f64", inputs }, n = n },
    want = { out = function() return mapped(n, function(i)
      return make.fit "f32"(inputs[i + 1])
    end) end },
  }
end

-- ---------------------------------------------------------------- wide integers --

local mantissas = { f16 = 11, bf16 = 8, f32 = 24, f64 = 53 }

-- x, an int64_t or uint64_t, to `digits` binary digits, to nearest, ties to even.
local function rounded_integer(x, digits, signed)
  local negative = signed and x < 0
  local size = ffi.cast("uint64_t", negative and -x or x)
  local shift = 0
  while bit.rshift(size, shift) >= bit.lshift(1ULL, digits) do shift = shift + 1 end
  local kept = bit.rshift(size, shift)
  local rest = size - bit.lshift(kept, shift)
  local half = shift > 0 and bit.lshift(1ULL, shift - 1) or 1ULL
  if rest > half or rest == half and kept % 2 == 1 then kept = kept + 1 end
  local y = tonumber(kept) * 2 ^ shift
  return negative and -y or y
end

-- Powers of two with a midpoint of each float above them, and what is beside that.
local function near_midpoints(dtype)
  local bits, signed = make.bits(dtype), make.kind(dtype) == "int"
  local fit, out = make.fit(dtype), {}
  for e = 0, bits - (signed and 2 or 1) do
    local power = bit.lshift(1ULL, e)
    for _, digits in pairs { 8, 11, 24, 53 } do
      local half = e >= digits and bit.lshift(1ULL, e - digits) or 0ULL
      for _, more in ipairs { half, half + 1, half - 1, 3 * half, 3 * half + 1, 3 * half - 1 } do
        out[#out + 1] = fit(power + more)
        if signed then out[#out + 1] = fit(-(power + more)) end
      end
    end
  end
  return out
end

for _, from in ipairs { "i32", "u32", "i64", "u64" } do
  local inputs = near_midpoints(from)
  local signed, n = make.kind(from) == "int", #inputs
  local case = {
    name = from .. " around midpoints to floats", grid = math.ceil(n / 257),
    args = { px = { from, inputs }, n = n }, want = {}, results = {},
  }
  local params, text = {}, {}
  for _, to in ipairs(make.floats) do
    local out = "out_" .. to
    params[#params + 1] = out
    text[#text + 1] = ("tl.store(%s + i, x:to(tl.%s), i < n)"):format(out, to)
    case.args[out] = { to, count = n }
    case.results[#case.results + 1] = { name = ("%s around midpoints to %s"):format(from, to),
      out = out, rounded = true }
    case.want[out] = function() return mapped(n, function(i)
      local x = inputs[i + 1]
      x = signed and ffi.cast("int64_t", x) or ffi.cast("uint64_t", x)
      return make.fit(to)(rounded_integer(x, mantissas[to], signed))
    end) end
  end
  case.kernel = ([[function k(%s, px, n)
    local i = tl.program_id(0) * 257 + tl.arange(0, 257)
    local x = tl.load(px + i, i < n)
    %s
  end]]):format(table.concat(params, ", "), table.concat(text, "\n"))
  cases[#cases + 1] = case
end

-- ------------------------------------------- constants are what loaded values are --

local constants = {
  float = { "0", "-0.0", "0.1", "-0.1", "1/3", "2049", "257", "16777217", "1e-7", "6e-8", "1e-40",
    "65519", "65520", "3.4028235677973366e38", "1e39", "-1e300", "math.huge", "-math.huge",
    "300.7", "-1.5", "2147483648", "-2^63", "2^64" },
  int = { "0", "1", "-1", "100", "127", "-128" }, uint = { "0", "1", "200", "255" },
}
local wide = { i32 = { "16777217", "-16777219", "2147483647", "-2147483648" },
  u32 = { "16777217", "4294967295" },
  i64 = { "9007199254740991", "-16777217", "-2^63" }, u64 = { "2^63", "4294967297" } }

for _, from in ipairs(make.numbers) do
  local list = make.joined(constants[make.kind(from)], wide[from] or {})
  local tos = make.joined(make.numbers, { "i1" }, make.eights)
  local values, text = {}, {}
  for k, x in ipairs(list) do
    values[k] = loadstring("return " .. x)()
    for t, to in ipairs(tos) do
      local last = (make.kind(to) == "float" or to == "i1") and "f64" or to
      text[#text + 1] = ([[do
        local a = tl.full({1}, %s, tl.%s):to(tl.%s):to(tl.%s)
        local b = tl.load(px + %d + zero):to(tl.%s):to(tl.%s)
        tl.store(out + %d + zero, a == b or a ~= a and b ~= b)
      end]]):format(x, from, to, last, k - 1, to, last, (k - 1) * #tos + t - 1)
    end
  end
  local n = #list * #tos
  cases[#cases + 1] = {
    name = ("constants of %s convert as loaded values"):format(from),
    kernel = ("function k(out, px)\nlocal zero = tl.arange(0, 1)\n%s\nend"):format(
      table.concat(text, "\n")),
    args = { out = { "i1", count = n }, px = { from, values } },
    want = { out = function() return mapped(n, function() return true end) end },
  }
end

return cases
