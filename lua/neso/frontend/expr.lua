--- Expressions: a node becomes a compile-time value, a run-time value, or several.

local dtypes = require("neso.dtype").names
local aggregates = require "neso.frontend.aggregates"
local arith = require "neso.frontend.arith"
local checks = require "neso.frontend.checked"
local control = require "neso.frontend.control"
local convert = require "neso.frontend.convert"
local fold = require "neso.frontend.fold"
local fields = require "neso.frontend.fields"
local merge = require "neso.frontend.merge"
local names = require "neso.frontend.names"
local values = require "neso.frontend.values"

local M = {}

local is_value, is_runtime = values.is_value, values.is_runtime
local handlers = {}

--- The single value of an expression.
function M.eval(cx, node)
  local handler = handlers[node.kind]
  if not handler then
    cx:fail(("'%s' cannot be used in a kernel"):format(node.kind:lower()), nil, node)
  end
  return handler(cx, node)
end

--- All values of a list of expressions: {n=, ...}.
function M.eval_list(cx, nodes)
  local out = { n = 0 }
  for i, node in ipairs(nodes) do
    if i == #nodes and (node.kind == "Call" or node.kind == "Method" or node.kind == "Vararg") then
      local several = M.eval_several(cx, node)
      for k = 1, several.n do
        out[out.n + k] = several[k]
      end
      out.n = out.n + several.n
    else
      out[i] = M.eval(cx, node)
      out.n = i
    end
  end
  return out
end

--- All values of one expression that may have several.
function M.eval_several(cx, node)
  if node.kind == "Call" then return M.call.call(cx, node) end
  if node.kind == "Method" then return M.call.method(cx, node) end
  if node.kind == "Vararg" then
    local list = cx.frame.varargs
    if not list then
      cx:fail("'...' has no meaning here: the function has no varargs", nil, node)
    end
    return list
  end
  return { n = 1, M.eval(cx, node) }
end

local function place(cx, node)
  cx.node = node
  cx.builder.line = cx:line_of(node)
end
M.place = place

local function checked(cx, value, node)
  if values.is_poison(value) then
    cx:fail(value.message, value.hint, node)
  end
  return value
end

handlers.Nil = function() return nil end
handlers.True = function() return true end
handlers.False = function() return false end
handlers.Number = function(_, node) return node.value end
handlers.String = function(_, node) return node.value end
handlers.Paren = function(cx, node) return M.eval(cx, node.expr) end
handlers.Function = function(cx, node)
  return values.closure(node, cx.frame.scope, cx.frame.code)
end

handlers.Name = function(cx, node)
  if node.decl then
    local cell = names.find_cell(cx.frame.scope, node.decl)
    if cell then return checked(cx, cell.value, node) end
  end
  return names.read_free(cx, cx.frame.code, node.name)
end

local function first(cx, node)
  return M.eval_several(cx, node)[1]
end
handlers.Call, handlers.Method, handlers.Vararg = first, first, first

handlers.Index = function(cx, node)
  local object = M.eval(cx, node.object)
  local key = M.eval(cx, node.key)
  place(cx, node)
  return checked(cx, fields.read(cx, object, key, node), node)
end

handlers.Table = function(cx, node)
  local out, position = cx:new_table(), 0
  for i, item in ipairs(node.items) do
    if item.key then
      local key = M.eval(cx, item.key)
      if key == nil or is_runtime(key) then
        cx:fail("a table key must be known when compiling, got " .. values.describe(key), nil,
          item.key)
      end
      out[key] = M.eval(cx, item.value)
    elseif i == #node.items then
      local several = M.eval_list(cx, { item.value })
      for k = 1, several.n do
        out[position + k] = several[k]
      end
    else
      position = position + 1
      out[position] = M.eval(cx, item.value)
    end
  end
  return out
end

-- Boolean operators -------------------------------------------------------------------------------

--- Checks that a run-time value can decide something.
local function boolean_operand(cx, x, what, node)
  if is_value(x) and x.dtype == dtypes.i1 then return x end
  cx:fail(("%s takes a boolean, got %s"):format(what, values.describe(x)),
    "in Lua every number is true; compare it: x ~= 0", node)
end

--- A condition of if, while, ...: a compile-time truth value, or a scalar i1.
function M.condition(cx, node, what)
  local x = M.eval(cx, node)
  if not is_runtime(x) then return x and true or false end
  boolean_operand(cx, x, what, node)
  if #x.shape > 0 then
    cx:fail(("%s takes one boolean, got %s"):format(what, values.describe(x)),
      "use tl.where to choose by element, or x:any() or x:all() for one answer", node)
  end
  return x
end

local function is_boolean(x)
  return type(x) == "boolean" or is_value(x) and x.dtype == dtypes.i1
end

local function elementwise(cx, name, a, b)
  a, b = convert.unify(cx, a, b, "combine")
  return arith.emit(cx, name, a, b)
end

local function logical(cx, node, a)
  local is_and = node.op == "and"
  boolean_operand(cx, a, "'" .. node.op .. "'", node.left)
  local name = is_and and "arith.andi" or "arith.ori"
  if #a.shape > 0 then
    local b = M.eval(cx, node.right)
    place(cx, node)
    if type(b) == "boolean" then return b == is_and and a or b end
    return elementwise(cx, name, a, boolean_operand(cx, b, "'" .. node.op .. "'", node.right))
  end
  local cond = is_and and a or arith.logical_not(cx, a)
  return control.lazily(cx, cond, node, function()
    local b = M.eval(cx, node.right)
    if type(b) ~= "boolean" then boolean_operand(cx, b, "'" .. node.op .. "'", node.right) end
    place(cx, node)
    return b
  end, not is_and)
