-- Reductions along an axis. Sums and products of floats are kept in double here and rounded once:
-- a backend has an order, and a rounding at each step, of its own.
local bit = require "bit"
local blocks = require "neso.interpreter.blocks"

local bxor = bit.bxor
local LEAST = -0x8000000000000000LL

local function sum(a, x) return a + x end
local function product(a, x) return a * x end
local function greater(a, x) return x > a and x or a end
local function less(a, x) return x < a and x or a end

local integer = {
  sum = sum, prod = product, ["and"] = bit.band, ["or"] = bit.bor, xor = bit.bxor,
  max = greater, maxnum = greater, min = less, minnum = less,
  umax = function(a, x) return bxor(x, LEAST) > bxor(a, LEAST) and x or a end,
  umin = function(a, x) return bxor(x, LEAST) < bxor(a, LEAST) and x or a end,
}

local function or_nan(rule)
  return function(a, x)
    if a ~= a then return a elseif x ~= x then return x end
    return rule(a, x)
  end
end

local function but_nan(rule)
  return function(a, x)
    if a ~= a then return x elseif x ~= x then return a end
    return rule(a, x)
  end
end

local float = {
  sum = sum, prod = product,
  max = or_nan(greater), min = or_nan(less), maxnum = but_nan(greater), minnum = but_nan(less),
}

local function reduce(op)
  local from, to = op.operands[1], op.results[1]
  local element = to.element
  local rule = (element.is_float and float or integer)[op.attributes.kind]
  local fit = element.is_float and element.round or element.wrap
  local _, length, inner = blocks.axis(from.shape, op.attributes.axis)
  return function(x)
    local out = element.new(to.count)
    for i = 0, to.count - 1 do
      local at = math.floor(i / inner) * length * inner + i % inner
      local a = x[at]
      for k = 1, length - 1 do a = rule(a, x[at + k * inner]) end
      out[i] = fit(a)
    end
    return out
  end
end

-- Whether x is better than a, at a lower index. NaN is best of all, or is never taken.
local function better(kind, is_float, propagate)
  local greatest = kind == "max"
  return function(a, x)
    if is_float and x ~= x then return propagate and a == a end
    if is_float and a ~= a then return not propagate end
    if greatest then return x > a end
    return x < a
  end
end

local function arg_reduce(op)
  local from, value_type, index_type = op.operands[1], op.results[1], op.results[2]
  local attributes = op.attributes
  local takes = better(attributes.kind, from.element.is_float, attributes.propagate_nan)
  local _, length, inner = blocks.axis(from.shape, attributes.axis)
  return function(x)
    local value = value_type.element.new(value_type.count)
    local index = index_type.element.new(value_type.count)
    for i = 0, value_type.count - 1 do
      local at = math.floor(i / inner) * length * inner + i % inner
      local best, where = x[at], 0
      for k = 1, length - 1 do
        local candidate = x[at + k * inner]
        if takes(best, candidate) then best, where = candidate, k end
      end
      value[i], index[i] = best, where
    end
    return value, index
  end
end

-- acc + a b; a leading axis is a batch. Modes of less precision than the type's may be computed in
-- full, as here.
local function dot(op)
  local a_type, to = op.operands[1], op.results[1]
  local rank = #to.shape
  local rows, columns, inner = to.shape[rank - 1], to.shape[rank], a_type.shape[rank]
  local element = to.element
  local fit = element.is_float and element.round or element.wrap
  return function(a, b, acc)
    local out = element.new(to.count)
    for i = 0, to.count - 1 do
      local column, row = i % columns, math.floor(i / columns)
      local first = math.floor(row / rows) * inner * columns + column
      local s = acc[i]
      for k = 0, inner - 1 do s = s + a[row * inner + k] * b[first + k * columns] end
      out[i] = fit(s)
    end
    return out
  end
end

return {
  ["neso.reduce"] = { block = reduce },
  ["neso.arg_reduce"] = { block = arg_reduce },
  ["neso.dot"] = { block = dot },
}
