-- 8-bit floats against tables made from their definition: every code to every float type, every f16
-- and bf16 value to every format, f32 and f64 around every midpoint, arithmetic, saturation.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}
local nan, inf = 0 / 0, math.huge

local formats = {
  f8e5m2 = { mantissa = 2, bias = 15, kind = "ieee" },
  f8e4m3fn = { mantissa = 3, bias = 7, kind = "finite" },
  f8e4b15 = { mantissa = 3, bias = 15, kind = "clamped" },
  f8e4m3fnuz = { mantissa = 3, bias = 8, kind = "unsigned zero" },
  f8e5m2fnuz = { mantissa = 2, bias = 16, kind = "unsigned zero" },
}
local names = { "f8e5m2", "f8e4m3fn", "f8e4b15", "f8e4m3fnuz", "f8e5m2fnuz" }

-- The value of a code without its sign bit; nil where it is NaN.
local function magnitude(f, code)
  local scale = 2 ^ f.mantissa
  local e, fraction = math.floor(code / scale), code % scale
  local top = math.floor(127 / scale)
  if f.kind == "ieee" and e == top then return fraction == 0 and inf or nil end
  if f.kind == "finite" and code == 127 then return nil end
  if f.kind == "clamped" and code == 127 then fraction = fraction - 1 end
  if e == 0 then return fraction / scale * 2 ^ (1 - f.bias) end
  return (1 + fraction / scale) * 2 ^ (e - f.bias)
end

local function decode(f, byte)
  if f.kind == "unsigned zero" and byte == 128 then return nan end
  local x = magnitude(f, byte % 128)
  if not x then return nan end
  return byte >= 128 and -x or x
end

