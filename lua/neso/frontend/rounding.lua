--- Conversions that saturate, and those that cut toward zero.

local arith = require "neso.frontend.arith"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names

local M = {}

-- Largest finite values.
local largest = {
  f64 = 1.7976931348623157e308, f32 = 3.4028234663852886e38, bf16 = 3.3895313892515355e38,
  f16 = 65504, f8e5m2 = 57344, f8e4m3fn = 448, f8e4b15 = 1.75, f8e4m3fnuz = 240,
  f8e5m2fnuz = 57344,
}

local function extreme(cx, name, x, number)
  return arith.emit(cx, name, x, arith.constant_like(cx, x, number))
end

-- Floats of f32 or f64, for numbers that narrower ones may not hold.
local function wide(cx, x)
  return x.dtype.bits < 32 and convert.cast(cx, x, dtypes.f32) or x
end

--- The float x within the finite values of the float dtype `to`.
function M.clamp(cx, x, to)
  local most = largest[to.name]
  x = wide(cx, x)
  return extreme(cx, "arith.maximumf", extreme(cx, "arith.minimumf", x, most), -most)
end

-- Integers by the range of `to`, where that is within their own.
local function clamp_integer(cx, x, to)
  local signed = x.dtype.kind == "int"
  local suffix = signed and "si" or "ui"
  if x.dtype.max > to.max then x = extreme(cx, "arith.min" .. suffix, x, to.max) end
  if signed and x.dtype.min < to.min then x = extreme(cx, "arith.maxsi", x, to.min) end
  return x
end

--- x converted to `to`, or the nearest finite value of it where x is beyond.
function M.saturate(cx, x, to)
  if to.kind == "bool" or x.dtype.kind == "bool" then return convert.cast(cx, x, to) end
  if x.dtype.kind ~= "float" then
    if to.kind ~= "float" then return convert.cast(cx, clamp_integer(cx, x, to), to) end
    x = convert.cast(cx, x, dtypes.f64)
  end
  if to.kind == "float" and x.dtype.bits > to.bits then x = M.clamp(cx, x, to) end
  return convert.cast(cx, x, to)
end

--- The float x cut toward zero to the narrower float `to`.
function M.toward_zero(cx, x, to)
  local near = convert.cast(cx, x, to)
  local compute = x.dtype == dtypes.f64 and dtypes.f64 or dtypes.f32
  local function size(v)
    v = convert.cast(cx, v, compute)
    return cx.builder:value("math.absf", { v.ssa }, compute, v.shape)
  end
  local over = convert.compare(cx, "arith.cmpf", 2, size(near), size(x))
  local integer = dtypes["i" .. to.bits]
  local one = cx.builder:value("arith.extui", { over.ssa }, integer, x.shape)
  local bits = arith.emit(cx, "arith.subi", convert.bitcast(cx, near, integer), one)
  return convert.bitcast(cx, bits, to)
end

return M
