--- Promises and checks that end with the compilation.

local values = require "neso.frontend.values"

local M = {}

function M.static_assert(cx, a)
  if values.is_runtime(a.condition) then
    cx:fail("tl.static_assert needs a condition known when compiling, got "
      .. values.describe(a.condition), "x.shape, x.dtype and parameters in CAPITALS are known")
  end
  if not a.condition then
    cx:fail("static assertion failed" .. (a.message and ": " .. tostring(a.message) or ""))
  end
end

function M.static_print(cx, a)
  local parts = {}
  for i = 1, a.list.n do
    local x = a.list[i]
    parts[i] = type(x) == "string" and x or values.is_runtime(x) and values.describe(x)
      or tostring(x)
  end
  local prints = cx.builder.prints
  prints[#prints + 1] = table.concat(parts, "\t")
end

local function unchanged(_, a)
  return a.x
end

M.multiple_of, M.max_contiguous, M.max_constancy = unchanged, unchanged, unchanged

function M.assume(cx, a)
  if a.condition == false then
    cx:fail("tl.assume is given a condition that is false")
  end
end

return M
