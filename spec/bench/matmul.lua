-- Matrix products against OpenBLAS on the same threads.
local ffi = require "ffi"
local bench = require "bench"
local neso = require "neso"
local tl = neso.language

ffi.cdef [[
void openblas_set_num_threads(int count);
char *openblas_get_corename(void);
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc);
]]
local ROW_MAJOR, NO_TRANS = 101, 111

local ok, blas = pcall(ffi.load, "libopenblas.so.0")
if not ok then
  bench.emit { name = "matmul_f32", skipped = "no OpenBLAS" }
  return
end
blas.openblas_set_num_threads(neso.threads())
local PEER = "OpenBLAS sgemm, kernel " .. ffi.string(blas.openblas_get_corename())

local function matmul(m, n, k, goal)
  local kernel = bench.kernel "matmul"
  local BLOCK_M, BLOCK_N, BLOCK_K, even = bench.kernel "matmul_blocks"(m, n, k)
  local a, b, c = neso.randn { m, k }, neso.randn { k, n }, neso.empty { m, n }
  local peer_c = neso.empty { m, n }
  local ap, bp, cp = a:pointer(), b:pointer(), peer_c:pointer()
  local grid = { tl.cdiv(n, BLOCK_N), tl.cdiv(m, BLOCK_M) }
  bench.compare({ name = "matmul_f32", shape = ("%d x %d x %d"):format(m, n, k), peer = PEER,
                  goal = goal },
    function() kernel[grid](c, a, b, m, n, k, BLOCK_M, BLOCK_N, BLOCK_K, even) end,
    function()
      blas.cblas_sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, ap, k, bp, n, 0, cp, n)
    end)
end

matmul(512, 512, 512)
matmul(1024, 1024, 1024, 0.6)
matmul(2048, 2048, 2048)
matmul(1000, 777, 515)
bench.finish()
