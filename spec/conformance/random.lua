-- Random numbers: the published vectors of Philox4x32-10 (Random123's known answers), a Philox in
-- plain Lua for other counters, and what is made of the words.

local cases = {}

-- counter, key, result: kat_vectors of Random123 for philox4x32 with 10 rounds.
local known = {
  { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
  { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff },
    { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
  { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 },
    { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
}
for i, row in ipairs(known) do
  cases[#cases + 1] = {
    name = "philox known answer " .. i,
    kernel = [[function k(out, c, key)
      local z = tl.arange(0, 1)
      local a, b, d, e = tl.philox_impl(tl.load(c + z), tl.load(c + 1 + z), tl.load(c + 2 + z),
        tl.load(c + 3 + z), tl.load(key), tl.load(key + 1))
      tl.store(out + z, a)
      tl.store(out + 1 + z, b)
      tl.store(out + 2 + z, d)
      tl.store(out + 3 + z, e)
    end]],
    args = { out = { "u32", count = 4 }, c = { "u32", row[1] }, key = { "u32", row[2] } },
    want = { out = row[3] },
  }
end

-- Products of 32-bit words, exactly: high and low word.
local function multiply(a, b)
  local a1, a0 = math.floor(a / 65536), a % 65536
  local low, high = a0 * b, a1 * b -- below 2^48
  local carry = math.floor(low / 65536) + high % 65536 * 1
  local middle = math.floor(low / 65536) + high
  local word = middle % 65536 * 65536 + low % 65536
  return math.floor(middle / 65536) % 2 ^ 32, word % 2 ^ 32, carry
end

local function xor(a, b)
  local out, weight = 0, 1
  for _ = 1, 32 do
    if a % 2 ~= b % 2 then out = out + weight end
    a, b, weight = math.floor(a / 2), math.floor(b / 2), weight * 2
  end
  return out
end

local function philox(c, k0, k1)
  local c0, c1, c2, c3 = c[1], c[2], c[3], c[4]
  for _ = 1, 10 do
    local high0, low0 = multiply(c0, 0xD2511F53)
    local high2, low2 = multiply(c2, 0xCD9E8D57)
    c0, c1, c2, c3 = xor(xor(high2, c1), k0), low2, xor(xor(high0, c3), k1), low0
    k0, k1 = (k0 + 0x9E3779B9) % 2 ^ 32, (k1 + 0xBB67AE85) % 2 ^ 32
  end
  return c0, c1, c2, c3
end

local function uniform(word)
  local signed = word >= 2 ^ 31 and word - 2 ^ 32 or word
  if signed < 0 then signed = -signed - 1 end
  return signed * 4.6566127342e-10
end

for _, seed in ipairs { 0, 1, 12345, -7, 2 ^ 40 + 3 } do
  for _, n in ipairs { 1, 33, 257 } do
    local k0, k1 = seed % 2 ^ 32, math.floor(seed / 2 ^ 32) % 2 ^ 32
    local function words(which)
      return function()
        local out = {}
        for i = 1, n do out[i] = (select(which, philox({ i + 4, 0, 0, 0 }, k0, k1))) end
        return out
      end
    end
    local function floats(f)
      return function()
        local out = {}
        for i = 1, n do out[i] = f(philox({ i + 4, 0, 0, 0 }, k0, k1)) end
        return out
      end
    end
    cases[#cases + 1] = {
      name = ("random numbers, seed %.0f, {%d}"):format(seed, n),
      kernel = ([[function k(first, third, unit, normal, seed)
        local i = tl.arange(0, %d)
        local a, _, c = tl.randint4x(seed, i + 5)
        tl.store(first + i, a)
        tl.store(third + i, c)
        tl.store(unit + i, tl.rand(seed, i + 5))
        tl.store(normal + i, tl.randn(seed, i + 5))
      end]]):format(n),
      args = { first = { "u32", count = n }, third = { "u32", count = n },
        unit = { "f32", count = n }, normal = { "f32", count = n }, seed = seed },
      ulp = 4, atol = 3e-6,
      want = {
        first = words(1), third = words(3),
        unit = floats(uniform),
        normal = floats(function(a, b)
          local u1, u2 = math.max(uniform(a), 1e-7), uniform(b)
          return math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2)
        end),
      },
    }
  end
end
cases[#cases + 1] = {
  name = "offsets of 64 bits count on in the second word",
  kernel = [[function k(out, seed)
    local i = tl.arange(0, 4):to(tl.i64) + 4294967294
    tl.store(out + tl.arange(0, 4), tl.randint(seed, i))
  end]],
  args = { out = { "u32", count = 4 }, seed = 9 },
  want = { out = function()
    local out = {}
    for i = 0, 3 do
      local at = 4294967294 + i
      out[i + 1] = (philox({ at % 2 ^ 32, math.floor(at / 2 ^ 32), 0, 0 }, 9, 0))
    end
    return out
  end },
}
cases[#cases + 1] = {
  name = "4x forms",
  kernel = [[function k(out, seed)
    local a, b, c, d = tl.rand4x(seed, 3)
    local w, x, y, z = tl.randn4x(seed, tl.arange(0, 64))
    local e, f, g, h = tl.philox(seed, 3, 0, 0, 0)
    tl.store(out, tl.uint_to_uniform_float(e) - a)
    tl.store(out + 1, tl.uint_to_uniform_float(f) - b)
    tl.store(out + 2, tl.uint_to_uniform_float(g) - c)
    tl.store(out + 3, tl.uint_to_uniform_float(h) - d)
    local sum = tl.sum(w) + tl.sum(x) + tl.sum(y) + tl.sum(z)
    tl.store(out + 4, (tl.abs(sum) < 64):to(tl.f32))
  end]],
  args = { out = { "f32", count = 5 }, seed = 42 }, want = { out = { 0, 0, 0, 0, 1 } },
}

-- Bits.
local words = { 0, 1, 2, 3, 7, 8, 255, 256, 65535, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 1, 0x12345678 }
local function bits_of(x)
  local out = {}
  for i = 1, 32 do
    out[i] = x % 2
    x = math.floor(x / 2)
  end
  return out
end
local function each(f)
  return function(inputs)
    local out = {}
    for i, x in ipairs(inputs.px) do out[i] = f(bits_of(x), x) end
    return out
  end
end
cases[#cases + 1] = {
  name = "popcount, clz, ffs, brev",
  kernel = [[function k(pop, zeros, first, back, px)
    local i = tl.arange(0, 13)
    local x = tl.load(px + i)
    tl.store(pop + i, x:popcount())
    tl.store(zeros + i, x:clz())
    tl.store(first + i, x:ffs())
    tl.store(back + i, tl.brev(x))
  end]],
  args = { pop = { "i32", count = 13 }, zeros = { "i32", count = 13 },
    first = { "i32", count = 13 }, back = { "u32", count = 13 }, px = { "u32", words } },
  want = {
    pop = each(function(b)
      local n = 0
      for i = 1, 32 do n = n + b[i] end
      return n
    end),
    zeros = each(function(b)
      local n = 0
      while n < 32 and b[32 - n] == 0 do n = n + 1 end
      return n
    end),
    first = each(function(b)
      for i = 1, 32 do
        if b[i] == 1 then return i end
      end
      return 0
    end),
    back = each(function(b)
      local x = 0
      for i = 1, 32 do x = x * 2 + b[i] end
      return x
    end),
  },
}
for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i64", "u64" } do
  cases[#cases + 1] = {
    name = "popcount, clz, ffs of " .. dtype,
    kernel = [[function k(out, px)
      local x = tl.load(px)
      tl.store(out, x:popcount())
      tl.store(out + 1, x:clz())
      tl.store(out + 2, x:ffs())
      tl.store(out + 3, (x - x):clz())
    end]],
    args = { out = { "i32", count = 4 }, px = { dtype, { 12 } } },
    want = { out = { 2, tonumber(dtype:match "%d+") - 4, 3, tonumber(dtype:match "%d+") } },
  }
end

return cases
