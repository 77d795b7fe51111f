--- Elementary functions made of others. f16, bf16 and f32 are computed in f64 and rounded once.

local tl = require "neso.language"

local M = {}

local LN2 = 0.6931471805599453

-- fn(x) by way of f64; integers give f32.
local function wide(x, fn)
  local kind = x.dtype
  if kind.kind ~= "float" then kind = tl.f32 end
  return tl.cast(fn(tl.cast(x, tl.f64)), kind)
end

-- The other leg of a right triangle with hypotenuse 1.
local function leg(x) return tl.sqrt((1 - x) * (1 + x)) end

function M.asin(x)
  return wide(x, function(y) return tl.atan2(y, leg(y)) end)
end

function M.acos(x)
  return wide(x, function(y) return tl.atan2(leg(y), y) end)
end

function M.atan(x)
  return wide(x, function(y) return tl.atan2(y, tl.full_like(y, 1)) end)
end

function M.sinh(x)
  return wide(x, function(y)
    local size = tl.abs(y)
    local e = tl.expm1(tl.minimum(size, 700))
    local half = tl.exp(size * 0.5)
    local large = half * 0.5 * half
    return tl.copysign(tl.where(size < 700, (e + e / (e + 1)) * 0.5, large), y)
  end)
end

function M.cosh(x)
  return wide(x, function(y)
    local half = tl.exp(tl.abs(y) * 0.5)
    return half * 0.5 * half + 0.5 / half / half
  end)
end

function M.asinh(x)
  return wide(x, function(y)
    local size = tl.abs(y)
    local near = tl.log1p(size + size * size / (1 + tl.sqrt(size * size + 1)))
    return tl.copysign(tl.where(size < 1e150, near, tl.log(size) + LN2), y)
  end)
end

function M.acosh(x)
  return wide(x, function(y)
    local t = y - 1
    local near = tl.log1p(t + tl.sqrt(t * (t + 2)))
    return tl.where(y < 1e150, near, tl.log(y) + LN2)
  end)
end

function M.atanh(x)
  return wide(x, function(y)
    local size = tl.abs(y)
    return tl.copysign(0.5 * tl.log1p(2 * size / (1 - size)), y)
  end)
end

function M.cbrt(x)
  return wide(x, function(y)
    local size = tl.abs(y)
    local r = tl.exp2(tl.log2(size) / 3)
    local better = r - (r * r * r - size) / (3 * r * r)
    local ends = size == 0 or size == math.huge
    return tl.copysign(tl.where(ends, size, better), y)
  end)
end

function M.hypot(x, y)
  local a, b = tl.broadcast(x, y)
  local kind = a.dtype
  if kind.kind ~= "float" then kind = tl.f32 end
  a, b = tl.abs(tl.cast(a, tl.f64)), tl.abs(tl.cast(b, tl.f64))
  local most, least = tl.maximum(a, b), tl.minimum(a, b)
  local t = least / tl.where(most == 0, 1, most)
  local r = most * tl.sqrt(1 + t * t)
  return tl.cast(tl.where(a == math.huge or b == math.huge, math.huge, r), kind)
end

function M.exp10(x)
  return wide(x, function(y) return tl.pow(10, y) end)
end

function M.isnan(x) return x ~= x end

function M.isinf(x) return tl.abs(x) == math.huge end

function M.isfinite(x) return x - x == 0 end

local integers = { [8] = tl.i8, [16] = tl.i16, [32] = tl.i32, [64] = tl.i64 }

function M.signbit(x)
  return tl.bitcast(x, integers[x.dtype.bits]) < 0
end

--- The next float of the type of x toward y.
function M.nextafter(x, y)
  x, y = tl.broadcast(x, y)
  local kind = integers[x.dtype.bits]
  local bits = tl.bitcast(x, kind)
  local up = tl.where((y > x) == (x > 0), bits + 1, bits - 1)
  local least = tl.copysign(tl.bitcast(tl.full_like(bits, 1), x.dtype), y)
  local moved = tl.where(x == 0, least, tl.bitcast(up, x.dtype))
  return tl.where(x == y, y, tl.where(x ~= x or y ~= y, x + y, moved))
end

--- x * 2^n for integers n.
function M.ldexp(x, n)
  local kind = x.dtype
  local y = tl.cast(x, tl.f64)
  n = tl.clamp(tl.cast(n, tl.i32), -2200, 2200)
  for _ = 1, 3 do
    local step = tl.clamp(n, -1022, 1023)
    y = y * tl.bitcast(tl.lshift(tl.cast(step + 1023, tl.i64), 52), tl.f64)
    n = n - step
  end
  return tl.cast(y, kind)
end

return M
