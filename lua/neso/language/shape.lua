--- Functions that change the shape of a block, or the order of its axes. They work on blocks of
--- pointers through their offsets.

local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local through = require "neso.language.through"
local values = require "neso.frontend.values"

local M = {}

local shape_text = values.shape_text

M.broadcast_to = through(function(cx, x, a)
  local shape = check.shape(cx, a.shape)
  local joined = convert.join_shapes(x.shape, shape)
  if not joined or not values.same_shape(joined, shape) then
    cx:fail(("cannot broadcast a block of shape %s to %s"):format(shape_text(x.shape),
      shape_text(shape)), "only extents of 1 can grow")
  end
  return convert.broadcast(cx, x, shape)
end)

M.expand_dims = through(function(cx, x, a)
  return convert.expand_dims(cx, x, check.axis(cx, a.axis, #x.shape + 1))
end)

local function one_axis(cx, x, name)
  if #x.shape ~= 1 then
    cx:fail(("tl.%s takes a block {n}, got %s"):format(name, values.describe(x)),
      "use tl.expand_dims or tl.reshape for other shapes")
  end
end

M.col = through(function(cx, x)
  one_axis(cx, x, "col")
  return convert.expand_dims(cx, x, 1)
end)

M.row = through(function(cx, x)
  one_axis(cx, x, "row")
  return convert.expand_dims(cx, x, 0)
end)

local function reshape(cx, x, shape)
  if values.same_shape(x.shape, shape) then return x end
  if values.numel(shape) ~= values.numel(x.shape) then
    cx:fail(("cannot reshape %s to %s: %d elements become %d"):format(values.describe(x),
      shape_text(shape), values.numel(x.shape), values.numel(shape)))
  end
  if x.ssa.constant then return cx.builder:constant(x.ssa.constant, x.dtype, shape) end
  return cx.builder:value("neso.reshape", { x.ssa }, x.dtype, shape)
end

M.reshape = through(function(cx, x, a)
  return reshape(cx, x, check.shape(cx, a.shape))
end)

M.ravel = through(function(cx, x)
  return reshape(cx, x, { values.numel(x.shape) })
end)

local function transpose(cx, x, order)
  local shape, moves = {}, false
  for k, from in ipairs(order) do
    shape[k] = x.shape[from + 1]
    moves = moves or from ~= k - 1
  end
  if not moves then return x end
  if x.ssa.constant then return cx.builder:constant(x.ssa.constant, x.dtype, shape) end
  return cx.builder:value("neso.trans", { x.ssa }, x.dtype, shape, { { "order", "a", order } })
end

local function checked_order(cx, x, given)
  local rank = #x.shape
  if type(given) ~= "table" or values.is_runtime(given) or #given ~= rank then
    cx:fail(("an order of %d axes is needed for %s"):format(rank, values.describe(x)))
  end
  local order, seen = {}, {}
  for k = 1, rank do
    order[k] = check.axis(cx, given[k], rank)
    if seen[order[k]] then
      cx:fail(("axis %d appears twice in the order"):format(order[k]))
    end
    seen[order[k]] = true
  end
  return order
end

local function swapped(cx, x)
  local rank = #x.shape
  if rank < 2 then
    cx:fail("a transpose needs two axes, got " .. values.describe(x))
  end
  local order = {}
  for k = 1, rank do
    order[k] = k - 1
  end
  order[rank], order[rank - 1] = order[rank - 1], order[rank]
  return order
end

M.trans = through(function(cx, x, a)
  return transpose(cx, x, a.order and checked_order(cx, x, a.order) or swapped(cx, x))
end)

M.permute = through(function(cx, x, a)
  return transpose(cx, x, checked_order(cx, x, a.order))
end)

M.T = through(function(cx, x)
  if #x.shape ~= 2 then
    cx:fail("x:T() takes a block with two axes, got " .. values.describe(x), "see tl.permute")
  end
  return transpose(cx, x, { 1, 0 })
end)

return M
