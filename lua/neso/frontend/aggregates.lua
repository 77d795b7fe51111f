--- Tables with metatables: classes of values. A metatable set in the kernel is a hidden field of
--- its table (values.CLASS), so that it goes over branches and loops with the other fields; its
--- functions are compiled in place like all others.

local merge = require "neso.frontend.merge"
local values = require "neso.frontend.values"

local M = {}

local CLASS = values.CLASS

-- Calls a value: function(cx, callee, args {n=, ...}, node) gives the results. Set by call.lua.
M.apply = nil

local function is_plain(x)
  return type(x) == "table" and not values.is_runtime(x)
end

--- Metatable of a table of the kernel or of the host; nil when it has none.
function M.class_of(cx, x)
  if not is_plain(x) then return nil end
  if cx.owned[x] then return x[CLASS] end
  return values.host_class(x)
end

--- Field of a metatable, raw as Lua reads it.
local function event(cx, class, name)
  if cx.owned[class] then return class[name] end
  local value = rawget(class, name)
  cx:capture("field", class, name, { table = class, key = name, value = value })
  return value
end

--- What x has for an event such as "__add", or nil.
function M.event(cx, x, name)
  local class = M.class_of(cx, x)
  return class and event(cx, class, name)
end

local function is_table(x)
  return type(x) == "table" and not values.is_closure(x)
end

--- Value of a key that a table of the kernel does not have itself; `read(cx, object, key)` reads
--- on.
function M.inherited(cx, object, key, read)
  local index = M.event(cx, object, "__index")
  if index == nil then return nil end
  if is_table(index) then return read(cx, index, key) end
  return M.apply(cx, index, { n = 2, object, key }, cx.node)[1]
end

--- Writes a key that a table of the kernel does not have itself, where its class has a say; true
--- when that is done.
function M.new_field(cx, object, key, value, write)
  local handler = M.event(cx, object, "__newindex")
  if handler == nil then return false end
  if is_table(handler) then
    write(cx, handler, key, value)
  else
    M.apply(cx, handler, { n = 3, object, key, value }, cx.node)
  end
  return true
end

--- setmetatable(t, class)
function M.set(cx, t, class)
  if not is_plain(t) or not cx.owned[t] then
    cx:fail("setmetatable takes a table made in the kernel, got " .. values.describe(t),
      is_plain(t) and "a kernel cannot change a table of the host" or nil)
  end
  if class ~= nil and not is_plain(class) then
    cx:fail("a metatable is a table or nil, got " .. values.describe(class))
  end
  merge.write(cx, t, CLASS, class)
  return t
end

-- Operators ---------------------------------------------------------------------------------------

local events = {
  ["+"] = "__add", ["-"] = "__sub", ["*"] = "__mul", ["/"] = "__div", ["%"] = "__mod",
  ["^"] = "__pow", ["//"] = "__idiv", ["&"] = "__band", ["|"] = "__bor", ["~"] = "__bxor",
  ["<<"] = "__shl", [">>"] = "__shr", [".."] = "__concat", ["<"] = "__lt", ["<="] = "__le",
  ["=="] = "__eq",
}

local unary_events = { ["-"] = "__unm", ["#"] = "__len", ["~"] = "__bnot" }

-- The operator that is meant, with its operands in order: a > b is b < a.
local function normal(op, a, b)
  if op == ">" then return "<", b, a end
  if op == ">=" then return "<=", b, a end
  if op == "~=" then return "==", a, b end
  return op, a, b
end

-- The result of a comparison is a boolean, at run time too.
local function truth(cx, x, op)
  if not values.is_runtime(x) then return x and true or false end
  if values.is_value(x) and x.dtype.kind == "bool" then return x end
  cx:fail(("the metamethod of '%s' must give a boolean, got %s"):format(op, values.describe(x)),
    "compare in it: return a.x < b.x")
end

--- a op b where a class of one of them says what that is: true and the result. For `~=` it is the
--- result of `==`.
function M.binary(cx, op, a, b)
  if not is_plain(a) and not is_plain(b) then return false end
  local meant, x, y = normal(op, a, b)
  local name = events[meant]
  if not name or meant == "==" and (rawequal(x, y) or not (is_plain(x) and is_plain(y))) then
    return false
  end
  local handler = M.event(cx, x, name)
  if handler == nil then handler = M.event(cx, y, name) end
  if handler == nil then return false end
  local result = M.apply(cx, handler, { n = 2, x, y }, cx.node)[1]
  if meant == "<" or meant == "<=" or meant == "==" then result = truth(cx, result, op) end
  return true, result
end

--- op x, likewise.
function M.unary(cx, op, x)
  local handler = unary_events[op] and M.event(cx, x, unary_events[op])
  if handler == nil then return false end
  return true, M.apply(cx, handler, { n = 1, x }, cx.node)[1]
end

--- Hint where an operator has no meaning for a table.
function M.hint(cx, op, a, b)
  for _, x in ipairs { a, b } do
    if M.class_of(cx, x) then
      local meant = normal(op, a, b)
      local name = events[meant]
      return name and ("its metatable has no '%s'"):format(name)
    end
  end
end

return M
