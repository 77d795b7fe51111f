local neso = require "neso"
local tl = neso.language

local add = neso.jit(function(out, a, b, n, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = at < n
  tl.store(out + at, tl.load(a + at, mask) + tl.load(b + at, mask), mask)
end)

local n = 100000
local a, b = neso.randn { n }, neso.randn { n }
local out = neso.empty { n }
add[tl.cdiv(n, 1024)](out, a, b, n, 1024)
print(out)
