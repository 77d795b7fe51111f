-- Lesson 3: two-dimensional blocks and a loop. rm:col() is a column of row numbers, rn:row() a row
-- of column numbers; together they make a tile.
local neso = require "neso"
local tl = neso.language

local matmul = neso.jit(function(c, a, b, m, n, k, BLOCK_M, BLOCK_N, BLOCK_K)
  local rm = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
  local rn = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
  local acc = tl.zeros({ BLOCK_M, BLOCK_N }, tl.f32)
  for k0 = 0, k - 1, BLOCK_K do
    local rk = k0 + tl.arange(0, BLOCK_K)
    local left = tl.load(a + rm:col() * k + rk:row(), rm:col() < m and rk:row() < k, 0)
    local right = tl.load(b + rk:col() * n + rn:row(), rk:col() < k and rn:row() < n, 0)
    acc = tl.dot(left, right, acc)
  end
  tl.store(c + rm:col() * n + rn:row(), acc, rm:col() < m and rn:row() < n)
end)

local m, n, k = 100, 77, 51
local a, b, c = neso.randn { m, k }, neso.randn { k, n }, neso.empty { m, n }
local grid = function(meta) return { tl.cdiv(n, meta.BLOCK_N), tl.cdiv(m, meta.BLOCK_M) } end
matmul[grid] { c, a, b, m, n, k, BLOCK_M = 32, BLOCK_N = 64, BLOCK_K = 32 }
print(c)

local sum = 0
for p = 0, k - 1 do sum = sum + a:get(m - 1, p) * b:get(p, n - 1) end
assert(math.abs(c:get(m - 1, n - 1) - sum) < 1e-4)
