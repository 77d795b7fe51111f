--- Breakpoints: what a program's variables hold, and the prompt that shows them.

local breakpoint = require "neso.frontend.breakpoint"
local types = require "neso.interpreter.types"
local values = require "neso.frontend.values"

local M = {}

local HELP = [[
name            a variable (any expression of variables works: x.shape[1], n + 1)
:vars           all variables     :where   the place and the calls that led there
:continue  :c   goes on           :next  :n   to the next statement
:quit  :q       ends the launch with an error]]

---@class neso.Frame what a breakpoint's hook gets
---@field kernel string
---@field file string
---@field line integer
---@field program integer[] x, y, z
---@field grid integer[]
---@field calls string[] "file:line" of the calls that led there, innermost first
---@field names string[] of the variables, in order of declaration
---@field values table<string, any> numbers, booleans, tensors; pointers print as text
local Frame = {}
Frame.__index = Frame

-- A block as a tensor, a scalar as a number or boolean.
local function host_value(value, array)
  local type_of = types.of(values.type_key(value.dtype, value.shape))
  local element = type_of.element
  local tensor = require("neso").empty(#value.shape > 0 and value.shape or { 1 }, value.dtype)
  local memory = require("ffi").cast(element.pointer, tensor:pointer())
  for i = 0, type_of.count - 1 do element.write(memory, i, array[i]) end
  if #value.shape > 0 then return tensor end
  return tensor:item()
end

-- Shown as it is, without quotes.
local Text = { __tostring = function(self) return self.text end }

local function pointer_text(value, base, offset)
  local address, buffer = base.address, base.buffer
  local name = buffer and buffer.name or ("0x%x"):format(address)
  if not offset then return ("pointer %s (%s)"):format(name, value.dtype.name) end
  if #value.offset.shape == 0 then
    return ("pointer %s + %s (%s)"):format(name, tostring(offset[0]):gsub("LL$", ""),
      value.dtype.name)
  end
  return ("pointers %s + {%s, ...} (block {%s} of %s)"):format(name,
    tostring(offset[0]):gsub("LL$", ""), table.concat(value.offset.shape, ", "), value.dtype.name)
end

local read
function read(plan, value)
  local function held(ssa) return plan.slots[plan.number[ssa]] end
  if values.is_value(value) then return host_value(value, held(value.ssa)) end
  if values.is_pointer(value) then
    local text = pointer_text(value, held(value.base), value.offset and held(value.offset.ssa))
    return setmetatable({ text = text }, Text)
  end
  if values.is_closure(value) then return setmetatable({ text = "function" }, Text) end
  if getmetatable(value) ~= breakpoint.snapshot_meta then return value end
  local copy = {}
  for key, item in pairs(value) do copy[key] = read(plan, item) end
  return copy
end

--- The frame of a breakpoint.
---@return neso.Frame
function M.frame(machine, op)
  local seen = op.source.frame
  local frame = setmetatable({ kernel = machine.tile.name, file = seen.ctx.name, line = seen.line,
    ctx = seen.ctx, program = machine.program, grid = machine.grid, calls = seen.calls, names = {},
    values = {} }, Frame)
  for i, variable in ipairs(seen.variables) do
    frame.names[i] = variable.name
    frame.values[variable.name] = read(machine.plan, variable.value)
  end
  return frame
end

--- The place: "k.lua:7, program (0, 0, 0) of (4, 1, 1)", the line, and the calls.
function Frame:where()
  local text = ("%s:%d: kernel '%s', program (%d, %d, %d) of (%d, %d, %d)"):format(self.file,
    self.line, self.kernel, self.program[1], self.program[2], self.program[3], self.grid[1],
    self.grid[2], self.grid[3])
  local place = require("neso.interpreter.run").place(self.ctx.text, self.line)
  text = text .. ("\n%4d | %s"):format(self.line, self.ctx.text:sub(place.pos, place.stop))
  for _, call in ipairs(self.calls) do text = text .. "\ncalled in " .. call end
  return text
end

--- All variables, one a line or more.
function Frame:variables()
  local show = require "neso.repl.show"
  local lines = {}
  for i, name in ipairs(self.names) do
    lines[i] = name .. " = " .. show.value(self.values[name])
  end
  return table.concat(lines, "\n")
end

local answers = { c = "continue", continue = "continue", n = "next", next = "next", q = "quit",
  quit = "quit" }

local function evaluate(frame, text)
  local show = require "neso.repl.show"
  local environment = setmetatable({}, { __index = function(_, name)
    local value = frame.values[name]
    if value == nil then return _G[name] end
    return value
  end })
  local f, why = loadstring("return " .. text, "=breakpoint")
  if not f then f, why = loadstring(text, "=breakpoint") end
  if not f then return why end
  setfenv(f, environment)
  local results = { pcall(f) }
  if not results[1] then return tostring(results[2]) end
  if #results < 2 then return nil end
  return show.values(#results - 1, { unpack(results, 2) })
end

local function command(frame, name)
  if name == "vars" or name == "v" then return frame:variables() end
  if name == "where" or name == "bt" or name == "w" then return frame:where() end
  if name == "help" or name == "h" then return HELP end
  return ("unknown command :%s (see :help)"):format(name)
end

local function strip(line) return (line:gsub("^%s*:?", ""):gsub("%s+$", "")) end

-- Shows the place and answers lines until one goes on; the end of the input goes on as well.
local function converse(frame)
  local lines = require("neso.repl.reader").open()
  io.write(frame:where(), "\n")
  if lines.interactive then io.write("breakpoint. :help for help, :continue to go on\n") end
  while true do
    io.flush()
    local line, why = lines:read("break> ")
    if not line then return why == "interrupted" and "quit" or "continue" end
    if line:find "%S" then lines:remember(line) end
    local word = strip(line)
    local is_command = line:find "^%s*:%a" ~= nil
    if answers[word] and (is_command or frame.values[word] == nil) then return answers[word] end
    local shown
    if is_command then shown = command(frame, word)
    elseif word == "bt" and frame.values.bt == nil then shown = frame:where()
    elseif word ~= "" then shown = evaluate(frame, line) end
    if shown then io.write(shown, "\n") end
  end
end

local function ask(machine, op)
  local frame = M.frame(machine, op)
  local hook = require("neso.interpreter").on_breakpoint
  local answer = (hook or converse)(frame) or "continue"
  machine.stepping = answer == "next"
  if answer == "quit" then
    machine.fail(op, "ended at a breakpoint")
  end
end

--- Gives a machine its `breakpoint`.
function M.install(machine)
  function machine.breakpoint(op)
    if machine.stepping or not op.source.is_statement then ask(machine, op) end
  end
end

return M
