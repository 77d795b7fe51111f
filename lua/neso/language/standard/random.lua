--- Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
--- 1, 2, 3", 2011), written in the language. The offset is the counter, the seed the key: the same
--- both give the same numbers in every program and on every backend.

local tl = require "neso.language"

local M = {}

--- One counter of four words (u32) under a key of two words.
function M.philox_impl(c0, c1, c2, c3, k0, k1, rounds)
  for _ in tl.static_range(rounds or 10) do
    local high0, low0 = tl.umulhi(c0, 0xD2511F53), c0 * 0xD2511F53
    local high2, low2 = tl.umulhi(c2, 0xCD9E8D57), c2 * 0xCD9E8D57
    c0, c1 = tl.bxor(tl.bxor(high2, c1), k0), low2
    c2, c3 = tl.bxor(tl.bxor(high0, c3), k1), low0
    k0, k1 = k0 + 0x9E3779B9, k1 + 0xBB67AE85
  end
  return c0, c1, c2, c3
end

local function word(x, like) return like * 0 + tl.cast(x, tl.u32) end

function M.philox(seed, c0, c1, c2, c3, rounds)
  local key = tl.cast(seed, tl.u64)
  local high = tl.cast(tl.rshift(key, 32), tl.u32)
  c0 = tl.cast(c0, tl.u32)
  return M.philox_impl(c0, word(c1, c0), word(c2, c0), word(c3, c0), tl.cast(key, tl.u32), high,
    rounds)
end

function M.randint4x(seed, offset, rounds)
  local wide = tl.cast(offset, tl.u64)
  local low, high = tl.cast(wide, tl.u32), tl.cast(tl.rshift(wide, 32), tl.u32)
  return M.philox(seed, low, high, 0, 0, rounds)
end

function M.randint(seed, offset, rounds)
  local x = M.randint4x(seed, offset, rounds)
  return x
end

--- 32 random bits as a number of [0, 1).
function M.uint_to_uniform_float(x)
  local bits = tl.bitcast(x, tl.i32)
  return tl.cast(tl.where(bits < 0, -bits - 1, bits), tl.f32) * 4.6566127342e-10
end

--- Two uniform numbers as two of the normal distribution (Box and Muller).
function M.pair_uniform_to_normal(u1, u2)
  local r = tl.sqrt(-2 * tl.log(tl.maximum(u1, 1e-7)))
  local angle = 6.283185307179586 * u2
  return r * tl.cos(angle), r * tl.sin(angle)
end

function M.rand(seed, offset, rounds)
  return M.uint_to_uniform_float(M.randint(seed, offset, rounds))
end

function M.rand4x(seed, offset, rounds)
  local a, b, c, d = M.randint4x(seed, offset, rounds)
  return M.uint_to_uniform_float(a), M.uint_to_uniform_float(b), M.uint_to_uniform_float(c),
    M.uint_to_uniform_float(d)
end

function M.randn(seed, offset, rounds)
  local a, b = M.randint4x(seed, offset, rounds)
  local x = M.pair_uniform_to_normal(M.uint_to_uniform_float(a), M.uint_to_uniform_float(b))
  return x
end

function M.randn4x(seed, offset, rounds)
  local a, b, c, d = M.rand4x(seed, offset, rounds)
  local w, x = M.pair_uniform_to_normal(a, b)
  local y, z = M.pair_uniform_to_normal(c, d)
  return w, x, y, z
end

return M
