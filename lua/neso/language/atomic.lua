--- Atomic operations: each element is applied once, in some order.

local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local memory = require "neso.language.memory"
local values = require "neso.frontend.values"

local M = {}

local orders = { "relaxed", "acquire", "release", "acq_rel" }
local scopes = { "cta", "gpu", "sys" }

local function attributes(cx, a)
  return { { "sem", "s", check.choice(cx, a.sem, "sem", orders, "acq_rel") },
    { "scope", "s", check.choice(cx, a.scope, "scope", scopes, "gpu") } }
end

local names = {
  add = { int = "add", uint = "add", float = "fadd" },
  max = { int = "max", uint = "umax", float = "fmax" },
  min = { int = "min", uint = "umin", float = "fmin" },
  ["and"] = { int = "and", uint = "and" },
  ["or"] = { int = "or", uint = "or" },
  xor = { int = "xor", uint = "xor" },
  xchg = { int = "xchg", uint = "xchg", float = "xchg" },
}

-- Pointer, offsets, values and mask of an atomic operation, as operands.
local function operands(cx, a, name, given)
  local target = memory.target(cx, a.pointer, "atomic_" .. name)
  local dtype = target.pointer.dtype
  if dtype.kind == "bool" or dtype.kind == "float" and dtype.bits == 8 then
    cx:fail(("tl.atomic_%s does not work on %s"):format(name, dtype.name),
      "integers of 8 to 64 bits and floats of 16 to 64 have atomic operations")
  end
  local list = { target.pointer.base, target.offset.ssa }
  for _, x in ipairs(given) do list[#list + 1] = target.element(x, "value").ssa end
  local mask = target.mask(a.mask)
  if mask ~= true then list[#list + 1] = mask.ssa end
  return list, target
end

local function read_modify_write(name)
  return function(cx, a)
    local list, target = operands(cx, a, name, { a.value })
    local dtype = target.pointer.dtype
    local kind = names[name][dtype.kind]
    if not kind then
      cx:fail(("tl.atomic_%s takes integers, got %s"):format(name, values.describe(target.pointer)))
    end
    local attrs = attributes(cx, a)
    attrs[3] = { "kind", "s", kind }
    return cx.builder:value("neso.atomic_rmw", list, dtype, target.offset.shape, attrs)
  end
end

for name in pairs(names) do M["atomic_" .. name] = read_modify_write(name) end

function M.atomic_cas(cx, a)
  convert.check_operand(cx, a.compare, "compare with")
  local list, target = operands(cx, a, "cas", { a.compare, a.value })
  return cx.builder:value("neso.atomic_cas", list, target.pointer.dtype, target.offset.shape,
    attributes(cx, a))
end

function M.debug_barrier(cx)
  cx.builder:op("neso.barrier", {}, {})
end

return M
