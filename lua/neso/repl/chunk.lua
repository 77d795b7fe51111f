-- One input of the prompt: from text to a function that runs in the prompt's environment.
--
-- `local x` at the prompt lasts: it makes a variable of the prompt, seen by all later inputs (and
-- by no other module), which shadows a global of that name. Inside blocks and functions `local` is
-- Lua's own. This is done by blanking the word `local` where it stands at the top of the input, so
-- that no byte moves; the prompt's variables are the environment of the compiled function, backed
-- by the globals. Assigning to any other name makes a global.
local parser = require "neso.frontend.parser"
local source = require "neso.frontend.source"

local error, ipairs, loadstring, pcall, rawset, setfenv, setmetatable = error, ipairs,
  loadstring, pcall, rawset, setfenv, setmetatable
local find, sub = string.find, string.sub
local globals = _G

local chunk = {}

--- A prompt: its variables, which names are its own, and which globals it has set.
function chunk.session()
  local own, set = {}, {}
  local variables = setmetatable({}, { __index = globals, __newindex = function(t, key, value)
    if own[key] then
      rawset(t, key, value)
    else
      globals[key], set[key] = value, true
    end
  end })
  return { variables = variables, own = own, set = set, count = 0 }
end

--- Makes a variable of the prompt.
function chunk.declare(session, name, value)
  session.own[name] = true
  rawset(session.variables, name, value)
end

local function blank(text, from, to)
  local hidden = sub(text, from, to):gsub("[^\r\n]", " ")
  return sub(text, 1, from - 1) .. hidden .. sub(text, to + 1)
end

-- The input without `local` at its top level, and the names declared by that: with a value (true)
-- or without one (false).
local function lasting_locals(text)
  local ok, block = pcall(parser.parse_chunk, text, { name = "?", host = true })
  if not ok then return text, {} end
  local names = {}
  for _, stat in ipairs(block) do
    if stat.kind == "LocalFunction" then
      names[stat.name.name] = true
      text = blank(text, stat.pos, stat.pos + 4)
    elseif stat.kind == "Local" then
      local given = #stat.values > 0
      for _, name in ipairs(stat.names) do names[name.name] = given end
      text = blank(text, stat.pos, given and stat.pos + 4 or stat.stop)
    end
  end
  return text, names
end

-- A quoted string cannot go on in the next line, unless a backslash ends this one.
local function is_unfinished(message, text)
  if not find(message, "near '<eof>'$") then return false end
  return not find(message, "unfinished string near", 1, true) or find(text, "\\$") ~= nil
end

--- The message of neso's own parser, which shows the place; LuaJIT's when only that one objects.
function chunk.syntax_error(text, name, message)
  local ok, own = pcall(parser.parse_chunk, text, { name = sub(name, 2), host = true })
  return ok and message or own
end

local function prepared(session, f, name, text, original, names)
  source.register(name, text, original)
  if jit then jit.off(f) end -- a loop typed at the prompt can be interrupted
  setfenv(f, session.variables)
  session.count = session.count + 1
  for key, given in pairs(names) do
    session.own[key] = true
    if not given then rawset(session.variables, key, nil) end
  end
  return f
end

-- Makes an expression a chunk. The value in front keeps a call from being a tail call, which would
-- hide the input's own place from error messages.
local AS_VALUE = "return nil, "

--- Compiles an input. A function of it, whose first result is to be dropped; or nil and
--- "unfinished"; or nil, "error" and a message. What the input declares belongs to the session from
--- then on.
---@return function?, string?, string?
function chunk.compile(session, original)
  local name = "=neso:" .. session.count + 1
  local text = find(original, "^%s*=") and original:gsub("=", " ", 1) or original
  local as_value = AS_VALUE .. text
  local f, why_value = loadstring(as_value, name)
  if f then return prepared(session, f, name, as_value, text, {}) end
  local as_statement, names = lasting_locals(text)
  local why
  f, why = loadstring(as_statement, name)
  if f then return prepared(session, f, name, as_statement, text, names) end
  if is_unfinished(why, text) or is_unfinished(why_value, text) then
    return nil, "unfinished", why
  end
  return nil, "error", chunk.syntax_error(text, name, why)
end

--- Compiles an expression that a command works on; the first result is to be dropped, too.
---@return function
function chunk.expression(session, text)
  local name, as_value = "=neso:" .. session.count + 1, AS_VALUE .. text
  local f, why = loadstring(as_value, name)
  if not f then error(chunk.syntax_error(text, name, why), 0) end
  return prepared(session, f, name, as_value, text, {})
end

return chunk
