--- Compile-time values as texts that tell them apart.
local dtype = require "neso.dtype"

local M = {}

local getmetatable, pairs, type = getmetatable, pairs, type
local format = string.format
local math_type = rawget(math, "type") or function() return "number" end

local MAX_DEPTH = 16

-- Objects known by identity get a number that is never given again.
local ids, last_id = setmetatable({}, { __mode = "k" }), 0

local function identity(kind, object)
  local id = ids[object]
  if not id then
    last_id = last_id + 1
    id = last_id
    ids[object] = id
  end
  return kind .. "#" .. id
end

local writers = {
  ["nil"] = function() return "nil" end,
  boolean = tostring,
  number = function(n) return math_type(n) .. format(":%.17g", n) end,
  string = function(s) return format("%q", s) end,
}

local function by_text(a, b) return a[1] < b[1] end

local value_text

local function table_text(value, depth)
  if dtype.is(value) then return "dtype:" .. value.name end
  if getmetatable(value) ~= nil then return identity("object", value) end
  if depth > MAX_DEPTH then error("a compile-time table is nested too deep, or in itself", 0) end
  local rows = {}
  for key, item in pairs(value) do
    rows[#rows + 1] = { value_text(key, depth + 1), value_text(item, depth + 1) }
  end
  table.sort(rows, by_text)
  for i, row in ipairs(rows) do rows[i] = row[1] .. "=" .. row[2] end
  return "{" .. table.concat(rows, ",") .. "}"
end

function value_text(value, depth)
  local writer = writers[type(value)]
  if writer then return writer(value) end
  if type(value) == "table" then return table_text(value, depth) end
  return identity(type(value), value)
end

--- Equal texts mean the same compile-time value: tables without a metatable by content, other
--- objects and functions by identity.
---@param value any
---@return string
function M.value(value) return value_text(value, 0) end

--- As `value`, but every table is known by identity: for captured values, whose contents are
--- captured on their own.
---@param value any
---@return string
function M.reference(value)
  local writer = writers[type(value)]
  return writer and writer(value) or identity(type(value), value)
end

return M
