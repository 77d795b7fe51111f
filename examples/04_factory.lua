-- Lesson 4: kernels made by functions. What a kernel reads from outside (here `terms`) is read when
-- it is compiled; a loop over a table unrolls, and plain Lua helpers are inlined.
local neso = require "neso"
local tl = neso.language

local function horner(x, terms)
  local sum = 0.0
  for i in tl.static_range(#terms, 0, -1) do sum = sum * x + terms[i] end
  return sum
end

local function polynomial(terms)
  return neso.jit(function(out, x, n, BLOCK)
    local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    local mask = at < n
    tl.store(out + at, horner(tl.load(x + at, mask), terms), mask)
  end)
end

local n = 1024
local x, out = neso.full({ n }, 2), neso.empty { n }
local line, parabola = polynomial { 1, 3 }, polynomial { 1, 3, 0.5 }
line[tl.cdiv(n, 256)](out, x, n, 256)
print(out)
assert(out:get(0) == 7)
parabola[tl.cdiv(n, 256)](out, x, n, 256)
print(out)
assert(out:get(n - 1) == 9)