-- Codes of the finite magnitudes in order.
local function ladder(f)
  local list = {}
  for code = 0, 127 do
    local x = magnitude(f, code)
    local clamped = f.kind == "clamped" and code == 127
    if x and x < inf and not clamped then list[#list + 1] = { code = code, value = x } end
  end
  return list
end

-- x rounded to the format, as a number: to nearest, ties to even codes.
local function rounded(f, x, saturate)
  if x ~= x then return nan end
  local list = f.list or ladder(f)
  f.list = list
  local size = math.abs(x)
  local last = list[#list].value
  local step = last - list[#list - 1].value
  local sign = (x < 0 or 1 / x < 0) and -1 or 1
  local over = size > last + step / 2 or size == last + step / 2 and list[#list].code % 2 == 1
  if over then
    if saturate or f.kind == "clamped" then return sign * last end
    return f.kind == "ieee" and sign * inf or nan
  end
  local low, high = 1, #list
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if list[middle].value <= size then low = middle else high = middle end
  end
  local below, above = size - list[low].value, list[high].value - size
  local pick = (below < above or below == above and list[low].code % 2 == 0) and low or high
  local near = list[pick].value
  if near == 0 and f.kind == "unsigned zero" then return 0 end
  return sign * near
end

local function all_bytes()
  local out = {}
  for i = 1, 256 do out[i] = i - 1 end
  return out
end

for _, name in ipairs(names) do
  local f = formats[name]
  for _, to in ipairs { "f16", "bf16", "f32", "f64" } do
    cases[#cases + 1] = {
      name = ("%s to %s, all 256"):format(name, to),
      kernel = ([[function k(out, px)
        local i = tl.arange(0, 256)
        tl.store(out + i, tl.load(px + i):bitcast(tl.%s):to(tl.%s))
      end]]):format(name, to),
      args = { out = { to, count = 256 }, px = { "u8", all_bytes() } },
      want = { out = function()
        local out = {}
        for i = 0, 255 do out[i + 1] = decode(f, i) end
        return out
      end },
    }
  end
  -- f16 and bf16 bit patterns, all of them, in one launch of 16 programs.
  for _, from in ipairs { "f16", "bf16" } do
    cases[#cases + 1] = {
      name = ("P46 %s to %s, all 65536"):format(from, name), grid = 16,
      kernel = ([[function k(out)
        local i = tl.program_id(0) * 4096 + tl.arange(0, 4096)
        tl.store(out + i, i:to(tl.u16):bitcast(tl.%s):to(tl.%s):to(tl.f32))
      end]]):format(from, name),
      args = { out = { "f32", count = 65536 } },
      want = { out = function()
        local out = {}
        for i = 0, 65535 do
          local x = make.half(from, i)
          out[i + 1] = rounded(f, x)
          if x ~= x and f.kind == "clamped" then out[i + 1] = i >= 32768 and -1.75 or 1.75 end
        end
        return out
      end },
    }
  end
  -- f32 and f64 neighbours of every midpoint of two magnitudes.
  for _, from in ipairs { "f32", "f64" } do
    local list, near = ladder(f), {}
    local tiny = from == "f32" and 2 ^ -23 or 2 ^ -52
    for i = 1, #list do
      local above = list[i + 1] and list[i + 1].value
        or 2 * list[i].value - list[i - 1].value
      local middle = (list[i].value + above) / 2
      for _, x in ipairs { middle, middle * (1 + tiny), middle * (1 - tiny), list[i].value } do
        near[#near + 1], near[#near + 2] = x, -x
      end
    end
    for _, x in ipairs { inf, -inf, 0, 1e30, -1e30, 1e-30 } do near[#near + 1] = x end
    if f.kind ~= "clamped" then near[#near + 1] = nan end -- the sign of Lua's NaN is its own affair
    local n = #near
    cases[#cases + 1] = {
      name = ("P46 %s around midpoints to %s"):format(from, name),
      kernel = ([[function k(out, px)
        local i = tl.arange(0, %d)
        tl.store(out + i, tl.load(px + i):to(tl.%s):to(tl.f64))
      end]]):format(n, name),
      args = { out = { "f64", count = n }, px = { from, near } },
      want = { out = function(inputs)
        local out = {}
        for i, x in ipairs(inputs.px) do out[i] = rounded(f, x) end
        return out
      end },
    }
    cases[#cases + 1] = {
      name = ("%s to %s, saturating"):format(from, name),
      kernel = ([[function k(out, px)
        local i = tl.arange(0, %d)
        tl.store(out + i, tl.load(px + i):to(tl.%s, { saturate = true }):to(tl.f64))
      end]]):format(n, name),
      args = { out = { "f64", count = n }, px = { from, near } },
      want = { out = function(inputs)
        local out = {}
        for i, x in ipairs(inputs.px) do out[i] = rounded(f, x, true) end
        return out
      end },
    }
  end
  -- Integers.
  for _, from in ipairs { "i8", "u8", "i16", "i32", "u64" } do
    cases[#cases + 1] = {
      name = ("%s to %s and back"):format(from, name),
      kernel = ([[function k(out, back, px)
        local i = tl.arange(0, 100)
        local y = tl.load(px + i):to(tl.%s)
        tl.store(out + i, y:to(tl.f32))
        tl.store(back + i, y:to(tl.i32))
      end]]):format(name),
      args = { out = { "f32", count = 100 }, back = { "i32", count = 100 }, px = { from, (function()
        local out = {}
        for i = 1, 100 do out[i] = from:sub(1, 1) == "u" and i or i * 2 - 100 end
        return out
      end)() } },
      want = {
        out = function(inputs)
          local out = {}
          for i, x in ipairs(inputs.px) do out[i] = rounded(f, x) end
          return out
        end,
        back = function(inputs)
          local out = {}
          for i, x in ipairs(inputs.px) do
            local y = rounded(f, x)
            out[i] = y ~= y and 0 or y == inf and 2 ^ 31 - 1 or y == -inf and -2 ^ 31
              or (y < 0 and math.ceil(y) or math.floor(y))
          end
          return out
        end,
      },
    }
  end
  -- Arithmetic: in f32, rounded once; every pair of a spread of codes.
  local a, b = {}, {}
  for i = 0, 255 do
    a[i + 1], b[i + 1] = i, (i * 37 + 11) % 256
  end
  for _, op in ipairs { "+", "-", "*" } do
    cases[#cases + 1] = {
      name = ("%s %s %s"):format(name, op, name),
      kernel = ([[function k(out, pa, pb)
        local i = tl.arange(0, 256)
        local a, b = tl.load(pa + i):bitcast(tl.%s), tl.load(pb + i):bitcast(tl.%s)
        local c = a %s b
        tl.static_assert(c.dtype == tl.%s)
        tl.store(out + i, c:to(tl.f32))
      end]]):format(name, name, op, name),
      args = { out = { "f32", count = 256 }, pa = { "u8", a }, pb = { "u8", b } },
      want = { out = function()
        local out = {}
        for i = 1, 256 do
          local x, y = decode(f, a[i]), decode(f, b[i])
          out[i] = rounded(f, op == "+" and x + y or op == "-" and x - y or x * y)
        end
        return out
      end },
    }
  end
  cases[#cases + 1] = {
    name = name .. ": compare, negate, abs, maximum, where, exp, sum, max, sort, cumsum, store",
    kernel = ([[function k(out, px)
      local i = tl.arange(0, 33)
      local x = tl.load(px + i)
      tl.static_assert(x.dtype == tl.%s)
      tl.store(out, tl.sum(x))
      tl.store(out + 1, tl.max(x))
      tl.store(out + 2, tl.sum((x > 0.5):to(tl.i32)))
      tl.store(out + 3, tl.sum(tl.abs(-x)))
      tl.store(out + 4, tl.max(tl.maximum(x, 0.75)))
      tl.store(out + 5, tl.max(tl.where(i == 3, x, 0)))
      tl.store(out + 6, tl.max(tl.sqrt(x * x)))
      tl.store(out + 7, tl.max(tl.sort(x):slice(0, 32, 33)))
      tl.store(out + 8, tl.cumsum(x):slice(0, 32, 33):item())
      tl.store(out + 9, tl.argmax(x))
      tl.store(px + i, x + x, i == 2)
      tl.store(out + 10, tl.load(px + 2))
      tl.store(out + 11, (x / 2):slice(0, 1, 2):item())
    end]]):format(name),
    args = { out = { "f32", count = 12 }, px = { name, (function()
      local out = {}
      for i = 1, 33 do out[i] = i == 9 and 1.5 or i == 2 and 0.25 or i == 3 and 0.5
        or i == 4 and 1.25 or 0 end
      return out
    end)() } },
    want = { out = { 3.5, 1.5, 2, 3.5, 1.5, 1.25, 1.5, 1.5, 3.5, 8, 1, 0.125 } },
    skip = function() return name == "f8e4b15" and "sums leave its range" or nil end,
  }
end

-- Different formats meet in f16; with f16, bf16, f32 in those.
for _, pair in ipairs { { "f8e5m2", "f8e4m3fn", "f16" }, { "f8e5m2", "f16", "f16" },
  { "f8e4m3fn", "f32", "f32" }, { "f8e4m3fn", "bf16", "f32" }, { "f8e4b15", "i32", "f32" },
  { "f8e5m2fnuz", "f64", "f64" } } do
  cases[#cases + 1] = {
    name = ("%s and %s meet in %s"):format(pair[1], pair[2], pair[3]),
    kernel = ([[function k(out, pa, pb)
      local a, b = tl.load(pa), tl.load(pb)
      tl.static_assert((a + b).dtype == tl.%s)
      tl.store(out, a + b)
    end]]):format(pair[3]),
    args = { out = { "f32", count = 1 }, pa = { pair[1], { 0.5 } }, pb = { pair[2], { 1 } } },
    want = { out = { 1.5 } },
  }
end

return cases
