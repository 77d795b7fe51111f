--- Calls of tl functions: arguments by position or by name, then the builder of the function.
--
-- A last argument that is a table with named fields gives arguments by name; its positional part,
-- and a table that is the only argument, stand for positional ones (or for the shape).

local suggest = require "neso.suggest"
local values = require "neso.frontend.values"
local elementwise = require "neso.language.elementwise"

local unpack = table.unpack or unpack

local function pack(...)
  return { n = select("#", ...), ... }
end
local function is_plain_table(x)
  return type(x) == "table" and getmetatable(x) == nil
end

local function named_part(x)
  if not is_plain_table(x) then return false end
  for key in pairs(x) do
    if type(key) == "string" then return true end
  end
  return false
end

local function signature(op)
  local names = {}
  for i, param in ipairs(op.params) do
    names[i] = param.optional and "[" .. param.name .. "]" or param.name
  end
  if op.params.variadic then names[#names + 1] = "..." end
  return ("tl.%s(%s)"):format(op.name, table.concat(names, ", "))
end

local function array_part(x)
  local out = { n = #x }
  for i = 1, #x do
    out[i] = x[i]
  end
  return out
end

-- Splits the arguments into positional ones and a table of named ones.
local function split(op, args)
  local last = args[args.n]
  local named = nil
  local list = { n = args.n, unpack(args, 1, args.n) }
  local extra
  if named_part(last) then
    named, extra = last, array_part(last)
    list.n = list.n - 1
    list[args.n] = nil
  elseif args.n == 1 and is_plain_table(last) then
    local first = op.params[1]
    if first and first.name ~= "shape" then
      list, extra = { n = 0 }, array_part(last)
    end
  end
  if extra and extra.n > 0 then
    local next_param = op.params[list.n + 1]
    if next_param and next_param.name == "shape" then
      list.n = list.n + 1
      extra.n = nil
      list[list.n] = extra
    else
      for i = 1, extra.n do
        list[list.n + i] = extra[i]
      end
      list.n = list.n + extra.n
    end
  end
  return list, named
end

-- A shape given as plain numbers: takes the numbers from position i on.
local function take_shape(list, i)
  local shape = {}
  while type(list[i]) == "number" and i <= list.n do
    shape[#shape + 1] = list[i]
    i = i + 1
  end
  return shape, i
end

local function set_named(cx, op, out, named)
  local known = {}
  for _, param in ipairs(op.params) do
    known[param.name] = true
  end
  local keys = suggest.keys(named)
  for _, key in ipairs(keys) do
    if not known[key] then
      local nearest = suggest.closest(key, suggest.keys(known))
      cx:fail(("tl.%s has no parameter '%s'"):format(op.name, key),
        nearest and ("did you mean '%s'?"):format(nearest) or signature(op))
    end
    out[key] = named[key]
  end
end

local function bind(cx, op, args)
  local list, named = split(op, args)
  local out, at = {}, 1
  for _, param in ipairs(op.params) do
    if param.name == "shape" and type(list[at]) == "number" then
      out.shape, at = take_shape(list, at)
    elseif not param.named then
      out[param.name] = list[at]
      at = at + 1
    end
  end
  if op.params.variadic then
    out.list = list
  elseif at <= list.n then
    cx:fail(("tl.%s takes at most %d arguments, got %d"):format(op.name, #op.params, list.n),
      signature(op))
  end
  if named then set_named(cx, op, out, named) end
  for _, param in ipairs(op.params) do
    local value = out[param.name]
    if value == nil and not param.optional then
      cx:fail(("tl.%s needs '%s', got nil"):format(op.name, param.name), signature(op))
    end
    if values.is_poison(value) then cx:fail(value.message, value.hint) end
  end
  return out
end

-- The reference of a library function on numbers known when compiling, else nil.
local function known(op, a)
  local list = {}
  for i, param in ipairs(op.params) do
    list[i] = a[param.name]
    if type(list[i]) ~= "number" then return nil end
  end
  return op.row.reference and op.row.reference(unpack(list))
end

local function library(cx, op, a, node)
  local number = known(op, a)
  if number ~= nil then return { n = 1, number } end
  local standard = require "neso.language.standard"
  local call = require "neso.frontend.call"
  local args = { n = #op.params }
  for i, param in ipairs(op.params) do
    args[i] = a[param.name]
  end
  return call.apply(cx, standard[op.name], args, node)
end

return function(cx, op, args, node)
  local a = bind(cx, op, args)
  if op.row.library then return library(cx, op, a, node) end
  if op.row.kind then return { n = 1, elementwise(cx, op, a) } end
  local build = require("neso.language." .. op.row.group)[op.name]
  local results = pack(build(cx, a, node))
  if results.n == 0 then results.n = 1 end
  return results
end
