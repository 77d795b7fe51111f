-- Sorting and counting.
local blocks = require "neso.interpreter.blocks"
local ffi = require "ffi"

-- Whether b must stand before a. NaN is greater than all, -0 equals +0, integers have a sign.
local function before(is_float, descending)
  local function less(a, b)
    if is_float and (a ~= a or b ~= b) then return a == a end
    return a < b
  end
  return function(b, a)
    if is_float and a ~= a and b ~= b then return false end
    if descending then return less(a, b) end
    return less(b, a)
  end
end

-- Runs of `width` in `from` merged into `to`; of equals the left one comes first.
local function merge(from, to, count, width, goes_first, key)
  for start = 0, count - 1, 2 * width do
    local left, middle = start, math.min(start + width, count)
    local right, stop = middle, math.min(start + 2 * width, count)
    for at = start, stop - 1 do
      local take_right = left >= middle
        or right < stop and goes_first(key(from[right]), key(from[left]))
      if take_right then
        to[at], right = from[right], right + 1
      else
        to[at], left = from[left], left + 1
      end
    end
  end
end

-- Positions 0 to count - 1 in the order of their keys.
local function sorted(count, goes_first, key)
  local a, b = ffi.new("int32_t[?]", count), ffi.new("int32_t[?]", count)
  for i = 0, count - 1 do a[i] = i end
  local width = 1
  while width < count do
    merge(a, b, count, width, goes_first, key)
    a, b, width = b, a, 2 * width
  end
  return a
end

local function sort(op)
  local type_of = op.operands[1]
  local outer, length, inner = blocks.axis(type_of.shape, op.attributes.axis)
  local goes_first = before(type_of.element.is_float, op.attributes.descending)
  return function(...)
    local from, to = { ... }, {}
    for n, x in ipairs(op.results) do to[n] = x.element.new(x.count) end
    local keys = from[1]
    for line = 0, outer * inner - 1 do
      local start = math.floor(line / inner) * length * inner + line % inner
      local places = sorted(length, goes_first, function(i) return keys[start + i * inner] end)
      for n, out in ipairs(to) do
        local x = from[n]
        for i = 0, length - 1 do out[start + i * inner] = x[start + places[i] * inner] end
      end
    end
    return unpack(to)
  end
end

-- What is outside of the bins or masked off is not counted.
local function histogram(op)
  local from, to = op.operands[1], op.results[1]
  return function(x, mask)
    local out = to.element.new(to.count)
    for i = 0, from.count - 1 do
      local bin = x[i]
      if bin >= 0 and bin < to.count and (not mask or mask[i] ~= 0) then
        out[tonumber(bin)] = out[tonumber(bin)] + 1
      end
    end
    return out
  end
end

return {
  ["neso.sort"] = { block = sort },
  ["neso.histogram"] = { block = histogram },
}
