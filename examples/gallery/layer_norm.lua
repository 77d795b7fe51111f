-- Layer normalization, forward and backward. The gradients of weight and bias are sums over rows:
-- each program adds up its own rows, a second kernel adds up the programs' sums.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local forward = neso.jit(function(out, mean_of, scale_of, x, weight, bias, n, eps, BLOCK)
  local row = tl.program_id(0)
  local col = tl.arange(0, BLOCK)
  local mask = col < n
  local v = tl.load(x + row * n + col, mask)
  local mean = tl.sum(v) / n
  local d = tl.where(mask, v - mean, 0)
  local scale = tl.rsqrt(tl.sum(d * d) / n + eps)
  tl.store(mean_of + row, mean)
  tl.store(scale_of + row, scale)
  local y = d * scale * tl.load(weight + col, mask) + tl.load(bias + col, mask)
  tl.store(out + row * n + col, y, mask)
end)

local backward = neso.jit(function(dx, dw_part, db_part, dy, x, weight, mean_of, scale_of, rows, n,
                                   BLOCK)
  local col = tl.arange(0, BLOCK)
  local mask = col < n
  local w = tl.load(weight + col, mask)
  local dw, db = tl.zeros({ BLOCK }, tl.f32), tl.zeros({ BLOCK }, tl.f32)
  for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)) do
    local scale = tl.load(scale_of + row)
    local normal = (tl.load(x + row * n + col, mask) - tl.load(mean_of + row)) * scale
    normal = tl.where(mask, normal, 0)
    local g = tl.load(dy + row * n + col, mask)
    local gw = g * w
    local along = tl.sum(normal * gw) / n
    local level = tl.sum(gw) / n
    tl.store(dx + row * n + col, (gw - normal * along - level) * scale, mask)
    dw = dw + g * normal
    db = db + g
  end
  local at = tl.program_id(0) * n + col
  tl.store(dw_part + at, dw, mask)
  tl.store(db_part + at, db, mask)
end)

local add_up = neso.jit(function(dw, db, dw_part, db_part, parts, n, BLOCK)
  local col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = col < n
  local w, b = tl.zeros({ BLOCK }, tl.f32), tl.zeros({ BLOCK }, tl.f32)
  for part in tl.range(parts) do
    w = w + tl.load(dw_part + part * n + col, mask)
    b = b + tl.load(db_part + part * n + col, mask)
  end
  tl.store(dw + col, w, mask)
  tl.store(db + col, b, mask)
end)

local rows, n, eps, parts, BLOCK = 40, 100, 1e-5, 6, 128
local x, weight, bias = neso.randn { rows, n }, neso.randn { n }, neso.randn { n }
local dy = neso.randn { rows, n }
local out, mean, scale = neso.empty_like(x), neso.empty { rows }, neso.empty { rows }
local dx, dw, db = neso.empty_like(x), neso.empty { n }, neso.empty { n }
local dw_part, db_part = neso.empty { parts, n }, neso.empty { parts, n }

forward[rows](out, mean, scale, x, weight, bias, n, eps, BLOCK)
backward[parts](dx, dw_part, db_part, dy, x, weight, mean, scale, rows, n, BLOCK)
add_up[tl.cdiv(n, 64)](dw, db, dw_part, db_part, parts, n, 64)

-- The reference: the definition, and gradients of sum(out * dy) by central differences of it.
local function normalize(row, w, b)
  local m, s, y = 0, 0, {}
  for i = 1, n do m = m + row[i] / n end
  for i = 1, n do s = s + (row[i] - m) ^ 2 / n end
  for i = 1, n do y[i] = (row[i] - m) / math.sqrt(s + eps) * w[i] + b[i] end
  return y
end

local function loss(row, w, b, g)
  local sum = 0
  for i, y in ipairs(normalize(row, w, b)) do sum = sum + y * g[i] end
  return sum
end

local STEP = 1e-4
local function slope(list, i, f)
  local kept = list[i]
  list[i] = kept + STEP
  local high = f()
  list[i] = kept - STEP
  local low = f()
  list[i] = kept
  return (high - low) / (2 * STEP)
end

local X, W, B, G = x:totable(), weight:totable(), bias:totable(), dy:totable()
local want_out, want_dx = support.doubles(rows * n), support.doubles(rows * n)
local want_dw, want_db = support.doubles(n), support.doubles(n)
for r = 1, rows do
  local function f() return loss(X[r], W, B, G[r]) end
  local y = normalize(X[r], W, B)
  for i = 1, n do
    want_out[(r - 1) * n + i - 1] = y[i]
    want_dx[(r - 1) * n + i - 1] = slope(X[r], i, f)
    want_dw[i - 1] = want_dw[i - 1] + slope(W, i, f)
    want_db[i - 1] = want_db[i - 1] + slope(B, i, f)
  end
end
local shape = rows .. " x " .. n
support.verdict("layer norm forward", shape,
  support.error(support.array(out), want_out, rows * n), 1e-5)
support.verdict("layer norm backward, dx", shape,
  support.error(support.array(dx), want_dx, rows * n), 1e-5)
support.verdict("layer norm backward, dw, db", shape,
  math.max(support.error(support.array(dw), want_dw, n),
    support.error(support.array(db), want_db, n)), 1e-5)
