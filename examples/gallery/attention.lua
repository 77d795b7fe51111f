-- Attention that never stores the matrix of scores, forward and backward (FlashAttention-2): a tile
-- of queries walks over the keys with a running maximum and sum; backward the scores are computed
-- again, once by tiles of keys (for dk, dv) and once by tiles of queries (for dq).
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

-- Rows `r` of a matrix {length, D}; zeros after its end.
local function rows(base, r, length, D)
  return tl.load(base + r:col() * D + tl.arange(0, D):row(), r:col() < length)
end

local function put(base, r, value, length, D)
  tl.store(base + r:col() * D + tl.arange(0, D):row(), value, r:col() < length)
end

-- exp2 of the scores less `level`, by row; 0 where query i may not see key j.
local function weights(q, k, level, i, j, scale, length, CAUSAL)
  local seen = i:col() < length and j:row() < length
  if CAUSAL then seen = seen and j:row() <= i:col() end
  local s = tl.dot(q, k:trans()) * scale
  return tl.where(seen, tl.exp2(s - level:col()), 0)
end

local forward = neso.jit(function(out, lse, q, k, v, length, scale, D, BM, BN, CAUSAL)
  local head = tl.program_id(1) * length
  q, k, v, out = q + head * D, k + head * D, v + head * D, out + head * D
  local i = tl.program_id(0) * BM + tl.arange(0, BM)
  local mine = rows(q, i, length, D)
  local best = tl.full({ BM }, -math.huge, tl.f32)
  local sum, acc = tl.zeros({ BM }, tl.f32), tl.zeros({ BM, D }, tl.f32)
  local stop = length
  if CAUSAL then stop = tl.minimum(length, (tl.program_id(0) + 1) * BM) end
  for start = 0, stop - 1, BN do
    local j = start + tl.arange(0, BN)
    local s = tl.dot(mine, rows(k, j, length, D):trans()) * scale
    local seen = j:row() < length
    if CAUSAL then seen = seen and j:row() <= i:col() end
    s = tl.where(seen, s, -math.huge)
    local top = tl.maximum(best, tl.max(s, 1))
    local p = tl.exp2(s - top:col())
    local keep = tl.exp2(best - top)
    sum = sum * keep + tl.sum(p, 1)
    acc = tl.dot(p:to(q.dtype), rows(v, j, length, D), acc * keep:col())
    best = top
  end
  put(out, i, acc / sum:col(), length, D)
  tl.store(lse + head + i, best + tl.log2(sum), i < length)
end)

-- Row sums of out * dout: what the softmax's gradient subtracts.
local prepare = neso.jit(function(delta, out, dout, length, D, BM)
  local i = tl.program_id(0) * BM + tl.arange(0, BM)
  local product = rows(out, i, length, D):to(tl.f32) * rows(dout, i, length, D)
  tl.store(delta + i, tl.sum(product, 1), i < length)
end)

local back_keys = neso.jit(function(dk, dv, q, k, v, dout, lse, delta, length, scale, D, BM, BN,
                                    CAUSAL)
  local head = tl.program_id(1) * length
  q, k, v, dout = q + head * D, k + head * D, v + head * D, dout + head * D
  dk, dv, lse, delta = dk + head * D, dv + head * D, lse + head, delta + head
  local j = tl.program_id(0) * BN + tl.arange(0, BN)
  local key, value = rows(k, j, length, D), rows(v, j, length, D)
  local sum_k, sum_v = tl.zeros({ BN, D }, tl.f32), tl.zeros({ BN, D }, tl.f32)
  local start = 0
  if CAUSAL then start = tl.div_floor(tl.program_id(0) * BN, BM) * BM end
  for at = start, length - 1, BM do
    local i = at + tl.arange(0, BM)
    local query, g = rows(q, i, length, D), rows(dout, i, length, D)
    local level, less = tl.load(lse + i, i < length), tl.load(delta + i, i < length)
    local p = weights(query, key, level, i, j, scale, length, CAUSAL)
    sum_v = tl.dot(p:to(q.dtype):trans(), g, sum_v)
    local ds = p * (tl.dot(g, value:trans()) - less:col())
    sum_k = tl.dot(ds:to(q.dtype):trans(), query, sum_k)
  end
  put(dk, j, sum_k * scale * math.log(2), length, D)
  put(dv, j, sum_v, length, D)
end)

