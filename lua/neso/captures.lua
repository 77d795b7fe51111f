--- Values that a kernel captured: upvalues and table fields that its compilation read. Each set of
--- values in use has a number (the epoch), which is part of the key of a variant; a launch compares
--- the values in C and comes here when one has changed.
local core = require "neso.shell"
local log = require "neso.log"
local serialize = require "neso.serialize"

local debug = require "debug"

local M = {}

local MAX_EPOCHS = 64

-- kernel._captures is a flat list of rows: owner, key, value.
local function current(owner, key)
  if type(owner) == "function" then
    local _, value = debug.getupvalue(owner, key)
    return value
  end
  return owner[key]
end

local function state_text(captures)
  local texts = {}
  for i = 1, captures.rows do texts[i] = serialize.reference(captures[3 * i]) end
  return table.concat(texts, "\0")
end

local function set_epoch(kernel, epoch)
  kernel._epoch = epoch
  core.set_captures(kernel._handle, kernel._captures.rows, epoch)
end

--- Adds what a build read. Values are those of now: they name the present epoch.
---@param kernel table
---@param list table[] `captures` of the frontend's info
function M.add(kernel, list)
  local captures = kernel._captures
  for _, entry in ipairs(list) do
    local owner, key = entry.fn or entry.table, entry.index or entry.key
    local seen = captures.seen[owner] or {}
    captures.seen[owner] = seen
    if not seen[key] then
      seen[key] = true
      local row = captures.rows
      captures[3 * row + 1], captures[3 * row + 2] = owner, key
      captures[3 * row + 3] = entry.value
      captures.rows = row + 1
      captures.labels[captures.rows] = entry.name or tostring(key)
    end
  end
  kernel._epochs[state_text(captures)] = kernel._epoch
  set_epoch(kernel, kernel._epoch)
end

local function forget(kernel, label)
  log.warn("kernel '%s' was compiled for %d states of what it captures; '%s' keeps changing: pass "
    .. "it as an argument", tostring(kernel.name), MAX_EPOCHS, label)
  core.forget(kernel._handle)
  kernel._epochs = {}
  kernel._states = 0
end

--- Called by a launch that found a captured value changed: renews the values and gives their
--- state its number.
---@param kernel table
function M.refresh(kernel)
  local captures, label = kernel._captures, "?"
  for row = 0, captures.rows - 1 do
    local value = current(captures[3 * row + 1], captures[3 * row + 2])
    if value ~= captures[3 * row + 3] then label = captures.labels[row + 1] end
    captures[3 * row + 3] = value
  end
  local text = state_text(captures)
  local epoch = kernel._epochs[text]
  if not epoch then
    if kernel._states >= MAX_EPOCHS then forget(kernel, label) end
    kernel._states = kernel._states + 1
    kernel._last_epoch = kernel._last_epoch + 1
    epoch = kernel._last_epoch
    kernel._epochs[text] = epoch
    log.info("kernel '%s': captured '%s' changed", tostring(kernel.name), label)
  end
  set_epoch(kernel, epoch)
end

return M
