-- Sorting, gathering and counting where other things happen: fed by a product, carried through
-- loops and branches, beside stores to what was read.

local cases = {}

local function case(name, count, rows, want)
  local numbers = {}
  for i = 0, count - 1 do numbers[i + 1] = (i * 7919) % 101 - 50 end
  cases[#cases + 1] = {
    name = name,
    kernel = "function k(out, px, n)\n" .. rows .. "\nend",
    args = { out = { "f32", count = #want(numbers) }, px = { "f32", numbers }, n = 3 },
    want = { out = function() return want(numbers) end },
  }
end

-- {m, n} of the product of px {m, k} and what lies at `from` {k, n}, from 1.
local function product(x, from, m, n, k)
  local out = {}
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      local sum = 0
      for p = 0, k - 1 do sum = sum + x[i * k + p + 1] * x[from + p * n + j + 1] end
      out[i * n + j + 1] = sum
    end
  end
  return out
end

case("sort of a product along its first axis", 960, [[
  local i, j, k = tl.arange(0, 33), tl.arange(0, 48), tl.arange(0, 20)
  local c = tl.dot(tl.load(px + i:col() * 20 + k:row()), tl.load(px + k:col() * 48 + j:row()))
  tl.store(out + i:col() * 48 + j:row(), tl.sort(c, 0))
]], function(x)
  local out = product(x, 0, 33, 48, 20)
  for j = 1, 48 do
    local column = {}
    for i = 0, 32 do column[i + 1] = out[i * 48 + j] end
    table.sort(column)
    for i = 0, 32 do out[i * 48 + j] = column[i + 1] end
  end
  return out
end)

case("P56 histogram of the argmin of a product", 1100, [[
  local i, j, k = tl.arange(0, 100), tl.arange(0, 16), tl.arange(0, 4)
  local c = tl.dot(tl.load(px + i:col() * 4 + k:row()),
    tl.load(px + 1000 + k:col() * 16 + j:row()))
  tl.store(out + j, tl.histogram(tl.argmin(c, 1), 16):to(tl.f32))
]], function(x)
  local c, out = product(x, 1000, 100, 16, 4), {}
  for j = 1, 16 do out[j] = 0 end
  for i = 0, 99 do
    local best = 1
    for j = 2, 16 do
      if c[i * 16 + j] < c[i * 16 + best] then best = j end
    end
    out[best] = out[best] + 1
  end
  return out
end)

case("sort of what a loop carries", 400, [[
  local i = tl.arange(0, 100)
  local x = tl.load(px + i)
  for r = 1, n do x = tl.sort(x + tl.load(px + r * 100 + i)) end
  tl.store(out + i, x)
]], function(x)
  local out = {}
  for i = 1, 100 do out[i] = x[i] end
  for r = 1, 3 do
    for i = 1, 100 do out[i] = out[i] + x[r * 100 + i] end
    table.sort(out)
  end
  return out
end)

case("flip and cat in the branches of a loop", 33, [[
  local i, c = tl.arange(0, 33), 0
  local x = tl.load(px + i)
  while c < n do
    if c % 2 == 0 then x = x:flip() * 2 else x = tl.cat(x:slice(0, 5), x:slice(0, 0, 5)) end
    c = c + 1
  end
  tl.store(out + i, x)
]], function(x)
  for c = 0, 2 do
    local y = {}
    for i = 1, 33 do y[i] = c % 2 == 0 and 2 * x[34 - i] or x[(i + 4) % 33 + 1] end
    x = y
  end
  return x
end)

case("gather of what a loop carries", 257, [[
  local i = tl.arange(0, 257)
  local at, x = (i * 5 + 1) % 257, tl.load(px + i)
  for _ = 1, n do x = tl.gather(x, at, 0) + tl.sum(x:slice(0, 0, 3)) end
  tl.store(out + i, x)
]], function(x)
  for _ = 1, 3 do
    local y = {}
    for i = 0, 256 do y[i + 1] = x[(i * 5 + 1) % 257 + 1] + x[1] + x[2] + x[3] end
    x = y
  end
  return x
end)

case("flip and topk of what a store overwrites", 96, [[
  local i = tl.arange(0, 96)
  local x = tl.load(px + i)
  local y, best = tl.flip(x), tl.topk(x, 7)
  tl.store(px + i, y * 2)
  tl.store(out + i, tl.load(px + i) + y)
  tl.store(out + 96 + tl.arange(0, 7), best)
]], function(x)
  local out, sorted = {}, { unpack(x) }
  table.sort(sorted)
  for i = 1, 96 do out[i] = 3 * x[97 - i] end
  for i = 1, 7 do out[96 + i] = sorted[97 - i] end
  return out
end)

return cases
