-- The histogram of an image and its equalization: every program counts the brightness of its own
-- pixels and adds the counts to all; the running sum of the histogram is the new brightness.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. here .. "../?/init.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

local count = neso.jit(function(bins, pixels, n, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = at < n
  local counts = tl.histogram(tl.load(pixels + at, mask), 256, mask)
  tl.atomic_add(bins + tl.arange(0, 256), counts)
end)

local equalize = neso.jit(function(out, pixels, bins, n, BLOCK)
  local below = tl.cumsum(tl.load(bins + tl.arange(0, 256)))
  local curve = (below * 255 / n + 0.5):to(tl.u8)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local pixel = tl.load(pixels + at, at < n)
  tl.store(out + at, tl.gather(curve, pixel, 0), at < n)
end)

-- Brightness of the photograph, as bytes.
local rgb = support.photograph()
local height, width = rgb.shape[1], rgb.shape[2]
local n = height * width
local gray = neso.empty({ height, width }, tl.u8)
local luma = neso.jit(function(out, colours, n_pixels, BLOCK)
  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = at < n_pixels
  local sum = 128
  for channel, weight in ipairs { 77, 150, 29 } do
    sum = sum + weight * tl.load(colours + 3 * at + (channel - 1), mask):to(tl.i32)
  end
  tl.store(out + at, tl.rshift(sum, 8):to(tl.u8), mask)
end)
local BLOCK = 1000
luma[tl.cdiv(n, BLOCK)](gray, rgb, n, BLOCK)

local bins, out = neso.zeros({ 256 }, tl.i32), neso.empty_like(gray)
count[tl.cdiv(n, BLOCK)](bins, gray, n, BLOCK)
equalize[tl.cdiv(n, BLOCK)](out, gray, bins, n, BLOCK)

local pixels = support.array(gray, "const uint8_t")
local want, below, curve = support.doubles(256), 0, {}
for i = 0, n - 1 do want[pixels[i]] = want[pixels[i]] + 1 end
for value = 0, 255 do
  below = below + want[value]
  curve[value] = math.floor(below * 255 / n + 0.5)
end
local equal = support.doubles(n)
for i = 0, n - 1 do equal[i] = curve[pixels[i]] end
local shape = ("%d x %d"):format(height, width)
support.verdict("histogram", shape,
  support.error(support.array(bins, "const int32_t"), want, 256), 0)
support.verdict("equalized", shape, support.error(support.array(out, "const uint8_t"), equal, n), 0)
support.image("equalized", out)
