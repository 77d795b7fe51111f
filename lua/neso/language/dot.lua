--- tl.dot: the matrix product of two blocks, or of a batch of them.

local dtypes = require("neso.dtype").names
local arith = require "neso.frontend.arith"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local promote = require "neso.frontend.promote"
local shape_of = require "neso.language.shape"
local values = require "neso.frontend.values"

local M = {}

local shape_text, describe = values.shape_text, values.describe
local unpack = table.unpack or unpack

-- dtype of operands -> dtype they are multiplied in, dtype of the sums
local products = {
  i8 = { "i8", "i32" }, u8 = { "i32", "i32" }, i16 = { "i32", "i32" }, u16 = { "i32", "i32" },
  i32 = { "i32", "i32" }, u32 = { "i32", "u32" }, i64 = { "i64", "i64" }, u64 = { "i64", "u64" },
  f16 = { "f16", "f32" }, bf16 = { "bf16", "f32" }, f32 = { "f32", "f32" }, f64 = { "f64", "f64" },
}
local precisions = { "ieee", "tf32", "tf32x3", "bf16", "bf16x3", "bf16x6" }

local function check_pair(cx, a, b)
  for i, x in ipairs { a, b } do
    local name = i == 1 and "a" or "b"
    if not values.is_value(x) or #x.shape < 2 then
      cx:fail(("tl.dot takes blocks with two axes or more; %s is %s"):format(name, describe(x)))
    end
  end
  local rank = #a.shape
  local fits = #b.shape == rank
  for k = 1, rank - 2 do fits = fits and a.shape[k] == b.shape[k] end
  if not fits then
    cx:fail(("tl.dot cannot multiply shapes %s and %s: batches are of one shape"):format(
      shape_text(a.shape), shape_text(b.shape)))
  end
  if a.shape[rank] ~= b.shape[rank - 1] then
    cx:fail(("tl.dot cannot multiply shapes %s and %s: %d columns meet %d rows"):format(
      shape_text(a.shape), shape_text(b.shape), a.shape[rank], b.shape[rank - 1]))
  end
  local small = promote.is_f8(a.dtype) and promote.is_f8(b.dtype)
  if a.dtype ~= b.dtype and not small then
    cx:fail(("tl.dot takes two blocks of one dtype, got %s and %s"):format(a.dtype.name,
      b.dtype.name), "convert one side with :to(...)")
  end
  if a.dtype.kind == "bool" then
    cx:fail("tl.dot has no product of booleans", "convert them to i8")
  end
end

local function accumulator(cx, given, shape, sums)
  if given == nil or given == 0 then return cx.builder:constant(0, sums, shape), sums end
  local fits = values.is_value(given) and values.same_shape(given.shape, shape)
  local dtype = fits and given.dtype
  local float = fits and sums.kind == "float" and dtype.kind == "float" and dtype.bits <= sums.bits
  if not fits or dtype ~= sums and not float then
    cx:fail(("the accumulator of tl.dot must be a block %s of %s, got %s"):format(
      shape_text(shape), sums.name, describe(given)))
  end
  return convert.cast(cx, given, sums), dtype
end

-- The first n axes as one.
local function fold_batch(cx, x)
  if #x.shape <= 3 then return x end
  local batch, rank = 1, #x.shape
  for k = 1, rank - 2 do batch = batch * x.shape[k] end
  return shape_of.reshape(cx, { x = x, shape = { batch, x.shape[rank - 1], x.shape[rank] } })
end

local function multiply(cx, a, b, acc)
  return cx.builder:value("neso.dot", { a.ssa, b.ssa, acc.ssa }, acc.dtype, acc.shape,
    { { "precision", "s", "ieee" } })
end

-- Precisions of f32 -------------------------------------------------------------------------------

-- f32 rounded to the 10 bits of tf32, ties to even.
local function to_tf32(cx, x)
  local bits = values.value(convert.bitcast(cx, x, dtypes.i32).ssa, dtypes.u32, x.shape)
  local odd = arith.binary(cx, "&", arith.binary(cx, ">>", bits, 13), 1)
  local up = arith.binary(cx, "+", arith.binary(cx, "+", bits, 0xfff), odd)
  local near = convert.bitcast(cx, arith.binary(cx, "&", up, 0xffffe000), dtypes.f32)
  return arith.select(cx, arith.binary(cx, "==", x, x), near, x)
end

local function to_bf16(cx, x)
  return convert.cast(cx, convert.cast(cx, x, dtypes.bf16), dtypes.f32)
end

-- y where x is finite, else 0.
local function where_finite(cx, x, y)
  local finite = arith.binary(cx, "==", arith.emit(cx, "arith.subf", x, x), 0)
  return arith.select(cx, finite, y, cx.builder:constant(0, y.dtype, y.shape))
end

-- x as a sum of `count` numbers that `round` leaves as they are, largest first; infinities and NaN
-- are in `whole` only, which is the first.
local function split(cx, x, round, count)
  local whole = round(cx, x)
  if count == 1 then return { whole }, whole end
  local parts = { where_finite(cx, whole, whole) }
  for i = 2, count do
    local rest = arith.emit(cx, "arith.subf", i == 2 and where_finite(cx, whole, x) or x,
      parts[i - 1])
    parts[i], x = round(cx, rest), rest
  end
  return parts, whole
end

local modes = {
  tf32 = { to_tf32, 1 }, tf32x3 = { to_tf32, 2 }, bf16 = { to_bf16, 1 }, bf16x3 = { to_bf16, 2 },
  bf16x6 = { to_bf16, 3 },
}

-- Products of parts i and j with i + j up to the number of parts, the smallest first.
local function split_product(cx, a, b, acc, mode)
  local round, count = modes[mode][1], modes[mode][2]
  local left, whole_left = split(cx, a, round, count)
  local right, whole_right = split(cx, b, round, count)
  for sum = count + 1, 3, -1 do
    for i = sum - 1, 1, -1 do
      acc = multiply(cx, left[i], right[sum - i], acc)
    end
  end
  return multiply(cx, whole_left, whole_right, acc)
end

function M.dot(cx, a)
  local x, y = a.a, a.b
  check_pair(cx, x, y)
  local precision = check.choice(cx, a.precision, "precision", precisions, "ieee")
  if promote.is_f8(x.dtype) then
    x, y = convert.cast(cx, x, dtypes.f16), convert.cast(cx, y, dtypes.f16)
  end
  local product = products[x.dtype.name]
  local shape = { unpack(x.shape) }
  shape[#shape] = y.shape[#y.shape]
  local acc, dtype = accumulator(cx, a.acc, convert.check_shape(cx, shape), dtypes[product[2]])
  x, y = convert.cast(cx, x, dtypes[product[1]]), convert.cast(cx, y, dtypes[product[1]])
  x, y, acc = fold_batch(cx, x), fold_batch(cx, y), fold_batch(cx, acc)
  local split_needed = precision ~= "ieee" and x.dtype == dtypes.f32
  local out = split_needed and split_product(cx, x, y, acc, precision) or multiply(cx, x, y, acc)
  out = shape_of.reshape(cx, { x = out, shape = shape })
  return convert.cast(cx, out, check.dtype(cx, a.out_dtype, dtype))
end

return M
