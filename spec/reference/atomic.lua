-- Atomic operations: every element that is not masked off is applied once; here in the order of the
-- block. They give what was there before, 0 where masked off.
local bit = require "bit"

local bxor = bit.bxor
local LEAST = -0x8000000000000000LL
local NAN = 0 / 0

local function or_nan(rule)
  return function(a, b)
    if a ~= a or b ~= b then return NAN end
    return rule(a, b)
  end
end

local function greater(a, b) return b > a and b or a end
local function less(a, b) return b < a and b or a end
local function sum(a, b) return a + b end

local rules = {
  add = sum, fadd = sum, ["and"] = bit.band, ["or"] = bit.bor, xor = bit.bxor,
  xchg = function(_, b) return b end,
  max = greater, min = less, fmax = or_nan(greater), fmin = or_nan(less),
  umax = function(a, b) return bxor(b, LEAST) > bxor(a, LEAST) and b or a end,
  umin = function(a, b) return bxor(b, LEAST) < bxor(a, LEAST) and b or a end,
}

local function read_modify_write(op, machine)
  local to = op.results[1]
  local rule = rules[op.attributes.kind]
  local fit = to.element.is_float and to.element.round or to.element.wrap
  return function(base, offsets, value, mask)
    local out, view = to.element.new(to.count), machine.view(op, base, to, "changes")
    for i = 0, to.count - 1 do
      if not mask or mask[i] ~= 0 then
        out[i] = view.read(offsets[i], i)
        view.write(offsets[i], i, fit(rule(out[i], value[i])))
      end
    end
    return out
  end
end

-- The bits decide: -0 is not +0, a NaN is itself.
local function compare_and_swap(op, machine)
  local to = op.results[1]
  local bits = to.element.to_bits
  return function(base, offsets, compare, value, mask)
    local out, view = to.element.new(to.count), machine.view(op, base, to, "changes")
    for i = 0, to.count - 1 do
      if not mask or mask[i] ~= 0 then
        out[i] = view.read(offsets[i], i)
        if bits(out[i]) == bits(compare[i]) then view.write(offsets[i], i, value[i]) end
      end
    end
    return out
  end
end

return {
  ["neso.atomic_rmw"] = { block = read_modify_write },
  ["neso.atomic_cas"] = { block = compare_and_swap },
  ["neso.barrier"] = { block = function() return function() end end },
}
