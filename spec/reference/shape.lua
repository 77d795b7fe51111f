-- Creation and shape: elements move, nothing is computed.
local blocks = require "neso.interpreter.blocks"
local ffi = require "ffi"

local function constant(op)
  local to = op.results[1]
  local out, value = to.element.new(to.count), op.attributes.value
  for i = 0, to.count - 1 do out[i] = value end
  return function() return out end
end

local function arange(op)
  local to = op.results[1]
  local out = to.element.new(to.count)
  for i = 0, to.count - 1 do out[i] = op.attributes.start + i end
  return function() return out end
end

local function splat(op)
  local to = op.results[1]
  return function(x) return to.element.new(to.count, x[0]) end
end

-- The elements at fixed places.
local function picking(to, places)
  local new, count = to.element.new, to.count
  return function(x)
    local out = new(count)
    for i = 0, count - 1 do out[i] = x[places[i]] end
    return out
  end
end

local function same(op)
  assert(op.operands[1].count == op.results[1].count)
  return function(x) return x end
end

local function broadcast(op)
  local from, to = op.operands[1], op.results[1]
  local strides = blocks.strides(from.shape)
  for k, extent in ipairs(from.shape) do
    if extent == 1 then strides[k] = 0 end
  end
  return picking(to, blocks.places(to.shape, strides, 0))
end

local function trans(op)
  local from, strides = blocks.strides(op.operands[1].shape), {}
  for k, axis in ipairs(op.attributes.order) do strides[k] = from[axis + 1] end
  return picking(op.results[1], blocks.places(op.results[1].shape, strides, 0))
end

-- Element i is element start + i * step, by axis.
local function slice(op)
  local strides, first = blocks.strides(op.operands[1].shape), 0
  for k, stride in ipairs(strides) do
    first = first + op.attributes.start[k] * stride
    strides[k] = stride * op.attributes.step[k]
  end
  return picking(op.results[1], blocks.places(op.results[1].shape, strides, first))
end

local function cat(op)
  local to, axis = op.results[1], op.attributes.axis
  local outer, left, inner = blocks.axis(op.operands[1].shape, axis)
  local _, right = blocks.axis(op.operands[2].shape, axis)
  local a_run, b_run = left * inner, right * inner
  return function(a, b)
    local out = to.element.new(to.count)
    for o = 0, outer - 1 do
      local at = o * (a_run + b_run)
      ffi.copy(out + at, a + o * a_run, 8 * a_run)
      ffi.copy(out + (at + a_run), b + o * b_run, 8 * b_run)
    end
    return out
  end
end

-- Elements at `index` along the axis; 0 where it is outside.
local function gather(op)
  local to, axis = op.results[1], op.attributes.axis
  local _, extent = blocks.axis(op.operands[1].shape, axis)
  local outer, length, inner = blocks.axis(to.shape, axis)
  return function(x, index)
    local out = to.element.new(to.count)
    for o = 0, outer - 1 do
      for i = 0, length * inner - 1 do
        local k = index[o * length * inner + i]
        if k >= 0 and k < extent then
          out[o * length * inner + i] = x[(o * extent + tonumber(k)) * inner + i % inner]
        end
      end
    end
    return out
  end
end

return {
  ["arith.constant"] = { block = constant },
  ["neso.arange"] = { block = arange },
  ["tensor.splat"] = { block = splat },
  ["neso.broadcast"] = { block = broadcast },
  ["neso.expand_dims"] = { block = same },
  ["neso.reshape"] = { block = same },
  ["neso.trans"] = { block = trans },
  ["neso.slice"] = { block = slice },
  ["neso.cat"] = { block = cat },
  ["neso.gather"] = { block = gather },
}
