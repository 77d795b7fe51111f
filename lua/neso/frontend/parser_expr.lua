-- Expressions, function bodies, calls and assignments of the parser.
local hints = require "neso.frontend.parser_hints"
local scope = require "neso.frontend.parser_scope"
local state = require "neso.frontend.parser_state"

local open, open_at, close, token = state.open, state.open_at, state.close, state.token
local accept, expect, fail, read_name = state.accept, state.expect, state.fail, state.name

local expr = {}

-- Left and right binding powers; right below left makes an operator right associative.
local BINARY = {
  ["or"] = { 1, 1 }, ["and"] = { 2, 2 },
  ["<"] = { 3, 3 }, [">"] = { 3, 3 }, ["<="] = { 3, 3 }, [">="] = { 3, 3 }, ["~="] = { 3, 3 },
  ["=="] = { 3, 3 },
  ["|"] = { 4, 4 }, ["~"] = { 5, 5 }, ["&"] = { 6, 6 }, ["<<"] = { 7, 7 }, [">>"] = { 7, 7 },
  [".."] = { 9, 8 }, ["+"] = { 10, 10 }, ["-"] = { 10, 10 },
  ["*"] = { 11, 11 }, ["/"] = { 11, 11 }, ["//"] = { 11, 11 }, ["%"] = { 11, 11 },
  ["^"] = { 14, 13 },
}
local UNARY = { ["-"] = true, ["not"] = true, ["#"] = true, ["~"] = true }
local UNARY_POWER = 12

local function refuse_newer(ps, op)
  local hint = hints.newer_operator(op)
  if ps.newer or not hint then return end
  fail(ps, ("operator `%s` is not in Lua 5.1"):format(op), hints.unexpected(ps.lx) or hint)
end

local function number(ps)
  local lx = ps.lx
  local node = open(ps, "Number")
  node.value, node.integer, node.text = lx.value, lx.integer, lx.spelling
  if lx.suffix then
    if not ps.ctx.host then
      fail(ps, ("number `%s` has a suffix that only the host knows"):format(lx.spelling),
        "write the number without it; give a type with tl.cast(x, tl.i64) or a typed parameter")
    end
    node.suffix = lx.suffix
  end
  lx:advance()
  return node
end

local function string_node(ps)
  local node = open(ps, "String")
  node.value = ps.lx.value
  ps.lx:advance()
  return node
end

local function vararg(ps)
  if not ps.func.is_vararg then
    fail(ps, "`...` outside of a function that takes it", "add `...` to the parameters")
  end
  return token(ps, "Vararg")
end

local function table_item(ps)
  local lx = ps.lx
  if lx.kind == "[" then
    lx:advance()
    local key = expr.read(ps)
    expect(ps, "]")
    expect(ps, "=")
    return { key = key, value = expr.read(ps) }
  elseif (lx.kind == "name" or (lx.kind == "goto" and not ps.newer)) and lx:peek() == "=" then
    local key = string_node(ps)
    expect(ps, "=")
    return { key = key, value = expr.read(ps) }
  end
  return { value = expr.read(ps) }
end

local function table_node(ps)
  local node = open(ps, "Table")
  local items, n = {}, 0
  ps.lx:advance()
  while ps.lx.kind ~= "}" do
    n = n + 1
    items[n] = table_item(ps)
    if not (accept(ps, ",") or accept(ps, ";")) then break end
  end
  state.expect_closing(ps, "}", node)
  node.items = items
  return close(ps, node)
end

local function function_node(ps)
  local node = open(ps, "Function")
  ps.lx:advance()
  return expr.function_body(ps, node)
end

local function paren(ps)
  local node = open(ps, "Paren")
  ps.lx:advance()
  node.expr = expr.read(ps)
  state.expect_closing(ps, ")", node)
  return close(ps, node)
end

local function variable(ps)
  local node = read_name(ps)
  node.decl = scope.find(ps, node.name)
  return node
end

local SIMPLE = {
  ["nil"] = function(ps) return token(ps, "Nil") end,
  ["true"] = function(ps) return token(ps, "True") end,
  ["false"] = function(ps) return token(ps, "False") end,
  ["..."] = vararg,
  ["{"] = table_node,
  ["function"] = function_node,
  number = number,
  string = string_node,
}

local function call_args(ps)
  local lx = ps.lx
  if lx.kind == "string" then return { string_node(ps) } end
  if lx.kind == "{" then return { table_node(ps) } end
  if lx.kind ~= "(" then
    fail(ps, "expected the arguments of the call, found " .. state.found(ps))
  end
  if lx.line ~= lx.last_line and not ps.lenient then
    fail(ps, "this could be a call of the line above or a new statement",
      "end the line above with `;`, or put `(` on that line")
  end
  local opener = open(ps, "Call")
  lx:advance()
  local args = lx.kind == ")" and {} or expr.list(ps)
  state.expect_closing(ps, ")", opener)
  return args
end

local function field(ps, object)
  local node = open_at(object, "Index")
  ps.lx:advance()
  local name = read_name(ps)
  name.kind, name.value, name.name = "String", name.name, nil
  node.object, node.key = object, name
  return close(ps, node)
end

local function subscript(ps, object)
  local node = open_at(object, "Index")
  local opener = open(ps, "Index")
  ps.lx:advance()
  node.object, node.key = object, expr.read(ps)
  state.expect_closing(ps, "]", opener)
  return close(ps, node)
end

