-- The functions of a text in the order in which they close, which is the order of the prototypes
-- in compiled Lua. Only words that open and close blocks are looked at.
local lexer = require "neso.frontend.lexer"

local OPENS = { ["if"] = true, ["do"] = true, ["repeat"] = true }
local CLOSES = { ["end"] = true, ["until"] = true }

local functions = {}

local function close_block(lx, stack, found)
  local top = #stack
  local open = stack[top]
  stack[top] = nil
  if not open then return end
  open.to, open.last_line = lx.stop, lx.line
  found[#found + 1] = open
end

--- Array of { from =, to = (bytes), line =, last_line = }. Raises what the lexer raises.
---@param text string
function functions.list(text)
  local lx = lexer.new { name = "?", text = text }
  local found, stack = {}, {}
  while lx.kind ~= "eof" do
    local kind = lx.kind
    if kind == "function" then
      stack[#stack + 1] = { from = lx.pos, line = lx.line }
    elseif OPENS[kind] then
      stack[#stack + 1] = false
    elseif CLOSES[kind] then
      close_block(lx, stack, found)
    end
    lx:advance()
  end
  return found
end

--- Whether two functions of the text are written alike, blanks and comments aside.
function functions.alike(text, a, b)
  local ctx = { name = "?", text = text }
  local x, y = lexer.new(ctx, a.from), lexer.new(ctx, b.from)
  while x.pos <= a.to and y.pos <= b.to do
    if text:sub(x.pos, x.stop) ~= text:sub(y.pos, y.stop) then return false end
    x:advance()
    y:advance()
  end
  return x.pos > a.to and y.pos > b.to
end

return functions
