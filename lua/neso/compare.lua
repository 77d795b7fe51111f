--- Comparisons of tensors.
local core = require "neso.shell"

local M = {}

local function check(a, b, what)
  if not core.is_tensor(a) or not core.is_tensor(b) then
    error(what .. ": expected two tensors", 3)
  end
end

local function same_shape(a, b)
  if a.ndim ~= b.ndim then return false end
  local x, y = a.shape, b.shape
  for d = 1, #x do
    if x[d] ~= y[d] then return false end
  end
  return true
end

-- 0-based indices of row-major element `number`.
local function indices(shape, number)
  local list = {}
  for d = #shape, 1, -1 do
    list[d] = number % shape[d]
    number = math.floor(number / shape[d])
  end
  return list
end

local function describe(a, b, count, first)
  local at = indices(a.shape, first)
  local unpack = rawget(table, "unpack") or unpack
  return ("%d of %d elements differ; first at [%s]: %s and %s"):format(count, a.numel,
    table.concat(at, ", "), tostring(a:get(unpack(at))), tostring(b:get(unpack(at))))
end

--- |a - b| <= atol + rtol * |b| for every element. rtol defaults to 1e-5, atol to 1e-8.
--- Gives the reason when they are not close.
---@param options table|nil { rtol =, atol =, equal_nan = }
---@return boolean, string|nil
function M.allclose(a, b, options)
  check(a, b, "allclose")
  options = options or {}
  if not same_shape(a, b) then
    return false, ("shapes {%s} and {%s} differ"):format(table.concat(a.shape, ", "),
      table.concat(b.shape, ", "))
  end
  local rtol, atol = options.rtol or 1e-5, options.atol or 1e-8
  local count, first = core.compare(a, b, rtol, atol, options.equal_nan or false)
  if count == 0 then return true end
  return false, describe(a, b, count, first)
end

--- Same shape and equal elements; the reason when they are not.
---@return boolean, string|nil
function M.equal(a, b)
  check(a, b, "equal")
  if not same_shape(a, b) then return false, "the shapes differ" end
  local count, first = core.compare(a, b, nil, 0, false)
  if count == 0 then return true end
  return false, describe(a, b, count, first)
end

--- Largest |a - b|.
---@return number
function M.max_abs_diff(a, b)
  check(a, b, "max_abs_diff")
  local _, _, largest = core.compare(a, b, nil, 0, true)
  return largest
end

return M
