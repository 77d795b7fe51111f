--- Products of microscaled matrices (OCP MX formats and nvfp4): blocks of 32 or 16 elements along K
--- share a scale. Elements and scales become f32 exactly, products accumulate in f32.

local tl = require "neso.language"

local M = {}

local floats = { e4m3 = tl.f8e4m3fn, e5m2 = tl.f8e5m2 }

-- Elements that are u8 pairs of e2m1, the first in the low half, along the last axis.
local function unpack_fp4(x)
  x = tl.bitcast(x, tl.u8)
  return tl.interleave(tl.band(x, 15), tl.rshift(x, 4))
end

-- e2m1 codes as f32: one bit of mantissa, an exponent of bias 1.
local function from_e2m1(code)
  local wide = tl.cast(code, tl.i32)
  local size = tl.bitcast(tl.lshift(tl.band(wide, 7), 22), tl.f32) * 2 ^ 126
  return tl.where(wide >= 8, -size, size)
end

-- e8m0 as f32: a power of two; 255 is NaN.
local function from_e8m0(code)
  local wide = tl.cast(tl.bitcast(code, tl.u8), tl.i32)
  local bits = tl.where(wide == 0, 0x00400000, tl.lshift(wide, 23))
  return tl.where(wide == 255, 0 / 0, tl.bitcast(bits, tl.f32))
end

-- x {R, K} or packed, its K axis last, as f32.
local function elements(x, format, side)
  if format == "e2m1" then return from_e2m1(unpack_fp4(x)) end
  if floats[format] then
    if x.dtype ~= floats[format] then x = tl.bitcast(x, floats[format]) end
    return tl.cast(x, tl.f32)
  end
  tl.static_assert(format == "bf16" or format == "fp16",
    "the format of " .. side .. " is one of e2m1, e4m3, e5m2, bf16, fp16")
  return tl.cast(x, tl.f32)
end

local function scaled(x, scale, side)
  if scale == nil then return x end
  local rows, k = x.shape[1], x.shape[2]
  tl.static_assert(#scale.shape == 2 and scale.shape[1] == rows,
    "the scales of " .. side .. " are a block {" .. rows .. ", " .. k .. " / 16 or / 32}")
  local groups = scale.shape[2]
  local size = k / groups
  tl.static_assert(size == 16 or size == 32,
    "the scales of " .. side .. " are for groups of 16 or 32 elements, not of " .. size)
  local factor
  if scale.dtype == tl.f8e4m3fn then
    factor = tl.cast(scale, tl.f32)
  else
    factor = from_e8m0(scale)
  end
  local spread = tl.broadcast_to(tl.expand_dims(factor, 2), rows, groups, size)
  return x * tl.reshape(spread, rows, k)
end

--- lhs {M, K} times rhs {K, N}; the scales are {M, K / g} and {N, K / g}. e2m1 is packed along K,
--- or along M or N where k_pack is false.
function M.dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, lhs_k_pack,
                      rhs_k_pack, out_dtype)
  tl.static_assert(#lhs.shape == 2 and #rhs.shape == 2, "tl.dot_scaled takes blocks of two axes")
  local left, right = lhs, tl.trans(rhs)
  if lhs_format == "e2m1" and lhs_k_pack == false then
    left = tl.trans(elements(tl.trans(lhs), lhs_format, "lhs"))
  else
    left = elements(left, lhs_format, "lhs")
  end
  if rhs_format == "e2m1" and rhs_k_pack == false then
    right = tl.trans(elements(rhs, rhs_format, "rhs"))
  else
    right = elements(right, rhs_format, "rhs")
  end
  left, right = scaled(left, lhs_scale, "lhs"), scaled(right, rhs_scale, "rhs")
  return tl.dot(left, tl.trans(right), acc, nil, out_dtype)
end

return M
