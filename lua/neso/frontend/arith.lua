--- Operators on run-time values: Lua's meaning, the tile operations that carry it.

local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"
local promote = require "neso.frontend.promote"
local convert = require "neso.frontend.convert"
local offsets = require "neso.frontend.offsets"

local M = {}

local is_value, is_pointer = values.is_value, values.is_pointer
local unify, compare_op = convert.unify, convert.compare

local function emit(cx, name, a, b)
  return cx.builder:value(name, { a.ssa, b.ssa }, a.dtype, a.shape)
end

local function select(cx, cond, a, b)
  return cx.builder:value("arith.select", { cond.ssa, a.ssa, b.ssa }, a.dtype, a.shape)
end
M.select = select

local function constant_like(cx, v, number)
  return cx.builder:constant(number, v.dtype, v.shape)
end

local function product_operands(v)
  local def = v.ssa.def
  if def and def.name == "arith.mulf" then
    return values.value(def.operands[1], v.dtype, v.shape),
      values.value(def.operands[2], v.dtype, v.shape)
  end
end

local function negate(cx, v)
  if v.ssa.constant and v.dtype.kind ~= "uint" then
    return constant_like(cx, v, -v.ssa.constant)
  end
  if v.dtype.kind == "float" then
    return cx.builder:value("arith.negf", { v.ssa }, v.dtype, v.shape)
  end
  return emit(cx, "arith.subi", constant_like(cx, v, 0), v)
end

local function fma(cx, x, y, z)
  return cx.builder:value("math.fma", { x.ssa, y.ssa, z.ssa }, z.dtype, z.shape)
end

-- fp = "contract": a product that is an operand of + or - is fused with it.
local function contracted(cx, name, a, b)
  if not cx.contract then return nil end
  local x, y = product_operands(a)
  if x then
    return fma(cx, x, y, name == "arith.subf" and negate(cx, b) or b)
  end
  x, y = product_operands(b)
  if x then
    return fma(cx, name == "arith.subf" and negate(cx, x) or x, y, a)
  end
end

local function ring(verb, float_name, int_name)
  return function(cx, a, b)
    a, b = unify(cx, a, b, verb)
    if a.dtype.kind == "bool" then
      a = convert.cast(cx, a, dtypes.i32)
      b = convert.cast(cx, b, dtypes.i32)
    end
    if a.dtype.kind ~= "float" then return emit(cx, int_name, a, b) end
    return contracted(cx, float_name, a, b) or emit(cx, float_name, a, b)
  end
end

local add = ring("add", "arith.addf", "arith.addi")
local sub = ring("subtract", "arith.subf", "arith.subi")
local mul = ring("multiply", "arith.mulf", "arith.muli")

local function float_common(a, b)
  local dtype = promote.common(a, b, true)
  return dtype.kind == "float" and dtype or dtypes.f32
end

local function div(cx, a, b)
  convert.check_operand(cx, a, "divide")
  convert.check_operand(cx, b, "divide")
  a, b = unify(cx, a, b, "divide", float_common(a, b))
  return emit(cx, "arith.divf", a, b)
end

local function is_negative(cx, v)
  local zero = constant_like(cx, v, 0)
  if v.dtype.kind == "float" then return compare_op(cx, "arith.cmpf", 4, v, zero) end
  return compare_op(cx, "arith.cmpi", 2, v, zero)
end

-- True where the remainder r is not zero and its sign is not that of the divisor b.
local function wrong_sign(cx, r, b)
  local zero = constant_like(cx, r, 0)
  local nonzero = r.dtype.kind == "float" and compare_op(cx, "arith.cmpf", 13, r, zero)
    or compare_op(cx, "arith.cmpi", 1, r, zero)
  local differ = is_negative(cx, r)
  if (b.ssa.constant or 0) <= 0 then
    differ = emit(cx, "arith.xori", differ, is_negative(cx, b))
  end
  return emit(cx, "arith.andi", nonzero, differ)
end

local function power_of_two(number)
  local power, exponent = 1, 0
  while number and power < number do
    power, exponent = power * 2, exponent + 1
  end
  return power == number and exponent or nil
end

local function integer_pair(cx, a, b, verb)
  if is_value(a) and is_value(b) and a.dtype.kind ~= "float" and b.dtype.kind ~= "float"
    and a.dtype.kind ~= b.dtype.kind and a.dtype.kind ~= "bool" and b.dtype.kind ~= "bool" then
    cx:fail(("cannot %s %s by %s: one is signed, the other is not"):format(verb,
      values.describe(a), values.describe(b)), "convert one side with :to(...)")
  end
  a, b = unify(cx, a, b, verb)
  if a.dtype.kind == "bool" then
    a, b = convert.cast(cx, a, dtypes.i32), convert.cast(cx, b, dtypes.i32)
  end
  return a, b
end

local function unsigned(v)
  return v.dtype.kind == "uint" or v.ssa.nonnegative
