--- tl.range and tl.static_range: what `for` goes over.

local check = require "neso.language.check"
local sequences = require "neso.frontend.sequences"

local M = {}

local function bounds(a)
  if a.last == nil then return 0, a.first, a.step or 1 end
  return a.first, a.last, a.step or 1
end

local function hint(attrs, name, value)
  if value then
    attrs[#attrs + 1] = { "neso." .. name, "i", "t:i32", ("%d"):format(value) }
  end
end

local switches = { "flatten", "warp_specialize", "disable_licm", "disallow_acc_multi_buffer" }

function M.range(cx, a)
  local first, last, step = bounds(a)
  local attrs = {}
  for _, name in ipairs { "num_stages", "unroll" } do
    hint(attrs, name, a[name] and check.integer(cx, a[name], name))
  end
  for _, name in ipairs(switches) do
    hint(attrs, name, check.flag(cx, a[name], name, false) and 1)
  end
  return sequences.range { first = first, last = last, step = step, attrs = attrs }
end

function M.static_range(_, a)
  local first, last, step = bounds(a)
  return sequences.range { first = first, last = last, step = step, static = true }
end

return M
