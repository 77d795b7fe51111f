-- Descriptors of the host (neso.descriptor) as arguments of launches.
local neso = require "neso"
local tl = neso.language

local function message(fn, ...)
  local ok, text = pcall(fn, ...)
  assert.is_false(ok)
  return text
end

local copy = neso.jit(function(to, from, rows, columns)
  local i, j = tl.program_id(0) * 8, tl.program_id(1) * 16
  tl.static_assert(from.block_shape[1] == 8 and from.block_shape[2] == 16)
  to:store(i, j, from:load(i, j))
  tl.device_assert(from.shape[1] == rows and from.shape[2] == columns)
end)

local function matrix(rows, columns, dtype)
  return neso.arange(rows * columns):to(dtype or "f32"):reshape(rows, columns)
end

describe("neso.descriptor", function()
  it("gives kernels what tl.make_tensor_descriptor does", function()
    local x = matrix(20, 30)
    local y = neso.zeros { 20, 30 }
    copy[{ 3, 2 }](neso.descriptor(y, { 8, 16 }), neso.descriptor(x, { 8, 16 }), 20, 30)
    assert.is_true(x:equal(y))
  end)

  it("takes arguments by name, a grid function and launch options", function()
    local x, y = matrix(20, 30), neso.zeros { 20, 30 }
    local seen
    local function grid(meta)
      seen = meta.rows
      return { 3, 2 }
    end
    copy[grid] { neso.descriptor(y, { 8, 16 }), from = neso.descriptor(x, { 8, 16 }), rows = 20,
      columns = 30, num_warps = 4 }
    assert.equal(20, seen)
    assert.is_true(x:equal(y))
  end)

  it("follows views: offset and strides", function()
    local x, y = matrix(40, 64), neso.zeros { 20, 30 }
    local view = x:slice(0, 0, 40, 2):slice(1, 5, 35)
    copy[{ 3, 2 }](neso.descriptor(y, { 8, 16 }), neso.descriptor(view, { 8, 16 }), 20, 30)
    assert.is_true(view:contiguous():equal(y))
  end)

  it("pads with zero or NaN, whatever the dtype and rank", function()
    local pad = neso.jit(function(to, desc, N)
      tl.store(to + tl.arange(0, N), desc:load(3))
    end)
    local out = neso.empty { 8 }
    pad[1](out, neso.descriptor(neso.arange(5):to "f32", { 8 }), 8)
    assert.same({ 3, 4, 0, 0, 0, 0, 0, 0 }, out:totable())
    pad[1](out, neso.descriptor(neso.arange(5):to "f16", { 8 }, "nan"), 8)
    assert.equal(4, out:get(1))
    assert.is_true(out:get(2) ~= out:get(2))
    local sum = neso.jit(function(to, desc) tl.store(to, tl.sum(desc:load(0, 1, 0, 0, 0))) end)
    sum[1](out, neso.descriptor(neso.ones { 2, 3, 2, 2, 3 }, { 2, 4, 1, 2, 4 }))
    assert.equal(2 * 2 * 1 * 2 * 3, out:get(0))
  end)

  it("compiles once for all extents and strides of a kind, anew for another block", function()
    local sum = neso.jit(function(out, desc) tl.store(out, tl.sum(desc:load(0, 0))) end)
    local out = neso.empty { 1 }
    for _, size in ipairs { 5, 6, 7 } do
      sum[1](out, neso.descriptor(neso.ones { size, size }, { 4, 8 }))
      assert.equal(4 * size, out:get(0))
    end
    assert.equal(1, #sum:variants())
    sum[1](out, neso.descriptor(neso.ones { 5, 5 }, { 8, 8 }))
    assert.equal(25, out:get(0))
    assert.equal(2, #sum:variants())
    assert.truthy(sum:tile():find("neso.masked_load", 1, true))
  end)

  it("is warmed up, bound, interpreted, and a default", function()
    local x, y = matrix(20, 30), neso.zeros { 20, 30 }
    local to, from = neso.descriptor(y, { 8, 16 }), neso.descriptor(x, { 8, 16 })
    copy:warmup(to, from, 20, 30)
    local bound = copy:bind({ 3, 2 }, to, from, 20, 30)
    bound()
    assert.is_true(x:equal(y))
    if rawget(_G, "jit") then
      y:fill_(0)
      copy:interpret({ 3, 2 }, to, from, 20, 30)
      assert.is_true(x:equal(y))
    end
    local total = neso.jit({ desc = { default = from } }, function(out, desc)
      tl.store(out, tl.sum(desc:load(0, 0)))
    end)
    local out = neso.empty { 1 }
    total[1](out)
    assert.equal((0 + 7) * 8 / 2 * 30 * 16 + 15 * 16 / 2 * 8, out:get(0))
  end)

  it("says what it cannot describe", function()
    local x = neso.zeros { 4, 6 }
    local describe = neso.descriptor
    assert.matches("expected a tensor, got table", message(describe, {}, { 4 }))
    assert.matches("the block shape is a table, got number", message(describe, x, 4))
    assert.matches("the block shape has 1 axes, the tensor 2", message(describe, x, { 4 }))
    assert.matches("block_shape%[2%] is a whole number", message(describe, x, { 4, 0 }))
    assert.matches('padding is "zero" or "nan", got one', message(describe, x, { 4, 4 }, "one"))
    assert.matches("padding with NaN is for floats, not i32",
      message(describe, x:to "i32", { 4, 4 }, "nan"))
    assert.matches("the last stride is 1, that of the tensor is 6",
      message(describe, x:transpose(), { 4, 4 }))
    assert.matches("1 to 5 axes, the tensor 6",
      message(describe, neso.zeros { 1, 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1, 1 }))
    assert.equal("descriptor of a tensor {4, 6} of f32, blocks {2, 3}, padding zero",
      tostring(describe(x, { 2, 3 })))
  end)

  it("says where a descriptor is no argument", function()
    local desc = neso.descriptor(neso.zeros { 4, 6 }, { 4, 4 })
    local constant = neso.jit(function(x, N) tl.store(x, N) end)
    assert.matches("parameter 'N' %(argument 2%): got a descriptor for a constant",
      message(function() constant[1](neso.zeros { 1 }, desc) end))
    local scalar = neso.jit({ n = tl.i32 }, function(x, n) tl.store(x, n) end)
    assert.matches("parameter 'n' %(argument 2%): got a descriptor, wanted a number",
      message(function() scalar[1](neso.zeros { 1 }, desc) end))
    assert.matches("takes 2 arguments %(x, n%), got 1", message(function() scalar[1](desc) end))
    local pointer = neso.jit(function(x) tl.store(x, 1) end)
    assert.matches("descriptor_spec.lua:%d+", message(function() pointer[1](desc) end))
    local freed = neso.zeros { 4 }
    local late = neso.descriptor(freed, { 4 })
    freed:free()
    assert.matches("the tensor was freed", message(function() pointer[1](late) end))
  end)

  it("keeps the place of an error in the kernel", function()
    local wrong = neso.jit(function(x) x:load(1, 2, 3) end)
    local desc = neso.descriptor(neso.zeros { 4, 6 }, { 4, 4 })
    assert.matches("needs 2 offsets, got 3", message(function() wrong[1](desc) end))
  end)
end)
