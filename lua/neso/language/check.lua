--- Checks of arguments that several functions of the language share.

local dtype = require "neso.dtype"
local convert = require "neso.frontend.convert"
local promote = require "neso.frontend.promote"
local values = require "neso.frontend.values"

local M = {}

--- A dtype argument; `default` where it is left out.
function M.dtype(cx, x, default)
  if x == nil then return default end
  local found = dtype.find(x)
  if not found then
    cx:fail("expected a dtype such as tl.f32, got " .. values.describe(x))
  end
  return found
end

--- A shape argument: a table of positive integers known when compiling, or a plain number.
function M.shape(cx, x)
  if type(x) == "number" then x = { x } end
  if type(x) ~= "table" or values.is_runtime(x) then
    cx:fail("expected a shape such as {16, 32}, got " .. values.describe(x))
  end
  local shape = {}
  for i = 1, #x do
    if x[i] == nil or values.is_runtime(x[i]) then
      cx:fail(("extent %d of a shape must be known when compiling, got %s"):format(i - 1,
        values.describe(x[i])), x[i] and "parameters in CAPITALS are known when compiling")
    end
    shape[i] = x[i]
  end
  return convert.check_shape(cx, shape)
end

--- An integer known when compiling.
function M.integer(cx, x, what)
  if type(x) == "number" and promote.is_integral(x) then return math.floor(x) end
  local hint
  if values.is_runtime(x) then hint = "parameters in CAPITALS are known when compiling" end
  cx:fail(("%s must be an integer known when compiling, got %s"):format(what, values.describe(x)),
    hint)
end

--- A flag known when compiling.
function M.flag(cx, x, what, default)
  if x == nil then return default end
  if type(x) == "boolean" then return x end
  cx:fail(("%s must be true or false, got %s"):format(what, values.describe(x)))
end

--- A run-time value or a number, as a Value.
function M.value(cx, x, what)
  convert.check_operand(cx, x, what)
  return convert.to_value(cx, x)
end

--- A block; `takes` begins the message, as in "tl.sort takes a block".
function M.block(cx, x, takes)
  if values.is_value(x) and #x.shape > 0 then return x end
  cx:fail(("%s, got %s"):format(takes, values.describe(x)), values.is_pointer(x)
    and "read what it points to with tl.load" or "tl.full makes a block of one value")
end

--- An axis of a block of the rank, negative ones counted from the end.
function M.axis(cx, axis, rank)
  axis = M.integer(cx, axis, "an axis")
  local at = axis < 0 and axis + rank or axis
  if at < 0 or at >= rank then
    cx:fail(("axis %d is outside of a block of rank %d"):format(axis, rank),
      "axes count from 0; -1 is the last")
  end
  return at
end

--- One of a list of strings.
function M.choice(cx, x, what, allowed, default)
  if x == nil then return default end
  for _, item in ipairs(allowed) do
    if x == item then return x end
  end
  cx:fail(("%s must be one of '%s', got %s"):format(what, table.concat(allowed, "', '"),
    values.describe(x)))
end

return M
