--- Promises and checks that end with the compilation.

local arith = require "neso.frontend.arith"
local checked = require "neso.frontend.checked"
local create = require "neso.language.create"
local parts = require "neso.language.parts"
local shape = require "neso.language.shape"
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
  local texts = {}
  for i = 1, a.list.n do
    local x = a.list[i]
    texts[i] = type(x) == "string" and x or values.is_runtime(x) and values.describe(x)
      or tostring(x)
  end
  local prints = cx.builder.prints
  prints[#prints + 1] = table.concat(texts, "\t")
end

function M.multiple_of(cx, a)
  if values.is_value(a.x) and type(a.values) == "number" and a.x.dtype.kind ~= "float" then
    checked.promise(cx, "multiple_of", function()
      return arith.binary(cx, "==", arith.binary(cx, "%", a.x, a.values), 0)
    end)
  end
  return a.x
end

-- Whether x, a block {m * n}, is n times as said by `rule`(first of n, index within).
local function runs(cx, name, a, rule)
  local x, n = a.x, a.values
  local fits = values.is_value(x) and #x.shape == 1 and type(n) == "number" and n > 0
    and x.shape[1] % n == 0
  if fits then
    checked.promise(cx, name, function()
      local rows = shape.reshape(cx, { x = x, shape = { x.shape[1] / n, n } })
      local first = parts.slice(cx, { x = rows, axis = 1, first = 0, last = 1 })
      return arith.binary(cx, "==", rows, rule(first, n))
    end)
  end
  return x
end

function M.max_contiguous(cx, a)
  return runs(cx, "max_contiguous", a, function(first, n)
    return arith.binary(cx, "+", first, create.arange(cx, { first = n }))
  end)
end

function M.max_constancy(cx, a)
  return runs(cx, "max_constancy", a, function(first) return first end)
end

function M.assume(cx, a)
  if a.condition == false then
    cx:fail("tl.assume is given a condition that is false")
  end
  if values.is_value(a.condition) and a.condition.dtype.kind == "bool" then
    checked.promise(cx, "assume", function() return a.condition end)
  end
end

return M
