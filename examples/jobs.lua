-- The jobs of run.lua: real kernels, their sizes, their references. jobs(small) gives an array of
--   { name=, shape= texts, run= function, error= function giving the largest error, limit= of it,
--     bytes= or flops= per run }

local ffi = require "ffi"
local neso = require "neso"
local reference = require "reference"
local tl = neso.language

local here = arg[0]:match "^(.*/)" or "./"

local function kernel(name) return dofile(here .. "kernels/" .. name .. ".lua") end

-- Memory that the first launch need not fault in.
local function result(shape, dtype) return neso.full(shape, 0, dtype or tl.f32) end

local function vector_add(n)
  local add, BLOCK = kernel "vector_add", 16384
  local a, b, out = neso.randn { n }, neso.randn { n }, result { n }
  local grid = tl.cdiv(n, BLOCK)
  return {
    name = "vector add f32", shape = tostring(n), bytes = 12 * n, limit = 1e-6,
    run = function() add[grid](out, a, b, n, BLOCK) end,
    error = function()
      return reference.reference_add_error(a:pointer(), b:pointer(), out:pointer(), n)
    end,
  }
end

local function softmax(rows, columns)
  local kernel_of, BLOCK = kernel "softmax", columns
  local x, out = neso.randn { rows, columns }, result { rows, columns }
  return {
    name = "softmax f32", shape = rows .. " x " .. columns, bytes = 8 * rows * columns,
    limit = 1e-6,
    run = function() kernel_of[rows](out, x, columns, columns, columns, BLOCK) end,
    error = function()
      return reference.reference_softmax_error(x:pointer(), out:pointer(), rows, columns)
    end,
  }
end

local function layer_norm(rows, columns)
  local norm, BLOCK, eps = kernel "layer_norm", columns, 1e-5
  local x = neso.randn({ rows, columns }, tl.f16)
  local weight, bias = neso.randn({ columns }, tl.f16), neso.randn({ columns }, tl.f16)
  local out = result({ rows, columns }, tl.f16)
  return {
    name = "layer norm f16", shape = rows .. " x " .. columns, bytes = 4 * rows * columns,
    limit = 2e-3,
    run = function() norm[rows](out, x, weight, bias, columns, columns, eps, BLOCK) end,
    error = function()
      return reference.reference_layer_norm_error(x:pointer(), weight:pointer(), bias:pointer(),
        out:pointer(), rows, columns, eps)
    end,
  }
end

local function matmul(dtype, m, n, k)
  local multiply = kernel "matmul"
  local BLOCK_M, BLOCK_N, BLOCK_K, even = kernel "matmul_blocks"(m, n, k)
  local a, b = neso.randn({ m, k }, dtype), neso.randn({ k, n }, dtype)
  local c = result { m, n }
  local grid = { tl.cdiv(n, BLOCK_N), tl.cdiv(m, BLOCK_M) }
  local check = dtype == tl.f16 and reference.reference_matmul_f16_error
    or reference.reference_matmul_f32_error
  return {
    name = "matmul " .. tostring(dtype), shape = ("%d x %d x %d"):format(m, n, k),
    flops = 2 * m * n * k, limit = 1e-4,
    run = function() multiply[grid](c, a, b, m, n, k, BLOCK_M, BLOCK_N, BLOCK_K, even) end,
    error = function() return check(a:pointer(), b:pointer(), c:pointer(), m, n, k) end,
  }
end

local function read_image(path)
  local size = ffi.new "int[2]"
  local pixels = reference.reference_image_read(path, size, size + 1)
  assert(pixels ~= nil, "cannot read " .. path)
  local width, height = size[0], size[1]
  local rgb = neso.empty({ height, width, 3 }, tl.u8)
  ffi.copy(rgb:pointer(), pixels, height * width * 3)
  reference.reference_image_free(pixels)
  return rgb, height, width
end

local function write_image(path, tensor, width, height, channels)
  local ok = reference.reference_image_write(path, tensor:pointer(), width, height, channels)
  assert(ok ~= 0, "cannot write " .. path)
end

local function blur(path, out_path, sigma, radius)
  local filter = kernel "filter"
  local weights = filter.gaussian(sigma, radius)
  local rows, columns = filter.blur_rows(weights), filter.blur_columns(weights)
  local rgb, height, width = read_image(path)
  local n = 3 * width
  local half_way, out = result { height, n }, result({ height, width, 3 }, tl.u8)
  return {
    name = "gaussian blur", shape = ("%d x %d x 3, %d taps"):format(height, width, #weights),
    bytes = (1 + 4 + 4 + 1) * height * n, limit = 0.501 / 255,
    run = function()
      rows[height](half_way, rgb, n, 3, n)
      columns[height](out, half_way, n, height, n)
    end,
    error = function()
      write_image(out_path, out, width, height, 3)
      return reference.reference_blur_error(rgb:pointer(), out:pointer(), height, width,
        ffi.new("double[?]", #weights, weights), radius)
    end,
  }
end

local function sobel(path, out_path)
  local filter = kernel "filter"
  local rgb, height, width = read_image(path)
  local gray, out = result { height, width }, result({ height, width }, tl.u8)
  return {
    name = "sobel edges", shape = ("%d x %d"):format(height, width),
    bytes = (3 + 4 + 4 + 1) * height * width, limit = 0.501 / 255,
    run = function()
      filter.luma[height](gray, rgb, width, width)
      filter.sobel[height](out, gray, height, width, width)
    end,
    error = function()
      write_image(out_path, out, width, height, 1)
      return reference.reference_sobel_error(rgb:pointer(), out:pointer(), height, width)
    end,
  }
end

---@param small boolean sizes for a test, not for a figure
---@param output string folder of the images
return function(small, output)
  local photograph = here .. "images/astronaut.png"
  local list = small and {
    vector_add(2 ^ 16 + 3), softmax(37, 781), softmax(5, 4096), layer_norm(19, 1024),
    matmul(tl.f32, 128, 256, 64), matmul(tl.f16, 100, 77, 51),
  } or {
    vector_add(2 ^ 24), softmax(1823, 781), softmax(4096, 4096), layer_norm(4096, 1024),
    matmul(tl.f32, 1024, 1024, 1024), matmul(tl.f16, 1024, 1024, 1024),
    matmul(tl.f32, 1000, 777, 515), matmul(tl.f16, 1000, 777, 515),
  }
  list[#list + 1] = blur(photograph, output .. "/astronaut-blur.png", 2.0, 6)
  list[#list + 1] = sobel(photograph, output .. "/astronaut-sobel.png")
  return list
end