end

-- Integer division by what may be 0, which MLIR's range analysis takes for impossible: by 1 then,
-- and the result is put right.
local function divide(cx, name, a, b)
  local number = b.ssa.constant
  if number and number ~= 0 then return emit(cx, name, a, b) end
  local none = compare_op(cx, "arith.cmpi", 0, b, constant_like(cx, b, 0))
  local out = emit(cx, name, a, select(cx, none, constant_like(cx, b, 1), b))
  return select(cx, none, name:find "rem" and a or constant_like(cx, a, 0), out)
end

local function floor_div(cx, a, b)
  a, b = integer_pair(cx, a, b, "divide")
  if a.dtype.kind == "float" then
    local q = emit(cx, "arith.divf", a, b)
    return cx.builder:value("math.floor", { q.ssa }, q.dtype, q.shape)
  end
  local shift = power_of_two(b.ssa.constant)
  if shift then
    return emit(cx, unsigned(a) and "arith.shrui" or "arith.shrsi", a, constant_like(cx, a, shift))
  end
  if unsigned(a) and (unsigned(b) or (b.ssa.constant or -1) > 0) then
    return divide(cx, "arith.divui", a, b)
  end
  local q, r = divide(cx, "arith.divsi", a, b), divide(cx, "arith.remsi", a, b)
  return select(cx, wrong_sign(cx, r, b), emit(cx, "arith.subi", q, constant_like(cx, q, 1)), q)
end

local function floor_mod(cx, a, b)
  convert.check_operand(cx, a, "divide")
  convert.check_operand(cx, b, "divide")
  if promote.common(a, b).kind == "float" then
    a, b = unify(cx, a, b, "divide", float_common(a, b))
    local r = emit(cx, "arith.remf", a, b)
    return select(cx, wrong_sign(cx, r, b), emit(cx, "arith.addf", r, b), r)
  end
  a, b = integer_pair(cx, a, b, "divide")
  if power_of_two(b.ssa.constant) then
    return emit(cx, "arith.andi", a, constant_like(cx, a, b.ssa.constant - 1))
  end
  if unsigned(a) and (unsigned(b) or (b.ssa.constant or -1) > 0) then
    return divide(cx, "arith.remui", a, b)
  end
  local r = divide(cx, "arith.remsi", a, b)
  return select(cx, wrong_sign(cx, r, b), emit(cx, "arith.addi", r, b), r)
end

--- C's division and remainder: the quotient is cut toward zero.
function M.truncated(cx, a, b, remainder)
  a, b = integer_pair(cx, a, b, "divide")
  if promote.is_f8(a.dtype) then
    local x, y = convert.cast(cx, a, dtypes.f32), convert.cast(cx, b, dtypes.f32)
    return convert.cast(cx, M.truncated(cx, x, y, remainder), a.dtype)
  end
  if a.dtype.kind == "float" then
    if remainder then return emit(cx, "arith.remf", a, b) end
    local q = emit(cx, "arith.divf", a, b)
    return cx.builder:value("math.trunc", { q.ssa }, q.dtype, q.shape)
  end
  local suffix = a.dtype.kind == "uint" and "ui" or "si"
  return divide(cx, (remainder and "arith.rem" or "arith.div") .. suffix, a, b)
end

local function power(cx, a, b)
  convert.check_operand(cx, a, "raise")
  convert.check_operand(cx, b, "raise")
  local dtype = promote.common(a, b)
  if dtype.kind ~= "float" then
    dtype = dtypes.f32
  end
  if type(b) == "number" then
    local x = convert.cast(cx, convert.to_value(cx, a), dtype)
    if b == 1 then return x end
    if b == 2 then return emit(cx, "arith.mulf", x, x) end
    if b == 3 then return emit(cx, "arith.mulf", emit(cx, "arith.mulf", x, x), x) end
    if b == 0.5 then return cx.builder:value("math.sqrt", { x.ssa }, x.dtype, x.shape) end
    if b == -1 then return emit(cx, "arith.divf", constant_like(cx, x, 1), x) end
  end
  a, b = unify(cx, a, b, "raise", dtype)
  return emit(cx, "math.powf", a, b)
end

local function bitwise(verb, name)
  return function(cx, a, b)
    a, b = unify(cx, a, b, verb)
    if a.dtype.kind == "float" then
      cx:fail(("cannot %s blocks of %s"):format(verb, a.dtype.name),
        "bit operations take integers; see tl.bitcast")
    end
    return emit(cx, name, a, b)
  end
end

local function shift(verb, signed_name, unsigned_name)
  return function(cx, a, b)
    convert.check_operand(cx, a, verb)
    convert.check_operand(cx, b, verb)
    local dtype = is_value(a) and a.dtype or promote.common(a, b)
    if dtype.kind == "float" or (is_value(b) and b.dtype.kind == "float") then
      cx:fail(("cannot %s %s by %s"):format(verb, values.describe(a), values.describe(b)))
    end
    a, b = unify(cx, a, b, verb, dtype)
    return emit(cx, dtype.kind == "int" and signed_name or unsigned_name, a, b)
  end
