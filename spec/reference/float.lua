-- Floats: arith.* and the exact operations of math.*. Every result is rounded once to its type, to
-- nearest, ties to even. Arithmetic of bf16 is that of f32, rounded.
local formats = require "neso.interpreter.formats"

local abs, ceil, floor, fmod, sqrt = math.abs, math.ceil, math.floor, math.fmod, math.sqrt
local copysign = formats.copysign
local NAN = 0 / 0

local single = formats.formats.f32.round

-- Rounds what was computed in double to the element's type.
local function rounder(element)
  local round = element.round
  if element.name ~= "bf16" then return round end
  return function(x) return round(single(x)) end
end

local function rounded(rule)
  return { scalar = function(op)
    local round = rounder(op.results[1].element)
    return function(a, b) return round(rule(a, b)) end
  end }
end

local function exact(rule)
  return { scalar = function() return rule end }
end

-- a * b + c, rounded once.
local function fused(op)
  local element = op.results[1].element
  if element.name == "f64" then
    local ffi = require "ffi"
    pcall(ffi.cdef, "double fma(double, double, double);")
    return function(a, b, c) return ffi.C.fma(a, b, c) end
  end
  local round, odd_sum = rounder(element), formats.odd_sum
  return function(a, b, c) return round(odd_sum(a, b, c)) end
end

-- NaN where either is NaN; +0 is greater than -0.
local function maximum(a, b)
  if a ~= a or b ~= b then return NAN end
  if a == b then return 1 / a > 0 and a or b end
  return a > b and a or b
end

local function minimum(a, b)
  if a ~= a or b ~= b then return NAN end
  if a == b then return 1 / a < 0 and a or b end
  return a < b and a or b
end

-- The other one where one is NaN.
local function skipping_nan(rule)
  return function(a, b)
    if a ~= a then return b elseif b ~= b then return a end
    return rule(a, b)
  end
end

local holds = {
  [0] = function() return false end,
  function(a, b) return a == b end,
  function(a, b) return a > b end,
  function(a, b) return a >= b end,
  function(a, b) return a < b end,
  function(a, b) return a <= b end,
  function(a, b) return a < b or a > b end,
  function(a, b) return a == a and b == b end,
  function(a, b) return not (a < b or a > b) end,
  function(a, b) return a ~= a or b ~= b or a > b end,
  function(a, b) return a ~= a or b ~= b or a >= b end,
  function(a, b) return a ~= a or b ~= b or a < b end,
  function(a, b) return a ~= a or b ~= b or a <= b end,
  function(a, b) return a ~= b end,
  function(a, b) return a ~= a or b ~= b end,
  function() return true end,
}

local function compare(op)
  local rule = holds[op.attributes.predicate]
  return function(a, b) return rule(a, b) and 1LL or 0LL end
end

local function keeping_sign(rule)
  return function(x) return copysign(rule(x), x) end
end

local function truncate(x) return x < 0 and ceil(x) or floor(x) end

local function round_away(x)
  local whole = truncate(x)
  if abs(x - whole) < 0.5 then return whole end
  return x < 0 and whole - 1 or whole + 1
end

local function round_even(x)
  local low = floor(x)
  local rest = x - low
  if rest < 0.5 or rest == 0.5 and low % 2 == 0 or rest ~= rest then return low end
  return low + 1
end

return {
  ["arith.addf"] = rounded(function(a, b) return a + b end),
  ["arith.subf"] = rounded(function(a, b) return a - b end),
  ["arith.mulf"] = rounded(function(a, b) return a * b end),
  ["arith.divf"] = rounded(function(a, b) return a / b end),
  ["arith.remf"] = rounded(function(a, b) return fmod(a, b) end),
  ["arith.negf"] = exact(function(a)
    if a ~= a then return a end
    return -a
  end),
  ["arith.maximumf"] = exact(maximum),
  ["arith.minimumf"] = exact(minimum),
  ["arith.maxnumf"] = exact(skipping_nan(maximum)),
  ["arith.minnumf"] = exact(skipping_nan(minimum)),
  ["arith.cmpf"] = { scalar = compare },
  ["math.absf"] = exact(abs),
  ["math.copysign"] = exact(copysign),
  ["math.sqrt"] = rounded(function(a) return sqrt(a) end),
  ["math.fma"] = { scalar = fused },
  ["math.floor"] = exact(keeping_sign(floor)),
  ["math.ceil"] = exact(keeping_sign(ceil)),
  ["math.trunc"] = exact(keeping_sign(truncate)),
  ["math.round"] = exact(keeping_sign(round_away)),
  ["math.roundeven"] = exact(keeping_sign(round_even)),
}
