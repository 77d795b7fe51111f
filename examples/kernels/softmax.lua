local neso = require "neso"
local tl = neso.language

-- One program a row; BLOCK is at least n_cols.
return neso.jit(function(out, x, out_stride, x_stride, n_cols, BLOCK)
  local row = tl.program_id(0)
  local col = tl.arange(0, BLOCK)
  local mask = col < n_cols
  local v = tl.load(x + row * x_stride + col, mask, -math.huge)
  local e = tl.exp(v - tl.max(v, 0))
  tl.store(out + row * out_stride + col, e / tl.sum(e, 0), mask)
end)
