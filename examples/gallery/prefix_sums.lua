-- Prefix sums of a vector longer than a block: each program adds up its block, one program finds
-- what stands before every block, then each writes its own prefixes. The sums of segments are a
-- scan of pairs by a function.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local add_up = neso.jit(function(totals, x, n, BLOCK)
  local block = tl.program_id(0)
  local at = block * BLOCK + tl.arange(0, BLOCK)
  tl.store(totals + block, tl.sum(tl.load(x + at, at < n):to(tl.i64)))
end)

local place = neso.jit(function(before, totals, blocks, BLOCK)
  local carry = tl.cast(0, tl.i64)
  for start = 0, blocks - 1, BLOCK do
    local at = start + tl.arange(0, BLOCK)
    local total = tl.load(totals + at, at < blocks)
    tl.store(before + at, carry + tl.cumsum(total) - total, at < blocks)
    carry = carry + tl.sum(total)
  end
end)

local prefixes = neso.jit(function(out, x, before, n, BLOCK)
  local block = tl.program_id(0)
  local at = block * BLOCK + tl.arange(0, BLOCK)
  local sums = tl.cumsum(tl.load(x + at, at < n):to(tl.i64))
  tl.store(out + at, tl.load(before + block) + sums, at < n)
end)

local function combine(sum, started, value, starts)
  return tl.where(starts, value, sum + value), started or starts
end

-- One program a row: sums that begin anew wherever `starts` is set.
local segments = neso.jit(function(out, x, starts, n, BLOCK)
  local row, col = tl.program_id(0), tl.arange(0, BLOCK)
  local at, mask = row * n + col, col < n
  local x_here, new = tl.load(x + at, mask), tl.load(starts + at, mask)
  local sums = tl.associative_scan({ x_here, new }, 0, combine)
  tl.store(out + at, sums, mask)
end)

local n, BLOCK = 100003, 257
local blocks = tl.cdiv(n, BLOCK)
local x = neso.randint(-1000000, 1000000, { n }, tl.i32)
local totals, before = neso.empty({ blocks }, tl.i64), neso.empty({ blocks }, tl.i64)
local out = neso.empty({ n }, tl.i64)
add_up[blocks](totals, x, n, BLOCK)
place[1](before, totals, blocks, 100)
prefixes[blocks](out, x, before, n, BLOCK)

local values, got = support.array(x, "const int32_t"), support.array(out, "const int64_t")
local sum, wrong = 0, 0
for i = 0, n - 1 do
  sum = sum + values[i]
  if tonumber(got[i]) ~= sum then wrong = wrong + 1 end
end
support.verdict("prefix sums", ("%d integers"):format(n), wrong, 0)

local rows, columns = 30, 1000
local numbers = neso.rand { rows, columns }
local starts = neso.zeros({ rows, columns }, tl.i1)
local set = support.array(starts, "uint8_t")
for i = 0, rows * columns - 1, 37 do set[i] = 1 end
local sums = neso.empty_like(numbers)
segments[rows](sums, numbers, starts, columns, 1024)

local input, want = support.array(numbers), support.doubles(rows * columns)
for i = 0, rows * columns - 1 do
  local anew = i % columns == 0 or i % 37 == 0
  want[i] = input[i] + (anew and 0 or want[i - 1])
end
support.verdict("sums of segments", ("%d x %d"):format(rows, columns),
  support.error(support.array(sums), want, rows * columns), 1e-5)
