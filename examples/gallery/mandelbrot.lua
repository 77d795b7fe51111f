-- The Mandelbrot set: a loop that every program leaves when its whole block has escaped.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. here .. "../?/init.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local mandelbrot = neso.jit(function(out, width, height, left, top, step, limit, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local cx = left + (at % width):to(tl.f32) * step
  local cy = top + tl.div_floor(at, width):to(tl.f32) * step
  local x, y = tl.zeros({ BLOCK }, tl.f32), tl.zeros({ BLOCK }, tl.f32)
  local count = tl.zeros({ BLOCK }, tl.i32)
  local i = 0
  while i < limit and (x * x + y * y <= 4):any() do
    local inside = x * x + y * y <= 4
    x, y = tl.where(inside, x * x - y * y + cx, x), tl.where(inside, 2 * x * y + cy, y)
    count = count + inside:to(tl.i32)
    i = i + 1
  end
  tl.store(out + at, count, at < width * height)
end)

-- Rounded to f32 after every operation, as the kernel does: the counts must be equal.
local ffi = require "ffi"
local function reference(width, height, left, top, step, limit)
  local f = ffi.new "float[1]"
  local function r(v)
    f[0] = v
    return f[0]
  end
  left, top, step = r(left), r(top), r(step)
  local counts = support.doubles(width * height)
  for at = 0, width * height - 1 do
    local cx = r(left + r(at % width * step))
    local cy = r(top + r(math.floor(at / width) * step))
    local x, y, n = 0, 0, 0
    while n < limit and r(r(x * x) + r(y * y)) <= 4 do
      x, y = r(r(r(x * x) - r(y * y)) + cx), r(r(r(2 * x) * y) + cy)
      n = n + 1
    end
    counts[at] = n
  end
  return counts
end

local width, height, limit = 384, 256, 200
local left, top, step = -2.2, -1.28, 0.01
local out = neso.zeros({ height, width }, tl.i32)
mandelbrot[tl.cdiv(width * height, 256)](out, width, height, left, top, step, limit, 256)

local got = support.array(out, "const int32_t")
local want = reference(width, height, left, top, step, limit)
support.verdict("mandelbrot", ("%d x %d, %d steps"):format(width, height, limit),
  support.error(got, want, width * height), 0)

local paint = neso.jit(function(pixels, counts, most, n, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local share = tl.sqrt(tl.load(counts + at, at < n):to(tl.f32) / most)
  tl.store(pixels + at, (255 * (1 - share)):to(tl.u8), at < n)
end)
local image = neso.zeros({ height, width }, tl.u8)
paint[tl.cdiv(width * height, 1024)](image, out, limit, width * height, 1024)
support.image("mandelbrot", image)
