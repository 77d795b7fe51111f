-- Control flow at run time: each kernel writes what plain Lua gives for the same text.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

local function add(name, statements, inputs)
  cases[#cases + 1] = make.plain_lua { name = name, statements = statements, inputs = inputs }
end

local small = { -3, 0, 1, 2, 3, 7, 10, 25 }

add("if", "if n > 2 then return 1 elseif n < 0 then return -1 end return 0", small)
add("nested if", "local a = 0 if n > 0 then if n > 5 then a = 2 else a = 1 end end return a", small)
add("while", "local i, s = 0, 0 while i < n do s = s + i i = i + 1 end return s", small)
add("repeat", "local i = 0 repeat i = i + 2 until i >= n return i", small)
add("for up", "local s = 0 for i = 1, n do s = s + i end return s", small)
add("for down", "local s = 0 for i = n, 1, -3 do s = s * 2 + i end return s", small)
add("for with a run-time step", "local s = 0 for i = 1, 20, n * n + 1 do s = s + i end return s",
  small)
add("for down with a run-time step",
  "local s = 0 for i = 20, 1, -n * n - 1 do s = s + i end return s", small)
add("break", "local s = 0 for i = 1, 100 do if i > n then break end s = s + i end return s", small)
add("break in while",
  "local s = 0 while true do if s * s >= n then break end s = s + 1 end return s", small)
add("return in a loop", "for i = 1, 100 do if i * i > n then return i end end return -1", small)
add("return in nested loops", [[
  for i = 1, 10 do
    for j = 1, 10 do
      if i * j == n then return i * 100 + j end
    end
  end
  return 0]], small)
add("continue", [[
  local s = 0
  for i = 1, n do
    if i % 3 == 0 then goto continue end
    s = s + i
    ::continue::
  end
  return s]], small)
add("break in nested loops", [[
  local s = 0
  for i = 1, n do
    for j = 1, n do
      if j > i then break end
      s = s + j
    end
  end
  return s]], small)
add("collatz", [[
  local steps = 0
  while n > 1 do
    if n % 2 == 0 then n = math.floor(n / 2 + 0.25) else n = 3 * n + 1 end
    steps = steps + 1
    if steps > 200 then return -1 end
  end
  return steps]], { 1, 2, 3, 6, 7, 9, 27 })
cases[#cases].kernel = cases[#cases].kernel:gsub("math.floor%(n / 2 %+ 0.25%)", "n // 2")
add("and, or", "local a = n > 1 and n < 8 or n == 25 if a then return 1 end return 2", small)
add("choice", "return n > 2 and n * 2 or -n", small)
add("unrolled with break",
  "local s = 0 for _, v in ipairs{1, 2, 4, 8} do if v > n then break end s = s + v end return s",
  small)
add("several results", [[
  local function f(a) if a > 2 then return a, 1 end return 5, a end
  local p, q = f(n)
  return p * 10 + q]], small)
add("swap in a loop", [[
  local a, b = 0, 1
  for i = 1, n do a, b = b, a + b end
  return a]], small)
add("tables", [[
  local t = {x = n, y = {1, 2}}
  if n > 2 then t.x = t.x + t.y[2] else t.y[1] = n end
  return t.x * 10 + t.y[1] ]], small)
add("closures", [[
  local total = 0
  local function put(v) total = total + v end
  for i = 1, n do put(i) end
  return total]], small)
add("return in a while in an if", [[
  if n > 1 then
    local i = 0
    while i < 10 do
      i = i + 1
      if i * 3 > n then return i end
    end
    return 99
  end
  return 7]], small)

local function many(count, pattern)
  local parts = {}
  for i = 1, count do parts[i] = (pattern:gsub("@", i)) end
  return table.concat(parts, "\n")
end

add("150 early returns in a row", "local v, t = n, { a = 1 }\n"
  .. many(150, "if v == @ then return @ + t.a end local w@ = v + @ "
    .. "v = v + w@ % 3 t.a = t.a + w@ % 2")
  .. "\nreturn v * 7 + t.a + w149", small)
add("100 breaks and continues in a row", "local s, v = 0, n\nfor i = 1, 9 do v = v + 1\n"
  .. many(100, "if v == @ then break end if v == -@ then goto continue end local w@ = v % 5 "
  .. "v = v + w@ - 2 s = s + w@") .. "\ns = s + w100 ::continue:: end\nreturn s * 3 + v",
  small)
add("early returns behind functions and loops", [[
  local v = n
]] .. many(40, "local function f@(k) return k + v end if f@(@) == 9 then return @ end "
  .. "for i = 1, 2 do if v > 500 then return v end v = v + f1(i) % 3 end") .. [[

  return f40(1)]], small)
add("a choice of two types", "local x = n > 2 and n or 0.5 return (n < 0 and 2.5 or n) * 4 + x * 2",
  small)

return cases
