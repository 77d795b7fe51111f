--- Memory as the interpreter sees it: every access is checked.

local blocks = require "neso.interpreter.blocks"
local core = require "neso.shell"
local ffi = require "ffi"

local M = {}

---@class neso.BufferOfLaunch
---@field name string of the parameter
---@field dtype string
---@field first number address of its first byte
---@field past number address behind its last

---@class neso.InterpretedPointer
---@field address number
---@field buffer neso.BufferOfLaunch|nil nil: made of an integer, may lead into any buffer

--- The pointer that a parameter is.
function M.parameter(param)
  return { address = param.address, buffer = { name = param.name, dtype = param.dtype,
    first = param.buffer, past = param.buffer + param.size } }
end

-- Which elements a buffer has, counted from an address: from `low` to before `high`.
local function bounds(address, buffer, size)
  return math.ceil((buffer.first - address) / size), math.floor((buffer.past - address) / size)
end

local function memory_at(address, element)
  return ffi.cast(element.pointer, ffi.cast("uintptr_t", address))
end

local function whole(n) return ("%.0f"):format(n) end

local function extent_text(low, high)
  if low == 0 then return "has " .. whole(high) end
  return ("goes from %s to %s"):format(whole(low), whole(high - 1))
end

local function distance_text(offset, low, high)
  if offset < low then return whole(low - offset) .. " before its beginning" end
  return whole(offset - high + 1) .. " beyond its end"
end

local function outside_text(base, element, offset, verb)
  local buffer = base.buffer
  if not buffer then
    return ("this %s %d bytes at address 0x%x, which is in no buffer"):format(verb,
      element.size, base.address + offset * element.size)
  end
  local low, high = bounds(base.address, buffer, element.size)
  return ("this %s element %s of '%s', which %s (%s): %s"):format(verb, whole(offset), buffer.name,
    extent_text(low, high), buffer.dtype, distance_text(offset, low, high))
end

--- Ends the run: element `i` of the operation's block lies outside.
local function fail(machine, op, base, to, offset, i, verb)
  local where = ""
  if #to.shape > 0 then
    where = (", element %s of the block {%s}"):format(blocks.position_text(to.shape, i),
      table.concat(to.shape, ", "))
  end
  machine.fail(op, outside_text(base, to.element, offset, verb), where,
    "mask what is not there: tl.load(x + i, i < n), tl.store(y + i, v, i < n)")
end

-- Through a pointer that may lead anywhere: each element must lie in some buffer.
local function anywhere(machine, op, base, to, verb)
  local element = to.element
  local first, past = 0, 0
  local function place(offset, i)
    local address = base.address + tonumber(offset) * element.size
    if address < first or address + element.size > past then
      first, past = core.buffer_at(address, element.size)
      if not first then fail(machine, op, base, to, tonumber(offset), i, verb) end
    end
    return memory_at(address, element)
  end
  return {
    check = place,
    read = function(offset, i) return element.read(place(offset, i), 0) end,
    write = function(offset, i, x) element.write(place(offset, i), 0, x) end,
  }
end

--- What a base pointer leads to, for elements of `to`: `read(offset, i)`, `write(offset, i, x)`
--- and `check(offset, i)`, which touches nothing; `i` is the place in the block. `verb` is for
--- messages: "reads", "writes", "changes".
function M.view(machine, op, base, to, verb)
  if not base.buffer then return anywhere(machine, op, base, to, verb) end
  local element = to.element
  local memory = memory_at(base.address, element)
  local low, high = bounds(base.address, base.buffer, element.size)
  local get, put = element.read, element.write
  local function place(offset, i)
    local at = tonumber(offset)
    if at < low or at >= high then fail(machine, op, base, to, at, i, verb) end
    return at
  end
  return {
    check = place,
    read = function(offset, i) return get(memory, place(offset, i)) end,
    write = function(offset, i, x) put(memory, place(offset, i), x) end,
  }
end

--- A pointer made of an address (int64_t).
function M.pointer(address)
  return { address = tonumber(address) }
end

--- The address of a pointer, int64_t.
function M.address(pointer)
  return ffi.cast("int64_t", pointer.address)
end

return M
