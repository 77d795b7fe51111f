--- tl.cast (x:to), tl.bitcast and pointer types.

local addresses = require "neso.frontend.addresses"
local check = require "neso.language.check"
local checked = require "neso.frontend.checked"
local convert = require "neso.frontend.convert"
local dtype_of = require "neso.dtype"
local rounding = require "neso.frontend.rounding"
local values = require "neso.frontend.values"

local M = {}

function M.pointer_type(cx, a)
  return dtype_of.pointer(check.dtype(cx, a.dtype), check.flag(cx, a.const, "const", false))
end

local function with_options(cx, x, dtype, a)
  local saturate = check.flag(cx, a.saturate, "saturate", false)
  local mode = check.choice(cx, a.rounding, "rounding", { "rtne", "rtz" }, "rtne")
  if mode == "rtne" then
    if saturate then return rounding.saturate(cx, x, dtype) end
    checked.conversion(cx, x, dtype)
    return convert.cast(cx, x, dtype)
  end
  if x.dtype.kind ~= "float" or dtype.kind ~= "float" or x.dtype.bits <= dtype.bits then
    cx:fail(("rounding = \"rtz\" is for floats that become narrower floats, not %s to %s"):format(
      x.dtype.name, dtype.name))
  end
  if saturate then x = rounding.clamp(cx, x, dtype) end
  return rounding.toward_zero(cx, x, dtype)
end

function M.cast(cx, a)
  if values.is_pointer(a.x) or dtype_of.is_pointer_type(a.dtype) then
    return addresses.cast(cx, a.x, a.dtype)
  end
  local dtype = check.dtype(cx, a.dtype)
  convert.check_operand(cx, a.x, "convert")
  if values.is_value(a.x) then return with_options(cx, a.x, dtype, a) end
  if dtype.kind ~= "float" and type(a.x) == "number" then
    local cut = a.x >= 0 and math.floor(a.x) or math.ceil(a.x)
    return convert.to_value(cx, cut, dtype)
  end
  return convert.to_value(cx, a.x, dtype)
end

M.to = M.cast

function M.bitcast(cx, a)
  local dtype = check.dtype(cx, a.dtype)
  return convert.bitcast(cx, check.value(cx, a.x, "convert"), dtype)
end

return M
