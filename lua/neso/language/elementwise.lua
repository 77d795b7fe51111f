--- Elementwise functions on floats that a row of the table describes completely.

local dtypes = require("neso.dtype").names
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
  local ssas = {}
  for i, x in ipairs(list) do
    x = convert.cast(cx, convert.to_value(cx, x, dtype, {}), dtype)
    ssas[i] = convert.broadcast(cx, convert.cast(cx, x, compute), shape).ssa
  end
  local result = cx.builder:value(row.op, ssas, compute, shape)
  return narrow and convert.cast(cx, result, narrow) or result
end
