local neso = require "neso"
local tl = neso.language

-- One program a row; BLOCK is at least n_cols. Any float type in and out, f32 inside.
return neso.jit(function(out, x, weight, bias, stride, n_cols, eps, BLOCK)
  local row = tl.program_id(0)
  local col = tl.arange(0, BLOCK)
  local mask = col < n_cols
  local v = tl.load(x + row * stride + col, mask, 0):to(tl.f32)
  local mean = tl.sum(v, 0) / n_cols
  local d = tl.where(mask, v - mean, 0)
  local scale = tl.rsqrt(tl.sum(d * d, 0) / n_cols + eps)
  local w = tl.load(weight + col, mask, 0):to(tl.f32)
  local b = tl.load(bias + col, mask, 0):to(tl.f32)
  tl.store(out + row * stride + col, d * scale * w + b, mask)
end)
