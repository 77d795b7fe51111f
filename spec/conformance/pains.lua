-- Failures of other tile compilers that must not happen here, by number. The others are in:
--   P45 order   P46 f8   P47 number_rules   P48 dot_forms   P49, P50 number_rules   P51, P52 atomic
--   P56 dot_forms, mixed   P57 parts, chains   P59 descriptor   P60 number_rules   P62 chains
--   P66 number_rules   P61, P63, P64 spec/lua/debug_spec.lua   P65 the whole suite, interpreted too

local cases = {}
local nan, inf = 0 / 0, math.huge

local function case(name, kernel, args, want, grid)
  cases[#cases + 1] = { name = name, kernel = kernel, args = args, want = want, grid = grid }
end

-- P41: row * stride beyond 2^31 is exact on its way to a pointer (seen as an address).
case("P41 offsets beyond 2^31 elements", [[function k(out, p, row, stride)
  local i = tl.arange(0, 4)
  local big = p:to(tl.pointer_type(tl.u8))
  tl.store(out + i, (big + (row * stride + 5 + i)):to(tl.i64) - p:to(tl.i64))
end]], { out = { "i64", count = 4 }, p = { "i8", { 0 } }, row = 65536, stride = 32768 },
  { out = { 2 ^ 31 + 5, 2 ^ 31 + 6, 2 ^ 31 + 7, 2 ^ 31 + 8 } })

-- P42: no rewrite moves a product past the difference that keeps it small.
case("P42 (x - 32) * big", [[function k(out, p, start, big)
  local i = tl.arange(0, 64)
  local x = start + i
  local inside = x >= 32
  local offset = tl.where(inside, (x - 32) * big, 0)
  tl.store(out + i, (p + offset):to(tl.i64) - p:to(tl.i64))
end]], { out = { "i64", count = 64 }, p = { "i8", { 0 } }, start = 0, big = 50000000 }, {
  out = function()
    local out = {}
    for i = 0, 63 do out[i + 1] = i >= 32 and (i - 32) * 50000000 or 0 end
    return out
  end })

-- P43: what a mask leaves out is 0 for everything that follows; memory behind it is NaN.
local poisoned = {}
for i = 1, 64 do poisoned[i] = i <= 33 and i - 20 or nan end
case("P43 masked loads feed reductions and scans", [[function k(out, running, x, n)
  local i = tl.arange(0, 64)
  local v = tl.load(x + i, i < n)
  tl.store(out, tl.sum(v))
  tl.store(out + 1, tl.max(v))
  tl.store(out + 2, tl.min(v))
  tl.store(running + i, tl.cumsum(v))
end]], { out = { "f32", count = 3 }, running = { "f32", count = 64 }, x = { "f32", poisoned },
  n = 33 }, {
  out = { 33 * 34 / 2 - 33 * 20, 13, -19 },
  running = function()
    local out, sum = {}, 0
    for i = 1, 64 do
      if i <= 33 then sum = sum + i - 20 end
      out[i] = sum
    end
    return out
  end })

-- P44: one rule for NaN in every extreme, wherever it stands.
for _, n in ipairs { 2, 3, 8, 33, 64 } do
  for _, at in ipairs { 1, 2, n } do
    local list = {}
    for i = 1, n do list[i] = i == at and nan or i == 1 and inf or i - 5 end
    local plain_max, plain_min, most, least = -inf, inf, 0, 0
    for i = n, 1, -1 do
      local x = list[i]
      if x == x and x >= plain_max then plain_max, most = x, i - 1 end
      if x == x and x <= plain_min then plain_min, least = x, i - 1 end
    end
    case(("P44 NaN at %d of %d"):format(at - 1, n), ([[function k(out, x)
      local v = tl.load(x + tl.arange(0, %d))
      tl.store(out, tl.max(v))
      tl.store(out + 1, tl.min(v))
      tl.store(out + 2, tl.argmax(v))
      tl.store(out + 3, tl.argmin(v))
      tl.store(out + 4, tl.max(v, { propagate_nan = false }))
      tl.store(out + 5, tl.min(v, { propagate_nan = false }))
      tl.store(out + 6, tl.argmax(v, { propagate_nan = false }))
      tl.store(out + 7, tl.argmin(v, { propagate_nan = false }))
      tl.store(out + 8, tl.max(tl.maximum(v, 0)))
      tl.store(out + 9, tl.max(tl.maximum(-100, v)))
      tl.store(out + 10, tl.max(tl.clamp(v, -1, 1)))
    end]]):format(n), { out = { "f32", count = 11 }, x = { "f32", list } },
      { out = { nan, nan, at - 1, at - 1, plain_max, plain_min, most, least, nan, nan, nan } })
  end
end

-- P53: what one loop stores transposed, another loads back by another way.
for _, warps in ipairs { 1, 4, 16 } do
  case("P53 stores seen by later loads, warps " .. warps, ([[function k(scratch, out)
    local i, j = tl.arange(0, 16), tl.arange(0, 32)
    for t in tl.range(3) do
      local v = i:col() * 32 + j:row() + t * 1000
      tl.store(scratch + t * 512 + j:row() * 16 + i:col(), v:to(tl.f32))
    end
    local sum = tl.zeros({ 512 }, tl.f32)
    for t in tl.range(3) do sum = sum + tl.load(scratch + t * 512 + tl.arange(0, 512)) end
    tl.store(out + tl.arange(0, 512), sum)
  end]]), { scratch = { "f32", (function()
    local list = {}
    for n = 1, 1536 do list[n] = nan end
    return list
  end)() }, out = { "f32", count = 512 }, num_warps = warps }, {
    out = function()
      local out = {}
      for n = 0, 511 do out[n + 1] = 3 * (n % 16 * 32 + math.floor(n / 16)) + 3000 end
      return out
    end })
end

-- P54, P55: hints of pipelining change nothing.
for stages = 1, 5 do
  case("P54 sum before or after a dot, stages " .. stages, ([[function k(out, x)
    local i = tl.arange(0, 16)
    local a, b = tl.zeros({ 16, 16 }, tl.f32), tl.zeros({ 16, 16 }, tl.f32)
    local s, t = tl.zeros({ 16 }, tl.f32), tl.zeros({ 16 }, tl.f32)
    for k in tl.range{ 0, 4, 1, num_stages = %d } do
      local v = tl.load(x + k * 256 + i:col() * 16 + i:row())
      s = s + tl.sum(v, 1)
      a = tl.dot(v, v, a)
    end
    for k in tl.range{ 0, 4, 1, num_stages = %d } do
      local v = tl.load(x + k * 256 + i:col() * 16 + i:row())
      b = tl.dot(v, v, b)
      t = t + tl.sum(v, 1)
    end
    tl.store(out, tl.sum((a ~= b):to(tl.i32)) + tl.sum((s ~= t):to(tl.i32)))
  end]]):format(stages, stages), { out = { "i32", count = 1 }, x = { "f32", (function()
    local list = {}
    for n = 1, 1024 do list[n] = (n * 37 % 101 - 50) / 7 end
    return list
  end)() } }, { out = { 0 } })
  case("P55 a load used under a condition, stages " .. stages, ([[function k(out, x, n)
    for i in tl.range{ 0, n, 1, num_stages = %d } do
      local v = tl.load(x + i)
      if n > 3 then tl.store(out + i, v) end
    end
  end]]):format(stages), { out = { "i32", count = 20 }, n = 20, x = { "i32", (function()
    local list = {}
    for n = 1, 20 do list[n] = n end
    return list
  end)() } }, { out = function(inputs) return inputs.x end })
end

-- P58: a row's width that is no multiple of a vector, with parentheses and without.
for _, width in ipairs { 1185, 1000, 196 } do
  for _, form in ipairs { "out + row * W + i", "out + (row * W + i)", "(out + row * W) + i" } do
    case(("P58 rows of %d as %s"):format(width, form), ([[function k(out, W, BLOCK)
      local row, i = tl.program_id(0), tl.arange(0, BLOCK)
      tl.store(%s, (row * W + i):to(tl.f32), i < W)
    end]]):format(form), { out = { "f32", count = 3 * width + 64 }, W = width, BLOCK = 2048 }, {
      out = function()
        local out = {}
        for n = 0, 3 * width + 63 do out[n + 1] = n < 3 * width and n or 0 end
        return out
      end }, 3)
  end
end

-- Every hint of a loop, alone and with others: the same sums.
for _, hints in ipairs { "flatten = true", "warp_specialize = true", "disable_licm = true",
  "disallow_acc_multi_buffer = true", "num_stages = 3, unroll = 4, flatten = true" } do
  case("hint of a loop: " .. hints, ([[function k(out, x, n)
    local sum = tl.zeros({ 16 }, tl.f32)
    for i in tl.range{ 0, n, 1, %s } do sum = sum + tl.load(x + i * 16 + tl.arange(0, 16)) end
    tl.store(out + tl.arange(0, 16), sum)
  end]]):format(hints), { out = { "f32", count = 16 }, n = 4, x = { "f32", (function()
    local list = {}
    for n = 1, 64 do list[n] = n end
    return list
  end)() } }, { out = function()
    local out = {}
    for n = 1, 16 do out[n] = 4 * n + 96 end
    return out
  end })
end

return cases
