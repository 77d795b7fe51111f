-- Reductions and scans by functions, map_elementwise: every axis, shapes that are no powers of two.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}
local nan = 0 / 0

local function numbers(n, from)
  local out = {}
  for i = 1, n do out[i] = ((i * 37 + from * 11) % 7) - 3 end
  return out
end

local function prefixes(shape, axis, reverse, fn)
  return function(inputs)
    local out = {}
    make.rows(shape, axis, function(_, at)
      local acc
      for j = 1, #at do
        local i = at[reverse and #at + 1 - j or j]
        acc = j == 1 and inputs.px[i] or fn(acc, inputs.px[i])
        out[i] = acc
      end
    end)
    return out
  end
end

local shapes = { { { 1 }, 0 }, { { 33 }, 0 }, { { 64 }, 0 }, { { 100 }, 0 }, { { 257 }, 0 },
  { { 5, 33 }, 1 }, { { 33, 5 }, 0 }, { { 7, 100 }, 0 }, { { 3, 4, 48 }, 1 }, { { 3, 48, 2 }, 1 } }

local function wrap(dtype)
  local bits = tonumber(dtype:match "^[iu](%d+)$")
  return function(x)
    if not bits or bits == 64 then return x end
    x = x % 2 ^ bits
    return dtype:sub(1, 1) == "i" and x >= 2 ^ (bits - 1) and x - 2 ^ bits or x
  end
end

local scans = {
  cumsum = function(a, b) return a + b end,
  cummax = math.max,
  cummin = math.min,
}
for name, fn in pairs(scans) do
  for _, dtype in ipairs { "i32", "i64", "f32", "f64", "f16", "bf16", "i8", "u16" } do
    for _, row in ipairs(shapes) do
      for _, reverse in ipairs { false, true } do
        local shape, axis = row[1], row[2]
        local n = make.size(shape)
        local list = numbers(n, #dtype)
        if dtype == "u16" then
          for i = 1, n do list[i] = math.abs(list[i]) end
        end
        local to = name ~= "cumsum" and dtype or dtype == "i8" and "i32" or dtype == "u16" and "u32"
          or dtype
        cases[#cases + 1] = {
          name = ("%s %s %s axis %d%s"):format(name, dtype, make.text(shape), axis,
            reverse and " reverse" or ""),
          kernel = ([[function k(out, px)
            local i = tl.arange(0, %d)
            local x = tl.load(px + i):reshape(%s)
            tl.store(out + i, x:%s(%d, %s):ravel())
          end]]):format(n, make.text(shape), name, axis, tostring(reverse)),
          args = { out = { to, count = n }, px = { dtype, list } },
          want = { out = prefixes(shape, axis, reverse, fn) },
        }
      end
    end
  end
end
for _, dtype in ipairs { "i32", "i16", "f32", "f64" } do
  for _, n in ipairs { 7, 33, 100 } do
    local list = numbers(n, 2)
    for i = 1, n do list[i] = list[i] % 3 == 0 and 1 or list[i] % 3 == 1 and -1 or 2 end
    local w = wrap(dtype == "i16" and "i32" or dtype)
    cases[#cases + 1] = {
      name = ("cumprod %s {%d}"):format(dtype, n),
      kernel = ([[function k(out, px)
        local i = tl.arange(0, %d)
        tl.store(out + i, tl.cumprod(tl.load(px + i)))
      end]]):format(n),
      args = { out = { dtype == "i16" and "i32" or dtype, count = n }, px = { dtype, list } },
      want = { out = prefixes({ n }, 0, false, function(a, b) return w(a * b) end) },
    }
  end
end
for _, propagate in ipairs { true, false } do
  cases[#cases + 1] = {
    name = "cummax with NaN, propagate_nan = " .. tostring(propagate),
    kernel = ([[function k(out, px)
      local i = tl.arange(0, 5)
      tl.store(out + i, tl.cummax(tl.load(px + i), { propagate_nan = %s }))
    end]]):format(tostring(propagate)),
    args = { out = { "f32", count = 5 }, px = { "f32", { 1, 3, nan, 2, 5 } } },
    want = { out = propagate and { 1, 3, nan, nan, nan } or { 1, 3, 3, 3, 5 } },
  }
end
cases[#cases + 1] = {
  name = "cumsum of f16 accumulates in f32",
  kernel = [[function k(out, px)
    tl.store(out + tl.arange(0, 4096), tl.cumsum(tl.load(px + tl.arange(0, 4096))))
  end]],
  args = { out = { "f16", count = 4096 }, px = { "f16", (function()
    local list = {}
    for i = 1, 4096 do list[i] = i % 2 == 0 and 1 or 2 ^ -9 end
    return list
  end)() } },
  ulp = 0.5, rounded = true,
  want = { out = function(inputs)
    local out, sum = {}, 0
    for i = 1, 4096 do
      sum = sum + inputs.px[i]
      out[i] = sum
    end
    return out
  end },
}

-- Functions of one's own -------------------------------------------------------------------------

local functions = {
  { "a + b", function(a, b) return a + b end },
  { "tl.maximum(a, b)", math.max },
  { "a * b", function(a, b) return a * b end },
}
for _, f in ipairs(functions) do
  for _, dtype in ipairs { "i32", "f32", "f64", "i64" } do
    for _, row in ipairs(shapes) do
      local shape, axis = row[1], row[2]
      local n, kept = make.size(shape), make.without(shape, axis)
      local count = make.size(kept)
      local list = numbers(n, 1)
      if f[1] == "a * b" then
        for i = 1, n do list[i] = i % 3 == 0 and -1 or i % 11 == 0 and 2 or 1 end
      end
      local w = wrap(dtype)
      cases[#cases + 1] = {
        name = ("reduce %s %s %s axis %d"):format(f[1], dtype, make.text(shape), axis),
        kernel = ([[function k(out, px)
          local x = tl.load(px + tl.arange(0, %d)):reshape(%s)
          local y = tl.reduce(x, %d, function(a, b) return %s end, true)
          tl.store(out + tl.arange(0, %d), y:ravel())
        end]]):format(n, make.text(shape), axis, f[1], count),
        args = { out = { dtype, count = count }, px = { dtype, list } },
        want = { out = function(inputs)
          local out = {}
          make.rows(shape, axis, function(number, at)
            local acc = inputs.px[at[1]]
            for j = 2, #at do acc = w(f[2](acc, inputs.px[at[j]])) end
            out[number] = acc
          end)
          return out
        end },
      }
    end
  end
end

-- A tuple: value and place of the first largest, with control flow inside.
for _, row in ipairs(shapes) do
  local shape, axis = row[1], row[2]
  local n, count = make.size(shape), make.size(make.without(shape, axis))
  for _, body in ipairs { "if b > a or b == a and j < i then return b, j end return a, i",
    "local t = b > a or b == a and j < i return tl.where(t, b, a), tl.where(t, j, i)" } do
    cases[#cases + 1] = {
      name = ("reduce of a pair %s axis %d by '%s'"):format(make.text(shape), axis, body:sub(1, 8)),
      kernel = ([[function k(out, at, px)
        local i = tl.arange(0, %d):reshape(%s)
        local x = tl.load(px + i)
        local v, p = tl.reduce({ x, i }, %d, function(a, i, b, j) %s end)
        local o = tl.arange(0, %d)
        tl.store(out + o, tl.reshape(v, %d))
        tl.store(at + o, tl.reshape(p, %d))
      end]]):format(n, make.text(shape), axis, body, count, count, count),
      args = { out = { "f32", count = count }, at = { "i32", count = count },
        px = { "f32", numbers(n, 4) } },
      want = {
        out = function(inputs)
          local out = {}
          make.rows(shape, axis, function(number, at)
            out[number] = -math.huge
            for _, i in ipairs(at) do out[number] = math.max(out[number], inputs.px[i]) end
          end)
          return out
        end,
        at = function(inputs)
          local out = {}
          make.rows(shape, axis, function(number, at)
            for _, i in ipairs(at) do
              local best = out[number]
              if not best or inputs.px[i] > inputs.px[best + 1] then out[number] = i - 1 end
            end
          end)
          return out
        end,
      },
    }
  end
end

-- A linear recurrence h = a h + b as a scan of pairs.
for _, reverse in ipairs { false, true } do
  for _, row in ipairs { { { 48 }, 0 }, { { 33, 3 }, 0 }, { { 3, 100 }, 1 } } do
    local shape, axis = row[1], row[2]
    local n = make.size(shape)
    cases[#cases + 1] = {
      name = ("associative_scan of pairs %s axis %d%s"):format(make.text(shape), axis,
        reverse and " reverse" or ""),
      kernel = ([[function k(out, px)
        local i = tl.arange(0, %d):reshape(%s)
        local b = tl.load(px + i)
        local a = tl.full(%s, 0.5, tl.f64)
        local _, h = tl.associative_scan({ a, b }, %d, function(a, b, c, d)
          return a * c, b * c + d
        end, %s)
        tl.store(out + i, h)
      end]]):format(n, make.text(shape), make.text(shape), axis, tostring(reverse)),
      args = { out = { "f64", count = n }, px = { "f64", numbers(n, 5) } }, ulp = 4,
      want = { out = prefixes(shape, axis, reverse, function(h, b) return 0.5 * h + b end) },
    }
  end
end

cases[#cases + 1] = {
  name = "reduce of everything, closures over run-time and compile-time values",
  kernel = [[function k(out, px, n)
    local HALF = 0.5
    local x = tl.load(px + tl.arange(0, 60)):reshape(5, 12)
    local s = n:to(tl.f32)
    local y = tl.reduce(x, nil, function(a, b) return a + b end)
    tl.store(out, y)
    tl.store(out + 1, tl.reduce(x * HALF, nil, function(a, b)
      return tl.minimum(tl.maximum(a, b), s)
    end))
  end]],
  args = { out = { "f32", count = 2 }, px = { "f32", numbers(60, 3) }, n = 1 },
  want = { out = function(inputs)
    local sum = 0
    for _, x in ipairs(inputs.px) do sum = sum + x end
    return { sum, 1 }
  end },
}

-- map_elementwise: loops and branches by element.
local function collatz(x)
  local n = 0
  while x > 1 and n < 50 do
    if x % 2 == 0 then x = x / 2 else x = 3 * x + 1 end
    n = n + 1
  end
  return n, x
end
for _, shape in ipairs { { 1 }, { 33 }, { 100 }, { 5, 12 } } do
  local n = make.size(shape)
  local list = {}
  for i = 1, n do list[i] = i end
  cases[#cases + 1] = {
    name = "map_elementwise with control flow " .. make.text(shape),
    kernel = ([[function k(out, also, px)
      local i = tl.arange(0, %d):reshape(%s)
      local steps, last = tl.map_elementwise(function(x, limit)
        local n = 0
        while x > 1 and n < limit do
          if x %% 2 == 0 then x = tl.div_floor(x, 2) else x = 3 * x + 1 end
          n = n + 1
        end
        return n, x
      end, tl.load(px + i), 50)
      tl.store(out + i, steps)
      tl.store(also + i, last)
    end]]):format(n, make.text(shape)),
    args = { out = { "i32", count = n }, also = { "i32", count = n }, px = { "i32", list } },
    want = {
      out = function(inputs)
        local out = {}
        for i, x in ipairs(inputs.px) do out[i] = (collatz(x)) end
        return out
      end,
      also = function(inputs)
        local out = {}
        for i, x in ipairs(inputs.px) do out[i] = select(2, collatz(x)) end
        return out
      end,
    },
  }
  cases[#cases + 1] = {
    name = "map_elementwise of straight arithmetic " .. make.text(shape),
    kernel = ([[function k(out, px)
      local i = tl.arange(0, %d):reshape(%s)
      tl.store(out + i, tl.map_elementwise(function(x, y) return x * y + 1 end, tl.load(px + i), i))
    end]]):format(n, make.text(shape)),
    args = { out = { "f32", count = n }, px = { "f32", list } },
    want = { out = function(inputs)
      local out = {}
      for i, x in ipairs(inputs.px) do out[i] = x * (i - 1) + 1 end
      return out
    end },
  }
end

return cases
