--- Printing and checks while the kernel runs.

local addresses = require "neso.frontend.addresses"
local asserts = require "neso.frontend.asserts"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"

local M = {}

local MAX_VALUES = 32
local VALUE = "\1" -- stands for a value in the text of neso.print

local function text_of(x)
  return (tostring(x):gsub("[%z\1]", "?"))
end

-- Blocks get one shape; scalars stay.
local function joined(cx, list)
  local shape = {}
  for _, v in ipairs(list) do shape = convert.common_shape(cx, shape, v.shape, "print") end
  for i, v in ipairs(list) do
    if #v.shape > 0 then list[i] = convert.broadcast(cx, v, shape) end
  end
  return list
end

--- Prints `parts` {n =, ...}: texts and values, in each program.
---@param separators string[] what stands before part i
function M.emit(cx, parts, separators, hex)
  local text, list, names = {}, {}, {}
  for i = 1, parts.n do
    local x = parts[i]
    text[#text + 1] = separators[i]
    if values.is_runtime(x) then
      names[#names + 1] = values.is_pointer(x) and "pointer" or x.dtype.name
      list[#list + 1] = values.is_pointer(x) and addresses.of(cx, x) or x
      text[#text + 1] = VALUE
    else
      if values.is_poison(x) then cx:fail(x.message, x.hint) end
      text[#text + 1] = text_of(x)
    end
  end
  if #list > MAX_VALUES then
    cx:fail(("%d values are printed at once; the limit is %d"):format(#list, MAX_VALUES))
  end
  local operands = {}
  for i, v in ipairs(joined(cx, list)) do operands[i] = v.ssa end
  cx.builder:op("neso.print", operands, {}, { { "text", "s", table.concat(text) },
    { "dtypes", "s", table.concat(names, " ") }, { "hex", "b", hex } })
end

function M.device_print(cx, a)
  if type(a.text) ~= "string" then
    cx:fail("tl.device_print begins with a text, got " .. values.describe(a.text),
      'tl.device_print("x =", x)')
  end
  local separators = { "" }
  for i = 2, a.list.n do separators[i] = " " end
  if a.text == "" or a.text:find("%s$") then separators[2] = "" end
  M.emit(cx, a.list, separators, check.flag(cx, a.hex, "hex", false))
end

--- print(...) of Lua.
function M.print(cx, args)
  local separators = { "" }
  for i = 2, args.n do separators[i] = "\t" end
  M.emit(cx, args, separators, false)
end

local function condition_of(cx, x)
  if x == nil then x = false end
  if not values.is_value(x) and type(x) ~= "boolean" or values.is_value(x)
    and x.dtype ~= dtypes.i1 then
    cx:fail("an assertion takes a condition, got " .. values.describe(x),
      "in Lua every number is true; compare it: x ~= 0")
  end
  return convert.to_value(cx, x)
end

local function message_of(cx, x)
  if x == nil then return "assertion failed" end
  if type(x) ~= "string" then
    cx:fail("the message of an assertion is a text known when compiling, got "
      .. values.describe(x))
  end
  return "assertion failed: " .. x
end

function M.device_assert(cx, a)
  local message = message_of(cx, a.message)
  if a.condition == true then return end
  local condition = condition_of(cx, a.condition)
  if a.mask ~= nil and a.mask ~= true then
    local mask = condition_of(cx, a.mask)
    local shape = convert.common_shape(cx, condition.shape, mask.shape, "mask")
    condition, mask = convert.broadcast(cx, condition, shape), convert.broadcast(cx, mask, shape)
    local off = cx.builder:value("arith.xori",
      { mask.ssa, cx.builder:constant(true, dtypes.i1, shape).ssa }, dtypes.i1, shape)
    condition = cx.builder:value("arith.ori", { condition.ssa, off.ssa }, dtypes.i1, shape)
  end
  asserts.emit(cx, condition, message)
end

return M
