-- Conversions. To floats: rounded once, to nearest, ties to even. Floats to integers: cut toward
-- zero, saturated, NaN gives 0.
local bit = require "bit"
local ffi = require "ffi"
local formats = require "neso.interpreter.formats"

local band, bor, bxor, lshift = bit.band, bit.bor, bit.bxor, bit.lshift
local NAN = 0 / 0
local LEAST, MOST = -0x8000000000000000LL, 0x7fffffffffffffffLL

local function wrapped(view)
  return { scalar = function(op)
    local look, wrap = op.operands[1].element[view], op.results[1].element.wrap
    return function(a) return wrap(look(a)) end
  end }
end

-- A NaN keeps its sign alone.
local function to_float(op)
  local from, to = op.operands[1].element, op.results[1].element
  local round, to_bits = to.round, from.to_bits
  local nan = to.from_bits(to.to_bits(NAN))
  local minus_nan = to.from_bits(bor(to.to_bits(NAN), lshift(-1LL, to.bits - 1)))
  return function(a)
    if a ~= a then return to_bits(a) < 0 and minus_nan or nan end
    return round(a)
  end
end

local function from_integer(view, wide, odd)
  return { scalar = function(op)
    local look, round = op.operands[1].element[view], op.results[1].element.round
    local exact = op.results[1].element.bits == 64 and wide or odd
    return function(a) return round(exact(look(a))) end
  end }
end

local function to_signed(op)
  local element = op.results[1].element
  local limit = 2 ^ (element.bits - 1)
  local least, most = ffi.cast("int64_t", -limit), MOST
  if element.bits < 64 then most = ffi.cast("int64_t", limit - 1) end
  local wrap = element.wrap
  return function(a)
    if a ~= a then return 0LL end
    if a >= limit then return wrap(most) elseif a < -limit then return wrap(least) end
    return wrap(ffi.cast("int64_t", a))
  end
end

local function to_unsigned(op)
  local element = op.results[1].element
  local limit, wrap = 2 ^ element.bits, element.wrap
  return function(a)
    if a ~= a or a < 1 then return 0LL end
    if a >= limit then return wrap(-1LL) end
    if a < 2 ^ 63 then return wrap(ffi.cast("int64_t", a)) end
    return bxor(ffi.cast("int64_t", a - 2 ^ 63), LEAST)
  end
end

local function same_bits(op)
  local from, to = op.operands[1].element, op.results[1].element
  local to_bits, from_bits = from.to_bits, to.from_bits
  return function(a) return from_bits(to_bits(a)) end
end

-- 8-bit floats are i8, the codes of a format.
local function from_f8(op)
  local value = formats.formats["f8" .. op.attributes.format].value
  return function(a)
    local x = value(tonumber(band(a, 0xffLL)))
    if x ~= x then return NAN end
    return x
  end
end

-- A NaN gives the format's NaN (e4b15: the code 127), with its sign where it has one.
local function to_f8(op)
  local format = formats.formats["f8" .. op.attributes.format]
  local round, bits, wrap = format.round, format.bits, op.results[1].element.wrap
  local to_bits, nan = op.operands[1].element.to_bits, ffi.cast("int64_t", bits(NAN))
  return function(a)
    if a ~= a then return wrap(to_bits(a) < 0 and bor(nan, 0x80LL) or nan) end
    return wrap(ffi.cast("int64_t", bits(round(a))))
  end
end

return {
  ["neso.from_f8"] = { scalar = from_f8 },
  ["neso.to_f8"] = { scalar = to_f8 },
  ["arith.extsi"] = wrapped("signed"),
  ["arith.extui"] = wrapped("unsigned"),
  ["arith.trunci"] = wrapped("signed"),
  ["arith.extf"] = { scalar = to_float },
  ["arith.truncf"] = { scalar = to_float },
  ["arith.sitofp"] = from_integer("signed", tonumber, formats.odd_integer),
  ["arith.uitofp"] = from_integer("unsigned", formats.unsigned, formats.odd_unsigned),
  ["arith.fptosi"] = { scalar = to_signed },
  ["arith.fptoui"] = { scalar = to_unsigned },
  ["arith.bitcast"] = { scalar = same_bits },
  ["arith.select"] = { scalar = function()
    return function(condition, a, b)
      if condition ~= 0 then return a end
      return b
    end
  end },
}
