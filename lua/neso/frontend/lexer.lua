-- Tokens of Lua 5.1 with LuaJIT's additions (goto, ::, \x \z \u escapes, hex floats, 0b numbers),
-- and the operators of Lua 5.3, which the parser accepts or refuses by version.
--
-- A lexer holds the current token in its fields: `kind` (the operator or keyword itself, or "name",
-- "string", "number", "eof"), `value`, `pos` and `stop` (first and last byte), `line`, `col`;
-- a number also has `integer` (written without point or exponent), `suffix` ("LL", "ULL", "i") and
-- `spelling`. `last_stop` and `last_line` tell where the token before it ended.
local diagnostics = require "neso.frontend.diagnostics"

local select, setmetatable, tonumber = select, setmetatable, tonumber
local byte, char, find, match, sub, upper = string.byte, string.char, string.find, string.match,
  string.sub, string.upper
local concat = table.concat
local floor = math.floor

local lexer = {}
local Lexer = {}
Lexer.__index = Lexer

local KEYWORDS = {}
lexer.keywords = KEYWORDS
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat
  return then true until while]]):gmatch "%a+" do
  KEYWORDS[word] = true
end

local OPERATORS = {} -- by length, longest first
for length, list in pairs { [3] = "...", [2] = "== ~= <= >= .. :: // << >>",
  [1] = "+ - * / % ^ # < > = ( ) { } [ ] ; : , . & | ~" } do
  OPERATORS[length] = {}
  for op in list:gmatch "%S+" do OPERATORS[length][op] = true end
end

local HINTS = {
  ["!="] = "Lua writes `~=` for not equal",
  ["!"] = "Lua writes `not`",
  ["`"] = "strings are written with ', \" or [[ ]]",
  ["@"] = "a matrix product is tl.dot(a, b); for @triton.jit write neso.jit(function(...) ... end)",
  ["?"] = "Lua has no `?:`; write `cond and a or b`",
}

local function fail(lx, from, to, message, hint)
  local line, col = diagnostics.place(lx.text, from)
  diagnostics.throw(lx.ctx, { pos = from, stop = to, line = line, col = col }, message, hint)
end

-- Position after the line break at p.
local function newline(lx, p)
  local c, d = byte(lx.text, p, p + 1)
  p = p + ((d == 10 or d == 13) and c ~= d and 2 or 1)
  lx.row, lx.row_start = lx.row + 1, p
  return p
end

-- The text between p and stop with every line break read as "\n".
local function lines_between(lx, p, stop)
  local text, out, n = lx.text, {}, 0
  while true do
    local at = find(text, "[\r\n]", p)
    if not at or at > stop then break end
    out[n + 1], out[n + 2], n = sub(text, p, at - 1), "\n", n + 2
    p = newline(lx, at)
  end
  out[n + 1] = sub(text, p, stop)
  return concat(out)
end

-- Reads `[==[ ... ]==]` at p: content and position after it, or nil when there is no such bracket.
local function long_bracket(lx, p, what)
  local text = lx.text
  local equals = match(text, "^%[(=*)%[", p)
  if not equals then return nil end
  local closing = "]" .. equals .. "]"
  local from = p + #equals + 2
  local close = find(text, closing, from, true)
  if not close then
    fail(lx, p, from - 1, "unfinished " .. what, "close it with `" .. closing .. "`")
  end
  if find(text, "^[\r\n]", from) then from = newline(lx, from) end
  return lines_between(lx, from, close - 1), close + #closing
end

local function skip_comment(lx, p)
  if byte(lx.text, p + 2) == 91 then
    local _, after = long_bracket(lx, p + 2, "long comment")
    if after then return after end
  end
  return find(lx.text, "[\r\n]", p) or #lx.text + 1
end

local function skip_blanks(lx, p)
  local text = lx.text
  while true do
    local c, d = byte(text, p, p + 1)
    if c == 32 or c == 9 or c == 11 or c == 12 then
      p = find(text, "[^ \t\v\f]", p + 1) or #text + 1
    elseif c == 10 or c == 13 then
      p = newline(lx, p)
    elseif c == 45 and d == 45 then
      p = skip_comment(lx, p)
    else
      return p
    end
  end
end

local ESCAPES = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v",
  ["\\"] = "\\", ['"'] = '"', ["'"] = "'" }

