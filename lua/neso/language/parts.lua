--- Blocks put together and taken apart.

local builder = require "neso.frontend.builder"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local promote = require "neso.frontend.promote"
local shape = require "neso.language.shape"
local through = require "neso.language.through"
local values = require "neso.frontend.values"

local M = {}

local shape_text, describe = values.shape_text, values.describe

-- cat -----------------------------------------------------------------------------------------

local function check_beside(cx, a, b, axis)
  local fits = #a.shape == #b.shape
  for k, extent in ipairs(a.shape) do
    fits = fits and (k - 1 == axis or extent == b.shape[k])
  end
  if not fits then
    cx:fail(("cannot put blocks of shapes %s and %s together along axis %d"):format(
      shape_text(a.shape), shape_text(b.shape), axis), "their other extents must be equal")
  end
end

local function cat(cx, a, b, axis)
  check_beside(cx, a, b, axis)
  local dtype = promote.common(a, b)
  local whole = {}
  for k, extent in ipairs(a.shape) do
    whole[k] = k - 1 == axis and extent + b.shape[k] or extent
  end
  convert.check_shape(cx, whole)
  a, b = convert.cast(cx, a, dtype), convert.cast(cx, b, dtype)
  return cx.builder:value("neso.cat", { a.ssa, b.ssa }, dtype, whole,
    { builder.axis(axis) })
end

function M.cat(cx, a)
  local list, axis = { a.x, a.y }, a.axis
  if type(a.x) == "table" and getmetatable(a.x) == nil then
    list, axis = a.x, a.y
  end
  local out = check.block(cx, list[1], "tl.cat takes blocks")
  axis = check.axis(cx, axis or 0, #out.shape)
  for i = 2, #list do
    out = cat(cx, out, check.block(cx, list[i], "tl.cat takes blocks"), axis)
  end
  return out
end

local function join(cx, x, y, name)
  local a, b = convert.unify(cx, x, y, name)
  local last = #a.shape
  return cat(cx, convert.expand_dims(cx, a, last), convert.expand_dims(cx, b, last), last)
end

function M.join(cx, a) return join(cx, a.x, a.y, "join") end

function M.interleave(cx, a)
  local both = join(cx, a.x, a.y, "interleave")
  local whole = {}
  for k = 1, #both.shape - 1 do whole[k] = both.shape[k] end
  whole[math.max(#whole, 1)] = (whole[#whole] or 1) * 2
  return shape.reshape(cx, { x = both, shape = whole })
end

function M.broadcast(cx, a)
  return convert.unify(cx, a.x, a.y, "broadcast")
end

-- slice ---------------------------------------------------------------------------------------

-- Elements first, first + step, ... along one axis; `count` of them.
local function slice(cx, x, axis, first, step, count)
  local start, steps, part = {}, {}, {}
  for k, extent in ipairs(x.shape) do
    local here = k - 1 == axis
    start[k], steps[k], part[k] = here and first or 0, here and step or 1, here and count or extent
  end
  if values.same_shape(part, x.shape) and step == 1 then return x end
  if x.ssa.constant then return cx.builder:constant(x.ssa.constant, x.dtype, part) end
  return cx.builder:value("neso.slice", { x.ssa }, x.dtype, part,
    { { "start", "a", start }, { "step", "a", steps } })
end

local function range_text(first, last, step)
  return ("%d to %d by %d"):format(first, last, step)
end

M.slice = through(function(cx, x, a)
  local axis = check.axis(cx, a.axis, #x.shape)
  local extent = x.shape[axis + 1]
  local step = check.integer(cx, a.step or 1, "the step of tl.slice")
  local first = check.integer(cx, a.first, "the first index of tl.slice")
  local last = a.last or step > 0 and extent or -1
  last = check.integer(cx, last, "the last index of tl.slice")
  if step == 0 then cx:fail("tl.slice needs a step other than 0", "-1 goes backwards") end
  local count = math.ceil((last - first) / step)
  local outside = first < 0 or first >= extent or last > extent or last < -1
  if outside or count < 1 then
    cx:fail(("tl.slice from %s takes %s of axis %d of %s"):format(range_text(first, last, step),
      outside and "elements outside" or "no element", axis, describe(x)),
      "indices count from 0; the last one is not taken")
  end
  return slice(cx, x, axis, first, step, count)
end)

M.flip = through(function(cx, x, a)
  local axis = check.axis(cx, a.axis or -1, #x.shape)
  local extent = x.shape[axis + 1]
  if extent == 1 then return x end
  return slice(cx, x, axis, extent - 1, -1, extent)
end)

function M.split(cx, a)
  local takes = "tl.split takes a block whose last extent is 2"
  local x = check.block(cx, a.x, takes)
  local rank = #x.shape
  if x.shape[rank] ~= 2 then
    cx:fail(("%s, got %s"):format(takes, describe(x)), "tl.slice takes any part of a block")
  end
  local halves, part = {}, {}
  for k = 1, rank - 1 do part[k] = x.shape[k] end
  for i = 0, 1 do
    halves[i + 1] = shape.reshape(cx, { x = slice(cx, x, rank - 1, i, 1, 1), shape = part })
  end
  return halves[1], halves[2]
end

-- extents of 1 --------------------------------------------------------------------------------

M.squeeze = through(function(cx, x, a)
  local kept = {}
  local axis = a.axis and check.axis(cx, a.axis, #x.shape)
  if axis and x.shape[axis + 1] ~= 1 then
    cx:fail(("axis %d of %s has not the extent 1"):format(axis, describe(x)),
      "without an axis tl.squeeze drops every extent of 1")
  end
  for k, extent in ipairs(x.shape) do
    local dropped = extent == 1 and (axis == nil or axis == k - 1)
    if not dropped then kept[#kept + 1] = extent end
  end
  return shape.reshape(cx, { x = x, shape = kept })
end)

M.unsqueeze = shape.expand_dims

M.view = shape.reshape

function M.item(cx, a)
  local x = check.value(cx, a.x, "take the element of")
  if values.numel(x.shape) ~= 1 then
    cx:fail("tl.item takes a block of one element, got " .. describe(x),
      "reduce it, or pick elements with tl.slice or tl.gather")
  end
  return shape.reshape(cx, { x = x, shape = {} })
end

return M
