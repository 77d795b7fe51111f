--- tl.load and tl.store.

local dtypes = require("neso.dtype").names
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local offsets = require "neso.frontend.offsets"
local values = require "neso.frontend.values"

local M = {}

local caches = {
  load = { "", ".ca", ".cg", ".cs", ".cv" },
  store = { "", ".wb", ".cg", ".cs", ".wt" },
}
local evictions = { "", "evict_first", "evict_last" }

local function check_pointer(cx, x, name)
  if values.is_pointer(x) then
    if name ~= "load" and x.base.const then
      cx:fail(("tl.%s cannot write through %s"):format(name, values.describe(x)),
        "it was declared const")
    end
    return x
  end
  local hint
  if values.is_value(x) then hint = "a tensor argument plus offsets is a pointer: x + offsets" end
  cx:fail(("tl.%s takes a pointer, got %s"):format(name, values.describe(x)), hint)
end

-- v stretched to the shape of the pointer.
local function fit(cx, v, shape, what)
  local joined = convert.join_shapes(v.shape, shape)
  if not joined or not values.same_shape(joined, shape) then
    cx:fail(("the %s has shape %s, but the pointers have shape %s"):format(what,
      values.shape_text(v.shape), values.shape_text(shape)),
      "the pointers say which elements are moved; give them the full shape")
  end
  return convert.broadcast(cx, v, shape)
end

-- The mask over the pointer's shape; true where there is none.
local function mask_value(cx, mask, shape)
  if mask == nil or mask == true then return true end
  if mask == false then return cx.builder:constant(false, dtypes.i1, shape) end
  if not values.is_value(mask) or mask.dtype ~= dtypes.i1 then
    cx:fail("a mask is boolean, got " .. values.describe(mask), "compare: i < n, or x ~= 0")
  end
  return fit(cx, mask, shape, "mask")
end

local function hints(cx, a, name)
  local volatile = check.flag(cx, a.volatile, "volatile", false)
  return {
    { "cache", "s", check.choice(cx, a.cache, "cache", caches[name], "") },
    { "evict", "s", check.choice(cx, a.evict, "evict", evictions, "") },
    { "volatile", "b", volatile },
  }
end

local function element(cx, x, dtype, what)
  convert.check_operand(cx, x, what)
  return convert.cast(cx, convert.to_value(cx, x, dtype), dtype)
end

--- Where an operation that changes memory works: pointer, offset, and functions that give the mask
--- (true: none) and values of the pointer's shape and dtype.
---@param name string of the tl function
function M.target(cx, x, name)
  local pointer = check_pointer(cx, x, name)
  local offset = offsets.offset(cx, pointer)
  return {
    pointer = pointer, offset = offset,
    mask = function(mask) return mask_value(cx, mask, offset.shape) end,
    element = function(v, what)
      return fit(cx, element(cx, v, pointer.dtype, name), offset.shape, what)
    end,
  }
end

local function is_block_pointer(cx, a)
  return type(a.pointer) == "table" and cx.owned[a.pointer]
end

function M.load(cx, a)
  if is_block_pointer(cx, a) then return require("neso.language.descriptor").load_block(cx, a) end
  local pointer = check_pointer(cx, a.pointer, "load")
  local offset = offsets.offset(cx, pointer)
  local shape, attrs = offset.shape, hints(cx, a, "load")
  local mask = mask_value(cx, a.mask, shape)
  if mask == true then
    return cx.builder:value("neso.load", { pointer.base, offset.ssa }, pointer.dtype, shape, attrs)
  end
  local other = a.other == nil and 0 or a.other
  other = fit(cx, element(cx, other, pointer.dtype, "load"), shape, "value of `other`")
  return cx.builder:value("neso.masked_load", { pointer.base, offset.ssa, mask.ssa, other.ssa },
    pointer.dtype, shape, attrs)
end

function M.store(cx, a)
  if is_block_pointer(cx, a) then return require("neso.language.descriptor").store_block(cx, a) end
  local target = M.target(cx, a.pointer, "store")
  local attrs, mask = hints(cx, a, "store"), target.mask(a.mask)
  local base, offset = target.pointer.base, target.offset.ssa
  local value = target.element(a.value, "value").ssa
  if mask == true then
    cx.builder:op("neso.store", { base, offset, value }, {}, attrs)
  else
    cx.builder:op("neso.masked_store", { base, offset, value, mask.ssa }, {}, attrs)
  end
end

return M
