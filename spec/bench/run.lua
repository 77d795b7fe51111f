-- Runs every benchmark, each in a process of its own, and keeps their JSON lines.
--   luajit spec/bench/run.lua [name...]      names: startup launch compile arrays matmul

local here = arg[0]:match "^(.*/)" or "./"
local names = #arg > 0 and arg or { "startup", "launch", "compile", "arrays", "matmul" }

-- OpenBLAS shall take the kernel that it would take on any machine; and, since it takes one for SSE
-- on a processor it does not know, it is asked again for its AVX-512 kernel where there is AVX-512.
local FAIR = "env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE "
local AVX512 = "env -u OPENBLAS_L2_SIZE OPENBLAS_CORETYPE=SkylakeX "

local function has_avx512()
  local file = io.open "/proc/cpuinfo"
  local text = file and file:read "*a" or ""
  if file then file:close() end
  return text:find("avx512dq", 1, true) ~= nil
end

local path = here .. "results/" .. os.date "!%Y-%m-%d" .. ".jsonl"
local results = assert(io.open(path, #arg > 0 and "a" or "w"))
local failed = false

local function run(name, environment)
  local pipe = assert(io.popen(("%sLUA_PATH='%s?.lua;'\"$LUA_PATH\" '%s' '%s%s.lua'"):format(
    environment, here, arg[-1], here, name)))
  local lines = 0
  for line in pipe:lines() do
    print(line)
    results:write(line, "\n")
    lines = lines + 1
  end
  pipe:close()
  if lines == 0 then failed = true end
end

for _, name in ipairs(names) do
  run(name, FAIR)
  if name == "matmul" and has_avx512() then run(name, AVX512) end
end
results:close()
print("kept in " .. path)
os.exit(failed and 1 or 0)
