-- Runs every benchmark, each in a process of its own, and keeps their JSON lines.
--   luajit spec/bench/run.lua [name...]      names: startup launch arrays matmul

local here = arg[0]:match "^(.*/)" or "./"
local names = #arg > 0 and arg or { "startup", "launch", "arrays", "matmul" }

-- OpenBLAS shall take the kernel that it would take on any machine.
local FAIR = "env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE "

local path = here .. "results/" .. os.date "!%Y-%m-%d" .. ".jsonl"
local results = assert(io.open(path, #arg > 0 and "a" or "w"))
local failed = false
for _, name in ipairs(names) do
  local pipe = assert(io.popen(("%sLUA_PATH='%s?.lua;'\"$LUA_PATH\" '%s' '%s%s.lua'"):format(
    FAIR, here, arg[-1], here, name)))
  local lines = 0
  for line in pipe:lines() do
    print(line)
    results:write(line, "\n")
    lines = lines + 1
  end
  pipe:close()
  if lines == 0 then failed = true end
end
results:close()
print("kept in " .. path)
os.exit(failed and 1 or 0)
