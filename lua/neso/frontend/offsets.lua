--- Pointers: offsets in elements, computed in 64 bits unless the buffer is known to be small.

local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"
local convert = require "neso.frontend.convert"

local M = {}

local same_width = { ["arith.addi"] = true, ["arith.subi"] = true, ["arith.muli"] = true }
local moves = {
  ["tensor.splat"] = true, ["neso.broadcast"] = true, ["neso.expand_dims"] = true,
  ["neso.reshape"] = true, ["neso.trans"] = true,
}

local function shape_of_type(key)
  local shape = {}
  for extent in (key:match("^t:[^:]+:(.*)$") or ""):gmatch("%d+") do
    shape[#shape + 1] = tonumber(extent)
  end
  return shape
end

local widen_ssa

local function extend(cx, ssa, shape, signed)
  return cx.builder:value_after(ssa, signed and "arith.extsi" or "arith.extui", { ssa },
    dtypes.i64, shape)
end

local function rebuild(cx, ssa, shape)
  local def = ssa.def
  local operands = {}
  for i, operand in ipairs(def.operands) do
    operands[i] = widen_ssa(cx, operand, true).ssa
  end
  return cx.builder:value_after(ssa, def.name, operands, dtypes.i64, shape, def.attrs)
end

-- The 32-bit value `ssa` computed in 64 bits: the chain of + - * and of moves that led to it is
-- repeated in i64, so that no intermediate step wraps.
function widen_ssa(cx, ssa, signed)
  local shape = shape_of_type(ssa.type)
  if ssa.constant then
    return cx.builder:constant(ssa.constant, dtypes.i64, shape)
  end
  local memo = signed and "wide" or "wide_unsigned"
  local wide = ssa[memo]
  if wide and not (wide.ssa.def and wide.ssa.def.dead) then return wide end
  local def = ssa.def
  if signed and def and (same_width[def.name] or moves[def.name]) then
    wide = rebuild(cx, ssa, shape)
  elseif def and def.name == "arith.extsi" then
    wide = extend(cx, def.operands[1], shape, true)
  else
    wide = extend(cx, ssa, shape, signed)
  end
  ssa[memo] = wide
  return wide
end

--- The offset as i64, or unchanged where 32 bits are enough.
local function widen(cx, v, small)
  if v.dtype.bits == 64 then return convert.cast(cx, v, dtypes.i64) end
  if small and v.dtype.bits == 32 then return values.value(v.ssa, dtypes.i32, v.shape) end
  if v.dtype.bits < 32 then
    v = convert.cast(cx, v, dtypes.i32)
    if small then return v end
  end
  local wide = widen_ssa(cx, v.ssa, v.dtype.kind ~= "uint")
  return values.value(wide.ssa, dtypes.i64, v.shape)
end

local function check_offset(cx, pointer, x)
  if values.is_value(x) and x.dtype.kind ~= "float" then return end
  if type(x) == "number" and x == math.floor(x) then return end
  cx:fail(("cannot move %s by %s"):format(values.describe(pointer), values.describe(x)),
    "an offset is an integer; it counts elements")
end

--- pointer + x or pointer - x.
function M.advance(cx, pointer, x, op)
  check_offset(cx, pointer, x)
  if x == 0 then return pointer end
  local small = pointer.base.small
  local move
  if type(x) == "number" then
    local fits = small and math.abs(x) < 2 ^ 31
    move = cx.builder:constant(x, fits and dtypes.i32 or dtypes.i64, {})
  else
    move = widen(cx, x, small)
  end
  local offset = pointer.offset
  if not offset then
    if op == "-" then
      local zero = cx.builder:constant(0, move.dtype, move.shape)
      move = cx.builder:value("arith.subi", { zero.ssa, move.ssa }, move.dtype, move.shape)
    end
    return values.pointer(pointer.base, move, pointer.dtype)
  end
  local dtype = (offset.dtype.bits == 64 or move.dtype.bits == 64) and dtypes.i64 or dtypes.i32
  if offset.dtype ~= dtype then offset = widen(cx, offset, false) end
  if move.dtype ~= dtype then move = widen(cx, move, false) end
  local shape = convert.common_shape(cx, offset.shape, move.shape, "add offsets of")
  offset, move = convert.broadcast(cx, offset, shape), convert.broadcast(cx, move, shape)
  local sum = cx.builder:value(op == "-" and "arith.subi" or "arith.addi", { offset.ssa, move.ssa },
    dtype, shape)
  return values.pointer(pointer.base, sum, pointer.dtype)
end

--- Offset of a pointer as a Value (zero where there is none).
function M.offset(cx, pointer)
  return pointer.offset or cx.builder:i32(0)
end

return M
