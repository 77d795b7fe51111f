--- The menu of backends and the devices behind it.
-- A backend is a folder with a `backend.lua` that returns its manifest:
--   { name = "cpu", priority = 10, driver = "cpu", options = { ... } }
-- `driver` names the driver in libneso; `options` are launch options that its compiler knows, with
-- their defaults. Ours lie in `backends` beside this file; NESO_BACKEND_PATH lists more folders,
-- each a backend or a folder of backends. Reading the menu loads no library of a backend.
-- A device is chosen at the first use: backends are asked by priority, NESO_BACKEND first and only.
local core = require "neso.shell"
local suggest = require "neso.suggest"

local debug = require "debug"
local getenv = require "os".getenv

local M = {}

---@class neso.backend
---@field name string
---@field priority number
---@field driver string
---@field path string folder of the manifest
---@field options table<string, any>
---@field active boolean|nil nil until asked
---@field reason string|nil what it answered
---@field count integer|nil devices

---@class neso.device
---@field backend string
---@field index integer
---@field name string of the hardware
---@field target string what code is compiled for

local device_meta = {
  __name = "neso.device",
  __tostring = function(self) return self.backend .. ":" .. self.index end,
}

local menu, chosen -- lists of backends: all by priority, and those that may serve
local devices = {} -- driver -> index -> device
local default

local function readable(path)
  local file = io.open(path, "r")
  if file then file:close() end
  return file ~= nil
end

local function refused(path, reason)
  local name = path:match "([^/]+)/*$"
  return { name = name, priority = -math.huge, driver = "", path = path, options = {},
    active = false, reason = reason, count = 0 }
end

local function read_manifest(path)
  local chunk, why = loadfile(path .. "/backend.lua")
  if not chunk then return refused(path, why) end
  local ok, manifest = pcall(chunk)
  if not ok then return refused(path, tostring(manifest)) end
  if type(manifest) ~= "table" or type(manifest.name) ~= "string"
    or type(manifest.driver) ~= "string" or type(manifest.priority) ~= "number" then
    return refused(path, path .. "/backend.lua: a manifest has name, driver and priority")
  end
  return { name = manifest.name, priority = manifest.priority, driver = manifest.driver,
    options = manifest.options or {}, path = path }
end

