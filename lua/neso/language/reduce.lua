--- Reductions along an axis, or of a whole block.

local dtypes = require("neso.dtype").names
local arith = require "neso.frontend.arith"
local builder = require "neso.frontend.builder"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local ordered = require "neso.language.ordered"
local regions = require "neso.language.regions"
local values = require "neso.frontend.values"

local M = {}

local unpack = table.unpack or unpack

local function flat(cx, x)
  if #x.shape == 1 then return x end
  return cx.builder:value("neso.reshape", { x.ssa }, x.dtype, { values.numel(x.shape) })
end

-- The block to reduce, its axis, and the shape of the result; a scalar counts as a block {1}.
local function prepare(cx, x, axis, keep_dims)
  if #x.shape == 0 then x = convert.broadcast(cx, x, { 1 }) end
  local kept = {}
  if axis == nil then
    for k = 1, #x.shape do
      kept[k] = 1
    end
    return flat(cx, x), 0, {}, keep_dims and kept
  end
  axis = check.axis(cx, axis, #x.shape)
  local shape = {}
  for k, extent in ipairs(x.shape) do
    kept[k] = k - 1 == axis and 1 or extent
    if k - 1 ~= axis then shape[#shape + 1] = extent end
  end
  return x, axis, shape, keep_dims and kept
end

local function keep(cx, v, kept)
  if not kept then return v end
  if #v.shape == 0 then return convert.broadcast(cx, v, kept) end
  return cx.builder:value("neso.reshape", { v.ssa }, v.dtype, kept)
end

local function reduce(cx, a, x, kind)
  local block, axis, shape, kept = prepare(cx, x, a.axis,
    check.flag(cx, a.keep_dims, "keep_dims", false))
  local v = cx.builder:value("neso.reduce", { block.ssa }, x.dtype, shape,
    { builder.axis(axis), { "kind", "s", kind } })
  return keep(cx, v, kept)
end

-- Integers below 32 bits and booleans accumulate in 32.
local function accumulator(cx, x, dtype)
  if dtype then return convert.cast(cx, x, dtype) end
  if x.dtype.kind == "float" or x.dtype.bits >= 32 then return x end
  return convert.cast(cx, x, x.dtype.kind == "uint" and dtypes.u32 or dtypes.i32)
end

local function accumulate(kind)
  return function(cx, a)
    local x = accumulator(cx, check.value(cx, a.x, "reduce"), check.dtype(cx, a.dtype))
    return arith.through_f32(cx, x, function(wide) return reduce(cx, a, wide, kind) end)
  end
end

M.sum, M.prod = accumulate "sum", accumulate "prod"

local function extreme_kind(which, dtype, propagate_nan)
  if dtype.kind == "float" then return propagate_nan and which or which .. "num" end
  if dtype.kind == "bool" then return which == "max" and "or" or "and" end
  return dtype.kind == "uint" and "u" .. which or which
end

local function arg_reduce(cx, a, which)
  local x = check.value(cx, a.x, "reduce")
  local propagate = check.flag(cx, a.propagate_nan, "propagate_nan", true)
  local signed = ordered.signed(cx, x)
  local block, axis, shape, kept = prepare(cx, signed, a.axis,
    check.flag(cx, a.keep_dims, "keep_dims", false))
  local types = { values.type_key(signed.dtype, shape), values.type_key(dtypes.i32, shape) }
  local op = cx.builder:op("neso.arg_reduce", { block.ssa }, types, { builder.axis(axis),
    { "kind", "s", which }, { "propagate_nan", "b", propagate } })
  return keep(cx, values.value(op.results[2], dtypes.i32, shape), kept)
end

local function extreme(which)
  return function(cx, a)
    local x = check.value(cx, a.x, "reduce")
    local propagate = check.flag(cx, a.propagate_nan, "propagate_nan", true)
    local value = arith.through_f32(cx, x, function(wide)
      return reduce(cx, a, wide, extreme_kind(which, wide.dtype, propagate))
    end)
    if check.flag(cx, a.return_indices, "return_indices", false) then
      return value, arg_reduce(cx, a, which)
    end
    return value
  end
end

M.max, M.min = extreme "max", extreme "min"

function M.argmax(cx, a) return arg_reduce(cx, a, "max") end

function M.argmin(cx, a) return arg_reduce(cx, a, "min") end

local function logical(kind)
  return function(cx, a)
    local x = check.value(cx, a.x, "reduce")
    return reduce(cx, a, convert.cast(cx, x, dtypes.i1), kind)
  end
end

M.any, M.all = logical "or", logical "and"

function M.xor_sum(cx, a)
  local x = check.value(cx, a.x, "reduce")
  if x.dtype.kind == "float" then
    cx:fail("tl.xor_sum takes integers, got " .. values.describe(x))
  end
  return reduce(cx, a, x, "xor")
end

function M.reduce(cx, a, node)
  local blocks = regions.blocks(cx, a.x, "reduce")
  local fn = regions.caller(cx, a.fn, "reduce", node)
  local keep_dims = check.flag(cx, a.keep_dims, "keep_dims", false)
  local axis, shape, kept
  for i, x in ipairs(blocks) do
    blocks[i], axis, shape, kept = prepare(cx, x, a.axis, keep_dims)
  end
  local out = regions.combine(cx, "neso.fold", blocks, shape, { builder.axis(axis) }, "reduce", fn)
  for i, v in ipairs(out) do out[i] = keep(cx, v, kept) end
  return unpack(out)
end

return M
