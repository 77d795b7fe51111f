--- Calls: operations of the language, functions of the kernel, other kernels, helper functions in
--- Lua (compiled in place) and C functions on compile-time values (called while compiling).

local aggregates = require "neso.frontend.aggregates"
local control = require "neso.frontend.control"
local expr = require "neso.frontend.expr"
local extern = require "neso.extern"
local fields = require "neso.frontend.fields"
local host = require "neso.frontend.host"
local names = require "neso.frontend.names"
local parser = require "neso.frontend.parser"
local source = require "neso.frontend.source"
local stmt = require "neso.frontend.stmt"
local values = require "neso.frontend.values"

local M = {}

local parsed = setmetatable({}, { __mode = "k" })

-- Source records ----------------------------------------------------------------------------------

--- Code of a source record (see source.of), parsed.
---@return neso.Code
function M.code_of_record(record, fn, env)
  local node = parsed[record]
  if not node then
    local ctx = { name = record.name, text = record.text, version = record.version }
    node = parser.parse_function(record.text, record.from, record.to, ctx)
    node.ctx = node.ctx or ctx
    parsed[record] = node
  end
  return { node = node, ctx = node.ctx, fn = fn, env = env }
end

local function code_of_function(cx, fn, node)
  local code = parsed[fn]
  if code then return code end
  local record, reason = source.of(fn)
  if not record then
    cx:fail("cannot compile this function into the kernel: " .. tostring(reason), nil, node)
  end
  code = M.code_of_record(record, fn)
  parsed[fn] = code
  return code
end

-- Code of a kernel object; nil when x is none.
local function code_of_kernel(cx, x, node)
  local jit = package.loaded["neso.jit"]
  local record = jit and jit.record(x)
  if not record then return nil end
  if record.fn then return code_of_function(cx, record.fn, node) end
  if not parsed[x] then
    parsed[x] = record.ast and { node = record.ast, ctx = record.ast.ctx, env = record.env }
      or M.code_of_record(record.source, nil, record.env)
  end
  return parsed[x]
end

-- Inlining ----------------------------------------------------------------------------------------

local function check_recursion(cx, code, node)
  for _, active in ipairs(cx.calls) do
    if active.code.node == code.node then
      cx:fail("this call is recursive; kernels cannot recurse",
        "write it as a loop", node)
    end
  end
  if cx.kernel_node == code.node then
    cx:fail("a kernel cannot call itself", "write it as a loop", node)
  end
end

--- A frame for the code; its parameters are declared from args.
function M.new_frame(cx, code, scope, node)
  local returned = control.flag(cx, "return", node)
  local count = cx:new_cell(values.UNSET, "number of results", node)
  count.serial = returned.serial
  count.restart = true
  return { code = code, scope = { parent = scope }, flags = { returned }, loops = {}, results = {},
    count = count, returned = returned }
end

