-- Sorting, picking by index, counting.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}
local nan, inf = 0 / 0, math.huge

local function numbers(n, from, span)
  local out = {}
  span = span or 101
  for i = 1, n do out[i] = ((i * 7919 + from * 31) % span) - math.floor(span / 2) end
  return out
end

-- Calls f(start, step) with the 1-based start and the distance of each row along an axis.
local function rows(shape, axis, f)
  local step = 1
  for d = axis + 2, #shape do step = step * shape[d] end
  local extent = shape[axis + 1]
  for i = 0, make.size(shape) - 1 do
    if math.floor(i / step) % extent == 0 then f(i + 1, step) end
  end
end

local function before(x, y)
  if type(x) == "boolean" then return not x and y end
  if x ~= x then return false end
  return y ~= y or x < y
end

-- Stable insertion sort of a row: positions in order.
local function order(list, descending)
  local at = {}
  for i = 1, #list do
    local j = i
    while j > 1 and (descending and before(list[at[j - 1]], list[i])
      or not descending and before(list[i], list[at[j - 1]])) do
      at[j] = at[j - 1]
      j = j - 1
    end
    at[j] = i
  end
  return at
end

-- Values and indices of the first `k` of every row in order.
local function sorted(x, shape, axis, descending, k)
  local values, indices = {}, {}
  local extent = shape[axis + 1]
  k = k or extent
  local out_shape = {}
  for d, e in ipairs(shape) do out_shape[d] = d == axis + 1 and k or e end
  local starts = {}
  rows(out_shape, axis, function(start) starts[#starts + 1] = start end)
  local number = 0
  rows(shape, axis, function(start, step)
    number = number + 1
    local list = {}
    for i = 0, extent - 1 do list[i + 1] = x[start + i * step] end
    local at = order(list, descending)
    for i = 0, k - 1 do
      values[starts[number] + i * step] = list[at[i + 1]]
      indices[starts[number] + i * step] = at[i + 1] - 1
    end
  end)
  return values, indices
end

local function sort_case(dtype, shape, axis, descending, list, name)
  local n = make.size(shape)
  cases[#cases + 1] = {
    name = ("sort %s %s axis %d%s%s"):format(dtype, make.text(shape), axis,
      descending and " descending" or "", name or ""),
    kernel = ([[function k(out, at, px)
      local i = tl.arange(0, %d)
      local v, j = tl.sort(tl.load(px + i):reshape(%s), %d, %s, true)
      tl.store(out + i, v:ravel())
      tl.store(at + i, j:ravel())
    end]]):format(n, make.text(shape), axis, tostring(descending)),
    args = { out = { dtype, count = n }, at = { "i32", count = n }, px = { dtype, list } },
    want = {
      out = function(inputs) return (sorted(inputs.px, shape, axis, descending)) end,
      at = function(inputs)
        local _, indices = sorted(inputs.px, shape, axis, descending)
        return indices
      end,
    },
  }
end

for _, dtype in ipairs { "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64" } do
  for _, descending in ipairs { false, true } do
    for _, n in ipairs { 1, 2, 3, 33, 64, 100, 257 } do
      sort_case(dtype, { n }, 0, descending, numbers(n, n))
    end
    sort_case(dtype, { 5, 33 }, 1, descending, numbers(165, 1, 20))
    sort_case(dtype, { 48, 3 }, 0, descending, numbers(144, 2, 20))
    sort_case(dtype, { 3, 7, 4 }, 1, descending, numbers(84, 3, 20))
  end
end
for _, dtype in ipairs { "u8", "u16", "u32", "u64", "i1" } do
  for _, descending in ipairs { false, true } do
    local list = numbers(100, 4)
    for i, x in ipairs(list) do
      list[i] = dtype == "i1" and x % 2 or dtype == "u8" and x % 256
        or (x >= 0 and x or 2 ^ (tonumber(dtype:match "%d+") - 1) + math.abs(x) * 2 ^ 12 % 2 ^ 15)
    end
    sort_case(dtype, { 100 }, 0, descending, list)
  end
end
for _, dtype in ipairs { "f16", "bf16", "f32", "f64" } do
  local list = { 3, nan, -inf, 0, inf, -1, nan, 1, -0.0, inf, 2, -inf, nan, 0.5, 0, -2 }
  sort_case(dtype, { 16 }, 0, false, list, " with NaN")
  sort_case(dtype, { 16 }, 0, true, list, " with NaN")
end

cases[#cases + 1] = {
  name = "sort of 4096 elements",
  kernel = [[function k(out, px)
    local i = tl.arange(0, 4096)
    tl.store(out + i, tl.sort(tl.load(px + i)))
  end]],
  args = { out = { "f32", count = 4096 }, px = { "f32", numbers(4096, 1, 100003) } },
  want = { out = function(inputs)
    local list = {}
    for i, x in ipairs(inputs.px) do list[i] = x end
    table.sort(list)
    return list
  end },
}

-- top-k: values and indices; any k.
local function topk_case(dtype, shape, k, axis, largest, list, name)
  local n, count = make.size(shape), make.size(shape) / shape[axis + 1] * k
  cases[#cases + 1] = {
    name = ("%s %s %s k = %d axis %d%s"):format(name or "topk", dtype, make.text(shape), k, axis,
      largest and "" or " least"),
    kernel = ([[function k(out, at, px)
      local v, j = tl.load(px + tl.arange(0, %d)):reshape(%s):topk(%d, %d, %s)
      tl.store(out + tl.arange(0, %d), v:ravel())
      tl.store(at + tl.arange(0, %d), j:ravel())
    end]]):format(n, make.text(shape), k, axis, tostring(largest), count, count),
    args = { out = { dtype, count = count }, at = { "i32", count = count }, px = { dtype, list } },
    want = {
      out = function(inputs) return (sorted(inputs.px, shape, axis, largest, k)) end,
      at = function(inputs)
        local _, indices = sorted(inputs.px, shape, axis, largest, k)
        return indices
      end,
    },
  }
end

for _, dtype in ipairs { "i16", "i32", "f16", "f32", "f64" } do
  for _, largest in ipairs { true, false } do
    for _, k in ipairs { 1, 3, 8, 33 } do
      topk_case(dtype, { 33 }, k, 0, largest, numbers(33, 6))
    end
    topk_case(dtype, { 4, 100 }, 5, 1, largest, numbers(400, 7))
    topk_case(dtype, { 48, 3 }, 5, 0, largest, numbers(144, 8, 30))
  end
end
local infinite = numbers(32, 9)
for _, i in ipairs { 3, 11, 20, 32 } do infinite[i] = inf end
topk_case("f32", { 32 }, 16, 0, true, infinite, "P45 four infinities")
topk_case("f16", { 32 }, 16, 0, true, infinite, "P45 four infinities")

-- gather
for _, dtype in ipairs { "i1", "i8", "i16", "f16", "bf16", "i32", "f32", "i64", "f64", "u8" } do
  for _, kind in ipairs { "i32", "i64", "u8" } do
    for _, row in ipairs { { { 33 }, { 100 }, 0 }, { { 257 }, { 48 }, 0 },
      { { 5, 33 }, { 5, 40 }, 1 }, { { 33, 6 }, { 7, 6 }, 0 }, { { 3, 4, 9 }, { 3, 11, 9 }, 1 } } do
      local x, z, axis = row[1], row[2], row[3]
      local n, count = make.size(x), make.size(z)
      local list, at = numbers(n, 2), numbers(count, 5)
      for i = 1, count do at[i] = kind == "u8" and at[i] % 256 or at[i] end -- some are outside
      for i = 1, n do
        if dtype == "i1" or dtype == "u8" then list[i] = list[i] % (dtype == "i1" and 2 or 256) end
      end
      cases[#cases + 1] = {
        name = ("gather %s %s by %s of %s axis %d"):format(dtype, make.text(x), make.text(z), kind,
          axis),
        kernel = ([[function k(out, px, at)
          local x = tl.load(px + tl.arange(0, %d)):reshape(%s)
          local j = tl.load(at + tl.arange(0, %d)):reshape(%s)
          tl.store(out + tl.arange(0, %d), x:gather(j, %d):ravel())
        end]]):format(n, make.text(x), count, make.text(z), count, axis),
        args = { out = { dtype, count = count }, px = { dtype, list }, at = { kind, at } },
        want = { out = function(inputs)
          local out, starts, steps = {}, {}, {}
          rows(x, axis, function(start, step)
            starts[#starts + 1], steps[#steps + 1] = start, step
          end)
          local number = 0
          rows(z, axis, function(start, step)
            number = number + 1
            for i = 0, z[axis + 1] - 1 do
              local j = inputs.at[start + i * step]
              local inside = j >= 0 and j < x[axis + 1]
              out[start + i * step] = inside and inputs.px[starts[number] + j * steps[number]] or 0
            end
          end)
          return out
        end },
      }
    end
  end
end

-- histogram
for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" } do
  for _, row in ipairs { { { 100 }, 10 }, { { 257 }, 33 }, { { 5, 48 }, 256 }, { { 1 }, 1 } } do
    for _, masked in ipairs { false, true } do
      local shape, bins = row[1], row[2]
      local n = make.size(shape)
      local list = numbers(n, 3)
      if dtype:sub(1, 1) == "u" then
        for i = 1, n do list[i] = math.abs(list[i]) end
      end
      cases[#cases + 1] = {
        name = ("histogram %s %s of %d bins%s"):format(dtype, make.text(shape), bins,
          masked and " masked" or ""),
        kernel = ([[function k(out, px)
          local i = tl.arange(0, %d):reshape(%s)
          local h = tl.histogram(tl.load(px + i), %d%s)
          tl.store(out + tl.arange(0, %d), h)
        end]]):format(n, make.text(shape), bins, masked and ", i % 3 ~= 1" or "", bins),
        args = { out = { "i32", count = bins }, px = { dtype, list } },
        want = { out = function(inputs)
          local out = {}
          for b = 1, bins do out[b] = 0 end
          for i, x in ipairs(inputs.px) do
            if x >= 0 and x < bins and not (masked and (i - 1) % 3 == 1) then
              out[x + 1] = out[x + 1] + 1
            end
          end
          return out
        end },
      }
    end
  end
end

return cases
