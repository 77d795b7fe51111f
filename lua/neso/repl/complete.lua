-- Completion of names: variables of the prompt, globals and words of Lua; fields after a dot,
-- methods after a colon; the prompt's commands.
local debug = require "debug"
local commands = require "neso.repl.commands"
local lexer = require "neso.frontend.lexer"

local ipairs, next, pairs, pcall, type = ipairs, next, pairs, pcall, type
local concat, sort = table.concat, table.sort
local find, match, rep, sub = string.find, string.match, string.rep, string.sub
local max, floor = math.max, math.floor

local WIDTH = 79

local complete = {}

-- Tables in which a field of the value may be found, nearest first.
local function field_tables(value)
  local list, seen = {}, {}
  local at = value
  while at ~= nil and #list < 8 and not seen[at] do
    seen[at] = true
    if type(at) == "table" then list[#list + 1] = at end
    local meta = debug.getmetatable(at)
    at = type(meta) == "table" and meta.__index or nil
  end
  return list
end

-- Values that make their fields on demand name them in `__names` of their metatable: a table with
-- the names as keys or as items, or a function that returns one.
local function promised_names(value)
  local meta = debug.getmetatable(value)
  local promised = type(meta) == "table" and meta.__names or nil
  if type(promised) == "function" then promised = promised() end
  local list = {}
  for key, item in next, type(promised) == "table" and promised or {} do
    list[type(key) == "string" and key or item] = true
  end
  return list
end

local function is_match(key, start)
  return type(key) == "string" and find(key, "^[%a_][%w_]*$") and sub(key, 1, #start) == start
end

local function add_fields(found, value, start, only_functions)
  for _, fields in ipairs(field_tables(value)) do
    for key, field in next, fields do
      if is_match(key, start) and (not only_functions or type(field) == "function") then
        found[key] = true
      end
    end
  end
  for name in pairs(promised_names(value)) do
    if is_match(name, start) then found[name] = true end
  end
end

local function follow(variables, path)
  local value = variables
  for name in path:gmatch "[%a_][%w_]*" do
    local ok
    ok, value = pcall(function(object) return object[name] end, value)
    if not ok or value == nil then return nil end
  end
  return value
end

local function names(variables, before)
  local path, separator, start = match(before, "([%a_][%w_.]*)([.:])([%w_]*)$")
  local found = {}
  if path and not find(sub(before, 1, -#path - #start - 2), "[%w_.:%])\"']$") then
    add_fields(found, follow(variables, path), start, separator == ":")
    return found, start
  end
  start = match(before, "[%a_][%w_]*$") or ""
  if start == "" or find(before, "[.:]%s*" .. start .. "$") then return found, start end
  add_fields(found, variables, start)
  for word in pairs(lexer.keywords) do
    if sub(word, 1, #start) == start then found[word] = true end
  end
  return found, start
end

local function command_names(before)
  local start = match(before, "^%s*:(%a*)$")
  local found = {}
  for name in pairs(commands) do
    if sub(name, 1, #start) == start then found[name] = true end
  end
  return found, start
end

local function sorted(found)
  local list = {}
  for name in pairs(found) do list[#list + 1] = name end
  sort(list)
  return list
end

local function common_start(list)
  local start = list[1]
  for i = 2, #list do
    while sub(list[i], 1, #start) ~= start do start = sub(start, 1, -2) end
  end
  return start
end

local function columns(list)
  local width = 0
  for _, name in ipairs(list) do width = max(width, #name + 2) end
  local across = max(1, floor(WIDTH / width))
  local out = {}
  for i, name in ipairs(list) do
    local last = i % across == 0 or i == #list
    out[#out + 1] = last and name .. "\n" or name .. rep(" ", width - #name)
  end
  return concat(out)
end

--- What Tab does after `before`: text to insert (or nil), and a list to show (or nil).
---@param variables table the prompt's
---@param before string the line up to the cursor
---@return string? insert, string? list
function complete.at(variables, before)
  if find(before, "^%s*$") then return "  " end
  local is_command = find(before, "^%s*:%a*$")
  local found, start
  if is_command then
    found, start = command_names(before)
  else
    found, start = names(variables, before)
  end
  local list = sorted(found)
  if #list == 0 then return nil end
  local insert = sub(common_start(list), #start + 1)
  if #list == 1 and is_command then insert = insert .. " " end
  if insert ~= "" or #list == 1 then return insert end
  return nil, columns(list)
end

return complete
