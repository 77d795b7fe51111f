--- Assembly and functions of other languages.

local addresses = require "neso.frontend.addresses"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local dtype_of = require "neso.dtype"
local promote = require "neso.frontend.promote"
local values = require "neso.frontend.values"

local dtypes = dtype_of.names
local describe = values.describe

local M = {}

-- All of one shape.
local function together(cx, list, what)
  local shape = {}
  for _, v in ipairs(list) do shape = convert.common_shape(cx, shape, v.shape, what) end
  for i, v in ipairs(list) do list[i] = convert.broadcast(cx, v, shape) end
  return list, shape
end

local function ssa_of(list)
  local out = {}
  for i, v in ipairs(list) do out[i] = v.ssa end
  return out
end

-- Assembly ------------------------------------------------------------------------------------

-- One text, or "\1target\2text" for each.
local function assembly(cx, x)
  if type(x) == "string" then return x end
  if type(x) ~= "table" or values.is_runtime(x) then
    cx:fail("asm is a text, or a table of texts by target, got " .. describe(x))
  end
  local targets = {}
  for target, text in pairs(x) do
    if type(target) ~= "string" or type(text) ~= "string" then
      cx:fail("asm is a text, or a table of texts by target", '{ x86_64 = "...", nvidia = "..." }')
    end
    targets[#targets + 1] = target
  end
  table.sort(targets)
  for i, target in ipairs(targets) do targets[i] = "\1" .. target .. "\2" .. x[target] end
  return table.concat(targets)
end

local function list_of(x)
  return type(x) == "table" and getmetatable(x) == nil and x or { x }
end

local function check_dtype(cx, dtype)
  if dtype.kind == "bool" then
    cx:fail("tl.inline_asm_elementwise does not take i1", "convert it with :to(tl.i8)")
  end
  return dtype
end

local function asm_inputs(cx, x)
  local list = {}
  for i, v in ipairs(list_of(x)) do
    list[i] = check.value(cx, v, "give assembly")
    check_dtype(cx, list[i].dtype)
  end
  return together(cx, list, "give assembly")
end

local function check_pack(cx, pack, shape, of)
  if pack ~= 1 and pack ~= 2 and pack ~= 4 then
    cx:fail(("pack is 1, 2 or 4, got %d"):format(pack))
  end
  if pack > 1 and (#shape == 0 or shape[#shape] % pack ~= 0) then
    cx:fail(("pack = %d does not divide the last extent of shape %s"):format(pack,
      values.shape_text(shape)))
  end
  for _, dtype in ipairs(of) do
    if dtype.bits * pack > 32 and dtype.bits * pack % 32 ~= 0 then
      cx:fail(("%d elements of %s fill no whole registers"):format(pack, dtype.name))
    end
  end
end

function M.inline_asm_elementwise(cx, a)
  local inputs, shape = asm_inputs(cx, a.args == nil and {} or a.args)
  local pack = check.integer(cx, a.pack or 1, "pack")
  local out, keys, of = {}, {}, {}
  for i, x in ipairs(list_of(a.dtype)) do
    out[i] = check_dtype(cx, check.dtype(cx, x))
    keys[i] = values.type_key(out[i], shape)
  end
  if #out == 0 then cx:fail("tl.inline_asm_elementwise needs the dtype of its result") end
  for _, v in ipairs(inputs) do of[#of + 1] = v.dtype end
  for _, dtype in ipairs(out) do of[#of + 1] = dtype end
  check_pack(cx, pack, shape, of)
  if type(a.constraints) ~= "string" then
    cx:fail("constraints is a text such as \"=r,r\", got " .. describe(a.constraints))
  end
  local name = check.flag(cx, a.pure, "pure", false) and "neso.asm_pure" or "neso.asm"
  local op = cx.builder:op(name, ssa_of(inputs), keys, { { "text", "s", assembly(cx, a.asm) },
    { "constraints", "s", a.constraints }, { "pack", "i", "t:i32", tostring(pack) } })
  local results = {}
  for i, dtype in ipairs(out) do results[i] = values.value(op.results[i], dtype, shape) end
  return (table.unpack or unpack)(results)
end

-- Functions -----------------------------------------------------------------------------------

local function bad_argument(cx, f, i, wanted, x)
  cx:fail(("argument %d of '%s' is %s, got %s"):format(i, f.name, wanted, describe(x)),
    "convert it with :to(...)")
end

-- C's callers widen small integers.
local function carrier(dtype)
  if dtype.kind ~= "float" and dtype.bits < 32 then
    return dtype.kind == "int" and dtypes.i32 or dtypes.u32
  end
  return dtype
end

local function argument(cx, f, i, x)
  local wanted = f.args[i]
  if dtype_of.is_pointer_type(wanted) then
    if not values.is_pointer(x) or x.dtype ~= wanted.dtype then
      bad_argument(cx, f, i, tostring(wanted), x)
    end
    return addresses.of(cx, x)
  end
  convert.check_operand(cx, x, "call a function with")
  if values.is_value(x) and x.dtype ~= wanted and promote.common(x, values.value({}, wanted, {}))
    ~= wanted then
    bad_argument(cx, f, i, wanted.name, x)
  end
  local v = convert.cast(cx, convert.to_value(cx, x, wanted), wanted)
  return convert.cast(cx, v, carrier(wanted))
end

local function result_of(cx, f, op, shape)
  local v = values.value(op.results[1], carrier(f.result), shape)
  if f.result.kind ~= "bool" then return convert.cast(cx, v, f.result) end
  return convert.cast(cx, convert.cast(cx, v, dtypes.u8), f.result)
end

--- f(...) for a neso.extern.
function M.call(cx, f, args)
  if args.n ~= #f.args then
    cx:fail(("'%s' takes %d arguments, got %d"):format(f.name, #f.args, args.n))
  end
  local list = {}
  for i = 1, args.n do list[i] = argument(cx, f, i, args[i]) end
  local inputs, shape = together(cx, list, "call a function with")
  local op = cx.builder:op(f.pure and "neso.extern_pure" or "neso.extern", ssa_of(inputs),
    { values.type_key(carrier(f.result), shape) },
    { { "symbol", "s", f.name }, { "library", "s", f.library } })
  return { n = 1, result_of(cx, f, op, shape) }
end

return M