end

local predicates = { -- float (ordered), signed, unsigned
  ["=="] = { 1, 0, 0 }, ["~="] = { 13, 1, 1 }, ["<"] = { 4, 2, 6 }, ["<="] = { 5, 3, 7 },
  [">"] = { 2, 4, 8 }, [">="] = { 3, 5, 9 },
}

local function compare(op)
  local codes = predicates[op]
  return function(cx, a, b)
    a, b = unify(cx, a, b, "compare")
    if a.dtype.kind == "float" then return compare_op(cx, "arith.cmpf", codes[1], a, b) end
    local signed = a.dtype.kind == "int"
    return compare_op(cx, "arith.cmpi", signed and codes[2] or codes[3], a, b)
  end
end

local operators = {
  ["+"] = add, ["-"] = sub, ["*"] = mul, ["/"] = div, ["//"] = floor_div, ["%"] = floor_mod,
  ["^"] = power,
  ["&"] = bitwise("and", "arith.andi"), ["|"] = bitwise("or", "arith.ori"),
  ["~"] = bitwise("xor", "arith.xori"),
  ["<<"] = shift("shift", "arith.shli", "arith.shli"),
  [">>"] = shift("shift", "arith.shrsi", "arith.shrui"),
  [">>>"] = shift("shift", "arith.shrui", "arith.shrui"),
}
for op in pairs(predicates) do
  operators[op] = compare(op)
end

local function pointer_operator(cx, op, a, b)
  if op == "+" and is_pointer(b) and not is_pointer(a) then
    a, b = b, a
  end
  if is_pointer(a) and not is_pointer(b) and (op == "+" or op == "-") then
    return offsets.advance(cx, a, b, op)
  end
  if op == "==" or op == "~=" then
    cx:fail("pointers cannot be compared in a kernel")
  end
  cx:fail(("cannot apply '%s' to %s and %s"):format(op, values.describe(a), values.describe(b)),
    "a pointer takes + and - with an integer offset")
end

local wide = { ["/"] = true, ["%"] = true }

-- 8-bit floats are computed with in f32 and rounded once.
local function in_f32(cx, op, a, b)
  local dtype = promote.common(a, b)
  a, b = unify(cx, a, b, "combine")
  local out = operators[op](cx, convert.cast(cx, a, dtypes.f32), convert.cast(cx, b, dtypes.f32))
  if wide[op] or out.dtype.kind == "bool" then return out end
  return convert.cast(cx, out, dtype)
end

--- a op b where at least one is a run-time value.
function M.binary(cx, op, a, b)
  if is_pointer(a) or is_pointer(b) then
    return pointer_operator(cx, op, a, b)
  end
  convert.check_operand(cx, a, "compute with")
  convert.check_operand(cx, b, "compute with")
  if promote.is_f8(promote.common(a, b)) then return in_f32(cx, op, a, b) end
  return operators[op](cx, a, b)
end

--- fn on x, by way of f32 where x is of 8-bit floats.
function M.through_f32(cx, x, fn)
  if not promote.is_f8(x.dtype) then return fn(x) end
  return convert.cast(cx, fn(convert.cast(cx, x, dtypes.f32)), x.dtype)
end

function M.unary(cx, op, v)
  if is_pointer(v) then
    cx:fail(("cannot apply '%s' to %s"):format(op, values.describe(v)))
  end
  if op == "-" then
    if v.dtype.kind == "bool" then v = convert.cast(cx, v, dtypes.i32) end
    return M.through_f32(cx, v, function(x) return negate(cx, x) end)
  end
  if op == "not" then return M.logical_not(cx, v) end
  if op == "~" then
    if v.dtype.kind == "float" then
      cx:fail("cannot apply '~' to " .. values.describe(v))
    end
    local ones = v.dtype.kind == "bool" and true or -1
    local b = cx.builder:constant(ones, v.dtype, v.shape)
    return emit(cx, "arith.xori", v, b)
  end
  cx:fail("'#' counts tables and strings, not " .. values.describe(v),
    "the extents of a block are x.shape")
end

function M.logical_not(cx, v)
  if v.dtype.kind ~= "bool" then
    cx:fail("'not' takes a boolean, got " .. values.describe(v),
      "in Lua every number is true; compare it: x ~= 0")
  end
  return emit(cx, "arith.xori", v, cx.builder:constant(true, v.dtype, v.shape))
end

--- not x, for a boolean known when compiling or not.
function M.negation(cx, x)
  if type(x) == "boolean" then return not x end
  return M.logical_not(cx, x)
end

M.add, M.mul, M.negate = add, mul, negate
M.emit, M.constant_like = emit, constant_like

return M
