-- Lesson 5: a kernel as text. It may use the operators of Lua 5.3 (// & | ~ << >>) under any Lua,
-- and comes from wherever text comes from.
local neso = require "neso"

local popcount = neso.kernel [[
  function popcount(out, x, n, BLOCK)
    local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    local v = tl.load(x + at, at < n, 0)
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0f0f0f0f
    tl.store(out + at, (v * 0x01010101) >> 24, at < n)
  end
]]

local n = 1024
local x = neso.arange(n)
local out = neso.empty_like(x)
popcount[4](out, x, n, 256)
print(out)
assert(out:get(255) == 8 and out:get(256) == 1)
