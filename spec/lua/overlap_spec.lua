-- Tensors of one launch that overlap: memory operations keep program order whatever the arguments.
local neso = require "neso"
local tl = neso.language

local copy = neso.jit(function(out, src, n, BLOCK)
  local at = tl.arange(0, BLOCK)
  local mask = at < n
  tl.store(out + at, tl.load(src + at, mask) + 1, mask)
end)

local function numbers(n)
  local t = {}
  for i = 1, n do t[i] = i end
  return neso.tensor(t)
end

describe("overlapping tensors", function()
  for _, shift in ipairs { 1, 3, 16, 31, 64 } do
    it("are loaded whole before the store, " .. shift .. " elements apart", function()
      local n = 500
      local all = numbers(n + shift)
      copy[1](all:slice(0, shift, n + shift), all:slice(0, 0, n), n, 512)
      for i = 0, n - 1 do assert.equal(i + 2, all:get(i + shift)) end
      local back = numbers(n + shift)
      copy[1](back:slice(0, 0, n), back:slice(0, shift, n + shift), n, 512)
      for i = 0, n - 1 do assert.equal(i + shift + 2, back:get(i)) end
    end)
  end

  it("may be the same tensor", function()
    local x = numbers(500)
    copy[1](x, x, 500, 512)
    for i = 0, 499 do assert.equal(i + 2, x:get(i)) end
  end)

  it("have a variant of their own, and tensors apart share one", function()
    local kernel = neso.jit(function(out, src)
      tl.store(out + tl.arange(0, 32), tl.load(src + tl.arange(0, 32)))
    end)
    local x = numbers(64)
    kernel[1](neso.empty { 64 }, x)
    kernel[1](neso.empty { 64 }, numbers(64))
    assert.equal(1, #kernel:variants())
    kernel[1](x:slice(0, 8, 64), x)
    assert.equal(2, #kernel:variants())
  end)
end)