local function utf8_char(code)
  if code < 0x80 then return char(code) end
  local tail, limit = "", 0x40
  while code >= limit do
    tail = char(0x80 + code % 64) .. tail
    code, limit = floor(code / 64), limit == 0x40 and 0x20 or limit / 2
  end
  return char((256 - limit * 2) + code) .. tail
end

-- Each reads the escape whose letter is at p: value and position after it, or nil.
local function decimal_escape(lx, p)
  local digits = match(lx.text, "^%d%d?%d?", p)
  local code = tonumber(digits)
  if code < 256 then return char(code), p + #digits end
end

local function unicode_escape(lx, p)
  local digits = match(lx.text, "^u{(%x+)}", p)
  local code = digits and #digits < 12 and tonumber(digits, 16)
  if code and code < 0x110000 and (code < 0xd800 or code > 0xdfff) then
    return utf8_char(code), p + #digits + 3
  end
end

local function skip_escape(lx, p)
  p = p + 1
  while true do
    local c = byte(lx.text, p)
    if c == 10 or c == 13 then
      p = newline(lx, p)
    elseif c == 32 or c == 9 or c == 11 or c == 12 then
      p = p + 1
    else
      return "", p
    end
  end
end

local function read_escape(lx, p)
  local letter = sub(lx.text, p, p)
  if ESCAPES[letter] then return ESCAPES[letter], p + 1 end
  if letter == "\n" or letter == "\r" then return "\n", newline(lx, p) end
  if letter == "z" then return skip_escape(lx, p) end
  if letter == "u" then return unicode_escape(lx, p) end
  if letter == "x" then
    local digits = match(lx.text, "^x(%x%x)", p)
    if digits then return char(tonumber(digits, 16)), p + 3 end
  elseif find(letter, "%d") then
    return decimal_escape(lx, p)
  end
end

local function unfinished_string(lx, from, at)
  fail(lx, from, at - 1, "unfinished string",
    "a string in quotes ends on its own line; use [[ ]] for several lines")
end

