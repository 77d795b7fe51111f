-- Sorting the rows of a ragged matrix, and the best k of each row with their places. A block has
-- the length of the longest row; what a row lacks is infinite and ends up behind its numbers.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local sort_rows = neso.jit(function(sorted, from, x, lengths, N)
  local row, col = tl.program_id(0), tl.arange(0, N)
  local mask = col < tl.load(lengths + row)
  local v, index = tl.sort(tl.load(x + row * N + col, mask, math.huge), { return_indices = true })
  tl.store(sorted + row * N + col, v, mask)
  tl.store(from + row * N + col, index, mask)
end)

local best_of_rows = neso.jit(function(best, from, x, lengths, N, K)
  local row, col = tl.program_id(0), tl.arange(0, N)
  local mask = col < tl.load(lengths + row)
  local v, index = tl.topk(tl.load(x + row * N + col, mask, -math.huge), K)
  local rank = row * K + tl.arange(0, K)
  tl.store(best + rank, v)
  tl.store(from + rank, index)
end)

local rows, N, K = 60, 777, 10
local lengths = neso.zeros({ rows }, tl.i32)
for r = 0, rows - 1 do lengths:set(r, N - r * 11) end
local x = neso.randn { rows, N }
for r = 0, rows - 1, 3 do -- equal numbers and infinite ones keep their order too
  x:set(r, 5, math.huge)
  x:set(r, 2, math.huge)
  x:set(r, 9, x:get(r, 7))
end
local sorted, order = neso.zeros_like(x), neso.zeros_like(x, tl.i32)
local best, places = neso.zeros { rows, K }, neso.zeros({ rows, K }, tl.i32)
sort_rows[rows](sorted, order, x, lengths, N)
best_of_rows[rows](best, places, x, lengths, N, K)

-- The reference: pairs of value and place; the place decides between equal values.
local function ranked(values, first, n, comes_first)
  local pairs_of = {}
  for i = 0, n - 1 do pairs_of[i + 1] = { values[first + i], i } end
  table.sort(pairs_of, function(a, b)
    if a[1] ~= b[1] then return comes_first(a[1], b[1]) end
    return a[2] < b[2]
  end)
  return pairs_of
end

local values = support.array(x)
local want, want_order = support.doubles(rows * N), support.doubles(rows * N)
local want_best, want_places = support.doubles(rows * K), support.doubles(rows * K)
for r = 0, rows - 1 do
  local n = lengths:get(r)
  for i, pair in ipairs(ranked(values, r * N, n, function(a, b) return a < b end)) do
    want[r * N + i - 1], want_order[r * N + i - 1] = pair[1], pair[2]
  end
  local down = ranked(values, r * N, n, function(a, b) return a > b end)
  for i = 1, K do
    want_best[r * K + i - 1], want_places[r * K + i - 1] = down[i][1], down[i][2]
  end
end

local shape = ("%d rows of up to %d"):format(rows, N)
local function check(name, tensor, wanted, ctype)
  local got, count = support.array(tensor, ctype), 0
  for i = 0, tensor.numel - 1 do
    if got[i] ~= wanted[i] then count = count + 1 end
  end
  support.verdict(name, shape, count, 0)
end
check("sort", sorted, want)
check("sort, places", order, want_order, "const int32_t")
check("top " .. K, best, want_best)
check("top " .. K .. ", places", places, want_places, "const int32_t")
