-- Dropout that stores no mask: the random numbers of an element depend on the seed and its place
-- alone, so the backward pass draws the same ones again.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language
local bit = require "bit"
local ffi = require "ffi"

-- Forward of x, or backward of the gradient of the result: both scale what is kept.
local dropout = neso.jit(function(out, x, n, p, seed, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local keep = tl.rand(seed, at) >= p
  local v = tl.load(x + at, at < n)
  tl.store(out + at, tl.where(keep, v / (1 - p), 0), at < n)
end)

local n, p, seed, BLOCK = 10007, 0.3, 1234567, 256
local x, dy = neso.randn { n }, neso.randn { n }
local y, dx = neso.empty_like(x), neso.empty_like(x)
dropout[tl.cdiv(n, BLOCK)](y, x, n, p, seed, BLOCK)
dropout[tl.cdiv(n, 1000)](dx, dy, n, p, seed, 1000) -- other blocks, the same numbers

-- The reference: Philox4x32-10 by 64-bit products, then the number as 31 bits of [0, 1).
local function product(a, b)
  local whole = ffi.cast("uint64_t", a) * ffi.cast("uint64_t", b)
  return tonumber(whole / 2 ^ 32), tonumber(whole % 2 ^ 32)
end

local function xor(a, b, c) return bit.bxor(a, b, c) % 2 ^ 32 end

local function philox(counter, key)
  local c0, c1, c2, c3, k0, k1 = counter, 0, 0, 0, key, 0
  for _ = 1, 10 do
    local h0, l0 = product(0xD2511F53, c0)
    local h2, l2 = product(0xCD9E8D57, c2)
    c0, c1, c2, c3 = xor(h2, c1, k0), l2, xor(h0, c3, k1), l0
    k0, k1 = (k0 + 0x9E3779B9) % 2 ^ 32, (k1 + 0xBB67AE85) % 2 ^ 32
  end
  return c0
end

local function uniform(counter)
  local word = philox(counter, seed)
  return (word < 2 ^ 31 and word or 2 ^ 32 - 1 - word) / 2 ^ 31
end

local function reference(values)
  local out, kept = support.doubles(n), 0
  for i = 0, n - 1 do
    if uniform(i) >= p then out[i], kept = values[i] / (1 - p), kept + 1 end
  end
  return out, kept / n
end

local want_y, share = reference(support.array(x))
local shape = ("%d elements, p = %g"):format(n, p)
support.verdict("dropout forward", shape, support.error(support.array(y), want_y, n), 1e-6)
support.verdict("dropout backward", shape,
  support.error(support.array(dx), reference(support.array(dy)), n), 1e-6)
support.verdict("dropout, share kept", shape, math.abs(share - (1 - p)), 0.02)
