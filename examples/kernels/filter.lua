local neso = require "neso"
local tl = neso.language

local M = {}

-- Weights of a Gaussian window of 2 * radius + 1.
function M.gaussian(sigma, radius)
  local weights, sum = {}, 0
  for i = -radius, radius do
    local w = math.exp(-i * i / (2 * sigma * sigma))
    weights[#weights + 1], sum = w, sum + w
  end
  for i = 1, #weights do weights[i] = weights[i] / sum end
  return weights
end

-- The passes of a separable blur, as kernels made for `weights`: these are read at compile time and
-- the loop over them unrolls. One program a row of `n` values; neighbours in a row are STEP values
-- apart. Where the window leaves the image, the weights inside it are renormalized.
function M.blur_rows(weights)
  local radius = (#weights - 1) / 2
  return neso.jit(function(out, src, n, STEP, BLOCK)
    local row = tl.program_id(0) * n
    local col = tl.arange(0, BLOCK)
    local sum = tl.zeros({ BLOCK }, tl.f32)
    local total = tl.zeros({ BLOCK }, tl.f32)
    for i, w in ipairs(weights) do
      local at = col + (i - 1 - radius) * STEP
      local inside = at >= 0 and at < n
      sum = sum + w * tl.load(src + row + at, inside, 0):to(tl.f32)
      total = total + tl.where(inside, w, 0)
    end
    tl.store(out + row + col, sum / total, col < n)
  end)
end

function M.blur_columns(weights)
  local radius = (#weights - 1) / 2
  return neso.jit(function(out, src, n, height, BLOCK)
    local row = tl.program_id(0)
    local col = tl.arange(0, BLOCK)
    local mask = col < n
    local sum = tl.zeros({ BLOCK }, tl.f32)
    local total = 0.0
    for i, w in ipairs(weights) do
      local y = row + (i - 1 - radius)
      if y >= 0 and y < height then
        sum = sum + w * tl.load(src + y * n + col, mask, 0)
        total = total + w
      end
    end
    tl.store(out + row * n + col, (sum / total + 0.5):to(tl.u8), mask)
  end)
end

-- Rows of RGB bytes to rows of f32 luma.
M.luma = neso.jit(function(out, rgb, width, BLOCK)
  local row = tl.program_id(0) * width
  local col = tl.arange(0, BLOCK)
  local mask = col < width
  local at = rgb + 3 * (row + col)
  local r = tl.load(at, mask, 0):to(tl.f32)
  local g = tl.load(at + 1, mask, 0):to(tl.f32)
  local b = tl.load(at + 2, mask, 0):to(tl.f32)
  tl.store(out + row + col, 0.299 * r + 0.587 * g + 0.114 * b, mask)
end)

-- A plain Lua helper, inlined where it is called: zeros outside the image.
local function pixel(src, y, x, height, width)
  local inside = x >= 0 and x < width and y >= 0 and y < height
  return tl.load(src + y * width + x, inside, 0)
end

-- Length of the gradient, clipped to a byte.
M.sobel = neso.jit(function(out, src, height, width, BLOCK)
  local y = tl.program_id(0)
  local x = tl.arange(0, BLOCK)
  local gx = tl.zeros({ BLOCK }, tl.f32)
  local gy = tl.zeros({ BLOCK }, tl.f32)
  for i, smooth in ipairs { 1, 2, 1 } do
    local d = i - 2
    gx = gx + smooth * (pixel(src, y + d, x + 1, height, width)
                        - pixel(src, y + d, x - 1, height, width))
    gy = gy + smooth * (pixel(src, y + 1, x + d, height, width)
                        - pixel(src, y - 1, x + d, height, width))
  end
  local length = tl.minimum(tl.sqrt(gx * gx + gy * gy), 255)
  tl.store(out + y * width + x, (length + 0.5):to(tl.u8), x < width)
end)

return M
