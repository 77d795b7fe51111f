-- How long a kernel takes to compile, by the size of its block and by its number of operations:
-- nothing may grow faster than the kernel does. Run without a disk cache's help: every text is new.
local bench = require "bench"
local neso = require "neso"

local serial = 0

-- A kernel of `operations` additions and products on a block of `size` elements.
local function text(size, operations)
  serial = serial + 1
  local lines = {}
  for i = 1, operations / 2 do lines[i] = ("  x = x * %d.5 + y"):format(i % 7 + 1) end
  return ([[function k(out, a, n)
  local i = tl.program_id(0) * %d + tl.arange(0, %d)
  local y = tl.load(a + i, i < n)
  local x = y + %d
%s
  tl.store(out + i, x, i < n)
end]]):format(size, size, serial + os.time() % 100000, table.concat(lines, "\n"))
end

local x = neso.zeros { 16 }

-- Milliseconds, the least of some.
local function compile_ms(size, operations)
  local best = math.huge
  for _ = 1, 3 do
    local kernel = neso.kernel(text(size, operations))
    local start = bench.clock()
    kernel:warmup(x, x, 16)
    best = math.min(best, (bench.clock() - start) * 1e3)
  end
  return best
end

-- How the time grows with what is measured: 1 is in proportion, 0 not at all.
local function slope(rows)
  local first, last = rows[1], rows[#rows]
  return math.log(last.ms / first.ms) / math.log(last.at / first.at)
end

local function series(name, list, measure, limit)
  local rows = {}
  for i, at in ipairs(list) do
    rows[i] = { at = at, ms = measure(at) }
    bench.emit { name = name, at = at, ms = rows[i].ms }
  end
  local grows = slope(rows)
  bench.emit { name = name .. "_slope", slope = grows, goal = limit, reached = grows <= limit }
  return grows <= limit
end

compile_ms(1024, 10)
local by_size = series("compile_by_block", { 1024, 4096, 16384, 65536, 262144, 1048576 },
  function(size) return compile_ms(size, 20) end, 0.2)
local by_operations = series("compile_by_operations", { 10, 30, 100, 300, 1000 },
  function(count) return compile_ms(1024, count) end, 1.1)
os.exit(by_size and by_operations and 0 or 1, false)
