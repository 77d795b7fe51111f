--- Random tensors: Philox4x32-10 by counter. The same seed and the same calls give the same values.
local core = require "neso.shell"
local tensor = require "neso.tensor"

local M = {}

local seed, stream = 0, 0

--- Starts the sequence of random tensors again.
---@param value integer
function M.seed(value)
  if type(value) ~= "number" or value % 1 ~= 0 then error("seed: expected an integer", 2) end
  seed, stream = value, 0
end

local function fill(x, kind, a, b)
  core.random(x, kind, seed, stream, a, b)
  stream = stream + 1
  return x
end

--- Uniform on [0, 1).
function M.rand(shape, element)
  local x = tensor.make(shape, element, nil, 2)
  return fill(x, "uniform", 0, 1)
end

--- Normal with mean 0 and deviation 1 (Box-Muller).
function M.randn(shape, element)
  local x = tensor.make(shape, element, nil, 2)
  return fill(x, "normal", 0, 1)
end

--- Integers of [low, high); i32 by default.
function M.randint(low, high, shape, element)
  if type(low) ~= "number" or type(high) ~= "number" or low >= high then
    error("randint: expected low < high, as in randint(0, 10, { 3, 4 })", 2)
  end
  element = element or type(shape) == "table" and shape.dtype or "i32"
  local x = tensor.make(shape, element, nil, 2)
  return fill(x, "integer", low, high)
end

return M
