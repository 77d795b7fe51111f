--- Scans: every element combined with those before it along an axis.

local arith = require "neso.frontend.arith"
local builder = require "neso.frontend.builder"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local expr = require "neso.frontend.expr"
local math_of = require "neso.language.math"
local regions = require "neso.language.regions"
local values = require "neso.frontend.values"

local M = {}

local unpack = table.unpack or unpack

local function scan(cx, blocks, a, name, fn)
  local axis = check.axis(cx, a.axis or 0, #blocks[1].shape)
  local attrs = { builder.axis(axis),
    { "reverse", "b", check.flag(cx, a.reverse, "reverse", false) } }
  return regions.combine(cx, "neso.scan", blocks, blocks[1].shape, attrs, name, fn)
end

function M.associative_scan(cx, a, node)
  local blocks = regions.blocks(cx, a.x, "associative_scan")
  return unpack(scan(cx, blocks, a, "associative_scan",
    regions.caller(cx, a.fn, "associative_scan", node)))
end

-- The dtype in which prefixes of x accumulate, and the dtype of the result.
local function accumulator(cx, x, given)
  local dtype = check.dtype(cx, given)
  if not dtype then
    dtype = x.dtype
    if dtype.kind ~= "float" and dtype.bits < 32 then
      dtype = dtype.kind == "uint" and dtypes.u32 or dtypes.i32
    end
  end
  if dtype.kind == "float" and dtype.bits < 32 then return dtypes.f32, dtype end
  return dtype, dtype
end

local function accumulate(name, op)
  return function(cx, a)
    local x = regions.blocks(cx, a.x, name)[1]
    local wide, dtype = accumulator(cx, x, a.dtype)
    local out = scan(cx, { convert.cast(cx, x, wide) }, a, name, function(args)
      return { n = 1, expr.binary(cx, op, args[1], args[2]) }
    end)
    return convert.cast(cx, out[1], dtype)
  end
end

M.cumsum, M.cumprod = accumulate("cumsum", "+"), accumulate("cumprod", "*")

local function extreme(name, better)
  return function(cx, a)
    local x = regions.blocks(cx, a.x, name)[1]
    local propagate = check.flag(cx, a.propagate_nan, "propagate_nan", true)
    return arith.through_f32(cx, x, function(wide)
      return scan(cx, { wide }, a, name, function(args)
        return { n = 1, math_of[better](cx, { x = args[1], y = args[2],
          propagate_nan = propagate }) }
      end)[1]
    end)
  end
end

M.cummax, M.cummin = extreme("cummax", "maximum"), extreme("cummin", "minimum")

function M.map_elementwise(cx, a, node)
  local fn = regions.caller(cx, a.list[1], "map_elementwise", node)
  local list, scalars = { unpack(a.list, 2, a.list.n) }, true
  for i = 1, #list do scalars = scalars and #values.shape_of(list[i]) == 0 end
  if scalars then return unpack(fn({ n = #list, unpack(list) })) end
  local blocks = regions.blocks(cx, list, "map_elementwise")
  local kinds, operands = {}, {}
  for i, x in ipairs(blocks) do kinds[i], operands[i] = x.dtype, x.ssa end
  local region, found = regions.build(cx, kinds, nil, "map_elementwise", fn)
  local types, out = {}, {}
  for i, dtype in ipairs(found) do types[i] = values.type_key(dtype, blocks[1].shape) end
  local op = cx.builder:op("neso.map", operands, types, {}, { region })
  for i, dtype in ipairs(found) do
    out[i] = values.value(op.results[i], dtype, blocks[1].shape)
  end
  return unpack(out)
end

return M
