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
  ["//"] = "floor division is tl.div_floor(a, b), or `//` in a string kernel "
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
  is = "Lua writes `==` and `~=`, and `nil` for None",
  lambda = "Lua writes `function(x) return ... end`",
}

--- Why an operator of Lua 5.3 is refused in 5.1 text, and what to write.
function hints.newer_operator(op) return NEWER[op] end

-- `x += 1` and `x++`: the operator is the token in hand.
local function updating(lx)
  local op = match(lx.text, "^([-+*/%%^])=", lx.pos)
  if op then return ("Lua has no `%s=`: write `x = x %s ...`"):format(op, op) end
  if find(lx.text, "^%+%+", lx.pos) then return "Lua has no `++`: write `x = x + 1`" end
end

local AXIS = "x:col() is x[:, None], x:row() is x[None, :]; a block has no slices"

local TOKENS = {
  ["{"] = "blocks are `then`/`do` ... `end` in Lua",
  ["["] = "Lua writes lists as { ... }",
  ["#"] = "a comment starts with --",
}

-- Operators of two characters of which Lua reads the first alone.
local DOUBLED = { ["&"] = "Lua writes `and`", ["|"] = "Lua writes `or`",
  ["*"] = "Lua writes powers as `x ^ y`" }

local function doubled(lx)
  local hint = DOUBLED[lx.kind]
  if not hint then return nil end
  local op = lx.kind .. lx.kind
  local pair = lx.text:sub(lx.pos - 1, lx.pos) == op or lx.text:sub(lx.pos, lx.pos + 1) == op
  return pair and hint or nil
end

--- A hint for the token that the parser cannot use here, or nil. `word`: the name before it.
function hints.unexpected(lx, word)
  if word and WORDS[word] then return WORDS[word] end
  if lx.kind == ":" and find(lx.text:sub(1, lx.pos - 1), "[%[,]%s*$") then return AXIS end
  return doubled(lx) or TOKENS[lx.kind] or updating(lx)
end

--- A hint for a missing `then`, `do` or `)`.
function hints.missing(lx, wanted)
  if lx.kind == "=" and wanted == "then" then return "comparison is `==`" end
  if lx.kind == "{" then return ("Lua writes `%s ... end` for { ... }"):format(wanted) end
  if lx.kind == "name" and WORDS[lx.value] then return WORDS[lx.value] end
  if wanted == "then" and lx.kind == "else" then
    return "Lua writes `c and x or y`; by element it is tl.where(c, x, y)"
  end
  if lx.kind == ":" and wanted ~= ")" and wanted ~= "]" then
    return ("Lua writes `%s ... end`"):format(wanted)
  end
  if wanted == ")" and lx.kind == "=" then
    return "arguments are named in a table that comes last: f(x, { axis = 0 })"
  end
  if wanted == ")" and lx.kind == "," then return "Lua writes lists as { ... }" end
  if wanted == "]" and (lx.kind == ":" or lx.kind == ",") then return AXIS end
  return hints.unexpected(lx)
end

return hints
