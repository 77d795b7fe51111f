-- Values as a person reads them.
local debug, string = require "debug", require "string"

local getmetatable, ipairs, next, rawget, tostring, type = getmetatable, ipairs, next, rawget,
  tostring, type
local concat, sort = table.concat, table.sort
local find, format, gsub = string.find, string.format, string.gsub

local WIDTH = 78
local MAX_ITEMS = 60
local MAX_DEPTH = 4

local show = {}

local ESCAPES = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\",
  ['"'] = '\\"' }

local function quoted(text)
  local body = gsub(gsub(text, '[\n\r\t\\"]', ESCAPES), "[%z\1-\31\127]", function(c)
    return format("\\%03d", c:byte())
  end)
  return '"' .. body .. '"'
end

local function function_text(f)
  local info = debug.getinfo(f, "S")
  if info.what == "C" then return tostring(f) end
  return format("function: %s:%d", info.short_src, info.linedefined)
end

local function key_order(a, b)
  local ta, tb = type(a), type(b)
  if ta ~= tb then return ta < tb end
  if ta == "number" or ta == "string" then return a < b end
  return tostring(a) < tostring(b)
end

local function rest_of_keys(t, length)
  local keys = {}
  for key in next, t do
    local index = type(key) == "number" and key >= 1 and key <= length and key % 1 == 0
    if not index then keys[#keys + 1] = key end
  end
  sort(keys, key_order)
  return keys
end

local value_text

local function key_text(key, seen, depth)
  if type(key) == "string" and find(key, "^[%a_][%w_]*$") then return key end
  return "[" .. value_text(key, seen, depth + 1, "") .. "]"
end

local function array_length(t)
  local n = 0
  while rawget(t, n + 1) ~= nil do n = n + 1 end
  return n
end

local function item_texts(t, seen, depth, indent)
  local items, length = {}, array_length(t)
  for i = 1, length do
    if #items == MAX_ITEMS then break end
    items[#items + 1] = value_text(rawget(t, i), seen, depth + 1, indent)
  end
  local keys = rest_of_keys(t, length)
  for _, key in ipairs(keys) do
    if #items == MAX_ITEMS then break end
    items[#items + 1] = key_text(key, seen, depth) .. " = "
      .. value_text(rawget(t, key), seen, depth + 1, indent)
  end
  local left = length + #keys - #items
  if left > 0 then items[#items + 1] = "... " .. left .. " more" end
  return items
end

local function table_text(t, seen, depth, indent)
  if seen[t] then return "{<itself>}" end
  if next(t) == nil then return "{}" end
  if depth > MAX_DEPTH then return "{...}" end
  seen[t] = true
  local inner = indent .. "  "
  local items = item_texts(t, seen, depth, inner)
  seen[t] = nil
  local line = "{ " .. concat(items, ", ") .. " }"
  if #line + #indent <= WIDTH and not find(line, "\n", 1, true) then return line end
  return "{\n" .. inner .. concat(items, ",\n" .. inner) .. "\n" .. indent .. "}"
end

function value_text(value, seen, depth, indent)
  local kind = type(value)
  if kind == "string" then return quoted(value) end
  if kind == "function" then return function_text(value) end
  local meta = kind == "table" and getmetatable(value)
  if kind ~= "table" or (type(meta) == "table" and rawget(meta, "__tostring")) then
    return (gsub(tostring(value), "\n", "\n" .. indent))
  end
  return table_text(value, seen, depth, indent)
end

--- One value; tables are opened, strings are quoted.
---@return string
function show.value(value) return value_text(value, {}, 1, "") end

--- Several values: on one line, or one below the other when any needs lines of its own.
---@return string
function show.values(count, values)
  local texts, separator = {}, "\t"
  for i = 1, count do
    texts[i] = show.value(values[i])
    if find(texts[i], "\n", 1, true) then separator = "\n" end
  end
  return concat(texts, separator)
end

return show
