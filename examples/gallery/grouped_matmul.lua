-- Many matrix products of different sizes in one launch: a fixed number of programs goes through
-- the tiles of all of them. Addresses and sizes lie in memory; a pointer is made of an address.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local grouped = neso.jit(function(addresses, sizes, groups, BM, BN, BK)
  local float = tl.pointer_type(tl.f32)
  local tile, before = tl.program_id(0), 0
  for g in tl.range(groups) do
    local m, n = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1)
    local k = tl.load(sizes + g * 3 + 2)
    local across = tl.cdiv(n, BN)
    local tiles = tl.cdiv(m, BM) * across
    local a = tl.load(addresses + g * 3):to(float)
    local b = tl.load(addresses + g * 3 + 1):to(float)
    local c = tl.load(addresses + g * 3 + 2):to(float)
    while tile < before + tiles do
      local rm = tl.div_floor(tile - before, across) * BM + tl.arange(0, BM)
      local rn = (tile - before) % across * BN + tl.arange(0, BN)
      local acc = tl.zeros({ BM, BN }, tl.f32)
      for k0 = 0, k - 1, BK do
        local rk = k0 + tl.arange(0, BK)
        local left = tl.load(a + rm:col() * k + rk:row(), rm:col() < m and rk:row() < k)
        local right = tl.load(b + rk:col() * n + rn:row(), rk:col() < k and rn:row() < n)
        acc = tl.dot(left, right, acc)
      end
      tl.store(c + rm:col() * n + rn:row(), acc, rm:col() < m and rn:row() < n)
      tile = tile + tl.num_programs(0)
    end
    before = before + tiles
  end
end)

local shapes = { { 64, 64, 64 }, { 100, 33, 51 }, { 7, 130, 20 }, { 1, 1, 1 }, { 48, 96, 100 } }
local function address(tensor)
  local ffi = require "ffi"
  return tonumber(ffi.cast("intptr_t", tensor:pointer()))
end
local lists, addresses, sizes = {}, {}, {}
for g, s in ipairs(shapes) do
  local m, n, k = s[1], s[2], s[3]
  lists[g] = { neso.randn { m, k }, neso.randn { k, n }, neso.zeros { m, n } }
  for i = 1, 3 do
    addresses[#addresses + 1], sizes[#sizes + 1] = address(lists[g][i]), s[i]
  end
end
grouped[6](neso.tensor(addresses, tl.i64), neso.tensor(sizes, tl.i32), #shapes, 32, 32, 16)

local worst = 0
for g, s in ipairs(shapes) do
  local m, n, k = s[1], s[2], s[3]
  local a, b = support.array(lists[g][1]), support.array(lists[g][2])
  local want = support.doubles(m * n)
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      for p = 0, k - 1 do want[i * n + j] = want[i * n + j] + a[i * k + p] * b[p * n + j] end
    end
  end
  worst = math.max(worst, support.error(support.array(lists[g][3]), want, m * n))
end
support.verdict("grouped matmul", #shapes .. " products, 6 programs", worst, 1e-5)
