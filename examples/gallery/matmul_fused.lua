-- Matrix products with what comes after them fused in: the kernel is made for a function of Lua,
-- and programs go through the tiles in groups of rows, so that what they load stays in cache.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local activation = {
  relu = function(x) return tl.maximum(x, 0) end,
  leaky = function(x) return tl.where(x > 0, x, 0.01 * x) end,
  silu = function(x) return x * tl.sigmoid(x) end,
  gelu = function(x) return 0.5 * x * (1 + tl.erf(x * math.sqrt(0.5))) end,
}

local function matmul_with(act)
  return neso.jit(function(c, a, b, bias, m, n, k, BM, BN, BK, GROUP)
    local tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    local pid = tl.program_id(0)
    local first = tl.div_floor(pid, GROUP * tiles_n) * GROUP
    local rows = tl.minimum(tiles_m - first, GROUP)
    local inside = pid % (GROUP * tiles_n)
    local rm = (first + inside % rows) * BM + tl.arange(0, BM)
    local rn = tl.div_floor(inside, rows) * BN + tl.arange(0, BN)
    local acc = tl.zeros({ BM, BN }, tl.f32)
    for k0 = 0, k - 1, BK do
      local rk = k0 + tl.arange(0, BK)
      local left = tl.load(a + rm:col() * k + rk:row(), rm:col() < m and rk:row() < k)
      local right = tl.load(b + rk:col() * n + rn:row(), rk:col() < k and rn:row() < n)
      acc = tl.dot(left, right, acc)
    end
    local y = act(acc + tl.load(bias + rn, rn < n):row())
    tl.store(c + rm:col() * n + rn:row(), y, rm:col() < m and rn:row() < n)
  end)
end

local exact = {
  relu = function(x) return math.max(x, 0) end,
  leaky = function(x) return x > 0 and x or 0.01 * x end,
  silu = function(x) return x / (1 + math.exp(-x)) end,
  gelu = function(x) -- erf by its series
    local t, sum, i = x * math.sqrt(0.5), 0, 0
    local term = t
    while math.abs(term) > 1e-17 and i < 400 do
      sum = sum + term / (2 * i + 1)
      i = i + 1
      term = -term * t * t / i
    end
    return math.abs(x) > 6 and math.max(x, 0) or 0.5 * x * (1 + 2 / math.sqrt(math.pi) * sum)
  end,
}

local m, n, k = 100, 77, 51
local a, b, bias = neso.randn { m, k }, neso.randn { k, n }, neso.randn { n }
local A, B, V = support.array(a), support.array(b), support.array(bias)
for _, name in ipairs { "relu", "leaky", "silu", "gelu" } do
  local c, want = neso.zeros { m, n }, support.doubles(m * n)
  matmul_with(activation[name])[tl.cdiv(m, 32) * tl.cdiv(n, 32)](c, a, b, bias, m, n, k, 32, 32, 16,
    3)
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      local sum = V[j]
      for p = 0, k - 1 do sum = sum + A[i * k + p] * B[p * n + j] end
      want[i * n + j] = exact[name](sum)
    end
  end
  support.verdict("matmul + bias + " .. name, ("%d x %d x %d"):format(m, n, k),
    support.error(support.array(c), want, m * n), 1e-5)
end
