-- luajit spec/conformance/run.lua [--backend NAME] [PATTERN]
-- Runs the conformance cases of this folder through the public API and counts.
--
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
--   skip     function(device) gives a reason or nil

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local neso = require "neso"

local files = { "elementwise", "operators", "convert", "reduce", "memory", "control",
  "random_control", "dot", "pointers", "parts", "order", "scan", "atomic", "f8", "random" }

local backend, pattern
do
  local i = 1
  while arg[i] do
    if arg[i] == "--backend" then
      i, backend = i + 1, arg[i + 1]
    else
      pattern = arg[i]
    end
    i = i + 1
  end
end

local mantissa = { f16 = 10, bf16 = 7, f32 = 23, f64 = 52 }
local least_exponent = { f16 = -14, bf16 = -126, f32 = -126, f64 = -1022 }
local largest = { f16 = 65504, bf16 = 3.3895313892515355e38, f32 = 3.4028234663852886e38,
  f64 = 1.7976931348623157e308 }

local function ulp_of(dtype, x)
  local _, exponent = math.frexp(x)
  return 2 ^ (math.max(exponent - 1, least_exponent[dtype]) - mantissa[dtype])
end

local function as_number(x)
  if x == true then return 1 elseif x == false then return 0 end
  return tonumber(x)
end

local function close(case, dtype, got, want)
  got, want = as_number(got), as_number(want)
  if got == want or got ~= got and want ~= want then return true end
  if not mantissa[dtype] or got ~= got or want ~= want then return false end
  if math.abs(want) > largest[dtype] then return math.abs(got) == math.huge end
  local rounding = case.rounded and 0 or 0.5
  local allowed = (rounding + (case.ulp or 0)) * ulp_of(dtype, want)
  return math.abs(got - want) <= math.max(allowed, case.atol or 0)
end

local function flat(x, out)
  for _, item in ipairs(x) do
    if type(item) == "table" then flat(item, out) else out[#out + 1] = item end
  end
  return out
end

local function make_arguments(case)
  local call, inputs = {}, {}
  for name, given in pairs(case.args) do
    if type(given) == "table" then
      local values = given[2]
      call[name] = values and neso.tensor(values, given[1]) or neso.zeros({ given.count }, given[1])
      inputs[name] = flat(call[name]:totable(), {})
    else
      call[name] = given
    end
  end
  return call, inputs
end

local function compare(case, call, inputs)
  for name, want in pairs(case.want) do
    if type(want) == "function" then want = want(inputs) end
    local got = flat(call[name]:totable(), {})
    local dtype = case.args[name][1]
    for i = 1, math.max(#want, #got) do
      if want[i] == nil or got[i] == nil or not close(case, dtype, got[i], want[i]) then
        return ("%s[%d] is %s, wanted %s"):format(name, i - 1, tostring(got[i]), tostring(want[i]))
      end
    end
  end
end

local function run(case)
  local kernel = neso.kernel(case.kernel)
  local call, inputs = make_arguments(case)
  kernel[case.grid or 1](call)
  return compare(case, call, inputs)
end

local passed, failed, skipped = 0, 0, 0

local function report(case, device)
  local reason = case.skip and case.skip(device)
  if reason then
    print(("skipped %s: %s"):format(case.name, reason))
    skipped = skipped + 1
    return
  end
  local ok, problem = pcall(run, case)
  if ok and not problem then
    passed = passed + 1
    return
  end
  failed = failed + 1
  print(("FAILED %s: %s"):format(case.name, tostring(problem)))
end

if backend then
  local ffi_ok, ffi = pcall(require, "ffi")
  if ffi_ok then
    ffi.cdef "int setenv(const char *, const char *, int);"
    ffi.C.setenv("NESO_BACKEND", backend, 1)
  end
end

local device = neso.device()
for _, file in ipairs(files) do
  for _, case in ipairs(dofile(here .. file .. ".lua")) do
    if not pattern or case.name:find(pattern, 1, true) then
      report(case, device)
    end
  end
end
print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0 and 0 or 1, true)
