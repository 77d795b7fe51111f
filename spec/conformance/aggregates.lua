-- Tables with methods, operators and inheritance; tuples. Each kernel writes what plain Lua gives
-- for the same text.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}
local inputs = { -3, 0, 1, 2, 3, 7, 10, 25 }

local function add(name, statements)
  cases[#cases + 1] = make.plain_lua {
    name = "aggregate: " .. name, statements = statements, inputs = inputs }
end

local complex = [[
  local Complex = {}
  Complex.__index = Complex
  local function new(re, im) return setmetatable({ re = re, im = im }, Complex) end
  function Complex.__add(a, b) return new(a.re + b.re, a.im + b.im) end
  function Complex.__sub(a, b) return new(a.re - b.re, a.im - b.im) end
  function Complex.__mul(a, b)
    if type(b) == "number" then return new(a.re * b, a.im * b) end
    return new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
  end
  function Complex.__unm(a) return new(-a.re, -a.im) end
  function Complex.__eq(a, b) return a.re == b.re and a.im == b.im end
  function Complex.__lt(a, b) return a:norm() < b:norm() end
  function Complex.__le(a, b) return a:norm() <= b:norm() end
  function Complex.__call(a, k) return a.re * k + a.im end
  function Complex:norm() return self.re * self.re + self.im * self.im end
  function Complex:conjugate() return new(self.re, -self.im) end
]]

add("methods", complex .. "return new(n, 2):conjugate():norm()")
add("operators", complex .. "local z = new(n, 1) * new(2, n) - -new(1, 1) return z(3)")
add("mixed operands", complex .. "return (new(n, 4) * 3)(10)")
add("comparisons", complex .. [[
  local a, b, s = new(n, 1), new(2, 1), 0
  if a == b then s = s + 1 end
  if a ~= b then s = s + 2 end
  if a < b then s = s + 4 end
  if a > b then s = s + 8 end
  if a <= b then s = s + 16 end
  if a >= b then s = s + 32 end
  return s]])
add("carried through a loop", complex .. [[
  local z = new(1, 0)
  for i = 1, n do z = z + new(i, 1) * 2 end
  return z.re * 100 + z.im]])
add("carried through while and repeat", complex .. [[
  local z, i = new(0, 1), 0
  while z:norm() < n do z = z + new(1, 0) end
  repeat z, i = -z, i + 1 until i >= n
  return z.re * 1000 + z.im]])
add("changed in branches", complex .. [[
  local z = new(n, 1)
  if n > 2 then z = z * z elseif n < 0 then z.re = 5 end
  return z(7)]])
add("returned on several paths", complex .. [[
  local function pick(k)
    if k > 3 then return new(k, 1) end
    if k < 0 then return new(0, k) end
    return new(1, 1) * k
  end
  return pick(n)(11)]])
add("nested", complex .. [[
  local pair = { a = new(n, 1), b = new(1, n) }
  for i = 1, 3 do pair.a, pair.b = pair.b, pair.a + pair.b end
  return pair.a(5) + pair.b:norm()]])
add("inheritance", [[
  local Base = {} Base.__index = Base
  function Base:area() return self.w * self.h end
  function Base:twice() return 2 * self:area() end
  local Square = setmetatable({}, { __index = Base }) Square.__index = Square
  function Square:area() return self.w * self.w end
  local s = setmetatable({ w = n }, Square)
  local b = setmetatable({ w = n, h = 3 }, Base)
  return s:twice() + b:twice()]])
add("__index and __newindex as functions", [[
  local log = { n = 0 }
  local t = setmetatable({}, {
    __index = function(_, key) return #key end,
    __newindex = function(self, key, value) rawset(self, key, value + 1) log.n = log.n + 1 end })
  t.abc = n
  t.abc = t.abc * 2
  return t.abc + t.length * 100 + log.n * 1000]])
add("getmetatable, rawget, pairs", [[
  local class = { __index = { x = 5 } }
  local t, s = setmetatable({ a = n, b = 2 }, class), 0
  for key, value in pairs(t) do s = s + #key * value end
  if getmetatable(t) == class and rawget(t, "x") == nil then s = s + t.x end
  return s]])
add("tuples", [[
  local function divide(a, b) return a - a % b, a % b end
  local t = { divide(n, 3) }
  local q, r = unpack(t)
  local function swap(...) return select(2, ...), (...) end
  for i = 1, 2 do q, r = swap(q, r) end
  return q * 10 + r + select("#", divide(n, 2)) + #t]])
add("a table grows before it is used", [[
  local t = {}
  if n > 1 then t = { n, 2 } t[1] = t[1] + 1 else t = { 1, 2 } end
  table.insert(t, 5)
  local s = 0
  for i, v in ipairs(t) do s = s + i * v end
  return s]])

return cases
