--- Free names of a function, and reads of the host's tables: what is read is noted, since the
--- compiled variant holds for these values only.

local suggest = require "neso.suggest"

local M = {}

local getfenv = rawget(_G, "getfenv")

-- The standard libraries do not change: their fields are not noted.
local libraries = {}
for _, name in ipairs { "math", "string", "table", "bit" } do
  local ok, library = pcall(require, name)
  if ok then libraries[library] = true end
end

local function upvalue(cx, fn, name)
  for index = 1, 255 do
    local found, value = debug.getupvalue(fn, index)
    if not found then return false end
    if found == name then
      cx:capture("upvalue", fn, index, { fn = fn, index = index, name = name, value = value })
      return true, value
    end
  end
  return false
end

local function environment(code)
  if code.env then return code.env end
  if not code.fn then return _G end
  if getfenv then return getfenv(code.fn) end
  for index = 1, 255 do
    local found, value = debug.getupvalue(code.fn, index)
    if not found then return _G end
    if found == "_ENV" then return value end
  end
end

--- A field of a host table.
function M.read_field(cx, t, key)
  local ok, value = pcall(function() return t[key] end)
  if not ok then
    cx:fail(("cannot read field '%s': %s"):format(tostring(key), tostring(value)))
  end
  if not libraries[t] and key ~= nil then
    cx:capture("field", t, key, { table = t, key = key, value = value })
  end
  return value
end

local standard = {}
for name in ([[_G _VERSION assert error getmetatable ipairs load loadstring math next pairs pcall
  print rawequal rawget rawset require select setmetatable string table tonumber tostring type
  unpack bit coroutine xpcall dofile loadfile collectgarbage os io debug]]):gmatch("%S+") do
  standard[name] = true
end

local function global(cx, code, name)
  local env = environment(code)
  local value = rawget(env, name)
  if value == nil then value = env[name] end
  if value == nil and env ~= _G and code.env then value = _G[name] end
  if value ~= nil and rawequal(value, rawget(_G, name)) and standard[name] then return value end
  cx:capture("field", env, name, { table = env, key = name, value = value })
  return value
end

--- Value of a name that no local of the text declares.
function M.read_free(cx, code, name)
  if code.fn then
    local found, value = upvalue(cx, code.fn, name)
    if found then return value end
  end
  return global(cx, code, name)
end

-- What other languages call it.
local FOREIGN = { None = "nil", null = "nil", nullptr = "nil", True = "true", False = "false",
  range = "tl.range", len = "`#` or x.shape", int = "x:to(tl.i32)", float = "x:to(tl.f32)" }

-- Names of the locals that a scope sees.
local function visible(scope)
  local list = {}
  while scope do
    for decl in pairs(scope) do
      if type(decl) == "table" and type(decl.name) == "string" then list[#list + 1] = decl.name end
    end
    scope = scope.parent
  end
  return list
end

--- What may have been meant by a name that nothing has set, or nil.
function M.suggest(cx, name)
  if FOREIGN[name] then return "Lua writes " .. FOREIGN[name] end
  local nearest = suggest.closest(name, visible(cx.frame.scope))
  return nearest and ("did you mean '%s'?"):format(nearest)
end

--- Fails where a name that nothing has set is about to be used as a value.
function M.check_set(cx, node, value)
  if value ~= nil or node.kind ~= "Name" or node.decl then return end
  local code = cx.frame.code
  if code.fn and upvalue(cx, code.fn, node.name) then return end
  cx:fail(("'%s' is not set"):format(node.name), M.suggest(cx, node.name)
    or "the name is not set where the kernel looks for it; nothing at all is written `nil`", node)
end

--- Cell of a declared local, searched outward from the scope.
function M.find_cell(scope, decl)
  while scope do
    local cell = scope[decl]
    if cell then return cell end
    scope = scope.parent
  end
  return nil
end

return M
