-- Conversions between dtypes, against formulas written down here.
local neso = require "neso"

-- exponent bits, mantissa bits, bias, kind of special values
local formats = {
  f16 = { 5, 10, 15, "ieee" },
  bf16 = { 8, 7, 127, "ieee" },
  f8e5m2 = { 5, 2, 15, "ieee" },
  f8e4m3fn = { 4, 3, 7, "fn" },
  f8e4b15 = { 4, 3, 15, "clamped" },
  f8e4m3fnuz = { 4, 3, 8, "fnuz" },
  f8e5m2fnuz = { 5, 2, 16, "fnuz" },
}

local function sizes(f) return 2 ^ (f[1] + f[2]), 2 ^ f[2] end

-- Number of finite magnitudes.
local function finite_count(f)
  local all, mantissas = sizes(f)
  if f[4] == "ieee" then return all - mantissas end
  return f[4] == "fnuz" and all or all - 1
end

local function magnitude(f, code)
  local _, mantissas = sizes(f)
  local exponent, mantissa = math.floor(code / mantissas), code % mantissas
  if exponent == 0 then return mantissa / mantissas * 2 ^ (1 - f[3]) end
  return (1 + mantissa / mantissas) * 2 ^ (exponent - f[3])
end

local function bits_name(name) return (name:find "^f8") and "u8" or "u16" end

local function decoded(name, codes)
  return neso.tensor(codes, bits_name(name)):bitcast(name):to "f64":totable()
end

local function encoded(name, values)
  return neso.tensor(values, "f64"):to(name):bitcast(bits_name(name)):totable()
end

for name, f in pairs(formats) do
  local all = sizes(f)
  local count = finite_count(f)

  describe(name, function()
    it("decodes every finite code", function()
      local codes, wanted = {}, {}
      for code = 0, count - 1 do
        codes[#codes + 1], wanted[#wanted + 1] = code, magnitude(f, code)
        if code > 0 or f[4] ~= "fnuz" then
          codes[#codes + 1], wanted[#wanted + 1] = code + all, -magnitude(f, code)
        end
      end
      assert.are.same(wanted, decoded(name, codes))
    end)

    it("encodes its own values to their codes", function()
      local codes, values = {}, {}
      for code = 0, count - 1 do codes[code + 1], values[code + 1] = code, magnitude(f, code) end
      assert.are.same(codes, encoded(name, values))
    end)

    it("rounds to nearest, ties to even, between every two neighbours", function()
      local values, wanted = {}, {}
      for code = 0, count - 2 do
        local low, high = magnitude(f, code), magnitude(f, code + 1)
        local middle, step = (low + high) / 2, (high - low) * 2 ^ -20
        for _, row in ipairs { { middle, code % 2 == 0 and code or code + 1 },
          { middle - step, code }, { middle + step, code + 1 } } do
          values[#values + 1], wanted[#wanted + 1] = row[1], row[2]
          local negative = row[2] + all
          if row[2] == 0 and f[4] == "fnuz" then negative = 0 end
          values[#values + 1], wanted[#wanted + 1] = -row[1], negative
        end
      end
      assert.are.same(wanted, encoded(name, values))
    end)

    it("has the stated results past its range", function()
      local largest = magnitude(f, count - 1)
      local over = encoded(name, { largest * 2, -math.huge, 0 / 0 })
      if f[4] == "ieee" then
        assert.are.same({ count, count + all }, { over[1], over[2] })
        local nan = decoded(name, { over[3] })[1]
        assert.is_true(nan ~= nan)
      elseif f[4] == "fn" then
        assert.are.same({ 127, 255 }, { over[1], over[2] })
        local nan = decoded(name, { 127 })[1]
        assert.is_true(nan ~= nan)
      elseif f[4] == "fnuz" then
        assert.are.same({ 128, 128, 128 }, over)
      else
        assert.are.same({ 126, 254 }, { over[1], over[2] })
        assert.are.equal(1.75, decoded(name, { 127 })[1])
      end
    end)
  end)
end

describe("integers", function()
  local function converted(values, from, to)
    return neso.tensor(values, from):to(to):totable()
  end

  it("round once to narrower floats", function()
    local wide = neso.tensor({ "4629700416936869889", "4629700416936869888" }, "i64")
    -- 257 * 2^54 + 1 and 257 * 2^54: past the tie of bf16, and on it
    assert.are.same({ 258 * 2 ^ 54, 256 * 2 ^ 54 }, wide:to "bf16":totable())
    -- 2^24 + 1 with one more bit far below it
    assert.are.same({ 2 ^ 54 + 2 ^ 31 }, converted({ "18014399583223809" }, "i64", "f32"))
    assert.are.same({ 2 ^ 54 }, converted({ "18014399583223808" }, "i64", "f32"))
    assert.are.same({ 2 ^ 64 }, converted({ "18446744073709551615" }, "u64", "f32"))
  end)

  it("wrap among themselves", function()
    assert.are.same({ -1, -128, 0, 127 }, converted({ 255, 128, 256, 127 }, "i32", "i8"))
    assert.are.same({ 255, 254 }, converted({ -1, -2 }, "i32", "u8"))
    assert.are.same({ 4294967295 }, converted({ -1 }, "i64", "u32"))
  end)

  it("come from floats truncated and saturated, 0 for NaN", function()
    local values = { 1.9, -1.9, 300, -300, 0 / 0, math.huge, -math.huge }
    assert.are.same({ 1, -1, 127, -128, 0, 127, -128 }, converted(values, "f32", "i8"))
    assert.are.same({ 1, 0, 255, 0, 0, 255, 0 }, converted(values, "f32", "u8"))
    local top = neso.tensor({ 1e30, -1e30 }, "f64")
    assert.is_true(top:to "i64":equal(
      neso.tensor({ "9223372036854775807", "-9223372036854775808" }, "i64")))
    assert.is_true(top:to "u64":equal(neso.tensor({ "18446744073709551615", 0 }, "u64")))
  end)

  it("become booleans by being not zero", function()
    assert.are.same({ true, false, true, true }, converted({ 0.5, 0, -1, 0 / 0 }, "f32", "i1"))
    assert.are.same({ 1, 0 }, converted({ true, false }, "i1", "f16"))
  end)
end)
