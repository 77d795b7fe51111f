-- What to tell a person whose text stopped the parser: the likely slip, in their words.
local find, match = string.find, string.match

local hints = {}

local BITWISE = "Lua 5.1 has no `%s`: use bit.%s(a, b), "
  .. "or write the kernel as a string (neso.kernel[[ ... ]])"
local NEWER = {
  ["&"] = BITWISE:format("&", "band"),
  ["|"] = BITWISE:format("|", "bor"),
  ["~"] = "Lua writes `~=` for not equal, `not` for negation, bit.bxor(a, b) for xor",
  ["<<"] = BITWISE:format("<<", "lshift"),
  [">>"] = BITWISE:format(">>", "rshift"),
  ["//"] = "floor division is math.floor(a / b) in Lua 5.1, or `//` in a string kernel "
    .. "(neso.kernel[[ ... ]]); a comment starts with --",
}

local WORDS = {
  continue = "Lua has no continue: `goto continue` with `::continue::` before the loop's end",
  elif = "Lua writes `elseif`",
  elsif = "Lua writes `elseif`",
  def = "Lua writes `function name(...) ... end`",
  fn = "Lua writes `function name(...) ... end`",
  var = "Lua writes `local name = value`",
  let = "Lua writes `local name = value`",
  const = "Lua writes `local name = value`",
}

--- Why an operator of Lua 5.3 is refused in 5.1 text, and what to write.
function hints.newer_operator(op) return NEWER[op] end

-- `x += 1` and `x++`: the operator is the token in hand.
local function updating(lx)
  local op = match(lx.text, "^([-+*/%%^])=", lx.pos)
  if op then return ("Lua has no `%s=`: write `x = x %s ...`"):format(op, op) end
  if find(lx.text, "^%+%+", lx.pos) then return "Lua has no `++`: write `x = x + 1`" end
end

--- A hint for the token that the parser cannot use here, or nil. `word`: the name before it.
function hints.unexpected(lx, word)
  if find(lx.text, "^&&", lx.pos) then return "Lua writes `and`" end
  if find(lx.text, "^||", lx.pos) then return "Lua writes `or`" end
  if word and WORDS[word] then return WORDS[word] end
  if lx.kind == "{" then return "blocks are `then`/`do` ... `end` in Lua" end
  return updating(lx)
end

--- A hint for a missing `then`, `do` or `)`.
function hints.missing(lx, wanted)
  if lx.kind == "=" and wanted == "then" then return "comparison is `==`" end
  if lx.kind == "{" then return ("Lua writes `%s ... end` for { ... }"):format(wanted) end
  return hints.unexpected(lx)
end

return hints
