-- What the benchmarks share: a clock, medians, interleaved comparison, JSON lines.
local ffi = require "ffi"

ffi.cdef [[
struct bench_timespec { long seconds, nanoseconds; };
int clock_gettime(int clock, struct bench_timespec *out);
int usleep(unsigned microseconds);
void peer_add(void *out, const void *a, const void *b, size_t count);
void peer_softmax(void *out, const void *x, size_t rows, size_t columns);
void peer_layer_norm(void *out, const void *x, const void *weight, const void *bias,
                     size_t rows, size_t columns, float eps);
void peer_layer_norm_f32(void *out, const void *x, const void *weight, const void *bias,
                         size_t rows, size_t columns, float eps);
void peer_set_threads(int count);
double peer_run(const char *const argv[]);
]]

local M = {}

local here = arg[0]:match "^(.*/)" or "./"
M.here = here
M.root = here .. "../../"
M.peers = ffi.load((os.getenv "NESO_BUILD" or "build") .. "/bench/libneso_peers.so")

local spec = ffi.new "struct bench_timespec"
function M.clock()
  ffi.C.clock_gettime(1, spec)
  return tonumber(spec.seconds) + 1e-9 * tonumber(spec.nanoseconds)
end

function M.median(values)
  local sorted = {}
  for i, v in ipairs(values) do sorted[i] = v end
  table.sort(sorted)
  return sorted[math.ceil(#sorted / 2)]
end

function M.kernel(name) return dofile(M.root .. "examples/kernels/" .. name .. ".lua") end

local function json(value)
  if type(value) == "number" then
    return ("%.6g"):format(value)
  elseif type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  end
  return tostring(value)
end

-- Prints `record` as one line of JSON, its keys in order.
function M.emit(record)
  local keys, parts = {}, {}
  for key in pairs(record) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if (a == "name") ~= (b == "name") then return a == "name" end
    return a < b
  end)
  for i, key in ipairs(keys) do parts[i] = json(key) .. ":" .. json(record[key]) end
  print("{" .. table.concat(parts, ",") .. "}")
  io.flush()
end

-- Thread pools spin for a while after their last task: let the other side's go to sleep.
local SETTLE_US = 60000

local BATCH_SECONDS = 0.1

local function batch(run)
  ffi.C.usleep(SETTLE_US)
  run()
  local times, spent = {}, 0
  while #times < 3 or spent < BATCH_SECONDS and #times < 1000 do
    local start = M.clock()
    run()
    times[#times + 1] = M.clock() - start
    spent = spent + times[#times]
  end
  return M.median(times)
end

-- Times `ours` and `theirs` in turn, `rounds` times each, and emits the medians and the ratio of
-- the speeds (above 1: ours is faster), which is the median of the ratios of neighbouring rounds.
function M.compare(record, ours, theirs, rounds)
  local a, b, ratios = {}, {}, {}
  for i = 1, rounds or 9 do
    a[i], b[i] = batch(ours), batch(theirs)
    ratios[i] = b[i] / a[i]
  end
  record.neso_ms, record.peer_ms = M.median(a) * 1e3, M.median(b) * 1e3
  record.ratio = M.median(ratios)
  if record.goal then record.reached = record.ratio >= record.goal end
  M.emit(record)
end

-- Ends the process at once: threads of the peers must not see their code unloaded.
function M.finish() os.exit(0, false) end

return M