local function read_string(lx, from)
  local text = lx.text
  local quote = sub(text, from, from)
  local stops = "[\\\r\n" .. quote .. "]"
  local out, n, p = {}, 0, from + 1
  while true do
    local at = find(text, stops, p)
    if not at then unfinished_string(lx, from, #text + 1) end
    n = n + 1
    out[n] = sub(text, p, at - 1)
    local c = sub(text, at, at)
    if c == quote then return concat(out), at + 1 end
    if c ~= "\\" then unfinished_string(lx, from, at) end
    if at == #text then unfinished_string(lx, from, at + 1) end
    local value, after = read_escape(lx, at + 1)
    if not value then
      fail(lx, at, at + 1, "invalid escape in a string", "write `\\\\` for one backslash")
    end
    n = n + 1
    out[n], p = value, after
  end
end

-- The longest run that looks like a number, as LuaJIT takes it: letters, digits, points, and a sign
-- after the exponent letter.
local function number_end(text, p)
  local exponent = find(text, "^0[xX]", p) and "[pP]$" or "[eE]$"
  while true do
    local stop = select(2, find(text, "^[%w_.\128-\255]*", p))
    if find(text, "^[+-]", stop + 1) and find(sub(text, p, stop), exponent) then
      p = stop + 2
    else
      return stop
    end
  end
end

local function plain_number(core)
  if find(core, "^0[xX]") then
    local whole, part, tail = match(core, "^0[xX](%x*)%.?(%x*)([pP]?[+-]?%d*)$")
    if not whole or whole .. part == "" then return nil end
    if tail ~= "" and not find(tail, "^[pP][+-]?%d+$") then return nil end
  elseif find(core, "^0[bB][01]+$") then
    return tonumber(sub(core, 3), 2)
  else
    local whole, part, tail = match(core, "^(%d*)%.?(%d*)([eE]?[+-]?%d*)$")
    if not whole or whole .. part == "" then return nil end
    if tail ~= "" and not find(tail, "^[eE][+-]?%d+$") then return nil end
  end
  return tonumber(core)
end

local function number_hint(spelling)
  if find(spelling, "^[%d_.]+$") and find(spelling, "_") then
    return "Lua numbers have no underscores"
  elseif find(spelling, "^[%d.eE]+[fFhHdD]$") then
    return "Lua numbers have no type letter: convert with tl.cast(x, tl.f32)"
  elseif find(spelling, "%.%.") then
    return "put a space between the number and `..`"
  end
end

local function read_number(lx, from)
  local stop = number_end(lx.text, from)
  local spelling = sub(lx.text, from, stop)
  local core, suffix = match(spelling, "^(.-)([uU]?[lL][lL])$")
  if not core then core, suffix = match(spelling, "^(.-)([iI])$") end
  core = core or spelling
  local value = plain_number(core)
  local integer = not find(core, find(core, "^0[xX]") and "[.pP]" or "[.eE]")
  if value == nil or (suffix and suffix ~= "i" and suffix ~= "I" and not integer) then
    fail(lx, from, stop, "malformed number `" .. spelling .. "`", number_hint(spelling))
  end
  lx.integer, lx.spelling, lx.suffix = integer, spelling, suffix and upper(suffix)
  if lx.suffix == "I" then lx.suffix = "i" end
  return value, stop + 1
end

local function read_operator(lx, p)
  for length = 3, 1, -1 do
    local op = sub(lx.text, p, p + length - 1)
    if OPERATORS[length][op] then return op, p + #op end
  end
  local c = match(lx.text, "^[\1-\127]", p) or "?"
  local hint = HINTS[sub(lx.text, p, p + 1)] or HINTS[c]
  if not find(c, "%p") then c = ("\\%d"):format(byte(lx.text, p)) end
  fail(lx, p, p, "unexpected character `" .. c .. "`", hint)
end

-- Reads the token at p: kind, value, position after it.
local function read_token(lx, p)
  local text = lx.text
  local c = byte(text, p)
  if not c then return "eof", nil, p end
  local stop = select(2, find(text, "^[%a_\128-\255][%w_\128-\255]*", p))
  if stop then
    local word = sub(text, p, stop)
    return KEYWORDS[word] and word or "name", word, stop + 1
  end
  if c == 34 or c == 39 then
    local value, after = read_string(lx, p)
    return "string", value, after
  elseif find(text, "^%.?%d", p) then
    local value, after = read_number(lx, p)
    return "number", value, after
  elseif c == 91 then
    local value, after = long_bracket(lx, p, "long string")
    if value then return "string", value, after end
    if find(text, "^%[=", p) then
      fail(lx, p, p + 1, "invalid long string delimiter", "write `[[` or `[=[`")
    end
  end
  local op, after = read_operator(lx, p)
  return op, nil, after
end

local function scan(lx)
  local p = skip_blanks(lx, lx.at)
  lx.pos, lx.line, lx.col = p, lx.row, p - lx.row_start + 1
  lx.kind, lx.value, lx.at = read_token(lx, p)
  lx.stop, lx.end_line = lx.at - 1, lx.row
end

local STATE = { "kind", "value", "pos", "stop", "line", "col", "end_line", "integer", "suffix",
  "spelling" }

local function move_state(from, to)
  for i = 1, #STATE do to[STATE[i]] = from[STATE[i]] end
end

--- Goes to the next token.
function Lexer:advance()
  self.last_stop, self.last_line = self.stop, self.end_line
  local ahead = self.ahead
  if ahead then
    move_state(ahead, self)
    self.ahead = nil
  else
    scan(self)
  end
end

--- Kind of the token after the current one.
---@return string
function Lexer:peek()
  if not self.ahead then
    local now, ahead = {}, {}
    move_state(self, now)
    scan(self)
    move_state(self, ahead)
    move_state(now, self)
    self.ahead = ahead
  end
  return self.ahead.kind
end

-- A byte order mark and a first line that starts with `#` are no Lua.
local function skip_header(lx)
  local p = find(lx.text, "^\239\187\191") and 4 or 1
  if byte(lx.text, p) == 35 then p = find(lx.text, "[\r\n]", p) or #lx.text + 1 end
  return p
end

--- A lexer whose current token is the first one at or after byte `from` (default: the beginning).
---@param ctx { name: string, text: string, version: number }
---@param from integer?
function lexer.new(ctx, from)
  local lx = setmetatable({ ctx = ctx, text = ctx.text, row = 1, row_start = 1 }, Lexer)
  if from then
    local line, col = diagnostics.place(ctx.text, from)
    lx.row, lx.row_start, lx.at = line, from - col + 1, from
  else
    lx.at = skip_header(lx)
  end
  lx.stop, lx.end_line = lx.at - 1, lx.row
  lx:advance()
  return lx
end

return lexer
