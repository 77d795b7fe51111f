-- Blocks put together and taken apart: cat, join, split, interleave, slice, flip, squeeze.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

local function numbers(n, from)
  local out = {}
  for i = 1, n do out[i] = ((i * 37 + from) % 101) - 50 end
  return out
end

local bytes = { "i8", "i16", "f16", "i32", "f32", "i64", "f64" }

-- A kernel that loads x {..} (and y), computes `body` into `z` and stores all of it.
local function case(name, dtype, x, y, z, body, want)
  local loads = ("local x = tl.load(px + tl.arange(0, %d)):reshape(%s)\n"):format(make.size(x),
    make.text(x))
  if y then
    loads = loads .. ("local y = tl.load(py + tl.arange(0, %d)):reshape(%s)\n"):format(make.size(y),
      make.text(y))
  end
  cases[#cases + 1] = {
    name = name .. " " .. dtype,
    kernel = ("function k(out, px, py)\n%slocal z = %s\ntl.store(out + tl.arange(0, %d), z:ravel())"
      .. "\nend"):format(loads, body, make.size(z)),
    args = { out = { dtype, count = make.size(z) }, px = { dtype, numbers(make.size(x), 1) },
      py = { dtype, numbers(y and make.size(y) or 1, 8) } },
    want = { out = want },
  }
end

-- The inverse of make.coords, from 1.
local function index(shape, at)
  local i = 0
  for d = 1, #shape do i = i * shape[d] + at[d] end
  return i + 1
end

-- want function: element of the result at `at` is pick(inputs, at).
local function by_element(shape, pick)
  return function(inputs)
    local out = {}
    for i = 0, make.size(shape) - 1 do out[i + 1] = pick(inputs, make.coords(shape, i)) end
    return out
  end
end

local function with(at, d, value)
  local out = {}
  for i, x in ipairs(at) do out[i] = x end
  out[d] = value
  return out
end

-- cat: sizes that differ along the axis.
for _, dtype in ipairs(bytes) do
  for _, pair in ipairs { { { 33 }, { 48 }, 0 }, { { 1 }, { 257 }, 0 }, { { 5, 7 }, { 3, 7 }, 0 },
    { { 5, 7 }, { 5, 40 }, 1 }, { { 3, 2, 9 }, { 3, 5, 9 }, 1 }, { { 64 }, { 64 }, 0 },
    { { 4, 100 }, { 4, 28 }, 1 } } do
    local x, y, axis = pair[1], pair[2], pair[3]
    local z = with(x, axis + 1, x[axis + 1] + y[axis + 1])
    case(("cat %s %s axis %d"):format(make.text(x), make.text(y), axis), dtype, x, y, z,
      ("x:cat(y, %d)"):format(axis), by_element(z, function(inputs, at)
        local i = at[axis + 1]
        if i < x[axis + 1] then return inputs.px[index(x, at)] end
        return inputs.py[index(y, with(at, axis + 1, i - x[axis + 1]))]
      end))
  end
  local x, z = { 33 }, { 99 }
  case("cat of three", dtype, x, x, z, "tl.cat({ x, y, x }, 0)", by_element(z, function(inputs, at)
    local i = at[1]
    return (i >= 33 and i < 66 and inputs.py or inputs.px)[i % 33 + 1]
  end))
end

