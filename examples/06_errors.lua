-- Lesson 6: errors. Each is an ordinary Lua error that names the kernel's file, line and column;
-- after it the process goes on.
local neso = require "neso"
local tl = neso.language

local wrong = neso.jit(function(out)
  local a, b = tl.arange(0, 1024), tl.arange(0, 512)
  tl.store(out + tl.arange(0, 1024), a + b)
end)

local right = neso.jit(function(out, BLOCK)
  local at = tl.arange(0, BLOCK)
  tl.store(out + at, at)
end)

local out = neso.empty({ 1024 }, tl.i32)

local function show(what, run)
  local ok, message = pcall(run)
  assert(not ok, what .. ": no error")
  print("-- " .. what .. "\n" .. tostring(message))
end

show("shapes that do not fit", function() wrong[1](out) end)
show("an argument too few", function() right[1](out) end)
show("nil for a tensor", function() right[1](nil, 1024) end)
show("a negative grid", function() right[-1](out, 1024) end)

right[1](out, 1024)
print(out)
assert(out:get(1023) == 1023)