local function add_folder(list, folder)
  if readable(folder .. "/backend.lua") then
    list[#list + 1] = read_manifest(folder)
    return
  end
  local names = core.list_folder(folder)
  table.sort(names)
  for _, name in ipairs(names) do
    local path = folder .. "/" .. name
    if readable(path .. "/backend.lua") then list[#list + 1] = read_manifest(path) end
  end
end

local function by_priority(a, b)
  if a.priority ~= b.priority then return a.priority > b.priority end
  return a.name < b.name
end

local function read_menu()
  local list = {}
  local own = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$"
  if own then add_folder(list, own .. "/backends") end
  for folder in (getenv "NESO_BACKEND_PATH" or ""):gmatch "[^:]+" do add_folder(list, folder) end
  table.sort(list, by_priority)
  return list
end

--- All backends by priority, asked or not.
---@return neso.backend[]
function M.menu()
  menu = menu or read_menu()
  return menu
end

local function names_of(list)
  local names = {}
  for i, backend in ipairs(list) do names[i] = backend.name end
  return names
end

local function order()
  if chosen then return chosen end
  local wanted = getenv "NESO_BACKEND"
  if not wanted or wanted == "" then
    chosen = M.menu()
    return chosen
  end
  for _, backend in ipairs(M.menu()) do
    if backend.name == wanted then
      chosen = { backend }
      return chosen
    end
  end
  error(("NESO_BACKEND=%s: no such backend%s"):format(wanted,
    suggest.hint(wanted, names_of(M.menu()))), 0)
end

local function ask(backend)
  if backend.active == nil then
    backend.active, backend.reason, backend.count = core.backend_query(backend.driver)
  end
  return backend.active
end

local function open(driver, index, backend_name)
  devices[driver] = devices[driver] or {}
  local device = devices[driver][index]
  if not device then
    local handle, name, target = core.device(driver, index)
    device = setmetatable({ backend = backend_name, index = index, name = name, target = target,
      driver = driver, handle = handle }, device_meta)
    devices[driver][index] = device
  end
  return device
end

--- The backend that serves a driver: the first of the order with it.
---@param driver string
---@return neso.backend
function M.backend_of(driver)
  for _, list in ipairs { order(), M.menu() } do
    for _, backend in ipairs(list) do
      if backend.driver == driver then return backend end
    end
  end
  error(("no backend on the menu has the driver '%s'"):format(driver), 0)
end

--- The device object of a driver's device (for the C module).
---@param driver string
---@param index integer
---@return neso.device
function M.of(driver, index)
  return open(driver, index, M.backend_of(driver).name)
end

local function find_default()
  local reasons = {}
  for _, backend in ipairs(order()) do
    if ask(backend) then return open(backend.driver, 0, backend.name) end
    reasons[#reasons + 1] = ("  %s: %s"):format(backend.name, backend.reason)
  end
  error("no device can serve:\n" .. table.concat(reasons, "\n"), 0)
end

--- A device: the one that serves, or one by name ("cpu", "null:1").
---@param name string|neso.device|nil
---@param level integer|nil of the caller for messages, as error takes it
---@return neso.device
function M.device(name, level)
  if getmetatable(name) == device_meta then return name end
  if name == nil then
    default = default or find_default()
    return default
  end
  if type(name) ~= "string" then
    error("a device is a name such as 'cpu' or 'cpu:0', got " .. type(name), (level or 1) + 1)
  end
  local backend_name, index = name:match "^([%w_%-]+):?(%d*)$"
  for _, backend in ipairs(M.menu()) do
    if backend.name == backend_name then
      if not ask(backend) then
        error(("device '%s': backend %s is not active: %s"):format(name, backend.name,
          backend.reason), (level or 1) + 1)
      end
      return open(backend.driver, tonumber(index) or 0, backend.name)
    end
  end
  error(("device '%s': no such backend%s"):format(name,
    suggest.hint(backend_name or name, names_of(M.menu()))), (level or 1) + 1)
end

--- Handle of the device that serves (for the C module).
function M.default_handle() return M.device().handle end

--- Names of the launch options that some backend on the menu knows.
---@return table<string, boolean>
function M.options()
  local options = {}
  for _, backend in ipairs(M.menu()) do
    for name in pairs(backend.options) do options[name] = true end
  end
  return options
end

-- The device that serves, or nil and why none does.
local function serving()
  local ok, device = pcall(M.device)
  if ok then return device end
  return nil, (tostring(device):gsub("\n%s*", " "))
end

local list_meta = {
  __tostring = function(self)
    local rows = { { "backend", "active", "devices", "answer" } }
    for i, backend in ipairs(self) do
      rows[i + 1] = { backend.name, backend.active and "yes" or "no",
        tostring(#backend.devices), (backend.reason:gsub("\n", " ")) }
    end
    local lines = {}
    for i, row in ipairs(rows) do
      lines[i] = ("%-10s %-7s %-8s %s"):format(row[1], row[2], row[3], row[4])
    end
    lines[#lines + 1] = "serving: " .. (self.serving and ("%s, %s"):format(
      tostring(self.serving), self.serving.name) or "none; " .. self.refusal)
    return table.concat(lines, "\n")
  end,
}

--- Asks every backend: the menu in order, each with `active`, `reason` and its `devices`, and the
--- device that serves in `serving`, or why none does in `refusal`. `print(neso.devices())` shows
--- all.
---@return table
function M.devices()
  local list = {}
  for i, backend in ipairs(M.menu()) do
    local row = { name = backend.name, priority = backend.priority, active = ask(backend),
      reason = backend.reason or "", path = backend.path, devices = {} }
    for index = 0, backend.active and backend.count - 1 or -1 do
      row.devices[index + 1] = open(backend.driver, index, backend.name)
    end
    list[i] = row
  end
  list.serving, list.refusal = serving()
  return setmetatable(list, list_meta)
end

--- How many threads a launch on the CPU may use.
---@return integer
function M.threads() return core.threads() end

--- Seconds of a clock that never jumps.
---@return number
function M.clock() return core.clock() end

return M
