-- What a script pays before its first result, against bare LuaJIT: times from process start to its
-- end, and peak resident memory.
local ffi = require "ffi"
local bench = require "bench"

local LUAJIT, SCRIPT = arg[-1], bench.here .. "scripts/add.lua"

ffi.cdef [[ int setenv(const char *name, const char *value, int overwrite); ]]
local cache = os.tmpname()
os.remove(cache)
ffi.C.setenv("NESO_CACHE_DIR", cache, 1)

local function process_ms(...)
  local count = select("#", ...)
  local argv = ffi.new("const char *[?]", count + 1)
  for i = 1, count do argv[i - 1] = select(i, ...) end
  argv[count] = nil
  local seconds = bench.peers.peer_run(argv)
  assert(seconds >= 0, "the child failed: " .. table.concat({ ... }, " "))
  return seconds * 1e3
end

local function first_number(...)
  local pipe = assert(io.popen(table.concat({ ... }, " ")))
  local value = pipe:read "*n"
  pipe:close()
  return assert(value, "the child printed no number")
end

local function empty_cache() os.execute("rm -rf '" .. cache .. "'") end

local function median_of(count, measure)
  local values = {}
  for i = 1, count do values[i] = measure() end
  return bench.median(values)
end

-- `ours` and `bare` in turn.
local function pair(count, ours, bare)
  local a, b = {}, {}
  for i = 1, count do a[i], b[i] = ours(), bare() end
  return bench.median(a), bench.median(b)
end

local function emit(name, unit, value, goal, peer_value)
  bench.emit { name = name, ["neso_" .. unit] = value, ["goal_" .. unit] = goal,
               reached = value < goal, peer = "bare LuaJIT", ["peer_" .. unit] = peer_value }
end

local function bare_ms() return process_ms(LUAJIT, "-e", "") end

local function require_ms() return first_number(LUAJIT, SCRIPT, "require") end
emit("require", "ms", median_of(21, require_ms), 2)

local cold, bare = pair(9, function()
  empty_cache()
  return process_ms(LUAJIT, SCRIPT)
end, bare_ms)
emit("first_add_empty_cache", "ms", cold, 150, bare)

process_ms(LUAJIT, SCRIPT)
local warm
warm, bare = pair(21, function() return process_ms(LUAJIT, SCRIPT) end, bare_ms)
emit("warm_script", "ms", warm, 30, bare)

local ours, peer = pair(9, function() return first_number(LUAJIT, SCRIPT, "memory") end,
  function() return first_number(LUAJIT, SCRIPT, "bare") end)
emit("warm_memory_above_bare", "mb", (ours - peer) / 1024, 15, peer / 1024)
empty_cache()
