--- tl.cast (x:to) and tl.bitcast.

local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local values = require "neso.frontend.values"

local M = {}

function M.cast(cx, a)
  local dtype = check.dtype(cx, a.dtype)
  convert.check_operand(cx, a.x, "convert")
  convert.refuse_storage_only(cx, dtype)
  if values.is_value(a.x) then return convert.cast(cx, a.x, dtype) end
  if dtype.kind ~= "float" and type(a.x) == "number" then
    local cut = a.x >= 0 and math.floor(a.x) or math.ceil(a.x)
    return convert.to_value(cx, cut, dtype)
  end
  return convert.to_value(cx, a.x, dtype)
end

M.to = M.cast

function M.bitcast(cx, a)
  local dtype = check.dtype(cx, a.dtype)
  convert.refuse_storage_only(cx, dtype)
  return convert.bitcast(cx, check.value(cx, a.x, "convert"), dtype)
end

return M
