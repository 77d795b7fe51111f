-- Child of startup.lua: the smallest script with a result. An argument asks for a figure on stdout:
-- `require` ms of it; `memory`, `bare` peak resident kilobytes with and without neso.
local what = arg[1]

local function peak_kilobytes()
  for line in io.lines "/proc/self/status" do
    local value = line:match "^VmHWM:%s*(%d+)"
    if value then return value end
  end
end

if what == "bare" then
  print(peak_kilobytes())
  return
end

if what == "require" then
  local ffi = require "ffi"
  ffi.cdef [[
    struct script_timespec { long seconds, nanoseconds; };
    int clock_gettime(int clock, struct script_timespec *out);
  ]]
  local before, after = ffi.new "struct script_timespec", ffi.new "struct script_timespec"
  ffi.C.clock_gettime(1, before)
  require "neso"
  ffi.C.clock_gettime(1, after)
  print(tonumber(after.seconds - before.seconds) * 1e3
    + tonumber(after.nanoseconds - before.nanoseconds) * 1e-6)
  return
end

local neso = require "neso"
local tl = neso.language

local add = neso.jit(function(out, a, b, n, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = at < n
  tl.store(out + at, tl.load(a + at, mask) + tl.load(b + at, mask), mask)
end)

local n = 1000
local a, b, out = neso.full({ n }, 1), neso.full({ n }, 2), neso.empty { n }
add[1](out, a, b, n, 1024)
assert(out:get(n - 1) == 3)
if what == "memory" then print(peak_kilobytes()) end
