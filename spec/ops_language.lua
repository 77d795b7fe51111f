-- The tile language: one row a function of `tl`. Installed as neso/language/rows.lua, so that the
-- frontend, the reference page and the conformance suite read the same list.
--
--   [1] name   [2] parameters: "x axis? ..." where ? may be left out and `shape` takes a table of
--              extents or plain extents
--   group      heading of the reference page
--   doc        one sentence
--   kind       how it is built where a table is enough:
--                "float1/2/3"  elementwise on floats: `op`; integers become f32, 16-bit floats are
--                              computed in f32 and rounded once; `direct` keeps 16 bits
--              rows without a kind are built by lua/neso/language/<group>.lua
--   op         the tile IR operation
--   method     false: not callable as x:name() (default: the first parameter is x or pointer)
--   reference  the same in plain Lua on numbers, for conformance cases; ulp = error allowed in f32
--   example    a call that compiles with blocks v {8} and w {4, 2} of f32, a pointer x and a
--              number n (default: tl.name(v)), for the tests
--   library    true: written in the language itself, in lua/neso/language/standard
--   keep_integers  true: integers stay as they are
--   positive, unit, above_one  true: x > 0, |x| <= 1, x >= 1 is where cases look
--   host       true: may also be called outside of kernels, on numbers
-- A row is about values; dtypes and shapes follow the rules of spec/language.md.

-- In the order of the reference page.
local groups = { "program", "create", "shape", "parts", "memory", "descriptor", "atomic", "convert",
  "math", "bits", "reduce", "scan", "order", "dot", "random", "loop", "hint", "debug", "foreign" }

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local rows = {}
for _, group in ipairs(groups) do
  for _, row in ipairs(dofile(here .. "rows/" .. group .. ".lua")) do
    rows[#rows + 1] = row
  end
end

return rows