end

local function unwrap(node)
  while node.kind == "Paren" do
    node = node.expr
  end
  return node
end

-- Lua's `c and x or y` with a run-time c: a choice.
local function choice(cx, node, chooser)
  local c = M.eval(cx, chooser.left)
  if not is_runtime(c) then return false, c end
  boolean_operand(cx, c, "'and'", chooser.left)
  if #c.shape > 0 then
    local x, y = M.eval(cx, chooser.right), M.eval(cx, node.right)
    place(cx, node)
    if is_boolean(x) and is_boolean(y) then
      return true, elementwise(cx, "arith.ori", elementwise(cx, "arith.andi", c, x), y)
    end
    return true, M.where(cx, c, x, y)
  end
  local cell = cx:new_cell(values.UNSET, "and/or", node)
  cell.promotes = true
  control.fork(cx, c, node, function()
    local x = M.eval(cx, chooser.right)
    if is_value(x) and x.dtype == dtypes.i1 then
      x = control.lazily(cx, arith.logical_not(cx, x), node, function()
        return M.eval(cx, node.right)
      end, true)
    elseif not x then
      x = M.eval(cx, node.right)
    end
    merge.write(cx, cell, "value", x)
  end, function()
    merge.write(cx, cell, "value", M.eval(cx, node.right))
  end)
  return true, cell.value
end

local function logical_operator(cx, node)
  local a
  local chooser = node.op == "or" and unwrap(node.left)
  if chooser and chooser.kind == "Binary" and chooser.op == "and" then
    local done
    done, a = choice(cx, node, chooser)
    if done then return a end
    if a then
      a = M.eval(cx, chooser.right)
      if is_runtime(a) and not is_boolean(a) then return a end
    end
  else
    a = M.eval(cx, node.left)
  end
  if is_runtime(a) then return logical(cx, node, a) end
  local decided = a
  if node.op == "and" then decided = not a end
  if decided then return a end
  return M.eval(cx, node.right)
end

--- where(c, x, y) by element.
function M.where(cx, c, x, y)
  x, y = convert.unify(cx, x, y, "choose between")
  local shape = convert.common_shape(cx, c.shape, x.shape, "choose between")
  return arith.select(cx, convert.broadcast(cx, c, shape), convert.broadcast(cx, x, shape),
    convert.broadcast(cx, y, shape))
end

--- x and y, for booleans that are already there.
function M.both(cx, x, y)
  if type(x) == "boolean" then return x and y end
  if type(y) == "boolean" then return y and x end
  return arith.emit(cx, "arith.andi", x, y)
end

-- Other operators ---------------------------------------------------------------------------------

local function nil_hint(cx, node, a, b)
  for _, side in ipairs { { a, "left" }, { b, "right" } } do
    local operand = node[side[2]]
    if side[1] == nil and operand and operand.kind == "Name" then
      local nearest = not operand.decl and names.suggest(cx, operand.name)
      return ("'%s' has no value here%s"):format(operand.name, nearest and "; " .. nearest or "")
    end
    if side[1] == nil and operand and operand.kind == "Index" and operand.key.value == 0 then
      return "tables of Lua count from 1"
    end
  end
end

local function refuse_operator(cx, op, a, b)
  cx:fail(("cannot apply '%s' to %s and %s"):format(op, values.describe(a), values.describe(b)),
    nil_hint(cx, cx.node, a, b) or aggregates.hint(cx, op, a, b))
end

local number_operators = {
  ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true, ["//"] = true, ["%"] = true,
  ["^"] = true, ["&"] = true, ["|"] = true, ["~"] = true, ["<<"] = true, [">>"] = true,
}

--- a op b for any operator but `and` and `or`.
function M.binary(cx, op, a, b)
  local done, answer = aggregates.binary(cx, op, a, b)
  if done then
    return op == "~=" and arith.negation(cx, answer) or op ~= "~=" and answer
  end
  if not is_runtime(a) and not is_runtime(b) then
    local ok, result = fold.binary(op, a, b)
    if not ok then refuse_operator(cx, op, a, b) end
    return result
  end
  if op == ".." then
    cx:fail("'..' joins strings known when compiling, got "
      .. values.describe(is_runtime(a) and a or b))
  end
  local other = a
  if is_runtime(a) then other = b end
  if not is_runtime(other) and type(other) ~= "number" and type(other) ~= "boolean" then
    if op == "==" then return false end
    if op == "~=" then return true end
    refuse_operator(cx, op, a, b)
  end
  if type(other) == "boolean" and number_operators[op] and not (op == "&" or op == "|" or op == "~")
  then
    refuse_operator(cx, op, a, b)
  end
  return checks.binary(cx, op, a, b)
end

handlers.Binary = function(cx, node)
  local op = node.op
  if op == "and" or op == "or" then return logical_operator(cx, node) end
  local a = M.eval(cx, node.left)
  local b = M.eval(cx, node.right)
  place(cx, node)
  return M.binary(cx, op, a, b)
end

handlers.Unary = function(cx, node)
  local a = M.eval(cx, node.operand)
  place(cx, node)
  if is_runtime(a) then return checks.unary(cx, node.op, a) end
  local done, answer = aggregates.unary(cx, node.op, a)
  if done then return answer end
  local ok, result = fold.unary(node.op, a)
  if not ok then
    cx:fail(("cannot apply '%s' to %s"):format(node.op, values.describe(a)))
  end
  return result
end

return M
