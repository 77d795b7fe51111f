-- Conversions between dtypes.
local cases = {}

local ranges = { i8 = { -128, 127 }, i16 = { -32768, 32767 }, i32 = { -2147483648, 2147483647 },
  u8 = { 0, 255 }, u16 = { 0, 65535 }, u32 = { 0, 4294967295 } }

local function add(from, to, values, rule)
  cases[#cases + 1] = {
    name = from .. " to " .. to,
    kernel = ([[function convert(out, x, n, BLOCK)
      local i = tl.arange(0, BLOCK)
      tl.store(out + i, tl.load(x + i, i < n):to(tl.%s), i < n)
    end]]):format(to),
    args = { out = { to, count = #values }, x = { from, values }, n = #values, BLOCK = 16 },
    want = { out = function(inputs)
      local want = {}
      for i, x in ipairs(inputs.x) do
        want[i] = rule(x)
      end
      return want
    end },
  }
end

local function saturate(to)
  local low, high = ranges[to][1], ranges[to][2]
  return function(x)
    if x ~= x then return 0 end
    x = x >= 0 and math.floor(x) or math.ceil(x)
    return math.max(low, math.min(high, x))
  end
end

local function wrap(to)
  local low, high = ranges[to][1], ranges[to][2]
  return function(x) return (x - low) % (high - low + 1) + low end
end

local nan, inf = 0 / 0, math.huge
local floats = { -inf, -70000, -129.5, -2.75, -0.5, 0, 0.5, 1.99, 127.5, 300, 40000.25, inf, nan }
local ints = { i8 = { -128, -1, 0, 1, 127 }, i16 = { -32768, -129, 0, 300, 32767 },
  i32 = { -2147483648, -70000, -1, 0, 65537, 2147483647 }, u8 = { 0, 1, 200, 255 },
  u16 = { 0, 255, 256, 65535 }, u32 = { 0, 65536, 2147483648, 4294967295 } }

for from, values in pairs(ints) do
  for to in pairs(ranges) do
    if to ~= from then add(from, to, values, wrap(to)) end
  end
  for _, to in ipairs { "f32", "f64" } do
    add(from, to, values, function(x) return x end)
  end
  add(from, "i1", values, function(x) return x ~= 0 end)
end
for _, from in ipairs { "f32", "f64", "f16", "bf16" } do
  for to in pairs(ranges) do
    add(from, to, floats, saturate(to))
  end
  for _, to in ipairs { "f32", "f64", "f16", "bf16" } do
    if to ~= from then add(from, to, floats, function(x) return x end) end
  end
end

table.sort(cases, function(a, b) return a.name < b.name end)

-- Ties go to the even neighbour, once, from f64 and from f32.
local function ties(from, to, values, want)
  add(from, to, values, function() end)
  local case = cases[#cases]
  case.name, case.want, case.rounded = "ties " .. case.name, { out = want }, true
end
ties("f32", "f16", { 2049, 2051, 1 + 2 ^ -11, 1 + 3 * 2 ^ -11 }, { 2048, 2052, 1, 1 + 2 ^ -9 })
ties("f32", "bf16", { 257, 259, 1 + 2 ^ -8 }, { 256, 260, 1 })
ties("f64", "f32", { 16777217, 16777219, 1 + 2 ^ -24 }, { 16777216, 16777220, 1 })
ties("f64", "f16", { 1 + 2 ^ -11 + 2 ^ -40, 1 + 2 ^ -11 }, { 1 + 2 ^ -10, 1 })
ties("f64", "bf16", { 257 + 2 ^ -40, 257, 1 + 2 ^ -8 + 2 ^ -45, -1 - 2 ^ -8 }, { 258, 256,
  1 + 2 ^ -7, -1 })
ties("i32", "bf16", { 16842753, 16842752, -16842753, 257 }, { 16908288, 16777216, -16908288, 256 })
ties("i32", "f32", { 16777217, 16777219 }, { 16777216, 16777220 })

-- Cut toward zero, and saturating.
local steep = { 65504, 65519.99, 65520, -65520, 1e5, -1e30, 0.1, -0.1, 1 / 3, 2049, -2051, 1e-8,
  6e-8, -5.9e-8, 0, math.huge, -math.huge }
local function toward_zero(x, bits, least, most)
  local size = math.abs(x)
  if size == math.huge or size == 0 then return x end
  local _, e = math.frexp(size)
  local step = 2 ^ (math.max(e - 1, least) - bits)
  local cut = math.min(math.floor(size / step) * step, most)
  return x < 0 and -cut or cut
end
for _, row in ipairs { { "f16", 10, -14, 65504 }, { "bf16", 7, -126, 3.3895313892515355e38 },
  { "f32", 23, -126, 3.4028234663852886e38 } } do
  for _, from in ipairs { "f32", "f64" } do
    local to = row[1]
    if from ~= to then
      cases[#cases + 1] = {
        name = ("%s to %s, cut toward zero"):format(from, to),
        kernel = ([[function k(out, px)
          local i = tl.arange(0, 17)
          tl.store(out + i, tl.load(px + i):to(tl.%s, { rounding = "rtz" }))
        end]]):format(to),
        args = { out = { to, count = 17 }, px = { from, steep } },
        want = { out = function(inputs)
          local out = {}
          for i, x in ipairs(inputs.px) do out[i] = toward_zero(x, row[2], row[3], row[4]) end
          return out
        end },
      }
    end
  end
end
for _, row in ipairs { { "f64", "f16", 65504 }, { "f32", "f16", 65504 },
  { "f64", "f32", 3.4028234663852886e38 } } do
  cases[#cases + 1] = {
    name = ("%s to %s, saturating"):format(row[1], row[2]),
    kernel = ([[function k(out, px)
      local i = tl.arange(0, 5)
      tl.store(out + i, tl.load(px + i):to(tl.%s, { saturate = true }))
    end]]):format(row[2]),
    args = { out = { row[2], count = 5 },
      px = { row[1], { 1e300, -1e300, 2, -math.huge, 65519 } } },
    want = { out = function(inputs)
      local out = {}
      for i, x in ipairs(inputs.px) do out[i] = math.max(-row[3], math.min(row[3], x)) end
      if row[2] == "f16" then out[5] = 65504 end
      return out
    end },
  }
end
for _, row in ipairs { { "i32", "i8", -128, 127 }, { "i32", "u8", 0, 255 }, { "u16", "i8", 0, 127 },
  { "i64", "i32", -2 ^ 31, 2 ^ 31 - 1 }, { "i16", "u32", 0, 32767 },
  { "u32", "i64", 0, 2 ^ 32 } } do
  local list = row[1]:sub(1, 1) == "u" and { 0, 1, 127, 128, 255, 300, 32767, 65535 }
    or { -32768, -129, -128, -1, 0, 127, 256, 32767 }
  cases[#cases + 1] = {
    name = ("%s to %s, saturating"):format(row[1], row[2]),
    kernel = ([[function k(out, px)
      local i = tl.arange(0, 8)
      tl.store(out + i, tl.load(px + i):to(tl.%s, { saturate = true }))
    end]]):format(row[2]),
    args = { out = { row[2], count = 8 }, px = { row[1], list } },
    want = { out = function(inputs)
      local out = {}
      for i, x in ipairs(inputs.px) do out[i] = math.max(row[3], math.min(row[4], x)) end
      return out
    end },
  }
end

-- A 32-bit value that wraps inside a block, widened and computed on.
for _, row in ipairs { { "i32", 2 ^ 31 - 20 }, { "u32", 2 ^ 32 - 20 } } do
  cases[#cases + 1] = {
    name = ("%s that wraps, as 64 bits, times and plus"):format(row[1]),
    kernel = ([[function k(out, also, start)
      local i = tl.arange(0, 64)
      local kind = tl.%s
      local x = i:to(kind) + start:to(kind)
      local wide = x:to(tl.%s)
      tl.store(out + i, wide * 3 + 1 - wide)
      tl.store(also + i, (wide:to(tl.f64)):to(tl.%s))
    end]]):format(row[1], row[1] == "i32" and "i64" or "u64", row[1] == "i32" and "i64" or "u64"),
    args = { out = { "i64", count = 64 }, also = { "i64", count = 64 }, start = row[2] },
    want = {
      out = function()
        local out = {}
        for i = 0, 63 do
          local x = row[2] + i
          if row[1] == "i32" and x >= 2 ^ 31 then x = x - 2 ^ 32 end
          out[i + 1] = x % (row[1] == "u32" and 2 ^ 32 or 2 ^ 53) * 2 + 1
          if row[1] == "i32" then out[i + 1] = x * 2 + 1 end
        end
        return out
      end,
      also = function()
        local out = {}
        for i = 0, 63 do
          local x = row[2] + i
          if row[1] == "i32" and x >= 2 ^ 31 then x = x - 2 ^ 32 end
          out[i + 1] = row[1] == "u32" and x % 2 ^ 32 or x
        end
        return out
      end,
    },
  }
end

return cases