local function bind(cx, frame, args)
  local params = frame.code.node.params
  for i, param in ipairs(params) do
    stmt.declare(cx, param, args[i])
  end
  if frame.code.node.is_vararg then
    local rest = { n = math.max(args.n - #params, 0) }
    for i = 1, rest.n do
      rest[i] = args[#params + i]
    end
    frame.varargs = rest
  end
end

local function results_of(cx, frame, state, node)
  local n = frame.count.value
  if state == nil or rawequal(n, values.UNSET) or n == nil then return { n = 0 } end
  if type(n) ~= "number" then
    cx:fail("the returns of this function give different numbers of values", nil, node)
  end
  local out = { n = n }
  for i = 1, n do
    out[i] = frame.results[i].value
    if state == "maybe" then
      out[i] = values.poison("this function returns a value on some paths only",
        "end it with a return for the other paths")
    end
  end
  return out
end

--- Compiles the code in place.
function M.inline(cx, code, scope, args, node)
  check_recursion(cx, code, node)
  local caller, exit_before, line_before = cx.frame, cx.exit_serial, cx.call_line
  if cx:in_root_file() then
    cx.call_line = node.line
  end
  table.insert(cx.calls, { node = node, ctx = caller.code.ctx, code = code })
  local frame = M.new_frame(cx, code, scope, node)
  cx.frame = frame
  bind(cx, frame, args)
  local state = stmt.run_from(cx, code.node.body, 1)
  cx.frame, cx.exit_serial, cx.call_line = caller, exit_before, line_before
  table.remove(cx.calls)
  cx.node = node
  return results_of(cx, frame, state, node)
end

-- Calls -------------------------------------------------------------------------------------------

local function has_runtime(args)
  for i = 1, args.n do
    if values.is_runtime(args[i]) or values.is_closure(args[i]) then return true end
  end
  return false
end

local function native(cx, fn, args, node)
  if has_runtime(args) then
    cx:fail("a C function cannot take values that are known at run time only",
      "use an operation of tl", node)
  end
  return host.run(cx, fn, args, node)
end

-- The library's own functions work on tensors, which a kernel has not.
local function refuse_library(cx, fn, node)
  for name, value in next, package.loaded.neso or {} do
    if value == fn then
      cx:fail(("neso.%s cannot be called in a kernel"):format(name),
        "call it outside and pass the result; blocks come from tl.zeros, tl.full, tl.load, ...",
        node)
    end
  end
end

local function call_function(cx, fn, args, node)
  local special = host.find(fn)
  if special then return special(cx, args, node) end
  refuse_library(cx, fn, node)
  if debug.getinfo(fn, "S").what == "C" then return native(cx, fn, args, node) end
  return M.inline(cx, code_of_function(cx, fn, node), nil, args, node)
end

local function missing_hint(cx, name, node)
  if node.kind == "Method" or node.callee and node.callee.kind == "Index" then
    return ("the table has no field '%s'"):format(tostring(name))
  end
  return names.suggest(cx, tostring(name)) or "the name is not set where the kernel looks for it"
end

local function refuse(cx, callee, node)
  local name = node.kind == "Method" and node.name
    or node.kind == "Call" and node.callee.name
    or node.kind == "Call" and node.callee.kind == "Index" and node.callee.key.value
  local what = name and ("'%s'"):format(tostring(name)) or "this"
  cx:fail(("cannot call %s: it is %s"):format(what, values.describe(callee)),
    callee == nil and missing_hint(cx, name, node) or nil, node)
end

local function with_self(object, args)
  local out = { n = args.n + 1, object }
  for i = 1, args.n do out[i + 1] = args[i] end
  return out
end

--- Calls a value with evaluated arguments {n=, ...}; gives the results in the same form.
function M.apply(cx, callee, args, node)
  if values.is_closure(callee) then
    local code = { node = callee.node, ctx = callee.code.ctx, fn = callee.code.fn,
      env = callee.code.env }
    return M.inline(cx, code, callee.scope, args, node)
  end
  if type(callee) == "function" then return call_function(cx, callee, args, node) end
  if type(callee) == "table" and not values.is_runtime(callee) then
    if fields.language.is_op(callee) then
      return fields.language.apply(cx, callee, args, node)
    end
    if extern.is(callee) then return require "neso.language.foreign".call(cx, callee, args) end
    local code = code_of_kernel(cx, callee, node)
    if code then return M.inline(cx, code, nil, args, node) end
    local handler = aggregates.event(cx, callee, "__call")
    if handler ~= nil then return M.apply(cx, handler, with_self(callee, args), node) end
  end
  return refuse(cx, callee, node)
end

-- A misspelt mask must not become no mask.
local function check_arguments(cx, nodes, args)
  for i, node in ipairs(nodes) do names.check_set(cx, node, args[i]) end
end

--- f(...)
function M.call(cx, node)
  local callee = expr.eval(cx, node.callee)
  local args = expr.eval_list(cx, node.args)
  if fields.language.is_op(callee) then check_arguments(cx, node.args, args) end
  expr.place(cx, node)
  return M.apply(cx, callee, args, node)
end

--- x:name(...)
function M.method(cx, node)
  local object = expr.eval(cx, node.object)
  local args = expr.eval_list(cx, node.args)
  if values.is_runtime(object) then check_arguments(cx, node.args, args) end
  expr.place(cx, node)
  args = with_self(object, args)
  local callee
  if values.is_runtime(object) then
    callee = fields.language.method(node.name)
    if not callee then
      cx:fail(("%s has no method '%s'"):format(values.describe(object), node.name),
        fields.suggest(node.name, object), node)
    end
  else
    callee = fields.read(cx, object, node.name)
  end
  return M.apply(cx, callee, args, node)
end

expr.call = M
aggregates.apply = M.apply

return M
