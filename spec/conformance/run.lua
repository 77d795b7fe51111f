-- luajit spec/conformance/run.lua [--backend NAME] [--interpret] [--jobs N] [--results PATH]
--                                 [--times] [PATTERN]
-- Runs the conformance cases of this folder through the public API and counts.
--
-- A file gives a list of cases, or a function that gives one case a call and nil at the end.
-- A case is data:
--   name     what is shown
--   kernel   text of one function
--   args     parameter name -> {dtype, list of values} (a tensor), {dtype, count = n} (a tensor of
--            zeros), or a number or boolean
--   grid     number of programs or table (default 1)
--   want     parameter name -> list of values, or function(inputs) that gives it, where inputs
--            holds the stored values of every tensor by name
--   ulp      error allowed in units of the last place of the result's dtype, beyond the rounding of
--            the result (default 0: exact)
--   atol     absolute error allowed instead, where that is more
--   any_zero the sign of a zero is not said (default: -0 and 0 differ)
--   skip     function(device) gives a reason or nil
--   results  list of {name=, out= parameter, op=, ulp=, atol=, rounded=}: each counts as a case
--   op, dtypes   what is shown, where a case that is skipped shall explain a gap in
--            spec/coverage.md: a function or operator, list of dtypes
-- make.lua helps to make cases.
--
-- --results writes a line a result: file, name, status, reason, and what the kernel applied, as
-- noted while it was compiled (recorder.lua). --times prints the seconds of each file.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path

local files = { "every_operator", "every_function", "every_shape", "every_reduction", "every_rest",
  "elementwise", "operators", "convert", "reduce", "memory", "control", "aggregates",
  "random_control", "dot", "pointers", "parts", "order", "scan", "atomic", "f8", "random",
  "dot_forms", "descriptor", "chains", "mixed", "exhaustive", "number_rules", "pains" }

local workers = require "workers"

local options = { jobs = math.min(workers.processors(), 8) }
do
  local takes = { backend = true, jobs = true, results = true, share = true }
  local flags = { interpret = true, times = true }
  local i = 1
  while arg[i] do
    local name = arg[i]:match "^%-%-(.+)$"
    if takes[name] then
      i, options[name] = i + 1, arg[i + 1]
    elseif flags[name] then
      options[name] = true
    elseif name then
      error("run.lua has no option --" .. name, 0)
    else
      options.pattern = arg[i]
    end
    i = i + 1
  end
end

local function set_environment(name, value)
  local ffi = require "ffi"
  ffi.cdef "int setenv(const char *, const char *, int);"
  ffi.C.setenv(name, value, 1)
end

-- One process: the cases of its share.
local function work()
  if options.backend then set_environment("NESO_BACKEND", options.backend) end
  if options.interpret then set_environment("NESO_INTERPRET", "1") end
  local runner = require "runner"
  local neso = require "neso"
  local recorder = require "recorder"
  local index, count = options.share:match "^(%d+)/(%d+)$"
  local device, write = neso.device(), workers.writer(options.results)
  for _, file in ipairs(files) do
    local start = neso.clock()
    runner.each(here .. file .. ".lua", function(case)
      if not workers.mine(case.name, tonumber(index), tonumber(count)) then return end
      if options.pattern and not case.name:find(options.pattern, 1, true) then return end
      write("begin", file, case.name)
      recorder.take()
      runner.run(case, device, function(result, status, reason)
        local applied = recorder.take()
        for _, dtype in ipairs(result.dtypes or case.dtypes or {}) do
          local op = result.op or case.op
          if op then applied[#applied + 1] = ("shown %s %s"):format(op, dtype) end
        end
        write("result", file, result.name or case.name, status, reason or "",
          table.concat(applied, ","))
      end)
    end)
    write("time", file, neso.clock() - start)
  end
  write "end"
end

local counts = { passed = 0, failed = 0, skipped = 0 }
local times = {}

local function shown(status, name, reason)
  if status ~= "passed" then
    print(("%s %s: %s"):format(status == "failed" and "FAILED" or status, name, reason))
  end
end

local function gather(job, keep)
  local running, ended
  workers.read(job.results, function(kind, file, name, status, reason, applied)
    if kind == "begin" then
      running = name
    elseif kind == "result" then
      counts[status] = counts[status] + 1
      shown(status, name, reason)
      if keep then keep(file, name, status, reason, applied) end
    elseif kind == "time" then
      times[file] = (times[file] or 0) + tonumber(name)
    else
      ended = true
    end
  end)
  local output = assert(io.open(job.output)):read "*a"
  io.write(output)
  if not ended then
    counts.failed = counts.failed + 1
    print(("FAILED: the process ended after '%s' began"):format(running or "nothing"))
  end
  os.remove(job.results)
  os.remove(job.output)
end

if options.share then
  work()
  os.exit(0, true)
end

local passed_on = { options.pattern }
for _, name in ipairs { "backend", "interpret" } do
  if options[name] then
    passed_on[#passed_on + 1] = "--" .. name
    if options[name] ~= true then passed_on[#passed_on + 1] = options[name] end
  end
end
local keep = options.results and workers.writer(options.results)
for _, job in ipairs(workers.run(arg[0], tonumber(options.jobs), passed_on)) do
  gather(job, keep)
end
if options.times then
  for _, file in ipairs(files) do print(("%-16s %6.2f s"):format(file, times[file] or 0)) end
end
print(("%d passed, %d failed, %d skipped"):format(counts.passed, counts.failed, counts.skipped))
if counts.passed + counts.skipped == 0 then print "no case was found" end
os.exit(counts.failed == 0 and counts.passed + counts.skipped > 0 and 0 or 1, true)
