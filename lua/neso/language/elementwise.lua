--- Elementwise functions on floats that a row of the table describes completely.

local dtypes = require("neso.dtype").names
local arith = require "neso.frontend.arith"
local convert = require "neso.frontend.convert"
local promote = require "neso.frontend.promote"
local values = require "neso.frontend.values"

local unpack = table.unpack or unpack

-- dtype in which the operands meet; run-time operands first, literals do not widen them.
local function joined_dtype(cx, list, what)
  local order, dtype = {}, nil
  for _, want_value in ipairs { true, false } do
    for _, x in ipairs(list) do
      if values.is_value(x) == want_value then order[#order + 1] = x end
    end
  end
  for _, x in ipairs(order) do
    convert.check_operand(cx, x, "apply tl." .. what .. " to")
    local own = values.is_value(x) and x.dtype or promote.literal_dtype(x)
    dtype = dtype and promote.common(values.value(nil, dtype, {}), x) or own
  end
  return dtype
end

local function fold(row, list)
  if not row.reference then return nil end
  for _, x in ipairs(list) do
    if type(x) ~= "number" then return nil end
  end
  return row.reference(unpack(list))
end

-- For an angle of the origin x is 1 with its sign, which gives the same: MLIR makes a NaN of
-- atan2 of two zeros that it knows.
local function no_zero(cx, y, x)
  local zero = arith.constant_like(cx, x, 0)
  local origin = arith.emit(cx, "arith.andi", convert.compare(cx, "arith.cmpf", 1, y, zero),
    convert.compare(cx, "arith.cmpf", 1, x, zero))
  local unit = arith.emit(cx, "math.copysign", arith.constant_like(cx, x, 1), x)
  return arith.select(cx, origin, unit, x)
end

return function(cx, op, a)
  local row = op.row
  local list = {}
  for i, param in ipairs(op.params) do
    list[i] = a[param.name]
  end
  local known = fold(row, list)
  if known then return known end
  local dtype = joined_dtype(cx, list, op.name)
  if dtype.kind ~= "float" then
    if row.keep_integers then return convert.to_value(cx, list[1]) end
    dtype = dtypes.f32
  end
  local narrow = (dtype.bits == 8 or dtype.bits == 16 and not row.direct) and dtype
  local compute = narrow and dtypes.f32 or dtype
  local shape = {}
  for _, x in ipairs(list) do
    shape = convert.common_shape(cx, shape, values.shape_of(x))
  end
  local ready, ssas = {}, {}
  for i, x in ipairs(list) do
    x = convert.cast(cx, convert.to_value(cx, x, dtype, {}), dtype)
    ready[i] = convert.broadcast(cx, convert.cast(cx, x, compute), shape)
  end
  if row.op == "math.atan2" then ready[2] = no_zero(cx, ready[1], ready[2]) end
  for i, x in ipairs(ready) do ssas[i] = x.ssa end
  local result = cx.builder:value(row.op, ssas, compute, shape)
  return narrow and convert.cast(cx, result, narrow) or result
end
