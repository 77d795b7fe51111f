-- Vector add, softmax and layer norm against straightforward C on the same threads.
local bench = require "bench"
local neso = require "neso"
local tl = neso.language

local OPENMP = "gcc -O3 -march=native, OpenMP"
local FAST = "gcc -O3 -ffast-math -march=native, OpenMP"

bench.peers.peer_set_threads(neso.threads())

local function vector_add(n)
  local add, BLOCK = bench.kernel "vector_add", 16384
  local a, b, out = neso.randn { n }, neso.randn { n }, neso.empty { n }
  local ap, bp, outp = a:pointer(), b:pointer(), out:pointer()
  local grid = tl.cdiv(n, BLOCK)
  bench.compare({ name = "vector_add", shape = tostring(n), peer = OPENMP, goal = 0.9 },
    function() add[grid](out, a, b, n, BLOCK) end,
    function() bench.peers.peer_add(outp, ap, bp, n) end)
end

local function softmax(rows, columns)
  local kernel = bench.kernel "softmax"
  local x, out = neso.randn { rows, columns }, neso.empty { rows, columns }
  local xp, outp = x:pointer(), out:pointer()
  bench.compare(
    { name = "softmax", shape = rows .. " x " .. columns, peer = FAST, goal = 1.0 },
    function() kernel[rows](out, x, columns, columns, columns, columns) end,
    function() bench.peers.peer_softmax(outp, xp, rows, columns) end)
end

local function layer_norm(dtype, peer, rows, columns)
  local kernel, eps = bench.kernel "layer_norm", 1e-5
  local x, out = neso.randn({ rows, columns }, dtype), neso.empty({ rows, columns }, dtype)
  local w, b = neso.randn({ columns }, dtype), neso.randn({ columns }, dtype)
  local xp, outp, wp, bp = x:pointer(), out:pointer(), w:pointer(), b:pointer()
  bench.compare({ name = "layer_norm_" .. tostring(dtype), shape = rows .. " x " .. columns,
                  peer = FAST, goal = 1.0 },
    function() kernel[rows](out, x, w, b, columns, columns, eps, columns) end,
    function() peer(outp, xp, wp, bp, rows, columns, eps) end)
end

vector_add(2 ^ 24)
softmax(4096, 781)
softmax(4096, 4096)
layer_norm(tl.f32, bench.peers.peer_layer_norm_f32, 4096, 1024)
layer_norm(tl.f16, bench.peers.peer_layer_norm, 4096, 1024)
bench.finish()
