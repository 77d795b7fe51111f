-- Operations with regions. A region is a function from its arguments to what its terminator
-- carries.
local blocks = require "neso.interpreter.blocks"
local ffi = require "ffi"

local function branch(op)
  local taken, other = op.regions[1], op.regions[2]
  return function(condition)
    if condition[0] ~= 0 then return taken() end
    return other()
  end
end

local int64 = ffi.typeof "int64_t[1]"

-- lower <= i < upper; the values carried around come behind.
local function counted(op)
  local body = op.regions[1]
  local carried = #op.results
  return function(lower, upper, step, ...)
    local state = { ... }
    local i, last, by = lower[0], upper[0], step[0]
    while i < last and by > 0 do
      state = { body(int64(i), unpack(state, 1, carried)) }
      if last - i <= by then break end
      i = i + by
    end
    return unpack(state, 1, carried)
  end
end

local function while_loop(op)
  local head, body = op.regions[1], op.regions[2]
  local carried = #op.results
  local inside = #op.operands
  return function(...)
    local state = { ... }
    while true do
      local found = { head(unpack(state, 1, inside)) }
      if found[1][0] == 0 then return unpack(found, 2, carried + 1) end
      state = { body(unpack(found, 2, carried + 1)) }
    end
  end
end

-- One element of an array as a scalar.
local function scalar(element, x, i)
  local out = element.new(1)
  out[0] = x[i]
  return out
end

local function scalars(types, arrays, i, out, shift)
  for n, x in ipairs(arrays) do out[shift + n] = scalar(types[n].element, x, i) end
end

local function put(arrays, i, found)
  for n, out in ipairs(arrays) do out[i] = found[n][0] end
end

local function results(op)
  local out = {}
  for n, to in ipairs(op.results) do out[n] = to.element.new(to.count) end
  return out
end

-- The function gets the accumulators, then the elements. It is associative and commutative, the
-- order is not said.
local function fold(op)
  local combine, n = op.regions[1], #op.operands
  local _, length, inner = blocks.axis(op.operands[1].shape, op.attributes.axis)
  return function(...)
    local arrays, out = { ... }, results(op)
    for i = 0, op.results[1].count - 1 do
      local at = math.floor(i / inner) * length * inner + i % inner
      local state = {}
      scalars(op.operands, arrays, at, state, 0)
      for k = 1, length - 1 do
        scalars(op.operands, arrays, at + k * inner, state, n)
        state = { combine(unpack(state, 1, 2 * n)) }
      end
      put(out, i, state)
    end
    return unpack(out)
  end
end

-- Inclusive; the accumulators are what lies before, or behind in reverse. It is associative.
local function scan(op)
  local combine, n = op.regions[1], #op.operands
  local outer, length, inner = blocks.axis(op.operands[1].shape, op.attributes.axis)
  local reverse = op.attributes.reverse
  return function(...)
    local arrays, out = { ... }, results(op)
    for line = 0, outer * inner - 1 do
      local start = math.floor(line / inner) * length * inner + line % inner
      local state = {}
      for k = 0, length - 1 do
        local at = start + (reverse and length - 1 - k or k) * inner
        if k == 0 then
          scalars(op.operands, arrays, at, state, 0)
        else
          scalars(op.operands, arrays, at, state, n)
          state = { combine(unpack(state, 1, 2 * n)) }
        end
        put(out, at, state)
      end
    end
    return unpack(out)
  end
end

local function map(op)
  local f, n = op.regions[1], #op.operands
  return function(...)
    local arrays, out = { ... }, results(op)
    for i = 0, op.operands[1].count - 1 do
      local args = {}
      scalars(op.operands, arrays, i, args, 0)
      put(out, i, { f(unpack(args, 1, n)) })
    end
    return unpack(out)
  end
end

return {
  ["scf.if"] = { block = branch },
  ["scf.for"] = { block = counted },
  ["scf.while"] = { block = while_loop },
  ["neso.fold"] = { block = fold },
  ["neso.scan"] = { block = scan },
  ["neso.map"] = { block = map },
}
