local neso = require "neso"
local tl = neso.language

-- The block of at most `most`, a multiple of `step`, that covers `size` with the least beyond it.
local function fit(size, most, step)
  local best, covered
  local parts = tl.cdiv(size, most)
  for count = parts, 2 * parts do
    local block = tl.cdiv(tl.cdiv(size, count), step) * step
    local covers = tl.cdiv(size, block) * block
    if block <= most and (not covered or covers < covered) then
      best, covered = block, covers
    end
  end
  return best
end

-- BLOCK_M, BLOCK_N, BLOCK_K and EVEN of matmul.lua for these sizes: as large as the second-level
-- cache holds, since every block of rows packs its columns anew, yet some for each thread.
return function(m, n, k)
  local block_n, block_k = fit(n, 256, 32), fit(k, 128, 1)
  local most = 256
  while most > 64 and tl.cdiv(m, most) * tl.cdiv(n, block_n) < 2 * neso.threads() do
    most = most / 2
  end
  local block_m = fit(m, most, 8)
  local even = m % block_m == 0 and n % block_n == 0 and k % block_k == 0
  return block_m, block_n, block_k, even
end
