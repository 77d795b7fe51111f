--- Types of results: the promotion table and the typing of literals (spec/language.md, "Types").

local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"

local M = {}

local floor, huge = math.floor, math.huge
local is_value = values.is_value

local rank_of_kind = { bool = 0, int = 1, uint = 1, float = 2 }
local f32_max, f32_min_normal = 3.4028234663852886e38, 1.1754943508222875e-38

--- True when the number has no fraction (infinities and NaN are floats).
function M.is_integral(number)
  return number == floor(number) and number ~= huge and number ~= -huge
end

local function kind_rank(x)
  if is_value(x) then return rank_of_kind[x.dtype.kind] end
  if type(x) == "boolean" then return 0 end
  return M.is_integral(x) and 1 or 2
end

--- dtype of a number or boolean that stands alone.
---@return neso.dtype
function M.literal_dtype(x)
  if type(x) == "boolean" then return dtypes.i1 end
  if M.is_integral(x) then
    if x >= -2147483648 and x <= 2147483647 then return dtypes.i32 end
    if x >= -2 ^ 63 and x < 2 ^ 63 then return dtypes.i64 end
  end
  local size = math.abs(x)
  if size ~= size or size == huge or size == 0 then return dtypes.f32 end
  if size > f32_max or size < f32_min_normal then return dtypes.f64 end
  return dtypes.f32
end

--- True for the 8-bit floats, which are computed with in f32.
function M.is_f8(dtype)
  return dtype.kind == "float" and dtype.bits == 8
end
local is_fp8 = M.is_f8

local function integers(a, b)
  local a_signed, b_signed = a.kind == "int", b.kind == "int"
  if a_signed == b_signed then
    return a.bits >= b.bits and a or b
  end
  local signed, unsigned = a, b
  if b_signed then
    signed, unsigned = b, a
  end
  return unsigned.bits >= signed.bits and unsigned or signed
end

--- dtype that holds both.
---@param a neso.dtype
---@param b neso.dtype
---@param wide_float boolean|nil true for the operators / and % that give at least f32
---@return neso.dtype
function M.join(a, b, wide_float)
  local either_float = a.kind == "float" or b.kind == "float"
  if a == dtypes.f64 or b == dtypes.f64 then return dtypes.f64 end
  if wide_float and either_float then return dtypes.f32 end
  if a == dtypes.f32 or b == dtypes.f32 then return dtypes.f32 end
  if a == dtypes.f16 or b == dtypes.f16 then return dtypes.f16 end
  if a == dtypes.bf16 or b == dtypes.bf16 then
    return a == b and a or dtypes.f32
  end
  if is_fp8(a) or is_fp8(b) then
    return a == b and a or (is_fp8(a) and is_fp8(b)) and dtypes.f16 or dtypes.f32
  end
  return integers(a, b)
end

--- dtype in which a and b meet; each a Value, number or boolean, at least one a Value.
---@return neso.dtype
function M.common(a, b, wide_float)
  local a_dtype = is_value(a) and a.dtype or M.literal_dtype(a)
  local b_dtype = is_value(b) and b.dtype or M.literal_dtype(b)
  if is_value(a) ~= is_value(b) then
    local literal, other = a, b
    if is_value(a) then
      literal, other = b, a
    end
    if kind_rank(literal) <= kind_rank(other) then
      return wide_float and M.join(other.dtype, other.dtype, true) or other.dtype
    end
  end
  return M.join(a_dtype, b_dtype, wide_float)
end

--- Why the number cannot be a constant of the dtype, or nil.
---@return string|nil
function M.literal_problem(x, dtype)
  if type(x) ~= "number" or dtype.kind == "float" or dtype.kind == "bool" then return nil end
  if not M.is_integral(x) then
    return ("%.14g is no integer and cannot become %s"):format(x, dtype.name)
  end
  if dtype.kind == "uint" and x < 0 then
    return ("negative number %.14g cannot become %s"):format(x, dtype.name)
  end
  local low, high = -2 ^ (dtype.bits - 1), 2 ^ (dtype.bits - 1)
  if dtype.kind == "uint" then
    low, high = 0, 2 ^ dtype.bits
  end
  if x < low or x >= high then
    return ("%.14g is outside the range of %s"):format(x, dtype.name)
  end
  return nil
end

return M
