-- Lesson 2: reductions. One program normalizes one row without leaving it: the row is read once and
-- written once.
local neso = require "neso"
local tl = neso.language

local softmax = neso.jit(function(out, x, out_stride, x_stride, n_cols, BLOCK)
  local row = tl.program_id(0)
  local col = tl.arange(0, BLOCK)
  local mask = col < n_cols
  local v = tl.load(x + row * x_stride + col, mask, -math.huge)
  local e = tl.exp(v - tl.max(v, 0))
  tl.store(out + row * out_stride + col, e / tl.sum(e, 0), mask)
end)

local x = neso.randn { 1823, 781 }
local y = neso.empty_like(x)
softmax[1823] { y, x, 781, 781, 781, BLOCK = 1024 }
print(y)

local sum = 0
for i = 0, 780 do sum = sum + y:get(1822, i) end
assert(math.abs(sum - 1) < 1e-5)