local back_queries = neso.jit(function(dq, q, k, v, dout, lse, delta, length, scale, D, BM, BN,
                                       CAUSAL)
  local head = tl.program_id(1) * length
  q, k, v, dout = q + head * D, k + head * D, v + head * D, dout + head * D
  dq, lse, delta = dq + head * D, lse + head, delta + head
  local i = tl.program_id(0) * BM + tl.arange(0, BM)
  local query, g = rows(q, i, length, D), rows(dout, i, length, D)
  local level, less = tl.load(lse + i, i < length), tl.load(delta + i, i < length)
  local sum = tl.zeros({ BM, D }, tl.f32)
  local stop = length
  if CAUSAL then stop = tl.minimum(length, (tl.program_id(0) + 1) * BM) end
  for start = 0, stop - 1, BN do
    local j = start + tl.arange(0, BN)
    local key = rows(k, j, length, D)
    local p = weights(query, key, level, i, j, scale, length, CAUSAL)
    local ds = p * (tl.dot(g, rows(v, j, length, D):trans()) - less:col())
    sum = tl.dot(ds:to(q.dtype), key, sum)
  end
  put(dq, i, sum * scale * math.log(2), length, D)
end)

-- Plain attention and its gradients in double precision, from the definition.
local function reference(q, k, v, g, heads, length, D, causal)
  local size = heads * length * D
  local out, dq, dk, dv = support.doubles(size), support.doubles(size), support.doubles(size),
    support.doubles(size)
  local p, dp = support.doubles(length), support.doubles(length)
  for h = 0, heads - 1 do
    local base = h * length * D
    for i = 0, length - 1 do
      local last, top, sum, inner = causal and i or length - 1, -math.huge, 0, 0
      local qi = base + i * D
      for j = 0, last do
        local s, d = 0, 0
        for x = 0, D - 1 do
          s = s + q[qi + x] * k[base + j * D + x]
          d = d + g[qi + x] * v[base + j * D + x]
        end
        p[j], dp[j] = s / math.sqrt(D), d
        top = math.max(top, p[j])
      end
      for j = 0, last do
        p[j] = math.exp(p[j] - top)
        sum = sum + p[j]
      end
      for j = 0, last do
        p[j] = p[j] / sum
        inner = inner + p[j] * dp[j]
      end
      for j = 0, last do
        local ds = p[j] * (dp[j] - inner) / math.sqrt(D)
        local kj = base + j * D
        for x = 0, D - 1 do
          out[qi + x] = out[qi + x] + p[j] * v[kj + x]
          dv[kj + x] = dv[kj + x] + p[j] * g[qi + x]
          dq[qi + x] = dq[qi + x] + ds * k[kj + x]
          dk[kj + x] = dk[kj + x] + ds * q[qi + x]
        end
      end
    end
  end
  return out, dq, dk, dv
end

local function run(heads, length, D, causal, dtype, limit)
  local shape = { heads, length, D }
  local q, k, v = neso.randn(shape, dtype), neso.randn(shape, dtype), neso.randn(shape, dtype)
  local dout, out = neso.randn(shape, dtype), neso.zeros(shape, dtype)
  local lse, delta = neso.zeros { heads, length }, neso.zeros { heads, length }
  local dq, dk, dv = neso.zeros(shape), neso.zeros(shape), neso.zeros(shape)
  local BM, BN, scale = 32, 48, 1 / math.sqrt(D) / math.log(2)
  forward[{ tl.cdiv(length, BM), heads }](out, lse, q, k, v, length, scale, D, BM, BN, causal)
  prepare[tl.cdiv(heads * length, BM)](delta, out, dout, heads * length, D, BM)
  back_keys[{ tl.cdiv(length, BN), heads }](dk, dv, q, k, v, dout, lse, delta, length, scale, D, BM,
    BN, causal)
  back_queries[{ tl.cdiv(length, BM), heads }](dq, q, k, v, dout, lse, delta, length, scale, D, BM,
    BN, causal)

  local function exact(x) return x:to(tl.f32) end
  local Q, K, V, G, O = exact(q), exact(k), exact(v), exact(dout), exact(out)
  local want_out, want_q, want_k, want_v = reference(support.array(Q), support.array(K),
    support.array(V), support.array(G), heads, length, D, causal)
  local size = heads * length * D
  local text = ("%d x %d x %d %s%s"):format(heads, length, D, tostring(dtype),
    causal and " causal" or "")
  support.verdict("attention forward", text, support.error(support.array(O), want_out, size), limit)
  support.verdict("attention backward", text, math.max(
    support.error(support.array(dq), want_q, size), support.error(support.array(dk), want_k, size),
    support.error(support.array(dv), want_v, size)), limit)
end

run(2, 200, 64, false, tl.f32, 1e-5)
run(2, 200, 64, true, tl.f32, 1e-5)
run(1, 129, 40, true, tl.f16, 4e-3)
