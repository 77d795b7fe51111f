-- The main job: real kernels on real input, each checked against an independent reference in C and
-- timed. Prints one table.   luajit examples/run.lua [--small]
--
-- It runs the jobs in two processes that share a new, empty cache folder: in the first each kernel
-- is compiled, in the second it is loaded from the cache. `cold` and `cached` are what the first
-- call of a job took in each, less a later call.

local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. here .. "?/init.lua;" .. package.path

local ROW = "%-16s %-9s %-22s %10s %11s %14s %9s %9s"

local function seconds_of(run, clock)
  local start = clock()
  run()
  return clock() - start
end

-- Median over repetitions that fill `budget` seconds.
local function median_time(run, clock, budget)
  local times, spent = {}, 0
  while spent < budget or #times < 3 do
    times[#times + 1] = seconds_of(run, clock)
    spent = spent + times[#times]
  end
  table.sort(times)
  return times[math.ceil(#times / 2)]
end

local function rate(job, time)
  if job.flops then return ("%.1f GFLOP/s"):format(job.flops / time / 1e9) end
  return ("%.1f GB/s"):format(job.bytes / time / 1e9)
end

-- One line a job, fields set apart by tabs: the milliseconds that its first call took more than a
-- later one and, unless `cold`, the columns of the table and a verdict.
local function work(cold, small, output)
  local neso = require "neso"
  local device = neso.device().backend
  for _, job in ipairs(require "jobs"(small, output)) do
    local first = seconds_of(job.run, neso.clock)
    local time = median_time(job.run, neso.clock, (cold or small) and 0 or 0.5)
    local fields = { ("%.1f"):format(math.max(0, first - time) * 1e3) }
    if not cold then
      local worst = job.error()
      fields[2], fields[3], fields[4] = job.name, device, job.shape
      fields[5], fields[6] = ("%.2e"):format(worst), ("%.3f ms"):format(time * 1e3)
      fields[7], fields[8] = rate(job, time), worst <= job.limit and "ok" or "too large an error"
    end
    io.write(table.concat(fields, "\t"), "\n")
    io.flush()
  end
end

local function shell_quoted(text) return "'" .. text:gsub("'", [['\'']]) .. "'" end

local function rows_of(command)
  local rows = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do
    local fields = {}
    for field in line:gmatch "[^\t]+" do fields[#fields + 1] = field end
    rows[#rows + 1] = fields
  end
  pipe:close()
  return rows
end

local function drive(small)
  local build = os.getenv "NESO_BUILD" or "build"
  local output = build .. "/examples"
  local cache = os.tmpname()
  os.remove(cache)
  local command = ("NESO_CACHE_DIR=%s %s %s --work %%s %s %s"):format(shell_quoted(cache),
    shell_quoted(arg[-1]), shell_quoted(arg[0]), shell_quoted(output), small and "--small" or "")
  local cold, warm = rows_of(command:format "cold"), rows_of(command:format "cached")
  os.execute("rm -rf " .. shell_quoted(cache))

  print(ROW:format("kernel", "device", "shape", "error", "time", "rate", "cold ms", "cached ms"))
  for i, row in ipairs(warm) do
    print(ROW:format(row[2], row[3], row[4], row[5], row[6], row[7], cold[i][1], row[1]))
  end
  print("images: " .. output .. "/astronaut-blur.png, astronaut-sobel.png")
  local failed = #warm == 0 or #warm ~= #cold
  for _, row in ipairs(warm) do
    if row[8] ~= "ok" then
      print(("%s, %s: %s"):format(row[2], row[4], row[8]))
      failed = true
    end
  end
  os.exit(failed and 1 or 0)
end

if arg[1] == "--work" then
  work(arg[2] == "cold", arg[4] == "--small", arg[3])
else
  drive(arg[1] == "--small")
end