local function method_call(ps, object)
  local node = open_at(object, "Method")
  ps.lx:advance()
  node.object, node.name = object, read_name(ps).name
  node.args = call_args(ps)
  return close(ps, node)
end

local function call(ps, callee)
  local node = open_at(callee, "Call")
  node.callee, node.args = callee, call_args(ps)
  return close(ps, node)
end

local SUFFIX = { ["."] = field, ["["] = subscript, [":"] = method_call, ["("] = call,
  ["{"] = call, string = call }

local function unexpected(ps)
  fail(ps, "expected an expression, found " .. state.found(ps), hints.unexpected(ps.lx))
end

local function suffixed(ps)
  local kind = ps.lx.kind
  local node
  if kind == "(" then
    node = paren(ps)
  elseif kind == "name" or (kind == "goto" and not ps.newer) then
    node = variable(ps)
  else
    unexpected(ps)
  end
  local suffix = SUFFIX[ps.lx.kind]
  while suffix do
    node = suffix(ps, node)
    suffix = SUFFIX[ps.lx.kind]
  end
  return node
end

local function simple(ps)
  local reader = SIMPLE[ps.lx.kind]
  if reader then return reader(ps) end
  return suffixed(ps)
end

local function unary(ps)
  local op = ps.lx.kind
  if not UNARY[op] then return simple(ps) end
  refuse_newer(ps, op)
  local node = open(ps, "Unary")
  ps.lx:advance()
  node.op, node.operand = op, expr.read(ps, UNARY_POWER)
  return close(ps, node)
end

--- Reads an expression whose operators bind tighter than `power` (default: any).
function expr.read(ps, power)
  power = power or 0
  state.enter(ps)
  local left = unary(ps)
  local op = ps.lx.kind
  local powers = BINARY[op]
  while powers and powers[1] > power do
    refuse_newer(ps, op)
    local node = open_at(left, "Binary")
    ps.lx:advance()
    node.op, node.left, node.right = op, left, expr.read(ps, powers[2])
    left = close(ps, node)
    op = ps.lx.kind
    powers = BINARY[op]
  end
  state.leave(ps)
  return left
end

--- One or more expressions between commas.
function expr.list(ps)
  local list, n = { expr.read(ps) }, 1
  while accept(ps, ",") do
    n = n + 1
    list[n] = expr.read(ps)
  end
  return list
end

local function read_params(ps, node)
  local params = node.params
  while ps.lx.kind ~= ")" do
    if accept(ps, "...") then
      node.is_vararg = true
      break
    end
    params[#params + 1] = read_name(ps)
    if not accept(ps, ",") then break end
    if ps.lx.kind == ")" then fail(ps, "expected a parameter after `,`") end
  end
end

local function implicit_self(node)
  local self = open_at(node, "Name")
  self.name, self.implicit, self.stop = "self", true, node.stop
  return self
end

local PARAMETER_HINTS = {
  ["="] = "Lua has no default values: write `x = x or 1` in the body",
  [":"] = "Lua has no type annotations: declare types in neso.jit({ x = tl.f32 }, ...)",
}

--- Parameters, statements and `end`; the current token is the `(`.
function expr.function_body(ps, node, is_method)
  node.params, node.is_vararg = { is_method and implicit_self(node) or nil }, false
  expect(ps, "(")
  read_params(ps, node)
  if ps.lx.kind ~= ")" then
    fail(ps, "expected `)` after the parameters, found " .. state.found(ps),
      PARAMETER_HINTS[ps.lx.kind])
  end
  ps.lx:advance()
  scope.open_function(ps, node.is_vararg)
  scope.open_block(ps)
  for i = 1, #node.params do scope.declare(ps, node.params[i]) end
  node.body = ps.read_statements(ps, open(ps, "Block"))
  state.expect_closing(ps, "end", node)
  scope.close_block(ps)
  scope.close_function(ps)
  return close(ps, node)
end

--- The name of a function statement, `a.b:c`: target, spelling, whether it is a method.
function expr.function_name(ps)
  local target = variable(ps)
  local spelled = target.name
  while ps.lx.kind == "." do
    target = field(ps, target)
    spelled = spelled .. "." .. target.key.value
  end
  local is_method = ps.lx.kind == ":"
  if is_method then
    target = field(ps, target)
    spelled = spelled .. ":" .. target.key.value
  end
  return target, spelled, is_method
end

local function check_target(ps, target)
  if target.kind == "Name" or target.kind == "Index" then return end
  state.fail_at(ps, target, "only a variable or a field can be assigned")
end

local function assignment(ps, first)
  local node = open_at(first, "Assign")
  node.targets = { first }
  while accept(ps, ",") do
    node.targets[#node.targets + 1] = suffixed(ps)
  end
  for i = 1, #node.targets do check_target(ps, node.targets[i]) end
  expect(ps, "=")
  node.values = expr.list(ps)
  return close(ps, node)
end

--- A call or an assignment.
function expr.statement(ps)
  local first = suffixed(ps)
  if first.kind == "Call" or first.kind == "Method" then
    if ps.lx.kind ~= "=" and ps.lx.kind ~= "," then
      local node = open_at(first, "CallStat")
      node.call = first
      return close(ps, node)
    end
  elseif ps.lx.kind ~= "=" and ps.lx.kind ~= "," then
    state.fail(ps, ("expected `=` or a call, found %s"):format(state.found(ps)),
      hints.unexpected(ps.lx, first.name))
  end
  return assignment(ps, first)
end

return expr
