--- Conversions between dtypes and shapes: constants, casts, broadcasting.

local builder = require "neso.frontend.builder"
local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"
local promote = require "neso.frontend.promote"

local M = {}

local is_value, is_pointer = values.is_value, values.is_pointer
local same_shape, shape_text = values.same_shape, values.shape_text
local no_shape = {}

local max_elements = 2 ^ 20 -- that a block may have
local max_dimensions = 8

function M.check_shape(cx, shape)
  for axis, extent in ipairs(shape) do
    if type(extent) ~= "number" or extent < 1 or not promote.is_integral(extent) then
      cx:fail(("extent %d of a shape must be a positive integer known when compiling, got %s")
        :format(axis - 1, values.describe(extent)))
    end
    shape[axis] = math.floor(extent)
  end
  if #shape > max_dimensions then
    cx:fail(("a block of shape %s has %d dimensions; the limit is %d"):format(shape_text(shape),
      #shape, max_dimensions))
  end
  local count = values.numel(shape)
  if count > max_elements then
    cx:fail(("a block of shape %s has %.0f elements; the limit is %d"):format(shape_text(shape),
      count, max_elements), "work on smaller blocks in a loop or with more programs")
  end
  return shape
end

local function f8_format(dtype)
  return { { "format", "s", dtype.name:sub(3) } }
end

local function to_f8(cx, v, to)
  return cx.builder:value("neso.to_f8", { v.ssa }, to, v.shape, f8_format(to))
end

local literal

function literal(cx, x, dtype, shape)
  if promote.is_f8(dtype) then return to_f8(cx, literal(cx, x, dtypes.f32, shape), dtype) end
  local problem = promote.literal_problem(x, dtype)
  if problem then
    cx:fail(problem, "convert the other operand with :to(...) to a type that holds it")
  end
  if dtype.kind == "bool" and type(x) == "number" then
    x = x ~= 0
  end
  return cx.builder:constant(x, dtype, shape)
end

--- x as a Value: a Value stays, a number or boolean becomes a constant.
---@param dtype neso.dtype|nil type of the constant (default: that of the literal)
---@param shape integer[]|nil shape of the constant (default: scalar)
function M.to_value(cx, x, dtype, shape)
  if is_value(x) then return x end
  local kind = type(x)
  if kind == "number" or kind == "boolean" then
    return literal(cx, x, dtype or promote.literal_dtype(x), shape or no_shape)
  end
  if values.is_poison(x) then
    cx:fail(x.message, x.hint)
  end
  cx:fail("expected a number or a block, got " .. values.describe(x))
end

local function constant_of(v)
  return v.ssa.constant
end

local function int_to_int(cx, v, to)
  local from = v.dtype
  if from.bits == to.bits and from.kind ~= "bool" then
    return values.value(v.ssa, to, v.shape)
  end
  local name = "arith.trunci"
  if to.bits > from.bits then
    name = from.kind == "int" and "arith.extsi" or "arith.extui"
  end
  return cx.builder:value(name, { v.ssa }, to, v.shape)
end

local function plain(cx, name, v, to)
  return cx.builder:value(name, { v.ssa }, to, v.shape)
end

--- arith.cmpi or arith.cmpf by MLIR's number of the predicate.
local function compare(cx, name, predicate, a, b)
  return cx.builder:value(name, { a.ssa, b.ssa }, dtypes.i1, a.shape,
    { { "predicate", "i", "t:i64", tostring(predicate) } })
end
M.compare = compare

local function bits_of(cx, flag)
  return plain(cx, "arith.extui", flag, dtypes.i32)
end

-- f64 to f32 rounded to odd: the f32 next to x toward zero, its last bit set when it is not x
-- itself. Rounding that once more, to 16 bits, is rounding x once.
local function round_to_odd(cx, x)
  local near = plain(cx, "arith.truncf", x, dtypes.f32)
  local back = plain(cx, "arith.extf", near, dtypes.f64)
  local away = compare(cx, "arith.cmpf", 2, plain(cx, "math.absf", back, dtypes.f64),
    plain(cx, "math.absf", x, dtypes.f64))
  local inexact = compare(cx, "arith.cmpf", 6, back, x)
  local bits = plain(cx, "arith.bitcast", near, dtypes.i32)
  local function combine(name, other)
    bits = cx.builder:value(name, { bits.ssa, bits_of(cx, other).ssa }, dtypes.i32, x.shape)
  end
  combine("arith.subi", away)
  combine("arith.ori", inexact)
  return plain(cx, "arith.bitcast", bits, dtypes.f32)
end

local function float_to_float(cx, v, to)
  local from = v.dtype
  if from.bits == to.bits then
    v = plain(cx, "arith.extf", v, dtypes.f32)
  elseif from.bits == 64 and to.bits == 16 then
    v = round_to_odd(cx, v)
  end
  return plain(cx, to.bits > v.dtype.bits and "arith.extf" or "arith.truncf", v, to)
end

-- A 64-bit integer that f64 holds: beyond 53 bits the lower 11 are 0, but for the lowest bit kept,
-- set where they were not. Rounding that to 42 bits and fewer is rounding x.
local function odd_integer(cx, x)
  local shape, i64 = x.shape, dtypes.i64
  local function apply(name, a, b, dtype)
    return cx.builder:value(name, { a.ssa, b.ssa }, dtype or i64, shape)
  end
  local function number(n) return cx.builder:constant(n, i64, shape) end
  local bits = values.value(x.ssa, i64, shape)
  local low = apply("arith.andi", bits, number(2047))
  local sticky = apply("arith.addi", low, number(2047))
  local odd = apply("arith.andi", apply("arith.ori", bits, sticky), number(-2048))
  local from_least = x.dtype.kind == "int" and apply("arith.addi", bits, number(2 ^ 53)) or bits
  local span = x.dtype.kind == "int" and 2 ^ 54 or 2 ^ 53
  local small = cx.builder:value("arith.cmpi", { from_least.ssa, number(span).ssa }, dtypes.i1,
    shape, { { "predicate", "i", "t:i64", "6" } })
  local out = cx.builder:value("arith.select", { small.ssa, bits.ssa, odd.ssa }, i64, shape)
  return values.value(out.ssa, x.dtype, shape)
end

-- bf16 has the exponents of f32: a large integer would be rounded twice on the way.
local function int_to_float(cx, v, to)
  local name = v.dtype.kind == "int" and "arith.sitofp" or "arith.uitofp"
  if to == dtypes.bf16 and v.dtype.bits >= 32 then
    if v.dtype.bits == 64 then v = odd_integer(cx, v) end
    return float_to_float(cx, plain(cx, name, v, dtypes.f64), to)
  end
  return plain(cx, name, v, to)
end

local function from_f8(cx, v)
  return cx.builder:value("neso.from_f8", { v.ssa }, dtypes.f32, v.shape, f8_format(v.dtype))
end

local function not_zero(cx, v)
  local zero = cx.builder:constant(0, v.dtype, v.shape)
  if v.dtype.kind == "float" then return compare(cx, "arith.cmpf", 13, v, zero) end
  return compare(cx, "arith.cmpi", 1, v, zero)
end

--- Value converted to another dtype (rounded to nearest even; float to integer truncates and
--- saturates).
function M.cast(cx, v, to)
  local from = v.dtype
  if from == to then return v end
  local number = constant_of(v)
  if number and not promote.literal_problem(number, to) then
    return literal(cx, number, to, v.shape)
  end
  if promote.is_f8(from) then return M.cast(cx, from_f8(cx, v), to) end
  if promote.is_f8(to) then
    if from == dtypes.f64 then return to_f8(cx, round_to_odd(cx, v), to) end
    return to_f8(cx, M.cast(cx, v, dtypes.f32), to)
  end
  if to.kind == "bool" then return not_zero(cx, v) end
  if from.kind == "float" then
    if to.kind == "float" then return float_to_float(cx, v, to) end
    return cx.builder:value(to.kind == "int" and "arith.fptosi" or "arith.fptoui", { v.ssa }, to,
      v.shape)
  end
  if to.kind == "float" then return int_to_float(cx, v, to) end
  return int_to_int(cx, v, to)
end

--- Same bits, other dtype of the same width.
function M.bitcast(cx, v, to)
  if v.dtype.bits ~= to.bits then
    cx:fail(("bitcast from %s to %s changes the width"):format(v.dtype.name, to.name))
  end
  if values.type_key(v.dtype, v.shape) == values.type_key(to, v.shape) then
    return values.value(v.ssa, to, v.shape)
  end
  if v.dtype == to then return v end
  return cx.builder:value("arith.bitcast", { v.ssa }, to, v.shape)
end

--- Shape in which both meet; nil and the reason when they do not.
function M.join_shapes(a, b)
  local rank = math.max(#a, #b)
  local out = {}
  for i = 1, rank do
    local x = a[i - rank + #a] or 1
    local y = b[i - rank + #b] or 1
    if x ~= y and x ~= 1 and y ~= 1 then
      return nil, ("extent %d differs (%d and %d)"):format(i - 1, x, y)
    end
    out[i] = x == 1 and y or x
  end
  return out
end

function M.common_shape(cx, a, b, what)
  local shape, why = M.join_shapes(a, b)
  if not shape then
    cx:fail(("cannot %s blocks of shapes %s and %s: %s"):format(what or "combine", shape_text(a),
      shape_text(b), why), "x:col() makes {n, 1} and x:row() makes {1, n} of a block {n}")
  end
  return M.check_shape(cx, shape)
end

--- Value stretched to a shape that its own shape is compatible with.
function M.broadcast(cx, v, shape)
  if same_shape(v.shape, shape) then return v end
  local number = constant_of(v)
  if number then
    return cx.builder:constant(number, v.dtype, shape)
  end
  local def = v.ssa.def
  if #v.shape == 0 or def and def.name == "tensor.splat" then
    local scalar = #v.shape == 0 and v.ssa or def.operands[1]
    return cx.builder:value("tensor.splat", { scalar }, v.dtype, shape)
  end
  while #v.shape < #shape do
    v = M.expand_dims(cx, v, 0)
  end
  if same_shape(v.shape, shape) then return v end
  return cx.builder:value("neso.broadcast", { v.ssa }, v.dtype, shape)
end

function M.expand_dims(cx, v, axis)
  local shape = {}
  for i, extent in ipairs(v.shape) do
    shape[i] = extent
  end
  table.insert(shape, axis + 1, 1)
  M.check_shape(cx, shape)
  if #v.shape == 0 then
    return M.broadcast(cx, v, shape)
  end
  return cx.builder:value("neso.expand_dims", { v.ssa }, v.dtype, shape,
    { builder.axis(axis) })
end

local function check_operand(cx, x, what)
  if is_value(x) or type(x) == "number" or type(x) == "boolean" then return end
  if values.is_poison(x) then
    cx:fail(x.message, x.hint)
  end
  local hint
  if is_pointer(x) then
    hint = "read what it points to with tl.load"
  end
  cx:fail(("cannot %s %s"):format(what, values.describe(x)), hint)
end

local function is_spelled_as_float(node, x)
  while node.kind == "Paren" or node.kind == "Unary" do
    node = node.expr or node.operand
  end
  return node.kind == "Number" and node.text:find(".", 1, true)
    and math.abs(node.value) == math.abs(x)
end

-- In Lua `1.0` is the integer 1. Whoever writes the point wants a float: not to be found out later.
local function refuse_float_spelling(cx, x, dtype)
  if type(x) ~= "number" or x % 1 ~= 0 then return end
  local node = cx.node or {}
  for _, operand in ipairs(node.args or { node.left, node.right }) do
    if is_spelled_as_float(operand, x) then
      cx:fail(("this number is the integer %d in Lua, and the result would be %s"):format(x,
        dtype.name), "write it without a point, or convert the other side first: x:to(tl.f32)",
        operand)
    end
  end
end

--- Both operands in one dtype and one shape.
---@param what string verb for messages: "add"
---@param dtype neso.dtype|nil the dtype, where it is not the common one
---@return neso.Value a, neso.Value b
function M.unify(cx, a, b, what, dtype)
  check_operand(cx, a, what)
  check_operand(cx, b, what)
  dtype = dtype or promote.common(a, b)
  if dtype.kind ~= "float" and what ~= "compare" then
    refuse_float_spelling(cx, a, dtype)
    refuse_float_spelling(cx, b, dtype)
  end
  local shape = M.common_shape(cx, values.shape_of(a), values.shape_of(b), what)
  local function ready(x)
    x = M.to_value(cx, x, dtype, shape)
    return M.broadcast(cx, M.cast(cx, x, dtype), shape)
  end
  return ready(a), ready(b)
end

M.check_operand = check_operand

return M
