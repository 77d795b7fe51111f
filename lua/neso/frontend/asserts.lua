--- Conditions that end the launch when they do not hold.

local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"

local M = {}

-- Whether all elements hold, and the row-major index of the first that does not.
local function all_of(cx, condition)
  local count = values.numel(condition.shape)
  local bits = cx.builder:value("arith.extui", { condition.ssa }, dtypes.i32, condition.shape)
  if #condition.shape > 1 then
    bits = cx.builder:value("neso.reshape", { bits.ssa }, dtypes.i32, { count })
  end
  local key = values.type_key(dtypes.i32, {})
  local least = cx.builder:op("neso.arg_reduce", { bits.ssa }, { key, key },
    { { "axis", "i", key, "0" }, { "kind", "s", "min" }, { "propagate_nan", "b", true } })
  local zero = cx.builder:i32(0)
  local value = values.value(least.results[1], dtypes.i32, {})
  return convert.compare(cx, "arith.cmpi", 1, value, zero), least.results[2]
end

--- The launch ends with the message unless the condition (i1, a scalar or a block) holds.
function M.emit(cx, condition, message)
  local operands, holds, index = {}, condition, nil
  if #condition.shape > 0 then holds, index = all_of(cx, condition) end
  operands[1], operands[2] = holds.ssa, index
  return cx.builder:op("neso.assert", operands, {}, {
    { "message", "s", (message:gsub("%z", "?")) }, { "shape", "a", condition.shape } })
end

return M
