--- Arrays as blocks: places in row-major order, and functions on scalars lifted to arrays.

local ffi = require "ffi"

local M = {}

--- Distances in elements between neighbours along each axis.
---@param shape integer[]
---@return integer[]
function M.strides(shape)
  local strides, step = {}, 1
  for k = #shape, 1, -1 do
    strides[k] = step
    step = step * shape[k]
  end
  return strides
end

--- For every element of `shape` in order: start + its position times `strides`.
---@return ffi.cdata* places int32_t
function M.places(shape, strides, start)
  local count = 1
  for _, extent in ipairs(shape) do count = count * extent end
  local places = ffi.new("int32_t[?]", count)
  places[0] = start
  local filled = 1
  for k = #shape, 1, -1 do
    local stride, inner = strides[k], filled
    for i = 1, shape[k] - 1 do
      for j = 0, inner - 1 do places[filled + j] = places[j] + i * stride end
      filled = filled + inner
    end
  end
  return places
end

--- An axis (from 0) as a loop: how many positions lie outside, along and inside of it.
---@return integer outer, integer length, integer inner
function M.axis(shape, axis)
  local outer, inner = 1, 1
  for k = 1, axis do outer = outer * shape[k] end
  for k = axis + 2, #shape do inner = inner * shape[k] end
  return outer, shape[axis + 1], inner
end

--- Where element `index` (from 0) lies: "{2, 5}".
function M.position_text(shape, index)
  local parts = {}
  for k = #shape, 1, -1 do
    parts[k] = ("%d"):format(index % shape[k])
    index = math.floor(index / shape[k])
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Every pair of operation and types gets a loop of its own, so that LuaJIT compiles each for
-- itself.
local loops = {
  [0] = [[local f, new, n = ...
    return function() return new(n, f()) end]],
  [[local f, new, n = ...
    return function(a)
      local out = new(n)
      for i = 0, n - 1 do out[i] = f(a[i]) end
      return out
    end]],
  [[local f, new, n = ...
    return function(a, b)
      local out = new(n)
      for i = 0, n - 1 do out[i] = f(a[i], b[i]) end
      return out
    end]],
  [[local f, new, n = ...
    return function(a, b, c)
      local out = new(n)
      for i = 0, n - 1 do out[i] = f(a[i], b[i], c[i]) end
      return out
    end]],
}

local made = {} -- key -> { chunk, function on scalars }

--- A function on scalars as a function on arrays of `result.count` entries.
---@param key string tells the operation, its attributes and its elements from others
---@param arity integer
---@param scalar fun(): function gives the function on scalars, once a key
---@param result neso.TileType
function M.lift(key, arity, scalar, result)
  local entry = made[key]
  if not entry then
    entry = { loadstring(loops[arity], "=" .. key), scalar() }
    made[key] = entry
  end
  return entry[1](entry[2], result.element.new, result.count)
end

return M
