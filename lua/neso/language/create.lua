--- Blocks out of nothing.

local dtypes = require("neso.dtype").names
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local values = require "neso.frontend.values"

local M = {}

function M.arange(cx, a)
  local first, last = a.first, a.last
  if last == nil then
    first, last = 0, first
  end
  first = check.integer(cx, first, "the start of tl.arange")
  last = check.integer(cx, last, "the end of tl.arange")
  if last <= first then
    cx:fail(("tl.arange(%d, %d) is empty"):format(first, last), "the end must be above the start")
  end
  if math.abs(first) >= 2 ^ 31 or math.abs(last) >= 2 ^ 31 then
    cx:fail("tl.arange counts in i32")
  end
  local shape = convert.check_shape(cx, { last - first })
  local block = cx.builder:value("neso.arange", {}, dtypes.i32, shape,
    { { "start", "i", "t:i32", ("%d"):format(first) },
      { "end", "i", "t:i32", ("%d"):format(last) } })
  block.ssa.nonnegative = first >= 0
  return block
end

function M.full(cx, a)
  local shape = check.shape(cx, a.shape)
  local dtype = check.dtype(cx, a.dtype)
  convert.check_operand(cx, a.value, "fill a block with")
  local value = convert.to_value(cx, a.value, dtype)
  if values.numel(value.shape) ~= 1 then
    cx:fail("tl.full takes one value, got " .. values.describe(a.value))
  end
  return convert.broadcast(cx, convert.cast(cx, value, dtype or value.dtype), shape)
end

local function zeros(cx, shape, dtype)
  return cx.builder:constant(0, dtype, shape)
end

function M.zeros(cx, a)
  return zeros(cx, check.shape(cx, a.shape), check.dtype(cx, a.dtype, dtypes.f32))
end

function M.zeros_like(cx, a)
  local x = check.value(cx, a.x, "take the shape of")
  return zeros(cx, x.shape, x.dtype)
end

return M
