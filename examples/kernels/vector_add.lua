local neso = require "neso"
local tl = neso.language

return neso.jit(function(out, a, b, n, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = at < n
  tl.store(out + at, tl.load(a + at, mask) + tl.load(b + at, mask), mask)
end)
