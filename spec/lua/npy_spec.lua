local neso = require "neso"

local path = os.tmpname()

local function write(bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

-- A file as NumPy would write it; `version` 1, 2 or 3.
local function npy(version, descr, fortran, shape, data)
  local text = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n"):format(descr,
    fortran and "True" or "False", shape)
  local length = string.char(#text % 256, math.floor(#text / 256))
  if version > 1 then length = length .. "\0\0" end
  return "\147NUMPY" .. string.char(version, 0) .. length .. text .. data
end

local function refused(bytes)
  write(bytes)
  local ok, why = pcall(neso.load, path)
  assert.is_false(ok)
  return why
end

describe("an .npy file", function()
  teardown(function() os.remove(path) end)

  it("gives back what was saved, for every dtype of NumPy", function()
    for _, name in ipairs { "i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
      "f32", "f64" } do
      local x = neso.tensor({ { 1, 0, 1 }, { 0, 1, 1 } }, name)
      neso.save(path, x)
      local y = neso.load(path)
      assert.are.equal(x.dtype, y.dtype)
      assert.is_true(x:equal(y))
    end
  end)

  it("holds any rank, empty tensors and views", function()
    for _, shape in ipairs { {}, { 1 }, { 0, 3 }, { 2, 3, 4, 5 } } do
      local x = neso.randn(shape)
      x:save(path)
      assert.are.same(shape, neso.load(path).shape)
      assert.is_true(x:equal(neso.load(path)))
    end
    local t = neso.randn { 3, 4 }:transpose()
    t:save(path)
    assert.is_true(t:equal(neso.load(path)))
  end)

  it("begins its data at a multiple of 64", function()
    neso.zeros { 3 }:save(path)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read "*a"
    file:close()
    assert.are.equal(0, (#bytes - 12) % 64)
  end)

  it("is read in versions 1, 2 and 3", function()
    for version = 1, 3 do
      write(npy(version, "<i2", false, "(2,)", "\1\0\2\1"))
      assert.are.same({ 1, 258 }, neso.load(path):totable())
    end
  end)

  it("is read in the other byte order", function()
    write(npy(1, ">i2", false, "(2,)", "\0\1\1\2"))
    assert.are.same({ 1, 258 }, neso.load(path):totable())
    write(npy(1, ">f8", false, "()", "\63\248\0\0\0\0\0\0"))
    assert.are.equal(1.5, neso.load(path):item())
  end)

  it("is read in Fortran order", function()
    write(npy(1, "|u1", true, "(2, 3)", "\1\2\3\4\5\6"))
    assert.are.same({ { 1, 3, 5 }, { 2, 4, 6 } }, neso.load(path):totable())
  end)

  it("may hold booleans as any byte", function()
    write(npy(1, "|b1", false, "(3,)", "\0\1\7"))
    assert.are.same({ false, true, true }, neso.load(path):totable())
  end)

  it("is refused with a reason when damaged", function()
    assert.truthy(refused(""):find "not an .npy file")
    assert.truthy(refused("\147NUMPY\9\0\4\0abcd"):find "version 9")
    assert.truthy(refused("\147NUMPY\1\0"):find "cut off")
    assert.truthy(refused("\147NUMPY\1\0\255\255{'descr'"):find "cut off")
    assert.truthy(refused("\147NUMPY\2\0\255\255\255\127{}"):find "too long")
    assert.truthy(refused(npy(1, "<f4", false, "(4,)", "1234")):find "needs 16 bytes")
    assert.truthy(refused(npy(1, "<f4", false, "(99999999999999999999,)", "")):find "bytes")
    assert.truthy(refused(npy(1, "|O", false, "(1,)", "x")):find "not supported")
    assert.truthy(refused(npy(1, "<c8", false, "(1,)", "x")):find "not supported")
    assert.truthy(refused(npy(1, "<f4", false, "foo", "x")):find "no shape")
    assert.truthy(select(2, pcall(neso.load, "/nonexistent.npy")):find "No such file")
    assert.truthy(select(2, pcall(neso.save, "/nonexistent/x.npy", neso.zeros(1)))
      :find "No such file")
  end)

  it("cut at any length gives an error, never less data", function()
    local whole = npy(1, "<f4", false, "(2,)", "12345678")
    for length = 0, #whole - 1 do refused(whole:sub(1, length)) end
  end)
end)
