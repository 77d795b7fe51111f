--- Sorting, picking by index, counting.

local builder = require "neso.frontend.builder"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local ordered = require "neso.language.ordered"
local parts = require "neso.language.parts"
local shape = require "neso.language.shape"
local values = require "neso.frontend.values"

local M = {}

local describe = values.describe

-- Integers as the signed ones that index.
local function index_of(cx, x, name)
  if x.dtype.kind ~= "int" and x.dtype.kind ~= "uint" then
    cx:fail(("tl.%s takes integers, got %s"):format(name, describe(x)),
      "x:to(tl.i32) converts")
  end
  local wide = x.dtype.bits == 64 or x.dtype == dtypes.u32
  return convert.cast(cx, x, wide and dtypes.i64 or dtypes.i32)
end

-- sort ----------------------------------------------------------------------------------------

-- 0, 1, ... along the axis of a block of this shape.
local function positions(cx, extents, axis)
  local lined = {}
  for k in ipairs(extents) do lined[k] = k - 1 == axis and extents[k] or 1 end
  local count = cx.builder:value("neso.arange", {}, dtypes.i32, { extents[axis + 1] },
    { { "start", "i", "t:i32", "0" }, { "end", "i", "t:i32", tostring(extents[axis + 1]) } })
  return convert.broadcast(cx, shape.reshape(cx, { x = count, shape = lined }), extents)
end

-- The sorted block and, if wanted, where its elements were.
local function sort(cx, x, axis, descending, with_indices)
  local keys = ordered.signed(cx, x)
  local operands, types = { keys.ssa }, { values.type_key(keys.dtype, x.shape) }
  if with_indices then
    operands[2] = positions(cx, x.shape, axis).ssa
    types[2] = values.type_key(dtypes.i32, x.shape)
  end
  local op = cx.builder:op("neso.sort", operands, types,
    { builder.axis(axis), { "descending", "b", descending } })
  local sorted = ordered.restore(cx, values.value(op.results[1], keys.dtype, x.shape), x.dtype)
  return sorted, with_indices and values.value(op.results[2], dtypes.i32, x.shape) or nil
end

function M.sort(cx, a)
  local x = check.block(cx, a.x, "tl.sort takes a block")
  local axis = check.axis(cx, a.axis or -1, #x.shape)
  local descending = check.flag(cx, a.descending, "descending", false)
  if check.flag(cx, a.return_indices, "return_indices", false) then
    return sort(cx, x, axis, descending, true)
  end
  return (sort(cx, x, axis, descending, false))
end

function M.argsort(cx, a)
  local x = check.block(cx, a.x, "tl.argsort takes a block")
  local axis = check.axis(cx, a.axis or -1, #x.shape)
  local _, indices = sort(cx, x, axis, check.flag(cx, a.descending, "descending", false), true)
  return indices
end

function M.topk(cx, a)
  local x = check.block(cx, a.x, "tl.topk takes a block")
  local axis = check.axis(cx, a.axis or -1, #x.shape)
  local k = check.integer(cx, a.k, "the count of tl.topk")
  if k < 1 or k > x.shape[axis + 1] then
    cx:fail(("tl.topk cannot take %d elements of axis %d of %s"):format(k, axis, describe(x)),
      ("k is 1 to %d"):format(x.shape[axis + 1]))
  end
  local sorted, indices = sort(cx, x, axis, check.flag(cx, a.largest, "largest", true), true)
  local function first(v)
    return parts.slice(cx, { x = v, axis = axis, first = 0, last = k })
  end
  return first(sorted), first(indices)
end

-- gather, histogram ---------------------------------------------------------------------------

function M.gather(cx, a)
  local x = check.block(cx, a.x, "tl.gather takes a block")
  local index = check.block(cx, a.index, "tl.gather takes a block of indices")
  local axis = check.axis(cx, a.axis, #x.shape)
  local fits = #index.shape == #x.shape
  for k, extent in ipairs(x.shape) do
    fits = fits and (k - 1 == axis or index.shape[k] == extent)
  end
  if not fits then
    cx:fail(("tl.gather along axis %d of %s needs indices of the same other extents, got %s")
      :format(axis, describe(x), describe(index)), ("only extent %d may differ"):format(axis))
  end
  index = index_of(cx, index, "gather")
  return cx.builder:value("neso.gather", { x.ssa, index.ssa }, x.dtype, index.shape,
    { builder.axis(axis) })
end

function M.histogram(cx, a)
  local x = index_of(cx, check.block(cx, a.x, "tl.histogram takes a block"), "histogram")
  local bins = check.integer(cx, a.bins, "the number of bins of tl.histogram")
  local operands = { shape.ravel(cx, { x = x }).ssa }
  if a.mask ~= nil then
    local mask = check.value(cx, a.mask, "mask")
    if mask.dtype ~= dtypes.i1 then
      cx:fail("a mask is boolean, got " .. describe(mask), "compare, as in x ~= 0")
    end
    if not values.same_shape(convert.common_shape(cx, x.shape, mask.shape, "mask"), x.shape) then
      cx:fail(("the mask has shape %s, the values have %s"):format(values.shape_text(mask.shape),
        values.shape_text(x.shape)))
    end
    operands[2] = shape.ravel(cx, { x = convert.broadcast(cx, mask, x.shape) }).ssa
  end
  return cx.builder:value("neso.histogram", operands, dtypes.i32,
    convert.check_shape(cx, { bins }))
end

return M
