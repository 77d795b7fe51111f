--- Library functions of the language, written in the language itself.

local tl = require "neso.language"

local M = {}

-- The subtraction brings integers and narrow floats to f32.
function M.sigmoid(x)
  return 1 / (1 + tl.exp(tl.cast(0, tl.f32) - x))
end

function M.softmax(x, axis)
  local along = -1
  if axis ~= nil then along = axis end
  local shifted = tl.exp(x - tl.max(x, along, true))
  return shifted / tl.sum(shifted, along, true)
end

--- Place {i, j} of tiles in row-major order, moved so that tiles of groups of size_g rows follow
--- each other column by column; the last group may have fewer rows.
function M.swizzle2d(i, j, size_i, size_j, size_g)
  local ij = i * size_j + j
  local group = tl.div_floor(ij, size_g * size_j)
  local first = group * size_g
  local rows = tl.minimum(size_i - first, size_g)
  local inside = ij % (size_g * size_j)
  return first + inside % rows, tl.div_floor(inside, rows)
end

function M.brev(x)
  x = tl.bitcast(x, tl.u32)
  for _, step in ipairs { { 1, 0x55555555 }, { 2, 0x33333333 }, { 4, 0x0F0F0F0F },
    { 8, 0x00FF00FF } } do
    local by, mask = step[1], step[2]
    x = tl.bor(tl.band(tl.rshift(x, by), mask), tl.lshift(tl.band(x, mask), by))
  end
  return tl.bor(tl.rshift(x, 16), tl.lshift(x, 16))
end

function M.full_like(x, value)
  return tl.full(x.shape, value, x.dtype)
end

for _, topic in ipairs { "math", "random", "scaled" } do
  for name, fn in pairs(require("neso.language.standard." .. topic)) do M[name] = fn end
end

return M
