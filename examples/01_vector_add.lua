-- Lesson 1: a kernel, its launch, its result.
local neso = require "neso"
local tl = neso.language

-- A kernel is a Lua function that handles one block of elements. neso.jit compiles nothing; the
-- first call does, for the types of its arguments. Parameters in CAPITALS are constants.
local add = neso.jit(function(out, a, b, n, BLOCK)
  -- Which block: programs are numbered from 0 along each axis of the grid.
  local start = tl.program_id(0) * BLOCK
  -- The offsets of its elements, as one value that holds BLOCK of them.
  local at = start + tl.arange(0, BLOCK)
  -- The last block may reach beyond the end: masked elements touch no memory.
  local mask = at < n
  local sum = tl.load(a + at, mask) + tl.load(b + at, mask)
  tl.store(out + at, sum, mask)
end)

local n = 10003
local a, b = neso.arange(n, tl.f32), neso.full({ n }, 0.5)
local out = neso.empty { n }

-- kernel[grid](arguments): here as many programs as it takes to cover n.
add[tl.cdiv(n, 1024)](out, a, b, n, 1024)
print(out)

-- The same by name, with a grid that follows from the constants.
local grid = function(meta) return tl.cdiv(n, meta.BLOCK) end
add[grid] { out = out, a = a, b = b, n = n, BLOCK = 512 }
print(out)
assert(out:get(n - 1) == n - 1 + 0.5) -- elements count from 0
