-- The prompt: reads inputs of one or more lines, runs each in the prompt's environment, shows
-- values, and goes on after every error. `require "neso".repl()` in any LuaJIT; the `neso` program
-- adds line editing, history, completion and Ctrl-C.
local debug, io = require "debug", require "io"
local chunk = require "neso.repl.chunk"
local commands = require "neso.repl.commands"
local show = require "neso.repl.show"

local pcall, require, select, setmetatable, tostring, type, xpcall = pcall, require, select,
  setmetatable, tostring, type, xpcall
local find, gsub, match = string.find, string.gsub, string.match

local PROMPT, CONTINUED = "neso> ", "  ... "

local repl = {}

local Prompt = {}
Prompt.__index = Prompt

local function print_out(text) io.write(text, "\n") end

local function print_error(prompt, text)
  prompt.failed = true
  io.flush()
  io.stderr:write(text, "\n")
end

-- The message, and the calls that led there when there is more than the input itself.
local function with_traceback(err)
  local ok, text = pcall(tostring, err)
  text = ok and text or "an error without text"
  local trace = debug.traceback("", 2)
  trace = match(trace, "^(.-)\n[^\n]*neso/repl/") or trace
  local _, lines = gsub(trace, "\n%s*[^%[%s]", "")
  return lines > 2 and text .. trace or text
end

-- Calls f so that an error or Ctrl-C ends only f.
function Prompt:protect(f, ...)
  local terminal = self.terminal
  if terminal then terminal.watch() end
  local ok, err = xpcall(f, with_traceback, ...)
  if terminal then terminal.unwatch() end
  if not ok then print_error(self, err) end
end

local function show_results(self, _, ...)
  local count = select("#", ...)
  if count == 0 then return end
  chunk.declare(self.session, "_", (...))
  print_out(show.values(count, { ... }))
end

function Prompt:run(f)
  self:protect(function() show_results(self, f()) end)
end

function Prompt:command(line)
  local name, rest = match(line, "^%s*:(%a+)%s*(.-)%s*$")
  local command = name and commands[name]
  if not command then
    print_error(self, ("unknown command %s (see :help)"):format(match(line, "%S+")))
    return
  end
  self:protect(command.run, self, rest)
end

-- Takes one more line. What was typed so far stays in `pending` while the input is unfinished.
function Prompt:feed(line)
  if not self.pending and find(line, "^%s*:%a") and not find(line, "^%s*::") then
    return self:command(line)
  end
  local text = self.pending and self.pending .. "\n" .. line or line
  self.pending = nil
  if not find(text, "%S") then return end
  local f, state, message = chunk.compile(self.session, text)
  if f then
    self:run(f)
  elseif state == "unfinished" then
    self.pending, self.why = text, message
  else
    print_error(self, message)
  end
end

local function predefine(self)
  local ok, neso, language = pcall(function()
    local neso = require "neso"
    return neso, neso.language
  end)
  if not ok then
    print_error(self, "neso could not be loaded, this is a plain Lua prompt:\n" .. neso)
    self.failed = false
    return
  end
  self.predefined = { neso = neso, tl = language }
  chunk.declare(self.session, "neso", neso)
  chunk.declare(self.session, "tl", language)
end

local function open(lines)
  local has_terminal, terminal = pcall(require, "neso.terminal")
  local self = setmetatable({ session = chunk.session(), print = print_out, predefined = {},
    terminal = has_terminal and terminal or nil }, Prompt)
  predefine(self)
  lines:complete(function(before)
    return require "neso.repl.complete".at(self.session.variables, before)
  end)
  if lines.interactive then
    local neso = self.session.variables.neso
    print_out(("neso %s, %s. :help for help, Ctrl-D to leave."):format(
      type(neso) == "table" and neso.version or "", jit.version))
  end
  return self
end

--- Reads and runs inputs until the end of the standard input or `:quit`.
---@return boolean ok false when the input came through a pipe and something in it failed
function repl.run()
  local lines = require "neso.repl.reader".open()
  local self = open(lines)
  while not self.leaving do
    local line, why = lines:read(self.pending and CONTINUED or PROMPT)
    if line then
      if find(line, "%S") then lines:remember(line) end
      self:feed(line)
    elseif why == "interrupted" then
      self.pending = nil
    else
      break
    end
  end
  if self.pending then print_error(self, self.why) end
  return lines.interactive or not self.failed
end

return repl
