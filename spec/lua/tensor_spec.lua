local neso = require "neso"
local has_ffi, ffi = pcall(require, "ffi")

local function message(f, ...)
  local ok, text = pcall(f, ...)
  assert.is_false(ok)
  return text
end

describe("a tensor", function()
  it("is made with shape, dtype and content", function()
    local x = neso.zeros({ 2, 3 }, "i32")
    assert.are.same({ 2, 3 }, x.shape)
    assert.are.same({ 3, 1 }, x.strides)
    assert.are.equal(neso.dtypes.i32, x.dtype)
    assert.are.equal(6, x.numel)
    assert.are.equal(24, x.nbytes)
    assert.are.equal(2, x.ndim)
    assert.are.equal(2, #x)
    assert.are.same({ { 0, 0, 0 }, { 0, 0, 0 } }, x:totable())
    assert.are.same({ 7, 7 }, neso.full(2, 7):totable())
    assert.are.same({ 1, 1 }, neso.ones({ 2 }, "u8"):totable())
    assert.are.same({ 0, 1, 2 }, neso.arange(3):totable())
    assert.are.same({ 1, 1.5, 2, 2.5 }, neso.arange(1, 3, 0.5):totable())
    assert.are.equal(neso.dtypes.f64, neso.empty_like(x, "f64").dtype)
    assert.are.equal(0, neso.empty { 0, 5 }.numel)
    assert.are.equal(neso.dtypes.f16, neso.empty({ 2, dtype = "f16" }).dtype)
    assert.are.equal(neso.dtypes.i8, neso.randint(0, 5, { 2, dtype = neso.dtypes.i8 }).dtype)
    assert.are.equal(neso.dtypes.i32, neso.tensor({ 1, 2, dtype = "i32", device = "cpu" }).dtype)
  end)

  it("says at the caller's place what cannot be made", function()
    local function says(text, f, ...)
      local at, rest = message(f, ...):match "^([^:]*):%d+: (.*)"
      assert.truthy(at and at:find "tensor_spec", at)
      assert.are.equal(text, rest:sub(1, #text))
    end
    local several = "a shape of several extents is a table"
    says(several, function() local _ = neso.randn(3, 4) end)
    says(several, function() local _ = neso.empty(3, 4) end)
    says("shape[1] is negative", function() local _ = neso.zeros { -1 } end)
    says("no dtype 'f31'; did you mean", function() local _ = neso.rand({ 2 }, "f31") end)
    says("'dtyp' in a shape", function() local _ = neso.empty { 2, dtyp = "f16" } end)
    local absent = "device 'cuda': no such backend"
    says(absent, function() local _ = neso.empty(2, "f32", "cuda") end)
    says(absent, function() local _ = neso.tensor({ 2 }, "f32", "cuda") end)
    says("a device is a name such as 'cpu' or 'cpu:0', got table",
      function() local _ = neso.empty({ 2 }, "f32", { device = "cpu" }) end)
    says("tensors have no '+'", function() return neso.ones(2) + 1 end)
    says("tensors have no '-'", function() return -neso.ones(2) end)
  end)

  it("is made for every dtype", function()
    for _, dtype in pairs(neso.dtypes) do
      local x = neso.ones({ 3 }, dtype)
      assert.are.equal(3 * dtype.size, x.nbytes)
      assert.are.equal(dtype.kind == "bool" and true or 1, x:get(2))
    end
  end)

  it("comes from nested tables, and names the place of a mistake", function()
    assert.are.same({ { { 1 }, { 2 } } }, neso.tensor({ { { 1 }, { 2 } } }):totable())
    assert.are.equal(5, neso.tensor(5):item())
    local text = message(function() local x = neso.tensor { { 1, 2 }, { 3 } } return x end)
    assert.truthy(text:find "tensor_spec.lua:%d+: table%[2%] has 1 elements, expected 2$")
    assert.truthy(message(neso.tensor, { { 1, 2 }, 3 }):find("table[2] is no table", 1, true))
    assert.truthy(message(neso.tensor, { 1, { 3 } }):find("table[2] is a table", 1, true))
    assert.truthy(message(neso.tensor, { { 1, "x" } }):find("table[1][2] is not a number", 1, true))
    assert.truthy(message(neso.tensor, { 1.5 }, "i32"):find("not an integer (i32)", 1, true))
    assert.truthy(message(neso.tensor, { 256 }, "u8"):find("out of range (u8)", 1, true))
    assert.truthy(message(neso.tensor, { 1 }, "f31"):find("did you mean 'f32'", 1, true))
  end)

  it("gives and takes elements, from 0", function()
    local x = neso.tensor { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.are.equal(6, x:get(1, 2))
    x:set(1, 2, 60)
    assert.are.equal(60, x:get(1, 2))
    assert.are.equal(60, x[1][2])
    assert.truthy(message(x.get, x, 2, 0):find("dimension 0 has 0 to 1", 1, true))
    assert.truthy(message(x.get, x, 0):find("1 indices for a tensor of 2", 1, true))
    assert.truthy(message(x.get, x, 0.5, 0):find "not an integer")
    assert.truthy(message(function() x.foo = 1 end):find "no field 'foo'")
  end)

  it("keeps 64-bit integers", function()
    local x = neso.tensor({ "9223372036854775807", "-9223372036854775808", 2 ^ 53 }, "i64")
    assert.are.equal(2 ^ 53, x:get(2))
    assert.truthy(tostring(x:get(0)):find "^9223372036854775807")
    local y = neso.empty({ 3 }, "i64")
    for i = 0, 2 do y:set(i, x:get(i)) end
    assert.is_true(x:equal(y))
    assert.is_false(x:equal(neso.tensor({ "9223372036854775806", "-9223372036854775808", 2 ^ 53 },
      "i64")))
  end)

  it("has views that share memory", function()
    local x = neso.arange(12):reshape(3, 4)
    local t = x:transpose()
    assert.are.same({ 4, 3 }, t.shape)
    assert.are.same({ { 0, 4, 8 }, { 1, 5, 9 }, { 2, 6, 10 }, { 3, 7, 11 } }, t:totable())
    assert.is_false(t:is_contiguous())
    t:set(0, 1, 40)
    assert.are.equal(40, x:get(1, 0))
    assert.are.same({ { 5, 6 }, { 9, 10 } }, x:slice(0, 1):slice(1, 1, 3):totable())
    assert.are.same({ 2, 6, 10 }, x:select(1, 2):totable())
    assert.are.same({ 3, 7, 11 }, x:select(-1, -1):totable())
    assert.are.same({ 0, 2 }, x:select(0, 0):slice(0, 0, 4, 2):totable())
    assert.are.same({ 4, 3 }, x:permute(1, 0).shape)
    assert.are.same({ 2, 3, 4 }, x:expand(2, 3, 4).shape)
    assert.are.same({ 1, 3, 4 }, x:unsqueeze(0).shape)
    assert.are.same({ 3, 4 }, x:unsqueeze(1):squeeze(1).shape)
    assert.are.same({ 12 }, x:flatten().shape)
    assert.are.same({ 2, 6 }, x:reshape(2, -1).shape)
    assert.are.same({ 0, 40, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 }, t:flatten():totable())
    assert.truthy(message(x.reshape, x, 5, 3):find "12 elements cannot become {5, 3}")
    assert.truthy(message(x.slice, x, 0, 2, 5):find "dimension 0, which has 3")
    assert.truthy(message(x.permute, x, 0, 0):find "given twice")
  end)

  it("copies and fills", function()
    local x = neso.zeros { 2, 3 }
    x:copy_(neso.tensor({ 1, 2, 3 }, "i8"))
    assert.are.same({ { 1, 2, 3 }, { 1, 2, 3 } }, x:totable())
    local y = x:clone()
    y:select(0, 1):fill_(9)
    assert.are.same({ { 1, 2, 3 }, { 9, 9, 9 } }, y:totable())
    assert.are.equal(1, x:get(1, 0))
    assert.truthy(message(x.copy_, x, neso.zeros { 4 }):find "expand")
  end)

  it("compares", function()
    local x, y = neso.tensor { 1, 2, 3 }, neso.tensor { 1, 2, 3.001 }
    assert.is_true(x:equal(x:clone()))
    assert.is_false(x:equal(y))
    assert.is_false((neso.allclose(x, y)))
    assert.is_true((neso.allclose(x, y, { rtol = 1e-3 })))
    assert.is_true(math.abs(x:max_abs_diff(y) - 0.001) < 1e-6)
    local _, why = neso.allclose(x, y)
    assert.truthy(why:find("1 of 3 elements differ; first at [2]", 1, true))
    local nan = neso.tensor { 0 / 0 }
    assert.is_false(nan:equal(nan))
    assert.is_true((neso.allclose(nan, nan, { equal_nan = true })))
    local inf = neso.tensor { math.huge }
    assert.is_true((neso.allclose(inf, inf)))
    assert.is_false((neso.allclose(inf, neso.tensor { 1 })))
    assert.is_false((neso.allclose(x, neso.tensor { 1 })))
  end)

  it("is freed by hand or by the collector", function()
    local x = neso.zeros { 8 }
    local view = x:slice(0, 2)
    x:free()
    assert.is_true(view:is_freed())
    assert.truthy(message(view.get, view, 0):find "memory was freed")
    assert.are.equal("tensor (freed)", tostring(x))
    for _ = 1, 200 do neso.empty { 2 ^ 22 } end -- 3.2 GB in all
    local status = io.open "/proc/self/status"
    local peak = status and status:read "*a":match "VmHWM:%s*(%d+)"
    if status then status:close() end
    assert.is_true(not peak or tonumber(peak) < 1500 * 1024)
  end)

  it("prints as people read it", function()
    assert.are.equal("{{1.0, 2.0}, {3.0, 4.5}} f32 {2, 2} on cpu:0",
      (tostring(neso.tensor { { 1, 2 }, { 3, 4.5 } }):gsub("%s+", " ")))
    assert.are.equal("{{1.0, 2.0},\n {3.0, 4.5}}\nf32 {2, 2} on cpu:0",
      tostring(neso.tensor { { 1, 2 }, { 3, 4.5 } }))
    assert.are.equal("{ 1., 20.}\nf32 {2} on cpu:0", tostring(neso.tensor { 1, 20 }))
    assert.are.equal("{ 1, 20}\ni32 {2} on cpu:0", tostring(neso.tensor({ 1, 20 }, "i32")))
    assert.are.equal("{nan, inf, 1.5}\nf32 {3} on cpu:0",
      tostring(neso.tensor { 0 / 0, math.huge, 1.5 }))
    assert.are.equal("{0.1, 0.2, 0.3}\nf32 {3} on cpu:0", tostring(neso.tensor { 0.1, 0.2, 0.3 }))
    assert.are.equal("{0.1, 2.7}\nf16 {2} on cpu:0", tostring(neso.tensor({ 0.1, 2.7 }, "f16")))
    assert.are.equal("{}\nf32 {0} on cpu:0", tostring(neso.empty { 0 }))
    assert.truthy(tostring(neso.arange(5000)):find("   0,    1,    2, ..., 4997", 1, true))
    assert.truthy(tostring(neso.tensor { 1e-10, 1 }):find("1.0000e-10", 1, true))
  end)

  it("folds rows at 80 columns", function()
    local text = tostring(neso.arange(1000))
    for line in text:gmatch "[^\n]+" do assert.truthy(#line <= 80, line) end
    assert.truthy(text:find("  14,  15,\n  16,  17,", 1, true))
    assert.are.equal("{" .. ("10., "):rep(15) .. "10.,\n 10., 10.}\nf32 {18} on cpu:0",
      tostring(neso.full({ 18 }, 10)))
    assert.truthy(tostring(neso.full({ 2, 30 }, 1)):find "^{{1%., .-,\n  1%., .-},\n {1%., ")
  end)
end)

describe("random tensors", function()
  it("follow the seed", function()
    neso.seed(7)
    local a, b = neso.randn { 100 }, neso.randn { 100 }
    neso.seed(7)
    assert.is_true(a:equal(neso.randn { 100 }))
    assert.is_true(b:equal(neso.randn { 100 }))
    assert.is_false(a:equal(b))
  end)

  it("use Philox4x32-10 (its known answers)", function()
    local core = require "neso.core"
    local function hex(...)
      local words = { core.philox(...) }
      for i, word in ipairs(words) do words[i] = ("%08x"):format(word) end
      return table.concat(words, " ")
    end
    assert.are.equal("6627e8d5 e169c58d bc57ac4c 9b00dbd8", hex(0, 0, 0, 0, 0, 0))
    local f = 0xffffffff
    assert.are.equal("408f276d 41c83b0e a20bc7c6 6d5451fd", hex(f, f, f, f, f, f))
  end)

  it("have the stated distribution", function()
    for _, dtype in ipairs { "f32", "f64", "f16" } do
      local sum, square, n = 0, 0, 20000
      for _, v in ipairs(neso.randn({ n }, dtype):totable()) do
        sum, square = sum + v, square + v * v
      end
      assert.is_true(math.abs(sum / n) < 0.03)
      assert.is_true(math.abs(square / n - 1) < 0.05)
    end
    for _, v in ipairs(neso.rand { 1000 }:totable()) do assert.is_true(v >= 0 and v < 1) end
    local seen = {}
    for _, v in ipairs(neso.randint(-2, 3, { 1000 }):totable()) do seen[v] = true end
    assert.are.same({ [-2] = true, [-1] = true, [0] = true, [1] = true, [2] = true }, seen)
  end)
end)

if has_ffi then
  describe("FFI memory", function()
    it("is shared, not copied", function()
      local array = ffi.new("float[6]", { 1, 2, 3, 4, 5, 6 })
      local x = neso.from_cdata(array, { 2, 3 })
      x:set(0, 1, 42)
      assert.are.equal(42, array[1])
      local p = x:pointer()
      p[5] = 60
      assert.are.equal(60, x:get(1, 2))
      local y = neso.from_cdata(p + 3, 3)
      assert.are.same({ 4, 5, 60 }, y:totable())
    end)

    it("is checked", function()
      local array = ffi.new "float[6]"
      assert.truthy(message(neso.from_cdata, array, { 7 }):find "needs 28 bytes, the array has 24")
      assert.truthy(message(neso.from_cdata, {}, { 7 }):find "got table")
      assert.truthy(message(neso.from_cdata, ffi.cast("float *", 0), 1):find "NULL")
    end)

    it("stays alive with what uses it", function()
      local x = neso.from_cdata(ffi.new("int32_t[1000]", 0), 1000, "i32")
      x:fill_(5)
      local p = neso.full({ 1000 }, 3, "i32"):pointer()
      for _ = 1, 20 do
        collectgarbage()
        ffi.new "int32_t[1000]"
      end
      assert.are.equal(5, x:get(999))
      assert.are.equal(3, p[999])
    end)
  end)
end
