-- Errors a person can act on: file, line and column, the source line, a caret under the place, and
-- a hint. The text goes out as a plain string, so that any host and any pcall can show it.
local error, type = error, type
local byte, find, gsub, match, rep, sub = string.byte, string.find, string.gsub, string.match,
  string.rep, string.sub
local min = math.min

local MAX_SHOWN = 160 -- bytes of a source line; longer ones are cut around the place

local diagnostics = {}

local function line_bounds(text, pos)
  local from = pos
  while from > 1 do
    local c = byte(text, from - 1)
    if c == 10 or c == 13 then break end
    from = from - 1
  end
  return from, (find(text, "[\r\n]", pos) or #text + 1) - 1
end

-- Whole UTF-8 characters only: a cut moves right to the next first byte.
local function char_start(text, pos)
  while find(text, "^[\128-\191]", pos) do pos = pos + 1 end
  return pos
end

local function cut_around(text, from, to, pos)
  if to - from < MAX_SHOWN then return from, to, "", "" end
  local first = pos - from > MAX_SHOWN / 2 and char_start(text, pos - MAX_SHOWN / 2) or from
  local last = min(to, first + MAX_SHOWN)
  if last < to then last = char_start(text, last) - 1 end
  return first, last, first > from and "..." or "", last < to and "..." or ""
end

-- Blanks as wide as the text: tabs stay tabs, a UTF-8 sequence is one column.
local function blanks(text)
  return (gsub(gsub(text, "[\128-\191]", ""), "[^\t]", " "))
end

local function width(text)
  return #gsub(text, "[\128-\191]", "")
end

local function excerpt(text, node)
  local pos = min(node.pos, #text + 1)
  local from, to = line_bounds(text, pos)
  local first, last, head, tail = cut_around(text, from, to, pos)
  local stop = min(node.stop or pos, last)
  local tildes = stop > pos and rep("~", width(sub(text, pos, stop)) - 1) or ""
  local number = ("%4d"):format(node.line)
  return ("%s | %s%s%s\n%s | %s^%s"):format(number, head, sub(text, first, last), tail,
    rep(" ", #number), blanks(head .. sub(text, first, pos - 1)), tildes)
end

--- The message as text. A node without a place (or nil) gives the message and the hint alone.
---@param ctx { name: string, text: string? }
---@param node { pos: integer?, line: integer?, col: integer?, stop: integer? }?
---@param message string
---@param hint string?
---@return string
function diagnostics.format(ctx, node, message, hint)
  local out
  if node and node.line then
    out = ("%s:%d:%d: %s"):format(ctx.name, node.line, node.col or 1, message)
    if type(ctx.text) == "string" and node.pos then
      out = out .. "\n" .. excerpt(ctx.text, node)
    end
  else
    out = ("%s: %s"):format(ctx.name, message)
  end
  if hint then out = out .. "\nhint: " .. hint end
  return out
end

--- Raises the message of `format` as a string.
function diagnostics.throw(ctx, node, message, hint)
  error(diagnostics.format(ctx, node, message, hint), 0)
end

--- Line and column of a byte offset; `\r\n` and `\n\r` are one line break, as in Lua.
---@param text string
---@param pos integer
---@return integer line, integer col
function diagnostics.place(text, pos)
  local line, start = 1, 1
  while true do
    local at = find(text, "[\r\n]", start)
    if not at or at >= pos then return line, pos - start + 1 end
    start = at + #(match(text, "^\r\n", at) or match(text, "^\n\r", at) or " ")
    line = line + 1
  end
end

return diagnostics
