-- What the parser's files share: the lexer, the node in work, expectations and errors.
local diagnostics = require "neso.frontend.diagnostics"
local hints = require "neso.frontend.parser_hints"
local lexer = require "neso.frontend.lexer"

local MAX_LEVELS = 200 -- nested blocks and expressions, as in LuaJIT

-- LuaJIT can be built with Lua 5.2's statements (empty ones, break anywhere, calls on a new line).
local HOST_IS_52 = (loadstring or load) ";;" ~= nil

local state = {}

---@param text string
---@param ctx { name: string, text: string?, version: number?, host: boolean? }
---@param from integer? first byte to read
function state.new(text, ctx, from)
  local version = ctx.version or 5.1
  local own = { name = ctx.name, text = text, version = version, host = ctx.host }
  return { ctx = own, lx = lexer.new(own, from), levels = 0, newer = version >= 5.3,
    lenient = version >= 5.3 or HOST_IS_52 }
end

--- A node that starts at the current token.
function state.open(ps, kind)
  local lx = ps.lx
  return { kind = kind, pos = lx.pos, line = lx.line, col = lx.col, stop = lx.stop }
end

--- A node that starts where another does.
function state.open_at(first, kind)
  return { kind = kind, pos = first.pos, line = first.line, col = first.col }
end

--- The node ends with the token just read.
function state.close(ps, node)
  node.stop = ps.lx.last_stop
  return node
end

--- A node of exactly the current token, which is read.
function state.token(ps, kind)
  local node = state.open(ps, kind)
  ps.lx:advance()
  return node
end

function state.fail_at(ps, node, message, hint)
  diagnostics.throw(ps.ctx, node, message, hint)
end

function state.fail(ps, message, hint)
  diagnostics.throw(ps.ctx, ps.lx, message, hint)
end

--- The current token in words.
function state.found(ps)
  local lx = ps.lx
  if lx.kind == "eof" then return "the end of the text" end
  if lx.kind == "name" then return "name `" .. lx.value .. "`" end
  if lx.kind == "string" then return "a string" end
  if lx.kind == "number" then return "number `" .. lx.spelling .. "`" end
  return "`" .. lx.kind .. "`"
end

function state.accept(ps, kind)
  if ps.lx.kind ~= kind then return false end
  ps.lx:advance()
  return true
end

--- Reads `kind` or fails; `hint(lx, kind)` may say more.
function state.expect(ps, kind, hint)
  if ps.lx.kind ~= kind then
    state.fail(ps, ("expected `%s`, found %s"):format(kind, state.found(ps)),
      (hint or hints.missing)(ps.lx, kind))
  end
  ps.lx:advance()
end

--- Reads the token that closes what `opener` began.
function state.expect_closing(ps, kind, opener)
  if ps.lx.kind ~= kind then
    local where = opener.line == ps.lx.line and "" or (" of line %d"):format(opener.line)
    local opening = ps.lx.text:match("^%a+", opener.pos) or ps.lx.text:sub(opener.pos, opener.pos)
    state.fail(ps, ("expected `%s` to close `%s`%s, found %s"):format(kind, opening, where,
      state.found(ps)), hints.missing(ps.lx, kind))
  end
  ps.lx:advance()
end

function state.name(ps)
  local lx = ps.lx
  if lx.kind ~= "name" and (lx.kind ~= "goto" or ps.newer) then
    local hint = lexer.keywords[lx.value] and "`" .. lx.value .. "` is a word of Lua" or nil
    state.fail(ps, "expected a name, found " .. state.found(ps), hint)
  end
  local node = state.open(ps, "Name")
  node.name = lx.value
  lx:advance()
  return node
end

function state.enter(ps)
  ps.levels = ps.levels + 1
  if ps.levels >= MAX_LEVELS then
    state.fail(ps, ("nested too deeply (%d levels)"):format(MAX_LEVELS),
      "move inner parts to locals or functions of their own")
  end
end

function state.leave(ps)
  ps.levels = ps.levels - 1
end

return state
