local neso = require "neso"
local tl = neso.language

-- c = a b, row-major; a is m x k, b is k x n. f16 and f32 in, f32 sums. Any sizes.
-- EVEN promises that every size is a multiple of its tile.
return neso.jit(function(c, a, b, m, n, k, BLOCK_M, BLOCK_N, BLOCK_K, EVEN)
  local rm = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
  local rn = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
  local acc = tl.zeros({ BLOCK_M, BLOCK_N }, tl.f32)
  for k0 = 0, k - 1, BLOCK_K do
    local rk = k0 + tl.arange(0, BLOCK_K)
    local at_a = a + rm:col() * k + rk:row()
    local at_b = b + rk:col() * n + rn:row()
    if EVEN then
      acc = tl.dot(tl.load(at_a), tl.load(at_b), acc)
    else
      local left = tl.load(at_a, rm:col() < m and rk:row() < k, 0)
      local right = tl.load(at_b, rk:col() < k and rn:row() < n, 0)
      acc = tl.dot(left, right, acc)
    end
  end
  local at_c = c + rm:col() * n + rn:row()
  if EVEN then
    tl.store(at_c, acc)
  else
    tl.store(at_c, acc, rm:col() < m and rn:row() < n)
  end
end)
