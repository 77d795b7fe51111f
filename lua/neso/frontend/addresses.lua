--- Pointers and integers: the address of a pointer, pointers made of addresses or of other
--- pointers. A block of addresses becomes base 0 and offsets in elements.

local convert = require "neso.frontend.convert"
local dtype = require "neso.dtype"
local values = require "neso.frontend.values"

local M = {}

local i64 = dtype.names.i64

local function binary(cx, name, x, number)
  local y = cx.builder:constant(number, i64, x.shape)
  return cx.builder:value(name, { x.ssa, y.ssa }, i64, x.shape)
end

--- The address of a pointer in bytes, i64 of its shape.
function M.of(cx, pointer)
  local base = cx.builder:value("neso.address", { pointer.base }, i64, {})
  local offset = pointer.offset
  if not offset then return base end
  local bytes = binary(cx, "arith.muli", convert.cast(cx, offset, i64), pointer.dtype.size)
  base = convert.broadcast(cx, base, bytes.shape)
  return cx.builder:value("arith.addi", { base.ssa, bytes.ssa }, i64, bytes.shape)
end

local function base_of(cx, address, kind)
  local op = cx.builder:op("neso.pointer", { address.ssa }, { values.pointer_key(kind.dtype) })
  op.results[1].const = kind.const
  return op.results[1]
end

local function log2(size)
  return math.floor(math.log(size) / math.log(2) + 0.5)
end

--- A pointer to the addresses `x` (i64); each must be a multiple of the element's size.
---@param kind neso.pointer_type
function M.to_pointer(cx, x, kind)
  if #x.shape == 0 then return values.pointer(base_of(cx, x, kind), nil, kind.dtype) end
  local base = base_of(cx, cx.builder:constant(0, i64, {}), kind)
  local offset = x
  if kind.dtype.size > 1 then offset = binary(cx, "arith.shrui", x, log2(kind.dtype.size)) end
  return values.pointer(base, offset, kind.dtype)
end

local function pointer_from(cx, x, kind)
  if values.is_pointer(x) then
    if x.dtype == kind.dtype and not x.base.const == not kind.const then return x end
    if x.base.const and not kind.const then
      cx:fail("a pointer to const elements cannot become one that may be written through")
    end
    return M.to_pointer(cx, M.of(cx, x), kind)
  end
  if not values.is_value(x) or x.dtype.kind == "float" or x.dtype.bits ~= 64 then
    cx:fail(("a pointer is made of an i64, not of %s"):format(values.describe(x)),
      "convert it with :to(tl.i64) first")
  end
  return M.to_pointer(cx, convert.cast(cx, x, i64), kind)
end

--- x as a `target`, where one of both is a pointer.
function M.cast(cx, x, target)
  if dtype.is_pointer_type(target) then return pointer_from(cx, x, target) end
  local plain = dtype.find(target)
  if plain == i64 or plain == dtype.names.u64 or plain == dtype.names.i1 then
    return convert.cast(cx, M.of(cx, x), plain)
  end
  cx:fail(("cannot convert %s to %s"):format(values.describe(x), values.describe(target)),
    "a pointer becomes i64 or u64 (its address), i1 (not null) or a tl.pointer_type(...)")
end

--- `x` where the condition holds, else `y`; both point to elements of one dtype.
function M.select(cx, x, y, select)
  local kind = dtype.pointer(x.dtype, x.base.const or y.base.const)
  return M.to_pointer(cx, select(M.of(cx, x), M.of(cx, y)), kind)
end

return M
