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

return cases
