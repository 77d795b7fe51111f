--- What the examples of this folder share: a verdict, pictures, and rows of tensors for the
--- references, which are plain Lua in double precision and never call neso.

local ffi = require "ffi"

local M = {}

local build = os.getenv "NESO_BUILD" or "build"

--- Elements of a contiguous tensor as a C array, 0-based.
function M.array(tensor, ctype)
  return ffi.cast((ctype or "const float") .. " *", tensor:pointer())
end

--- Largest |got[i] - want[i]| / (1 + |want[i]|) over n elements (both 0-based).
function M.error(got, want, n)
  local worst = 0
  for i = 0, n - 1 do
    local e = math.abs(got[i] - want[i]) / (1 + math.abs(want[i]))
    if e > worst or e ~= e then worst = e end
  end
  return worst
end

--- n zeros in double precision, 0-based.
function M.doubles(n)
  return ffi.new("double[?]", n)
end

--- Prints one line and ends the script with a failure when the error is above its limit.
function M.verdict(name, shape, worst, limit)
  local ok = worst <= limit
  print(("%-28s %-26s error %.2e (limit %.0e) %s"):format(name, shape, worst, limit,
    ok and "ok" or "FAILED"))
  if not ok then os.exit(1) end
end

--- Writes a u8 tensor {height, width} or {height, width, 3} as PNG below the build folder.
function M.image(name, tensor)
  local height, width = tensor.shape[1], tensor.shape[2]
  local path = ("%s/examples/%s.png"):format(build, name)
  local reference = require "reference"
  local ok = reference.reference_image_write(path, tensor:pointer(), width, height,
    tensor.shape[3] or 1)
  assert(ok ~= 0, "cannot write " .. path)
  print("picture: " .. path)
end

--- The photograph of examples/images as a u8 tensor {height, width, 3}.
function M.photograph()
  local neso, reference = require "neso", require "reference"
  local here = arg[0]:match "^(.*/)" or "./"
  local size = ffi.new "int[2]"
  local path = here .. "../images/astronaut.png"
  local pixels = reference.reference_image_read(path, size, size + 1)
  assert(pixels ~= nil, "cannot read " .. path)
  local rgb = neso.empty({ size[1], size[0], 3 }, neso.language.u8)
  ffi.copy(rgb:pointer(), pixels, size[0] * size[1] * 3)
  reference.reference_image_free(pixels)
  return rgb
end

return M