-- join and interleave; split undoes join.
for _, dtype in ipairs(bytes) do
  for _, x in ipairs { { 1 }, { 33 }, { 64 }, { 5, 7 }, { 2, 3, 48 } } do
    local z = {}
    for d, extent in ipairs(x) do z[d] = extent end
    z[#z + 1] = 2
    case("join " .. make.text(x), dtype, x, x, z, "x:join(y)", by_element(z, function(inputs, at)
      local from = at[#z] == 0 and inputs.px or inputs.py
      at[#z] = nil
      return from[index(x, at)]
    end))
    local w = with(x, #x, 2 * x[#x])
    case("interleave " .. make.text(x), dtype, x, x, w, "x:interleave(y)",
      by_element(w, function(inputs, at)
        local last = at[#w]
        local from = last % 2 == 0 and inputs.px or inputs.py
        return from[index(x, with(at, #w, math.floor(last / 2)))]
      end))
    for half, name in ipairs { "a", "b" } do
      cases[#cases + 1] = {
        name = ("split %s of join %s %s"):format(name, make.text(x), dtype),
        kernel = ([[function k(out, px, py)
          local i = tl.arange(0, %d)
          local a, b = tl.load(px + i):reshape(%s):join(tl.load(py + i):reshape(%s)):split()
          tl.store(out + i, %s:ravel())
        end]]):format(make.size(x), make.text(x), make.text(x), name),
        args = { out = { dtype, count = make.size(x) }, px = { dtype, numbers(make.size(x), 3) },
          py = { dtype, numbers(make.size(x), 4) } },
        want = { out = function(inputs) return half == 1 and inputs.px or inputs.py end },
      }
    end
  end
end

-- slice and flip.
for _, dtype in ipairs(bytes) do
  for _, row in ipairs { { { 257 }, 0, 0, 257, 2 }, { { 100 }, 0, 3, 40, 1 },
    { { 48 }, 0, 47, -1, -1 }, { { 48 }, 0, 40, 2, -3 },
    { { 5, 33 }, 1, 1, 30, 4 }, { { 5, 33 }, 0, 4, 0, -2 },
    { { 3, 4, 9 }, 1, 1, 3, 1 } } do
    local x, axis, first, last, step = row[1], row[2], row[3], row[4], row[5]
    local z = with(x, axis + 1, math.ceil((last - first) / step))
    case(("slice %s axis %d from %d to %d by %d"):format(make.text(x), axis, first, last, step),
      dtype, x, nil, z, ("x:slice(%d, %d, %d, %d)"):format(axis, first, last, step),
      by_element(z, function(inputs, at)
        return inputs.px[index(x, with(at, axis + 1, first + at[axis + 1] * step))]
      end))
  end
  for _, row in ipairs { { { 1 }, 0 }, { { 33 }, 0 }, { { 64 }, -1 }, { { 5, 48 }, 0 },
    { { 5, 48 }, 1 }, { { 3, 5, 7 }, 1 } } do
    local x, axis = row[1], row[2]
    local d = axis < 0 and #x or axis + 1
    case(("flip %s axis %d"):format(make.text(x), axis), dtype, x, nil, x,
      ("x:flip(%d)"):format(axis), by_element(x, function(inputs, at)
        return inputs.px[index(x, with(at, d, x[d] - 1 - at[d]))]
      end))
  end
end

-- P57: chains that come back to where they began, for every width of an element.
for _, dtype in ipairs(bytes) do
  for _, x in ipairs { { 4, 6 }, { 33, 2 }, { 16, 32 }, { 3, 100 } } do
    local m, n = x[1], x[2]
    local identity = by_element(x, function(inputs, at) return inputs.px[index(x, at)] end)
    case("P57 transpose twice " .. make.text(x), dtype, x, nil, x, "x:trans():trans()", identity)
    case("P57 reshape between transposes " .. make.text(x), dtype, x, nil, x,
      ("x:trans():reshape({ 1, %d }):reshape({ %d, %d }):trans()"):format(m * n, n, m), identity)
    case("P57 flip, cat and slice " .. make.text(x), dtype, x, nil, x,
      ("x:flip(0):cat(x, 0):slice(0, 0, %d):flip(0)"):format(m), identity)
    case("P57 permute of rank 3 " .. make.text(x), dtype, x, nil, x,
      ("x:reshape({ %d, %d, 1 }):permute({ 2, 1, 0 }):permute({ 2, 1, 0 }):squeeze()"):format(m, n),
      identity)
  end
end

-- In loops and over stores: what was taken from a block stays.
cases[#cases + 1] = {
  name = "slice of a block that a loop goes on changing",
  kernel = [[function k(out, px)
    local x = tl.load(px + tl.arange(0, 40))
    local kept = tl.zeros({ 20 }, tl.f32)
    for i in tl.range(3) do
      kept = kept + x:slice(0, 39, -1, -2)
      x = x * 2
    end
    tl.store(out + tl.arange(0, 20), kept)
  end]],
  args = { out = { "f32", count = 20 }, px = { "f32", numbers(40, 5) } },
  want = { out = function(inputs)
    local out = {}
    for i = 0, 19 do out[i + 1] = 7 * inputs.px[40 - 2 * i] end
    return out
  end },
}
cases[#cases + 1] = {
  name = "cat of loads around a store to one of them",
  kernel = [[function k(px)
    local i = tl.arange(0, 33)
    local both = tl.cat(tl.load(px + i), tl.load(px + 33 + i))
    tl.store(px + i, 0)
    tl.store(px + tl.arange(0, 66), both:flip())
  end]],
  args = { px = { "i32", numbers(66, 2) } },
  want = { px = function(inputs)
    local out = {}
    for i = 1, 66 do out[i] = inputs.px[67 - i] end
    return out
  end },
}
cases[#cases + 1] = {
  name = "slice of offsets of a pointer",
  kernel = [[function k(out, px)
    local p = px + tl.arange(0, 50) * 2
    tl.store(out + tl.arange(0, 25), tl.load(p:slice(0, 49, -1, -2)))
  end]],
  args = { out = { "f32", count = 25 }, px = { "f32", numbers(100, 2) } },
  want = { out = function(inputs)
    local out = {}
    for i = 0, 24 do out[i + 1] = inputs.px[(49 - 2 * i) * 2 + 1] end
    return out
  end },
}
cases[#cases + 1] = {
  name = "types meet in cat and join",
  kernel = [[function k(out, px, py)
    local x, y = tl.load(px + tl.arange(0, 33)), tl.load(py + tl.arange(0, 33))
    tl.store(out + tl.arange(0, 66), tl.cat(x, y))
    tl.store(out + 66, tl.sum(x:join(y)))
    tl.static_assert(tl.cat(x, y).dtype == tl.f32)
  end]],
  args = { out = { "f32", count = 67 }, px = { "i32", numbers(33, 2) },
    py = { "f32", numbers(33, 7) } },
  want = { out = function(inputs)
    local out, sum = {}, 0
    for i = 1, 33 do
      out[i], out[33 + i] = inputs.px[i], inputs.py[i]
      sum = sum + inputs.px[i] + inputs.py[i]
    end
    out[67] = sum
    return out
  end },
}
cases[#cases + 1] = {
  name = "booleans in cat, slice and flip",
  kernel = [[function k(out, px)
    local x = tl.load(px + tl.arange(0, 33)) > 0
    local both = tl.cat(x, x:flip())
    tl.store(out + tl.arange(0, 33), both:slice(0, 0, 66, 2))
  end]],
  args = { out = { "i1", count = 33 }, px = { "i32", numbers(33, 2) } },
  want = { out = function(inputs)
    local both, out = {}, {}
    for i = 1, 33 do both[i], both[67 - i] = inputs.px[i] > 0, inputs.px[i] > 0 end
    for i = 0, 32 do out[i + 1] = both[2 * i + 1] and 1 or 0 end
    return out
  end },
}
cases[#cases + 1] = {
  name = "item, squeeze, unsqueeze, view, broadcast",
  kernel = [[function k(out, px)
    local x = tl.load(px + tl.arange(0, 33)):view(1, 33):squeeze(0):unsqueeze(1)
    local y = tl.load(px + tl.arange(0, 1))
    local a, b = tl.broadcast(x, tl.arange(0, 2):row())
    tl.store(out + tl.arange(0, 66), (a * b):ravel() + y:item())
  end]],
  args = { out = { "f32", count = 66 }, px = { "f32", numbers(33, 2) } },
  want = { out = function(inputs)
    local out = {}
    for i = 0, 65 do
      out[i + 1] = inputs.px[math.floor(i / 2) + 1] * (i % 2) + inputs.px[1]
    end
    return out
  end },
}

return cases
