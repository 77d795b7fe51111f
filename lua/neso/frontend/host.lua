--- Functions of the host that have a meaning of their own in kernels: the standard library. On
--- compile-time values they do what they do in Lua; math.* and bit.* on run-time values are the
--- tile operations.

local aggregates = require "neso.frontend.aggregates"
local arith = require "neso.frontend.arith"
local expr = require "neso.frontend.expr"
local fields = require "neso.frontend.fields"
local merge = require "neso.frontend.merge"
local sequences = require "neso.frontend.sequences"
local values = require "neso.frontend.values"

local M = {}

local unpack = table.unpack or unpack
local is_runtime = values.is_runtime
local special = {}

local function one(value)
  return { n = 1, value }
end

local function any_runtime(args)
  for i = 1, args.n do
    if is_runtime(args[i]) then return true end
  end
  return false
end

--- Calls a function of the host while compiling; all arguments are compile-time values.
function M.run(cx, fn, args, node)
  local results = { pcall(fn, unpack(args, 1, args.n)) }
  if not results[1] then
    cx:fail(tostring(results[2]), nil, node)
  end
  return { n = #results - 1, unpack(results, 2) }
end

-- fn on compile-time values is itself; `run(cx, args, node)` serves the others.
local function overload(fn, run)
  if not fn then return end
  special[fn] = function(cx, args, node)
    if any_runtime(args) then return run(cx, args, node) end
    return M.run(cx, fn, args, node)
  end
end

local function language_op(name)
  return function(cx, args, node)
    return fields.language.apply(cx, fields.language[name], args, node)
  end
end

for lua_name, op in pairs {
  abs = "abs", ceil = "ceil", cos = "cos", exp = "exp", floor = "floor", log10 = "log10",
  sin = "sin", sqrt = "sqrt", tan = "tan", tanh = "tanh", pow = "pow", fmod = "rem",
  atan2 = "atan2",
} do
  overload(math[lua_name], language_op(op))
end

overload(math.log, function(cx, args, node)
  local log = fields.language.apply(cx, fields.language.log, { n = 1, args[1] }, node)
  if args.n < 2 then return log end
  local base = fields.language.apply(cx, fields.language.log, { n = 1, args[2] }, node)
  return one(arith.binary(cx, "/", log[1], base[1]))
end)

local function folded(op)
  return function(cx, args, node)
    local out = args[1]
    for i = 2, args.n do
      out = fields.language.apply(cx, fields.language[op], { n = 2, out, args[i] }, node)[1]
    end
    return one(out)
  end
end
overload(math.max, folded("maximum"))
overload(math.min, folded("minimum"))

local function bit_operator(op)
  return function(cx, args)
    local out = args[1]
    for i = 2, args.n do
      out = expr.binary(cx, op, out, args[i])
    end
    return one(out)
  end
end

local has_bit, bit = pcall(require, "bit")
if has_bit then
  overload(bit.band, bit_operator("&"))
  overload(bit.bor, bit_operator("|"))
  overload(bit.bxor, bit_operator("~"))
  overload(bit.lshift, bit_operator("<<"))
  overload(bit.arshift, bit_operator(">>"))
  overload(bit.rshift, function(cx, args) return one(arith.binary(cx, ">>>", args[1], args[2])) end)
  overload(bit.bnot, function(cx, args) return one(arith.unary(cx, "~", args[1])) end)
  overload(bit.tobit, function(_, args) return one(args[1]) end)
end

-- Basic functions ---------------------------------------------------------------------------------

local function message_text(x)
  return type(x) == "string" and x or values.describe(x)
end

special[assert] = function(cx, args, node)
  if values.is_value(args[1]) then
    fields.language.apply(cx, fields.language.device_assert, { n = 2, args[1], args[2] }, node)
    return args
  end
  if not args[1] then
    cx:fail(args.n > 1 and message_text(args[2]) or "assertion failed!", nil, node)
  end
  return args
end

special[error] = function(cx, args, node)
  cx:fail(message_text(args[1]), nil, node)
end

special[print] = function(cx, args)
  require "neso.language.debug".print(cx, args)
  return { n = 0 }
end

special[type] = function(_, args)
  local x = args[1]
  if values.is_value(x) then return one(x.dtype.kind == "bool" and "boolean" or "number") end
  if values.is_pointer(x) then return one("userdata") end
  if values.is_closure(x) then return one("function") end
  return one(type(x))
end

special[tostring] = function(_, args)
  return one(is_runtime(args[1]) and values.describe(args[1]) or tostring(args[1]))
end

special[select] = function(cx, args, node)
  local which = args[1]
  if which == "#" then return one(args.n - 1) end
  if type(which) ~= "number" then
    cx:fail("select takes a number or '#', got " .. values.describe(which), nil, node)
  end
  if which < 0 then which = args.n + which end
  local out = { n = math.max(args.n - which, 0) }
  for i = 1, out.n do
    out[i] = args[which + i]
  end
  return out
end

special[unpack] = function(cx, args, node)
  local t = args[1]
  if type(t) ~= "table" or is_runtime(t) then
    cx:fail("unpack takes a table, got " .. values.describe(t), nil, node)
  end
  local first, last = args[2] or 1, args[3] or #t
  local out = { n = math.max(last - first + 1, 0) }
  for i = first, last do
    out[i - first + 1] = t[i]
  end
  return out
end

special[ipairs] = function(cx, args) return one(sequences.ipairs(cx, args[1])) end
special[pairs] = function(cx, args) return one(sequences.pairs(cx, args[1])) end
special[rawequal] = function(_, args) return one(rawequal(args[1], args[2])) end
special[rawget] = function(cx, args)
  if cx.owned[args[1]] then return one(args[1][args[2]]) end
  return one(fields.read(cx, args[1], args[2]))
end
special[rawset] = function(cx, args)
  if cx.owned[args[1]] and args[2] ~= nil and not is_runtime(args[2]) then
    merge.write(cx, args[1], args[2], args[3])
  else
    fields.write(cx, args[1], args[2], args[3])
  end
  return one(args[1])
end
special[setmetatable] = function(cx, args) return one(aggregates.set(cx, args[1], args[2])) end
special[getmetatable] = function(cx, args) return one(aggregates.class_of(cx, args[1])) end

special[table.insert] = function(cx, args, node)
  local t = args[1]
  if type(t) ~= "table" or not cx.owned[t] then
    cx:fail("table.insert takes a table made in the kernel, got " .. values.describe(t), nil, node)
  end
  if args.n < 3 then
    fields.write(cx, t, #t + 1, args[2])
    return { n = 0 }
  end
  for i = #t, args[2], -1 do
    merge.write(cx, t, i + 1, t[i])
  end
  merge.write(cx, t, args[2], args[3])
  return { n = 0 }
end

special[table.remove] = function(cx, args, node)
  local t = args[1]
  if type(t) ~= "table" or not cx.owned[t] then
    cx:fail("table.remove takes a table made in the kernel, got " .. values.describe(t), nil, node)
  end
  local size = #t
  local at = args[2] or size
  local removed = t[at]
  for i = at, size do
    merge.write(cx, t, i, t[i + 1])
  end
  return one(removed)
end

-- What kernels refuse -----------------------------------------------------------------------------

local function refuse(list, why, hint)
  for name, fn in pairs(list) do
    if type(fn) == "function" then
      special[fn] = function(cx, _, node)
        cx:fail(("'%s' cannot be used in a kernel: %s"):format(name, why), hint, node)
      end
    end
  end
end

refuse({ pcall = pcall, xpcall = xpcall }, "errors of a kernel are found while compiling",
  "call it around the launch")
refuse({ load = load, loadstring = rawget(_G, "loadstring"), dofile = dofile,
  loadfile = loadfile }, "code is not loaded while a kernel is compiled")
refuse(coroutine, "kernels have no coroutines")
refuse(os, "its result would be frozen into the kernel", "call it outside and pass the value")
refuse(io, "kernels do no input or output", "print(...) and tl.device_print print")
refuse({ ["math.random"] = math.random, ["math.randomseed"] = math.randomseed },
  "its result would be frozen into the kernel", "call it outside and pass the value")
refuse({ ["table.sort"] = table.sort }, "it would change a table without the kernel's knowledge")

--- Gives a function of the library a meaning in kernels.
function M.define(fn, run)
  special[fn] = run
end

--- What a function of the host means in a kernel: function(cx, args, node), or nil.
function M.find(fn)
  return special[fn]
end

return M
