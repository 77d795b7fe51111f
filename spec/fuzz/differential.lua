-- luajit spec/fuzz/differential.lua [--from SEED] [--count N] [--show SEED] [--seeds FILE]
--                                   [--keep FILE] [--minutes N] [--trace FILE]
-- Runs random kernels (generator.lua) compiled and in the interpreter and compares every output,
-- bit by bit but for NaNs, which are one, and elementary functions, which have their rows' error.
-- A kernel on which the two differ is made smaller and printed; --keep appends its seed to a file.
-- --trace appends each seed before it runs. --show prints a kernel. Without options it runs the
-- seeds of seeds/differential.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path

local ffi = require "ffi"
local neso = require "neso"
local generator = require "generator"
local minimize = require "minimize"

ffi.cdef "int memcmp(const void *, const void *, size_t);"

local SIZE = generator.SIZE

-- --------------------------------------------------------------------- inputs --

local inputs = {}

local specials = { f16 = { 65504, 6e-8, 1 / 0, -1 / 0, 0 / 0, -0.0 },
  f32 = { 3.4e38, 1e-45, 1 / 0, -1 / 0, 0 / 0, -0.0, 1e-39 } }
specials.bf16, specials.f64 = specials.f32, { 1e308, 5e-324, 1 / 0, -1 / 0, 0 / 0, -0.0, 1e-310 }

local function number(dtype, i)
  local x = (i * 7919 + 13) % 10007
  local kind, bits = dtype:match "^(%a+)(%d+)"
  if dtype == "i1" then return x % 2 == 0 end
  if dtype:match "^f8" then return (x % 33 - 16) / 8 end
  if kind == "f" or kind == "bf" then
    local special = specials[dtype]
    if x % 11 == 0 then return special[x % #special + 1] end
    return x % 3 == 0 and x % 19 - 9 or (x - 5000) / 2 ^ (x % 12)
  end
  bits = tonumber(bits)
  if x % 2 == 0 then return kind == "u" and x % 23 or x % 23 - 11 end
  if bits == 64 then
    return ffi.cast(kind == "u" and "uint64_t" or "int64_t", x * 918237465LL * (x % 999 + 1))
  end
  local y = x * 104729 % 2 ^ bits
  return kind == "i" and y >= 2 ^ (bits - 1) and y - 2 ^ bits or y
end

local function input(dtype)
  if not inputs[dtype] then
    local values = {}
    for i = 1, SIZE do values[i] = number(dtype, i) end
    inputs[dtype] = neso.tensor(values, dtype)
  end
  return inputs[dtype]
end

-- ----------------------------------------------------------------------- runs --

local function arguments(kernel)
  local list, outputs = { n = kernel.n }, {}
  for name, dtype in pairs(kernel.inputs) do list[name] = input(dtype) end
  for i, output in ipairs(kernel.outputs) do
    outputs[i] = neso.zeros({ SIZE }, output.dtype)
    if output.ones then outputs[i]:fill_(1) end
    list[output.name] = outputs[i]
  end
  return list, outputs
end

local mantissa = { f16 = 10, bf16 = 7, f32 = 23, f64 = 52 }
local least_exponent = { f16 = -14, bf16 = -126, f32 = -126, f64 = -1022 }

local function close(output, a, b)
  if a == b and (a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b then return true end
  if not output.ulp or a ~= a or b ~= b then return false end
  local _, exponent = math.frexp(b)
  local ulp = 2 ^ (math.max(exponent - 1, least_exponent[output.dtype]) - mantissa[output.dtype])
  return math.abs(a - b) <= output.ulp * ulp
end

local function difference(output, a, b)
  if ffi.C.memcmp(a:cdata(), b:cdata(), a.nbytes) == 0 then return nil end
  local x, y = a:totable(), b:totable()
  for i = 1, SIZE do
    local float = type(x[i]) == "number" and type(y[i]) == "number"
    if float and not close(output, x[i], y[i]) or not float and x[i] ~= y[i] then
      return ("%s[%d] is %s compiled, %s interpreted"):format(output.name, i - 1, tostring(x[i]),
        tostring(y[i]))
    end
  end
end

--- "equal", "refused" and the message, or "fault" and what differs.
local function try(kernel)
  local ok, handle = pcall(neso.kernel, generator.text(kernel))
  if not ok then return "refused", handle end
  local list, compiled = arguments(kernel)
  local fine, problem = pcall(function() handle[kernel.grid](list) end)
  local other_list, interpreted = arguments(kernel)
  local also_fine, other = pcall(handle.interpret, handle, kernel.grid, other_list)
  if not fine and not also_fine then return "refused", problem end
  if not fine then return "fault", "compiled: " .. tostring(problem) end
  if not also_fine then return "fault", "interpreted: " .. tostring(other) end
  for i, output in ipairs(kernel.outputs) do
    local found = difference(output, compiled[i], interpreted[i])
    if found then return "fault", found end
  end
  return "equal"
end

-- ----------------------------------------------------------------------- main --

local options = { from = 1, count = 100 }
do
  local i = 1
  while arg[i] do
    options[arg[i]:match "^%-%-(.+)$"] = arg[i + 1]
    i = i + 2
  end
end

local function append(path, text)
  local file = assert(io.open(path, "a"))
  file:write(text, "\n")
  file:close()
end

local counts = { equal = 0, refused = 0, fault = 0 }
local refusals = {}

local function show(seed, kernel, problem)
  print(("seed %d: %s\n%s\nn = %d, grid %d\n"):format(seed, problem, generator.text(kernel),
    kernel.n, kernel.grid))
  io.flush()
end

local function run(seed)
  local kernel = generator.kernel(seed)
  local result, problem = try(kernel)
  counts[result] = counts[result] + 1
  if result == "refused" then
    local first = tostring(problem):match "^[^\n]*":gsub("%d+", "#")
    refusals[first] = (refusals[first] or 0) + 1
  elseif result == "fault" then
    local class = problem:match "^%a+:"
    local small = minimize(kernel, function(candidate)
      local outcome, what = try(candidate)
      return outcome == "fault" and what:match "^%a+:" == class
    end)
    show(seed, small, select(2, try(small)))
    if options.keep then append(options.keep, seed) end
  end
end

if options.show then
  local kernel = generator.kernel(tonumber(options.show))
  local result, problem = try(kernel)
  show(kernel.seed, kernel, problem or result)
  os.exit(0)
end

local seeds = {}
if options.seeds or not arg[1] then
  for line in io.lines(options.seeds or here .. "seeds/differential") do
    seeds[#seeds + 1] = tonumber(line:match "^%d+")
  end
else
  for i = 0, options.count - 1 do seeds[i + 1] = options.from + i end
end

local deadline = options.minutes and neso.clock() + options.minutes * 60
for _, seed in ipairs(seeds) do
  if deadline and neso.clock() > deadline then break end
  if options.trace then append(options.trace, seed) end
  run(seed)
end
for message, count in pairs(refusals) do print(("refused %d: %s"):format(count, message)) end
print(("%d equal, %d refused, %d differ"):format(counts.equal, counts.refused, counts.fault))
os.exit(counts.fault == 0 and counts.equal > 0 and 0 or 1)
