-- A launch of an empty kernel on one program, from Lua.
local bench = require "bench"
local neso = require "neso"

local empty = neso.jit(function() end)
local x = neso.empty { 16 }
local three = neso.jit(function(a, b, n) end) -- luacheck: ignore

local function nanoseconds(run)
  local count, times = 100000, {}
  for i = 1, 11 do
    local start = bench.clock()
    run(count)
    times[i] = (bench.clock() - start) / count * 1e9
  end
  return bench.median(times)
end

local function case(name, run, goal)
  run(1)
  local ns = nanoseconds(run)
  local floor = nanoseconds(function(count)
    local call = math.fmod
    for i = 1, count do call(i, 3) end
  end)
  bench.emit { name = name, ns = ns, goal_ns = goal, reached = goal and ns <= goal,
               peer = "a call of math.fmod", peer_ns = floor }
end

case("launch_empty", function(count) for _ = 1, count do empty[1]() end end, 2000)
case("launch_3_arguments", function(count) for _ = 1, count do three[1](x, x, 7) end end)
case("launch_3_keywords", function(count)
  for _ = 1, count do three[1] { a = x, b = x, n = 7 } end
end)
