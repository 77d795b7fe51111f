--- What a generic `for` goes over: counted ranges and lists known when compiling.

local names = require "neso.frontend.names"
local values = require "neso.frontend.values"

local M = {}

local Range = { __name = "range" }
local Sequence = { __name = "sequence" }

--- A half-open range: {first, last, step, static, attrs}.
function M.range(fields)
  return setmetatable(fields, Range)
end

function M.is_range(x)
  return type(x) == "table" and getmetatable(x) == Range
end

function M.is_sequence(x)
  return type(x) == "table" and getmetatable(x) == Sequence
end

local function check_table(cx, t, what)
  if type(t) ~= "table" or values.is_runtime(t) then
    cx:fail(("%s takes a table, got %s"):format(what, values.describe(t)))
  end
end

local function read(cx, t, key)
  if cx.owned[t] then return t[key] end
  return names.read_field(cx, t, key)
end

function M.ipairs(cx, t)
  check_table(cx, t, "ipairs")
  local items, i = {}, 1
  while true do
    local value = read(cx, t, i)
    if value == nil then break end
    items[i] = { i, value }
    i = i + 1
  end
  return setmetatable({ items = items }, Sequence)
end

local function before(a, b)
  if type(a) ~= type(b) then return type(a) < type(b) end
  if type(a) == "number" or type(a) == "string" then return a < b end
  return tostring(a) < tostring(b)
end

--- Keys in a stated order: by type name, then by value.
function M.pairs(cx, t)
  check_table(cx, t, "pairs")
  local keys = {}
  for key in pairs(t) do
    if key ~= values.CLASS then keys[#keys + 1] = key end
  end
  table.sort(keys, before)
  local items = {}
  for i, key in ipairs(keys) do
    items[i] = { key, read(cx, t, key) }
  end
  return setmetatable({ items = items }, Sequence)
end

return M
