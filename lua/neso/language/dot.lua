--- tl.dot: the matrix product of two blocks.

local dtypes = require("neso.dtype").names
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local values = require "neso.frontend.values"

local M = {}

local accumulators = { i8 = "i32", f16 = "f32", bf16 = "f32", f32 = "f32", f64 = "f64" }
local precisions = { "ieee", "tf32", "tf32x3", "bf16x3", "bf16x6" }

local function check_operand(cx, x, name)
  if not values.is_value(x) or #x.shape ~= 2 then
    cx:fail(("tl.dot takes blocks with two axes; %s is %s"):format(name, values.describe(x)))
  end
end

local function check_pair(cx, a, b)
  check_operand(cx, a, "a")
  check_operand(cx, b, "b")
  if a.shape[2] ~= b.shape[1] then
    cx:fail(("tl.dot cannot multiply shapes %s and %s: %d columns meet %d rows"):format(
      values.shape_text(a.shape), values.shape_text(b.shape), a.shape[2], b.shape[1]))
  end
  if a.dtype ~= b.dtype then
    cx:fail(("tl.dot takes two blocks of one dtype, got %s and %s"):format(a.dtype.name,
      b.dtype.name), "convert one side with :to(...)")
  end
  if not accumulators[a.dtype.name] then
    cx:fail("tl.dot has no product of " .. a.dtype.name, "it takes i8, f16, bf16, f32 and f64")
  end
end

local function accumulator(cx, given, shape, dtype)
  if given == nil or given == 0 then return cx.builder:constant(0, dtype, shape) end
  if not values.is_value(given) or not values.same_shape(given.shape, shape)
    or given.dtype ~= dtype then
    cx:fail(("the accumulator of tl.dot must be a block %s of %s, got %s"):format(
      values.shape_text(shape), dtype.name, values.describe(given)))
  end
  return given
end

function M.dot(cx, a)
  local x, y = a.a, a.b
  check_pair(cx, x, y)
  local precision = check.choice(cx, a.precision, "precision", precisions, "ieee")
  local dtype = dtypes[accumulators[x.dtype.name]]
  local acc = accumulator(cx, a.acc, convert.check_shape(cx, { x.shape[1], y.shape[2] }), dtype)
  local out = cx.builder:value("neso.dot", { x.ssa, y.ssa, acc.ssa }, dtype, acc.shape,
    { { "precision", "s", precision } })
  return convert.cast(cx, out, check.dtype(cx, a.out_dtype, dtype))
end

return M
