--- Values whose order is that of signed integers or of floats f16 and wider, which is what
--- operations that compare elements know.

local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"

local M = {}

local function flip_top(cx, x)
  local signed = dtypes["i" .. x.dtype.bits]
  local top = cx.builder:constant(-2 ^ (x.dtype.bits - 1), signed, x.shape)
  return cx.builder:value("arith.xori", { x.ssa, top.ssa }, x.dtype, x.shape)
end

--- x in such a dtype, in the same order.
function M.signed(cx, x)
  local dtype = x.dtype
  if dtype.kind == "bool" then return convert.cast(cx, x, dtypes.i32) end
  if dtype.kind == "uint" then return flip_top(cx, x) end
  if dtype.kind == "float" and dtype.bits == 8 then return convert.cast(cx, x, dtypes.f32) end
  return x
end

--- The value of `dtype` that M.signed made x of.
function M.restore(cx, x, dtype)
  if dtype.kind == "uint" then return flip_top(cx, values.value(x.ssa, dtype, x.shape)) end
  return convert.cast(cx, x, dtype)
end

return M
