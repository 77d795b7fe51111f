-- Runs cases and compares; run.lua says what a case is.

local neso = require "neso"
local ffi_ok, ffi = pcall(require, "ffi")

local M = {}

local mantissa = { f16 = 10, bf16 = 7, f32 = 23, f64 = 52 }
local least_exponent = { f16 = -14, bf16 = -126, f32 = -126, f64 = -1022 }
local largest = { f16 = 65504, bf16 = 3.3895313892515355e38, f32 = 3.4028234663852886e38,
  f64 = 1.7976931348623157e308 }
local wide = { i64 = "int64_t", u64 = "uint64_t" }

local function ulp_of(dtype, x)
  local _, exponent = math.frexp(x)
  return 2 ^ (math.max(exponent - 1, least_exponent[dtype]) - mantissa[dtype])
end

local function as_number(x)
  if x == true then return 1 elseif x == false then return 0 end
  return tonumber(x)
end

-- 64 bits are compared as such where numbers do not hold them.
local function same_integer(dtype, got, want)
  if not ffi_ok or type(got) == "number" and type(want) == "number" then
    return as_number(got) == as_number(want)
  end
  if type(want) == "number" and want ~= math.floor(want) then return false end
  return ffi.cast(wide[dtype], got) == ffi.cast(wide[dtype], want)
end

-- Also of -0.
local function is_below_zero(x) return x < 0 or 1 / x < 0 end

local function close(allowance, dtype, got, want)
  if wide[dtype] then return same_integer(dtype, got, want) end
  got, want = as_number(got), as_number(want)
  if got ~= got and want ~= want then return true end
  if not mantissa[dtype] then return got == want end
  if got == want then
    return got ~= 0 or allowance.any_zero or is_below_zero(got) == is_below_zero(want)
  end
  if got ~= got or want ~= want then return false end
  if math.abs(want) > largest[dtype] then return got == (want > 0 and math.huge or -math.huge) end
  local rounding = allowance.rounded and 0 or 0.5
  local allowed = (rounding + (allowance.ulp or 0)) * ulp_of(dtype, want)
  return math.abs(got - want) <= math.max(allowed, allowance.atol or 0)
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

local function compare(case, allowance, name, call, inputs)
  local want = case.want[name]
  if type(want) == "function" then want = want(inputs) end
  local got = flat(call[name]:totable(), {})
  local dtype = case.args[name][1]
  for i = 1, math.max(#want, #got) do
    if want[i] == nil or got[i] == nil or not close(allowance, dtype, got[i], want[i]) then
      return ("%s[%d] is %s, wanted %s"):format(name, i - 1, tostring(got[i]), tostring(want[i]))
    end
  end
end

local unchecked = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "./") .. "unchecked.lua")

-- In checked mode: is the case about what that refuses?
local function is_unchecked(case)
  if not os.getenv "NESO_CHECKED" then return false end
  for _, row in ipairs(unchecked) do
    if case.name:find(row[1]) then return true end
  end
  return false
end

local function launch(case)
  local kernel = neso.kernel(case.kernel)
  local call, inputs = make_arguments(case)
  if is_unchecked(case) then call.checked = false end
  kernel[case.grid or 1](call)
  return call, inputs
end

-- A problem, or nil.
local function check(case, allowance, names, call, inputs)
  for _, name in ipairs(names) do
    local ok, problem = pcall(compare, case, allowance, name, call, inputs)
    if not ok or problem then return tostring(problem) end
  end
end

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

--- Runs a case; calls report(result or case, status, reason) once a result.
---@param case table
---@param device neso.device
---@param report fun(of: table, status: "passed"|"failed"|"skipped", reason: string|nil)
function M.run(case, device, report)
  local results = case.results or { case }
  local reason = case.skip and case.skip(device)
  if reason then
    for _, result in ipairs(results) do report(result, "skipped", reason) end
    return
  end
  local ok, call, inputs = pcall(launch, case)
  for _, result in ipairs(results) do
    local problem = not ok and tostring(call)
    if ok then
      local names = result.out and { result.out } or sorted_keys(case.want)
      problem = check(case, result, names, call, inputs)
    end
    report(result, problem and "failed" or "passed", problem)
  end
end

--- Calls f with each case of a file: a list, or a function that gives one case a call and then nil.
function M.each(path, f)
  local cases = dofile(path)
  if type(cases) == "function" then
    for case in cases do f(case) end
  else
    for _, case in ipairs(cases) do f(case) end
  end
end

return M
