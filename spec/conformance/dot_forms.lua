-- More of tl.dot: every dtype, batches, precisions, results that go on into other operations;
-- tl.dot_scaled.

local cases = {}

local function numbers(n, seed, span, by)
  local out = {}
  span, by = span or 9, by or 1
  for i = 1, n do out[i] = (((i * 37 + seed * 11) % span) - math.floor(span / 2)) * by end
  return out
end

-- Batches of {m, k} {k, n}, row-major lists.
local function product(a, b, batch, m, n, k, start)
  local out = {}
  for s = 0, batch - 1 do
    for i = 0, m - 1 do
      for j = 0, n - 1 do
        local sum = start or 0
        for l = 0, k - 1 do
          sum = sum + a[(s * m + i) * k + l + 1] * b[(s * k + l) * n + j + 1]
        end
        out[(s * m + i) * n + j + 1] = sum
      end
    end
  end
  return out
end

local types = {
  { "i8", "i32" }, { "u8", "i32" }, { "i16", "i32" }, { "u16", "i32" }, { "i32", "i32" },
  { "i64", "i64" }, { "f16", "f32" }, { "bf16", "f32" }, { "f32", "f32" }, { "f64", "f64" },
  { "f8e5m2", "f32" }, { "f8e4m3fn", "f32" }, { "f8e4m3fnuz", "f32" }, { "f8e5m2fnuz", "f32" },
}
local sizes = { { 1, 1, 1 }, { 3, 5, 7 }, { 16, 16, 16 }, { 33, 48, 20 }, { 48, 33, 100 },
  { 96, 10, 33 } }
for _, t in ipairs(types) do
  for _, size in ipairs(sizes) do
    for _, batch in ipairs { 0, 3 } do
      local m, n, k, count = size[1], size[2], size[3], math.max(batch, 1)
      local lead = batch > 0 and batch .. ", " or ""
      local unsigned = t[1]:sub(1, 1) == "u"
      local function list(size_of, seed)
        local out = numbers(size_of, seed)
        if unsigned then
          for i = 1, size_of do out[i] = out[i] + 4 end
        end
        return out
      end
      cases[#cases + 1] = {
        name = ("dot %s%s {%d, %d} {%d, %d}"):format(t[1], batch > 0 and " batch of 3" or "", m,
          k, k, n),
        kernel = ([[function k(c, a, b)
          local x = tl.load(a + tl.arange(0, %d)):reshape(%s%d, %d)
          local y = tl.load(b + tl.arange(0, %d)):reshape(%s%d, %d)
          local z = tl.dot(x, y)
          tl.static_assert(z.dtype == tl.%s)
          tl.store(c + tl.arange(0, %d), z:ravel())
        end]]):format(count * m * k, lead, m, k, count * k * n, lead, k, n, t[2], count * m * n),
        args = { c = { t[2], count = count * m * n }, a = { t[1], list(count * m * k, 1) },
          b = { t[1], list(count * k * n, 2) } },
        want = { c = function(inputs) return product(inputs.a, inputs.b, count, m, n, k) end },
      }
    end
  end
end
for _, pair in ipairs { { "f8e5m2", "f8e4m3fn" }, { "f8e4m3fnuz", "f8e5m2fnuz" } } do
  cases[#cases + 1] = {
    name = ("dot %s with %s"):format(pair[1], pair[2]),
    kernel = [[function k(c, a, b)
      local i = tl.arange(0, 256)
      local x, y = tl.load(a + i):reshape(16, 16), tl.load(b + i):reshape(16, 16)
      tl.store(c + i, tl.dot(x, y):ravel())
    end]],
    args = { c = { "f32", count = 256 }, a = { pair[1], numbers(256, 1) },
      b = { pair[2], numbers(256, 2) } },
    want = { c = function(inputs) return product(inputs.a, inputs.b, 1, 16, 16, 16) end },
  }
end
cases[#cases + 1] = {
  name = "dot of rank 4, accumulator of f16, out_dtype",
  kernel = [[function k(c, a, b)
    local x = tl.load(a + tl.arange(0, 96)):reshape(2, 2, 4, 6)
    local y = tl.load(b + tl.arange(0, 120)):reshape(2, 2, 6, 5)
    local acc = tl.full({ 2, 2, 4, 5 }, 1, tl.f16)
    local z = tl.dot(x, y, acc)
    tl.static_assert(z.dtype == tl.f16)
    tl.static_assert(tl.dot(x, y, { out_dtype = tl.bf16 }).dtype == tl.bf16)
    tl.store(c + tl.arange(0, 80), z:ravel())
  end]],
  args = { c = { "f32", count = 80 }, a = { "f16", numbers(96, 1) },
    b = { "f16", numbers(120, 2) } },
  want = { c = function(inputs) return product(inputs.a, inputs.b, 4, 4, 5, 6, 1) end },
}
cases[#cases + 1] = {
  name = "batched dot carried by a loop",
  kernel = [[function k(c, a, b)
    local acc = tl.zeros({ 3, 8, 33 }, tl.f32)
    for i in tl.range(4) do
      local x = tl.load(a + tl.arange(0, 120)):reshape(3, 8, 5)
      local y = tl.load(b + tl.arange(0, 495)):reshape(3, 5, 33)
      acc = tl.dot(x, y, acc)
    end
    tl.store(c + tl.arange(0, 792), acc:ravel())
  end]],
  args = { c = { "f32", count = 792 }, a = { "f32", numbers(120, 1) },
    b = { "f32", numbers(495, 2) } },
  want = { c = function(inputs)
    local out = product(inputs.a, inputs.b, 3, 8, 33, 5)
    for i = 1, #out do out[i] = 4 * out[i] end
    return out
  end },
}
cases[#cases + 1] = {
  name = "dot of i8 wraps in 32 bits only",
  kernel = [[function k(c, a)
    local x = tl.load(a + tl.arange(0, 256)):reshape(1, 256)
    tl.store(c + tl.arange(0, 1), tl.dot(x, x:trans()):ravel())
  end]],
  args = { c = { "i32", count = 1 }, a = { "i8", (function()
    local out = {}
    for i = 1, 256 do out[i] = -128 end
    return out
  end)() } },
  want = { c = { 256 * 128 * 128 } },
}

cases[#cases + 1] = {
  name = "dot of i8 onto an accumulator wraps",
  kernel = [[function k(c, a)
    local x = tl.load(a + tl.arange(0, 99)):reshape(3, 33)
    local acc = tl.full({ 3, 3 }, 2147483647, tl.i32)
    tl.store(c + tl.arange(0, 9), tl.dot(x, x:trans(), acc):ravel())
  end]],
  args = { c = { "i32", count = 9 }, a = { "i8", numbers(99, 5, 255) } },
  want = { c = function(inputs)
    local out = {}
    for i = 0, 2 do
      for j = 0, 2 do
        local sum = 2147483647
        for l = 1, 33 do sum = sum + inputs.a[i * 33 + l] * inputs.a[j * 33 + l] end
        out[i * 3 + j + 1] = (sum + 2 ^ 31) % 2 ^ 32 - 2 ^ 31
      end
    end
    return out
  end },
}
for _, dtype in ipairs { "f16", "bf16" } do
  cases[#cases + 1] = {
    name = "dot onto an accumulator of " .. dtype .. " is rounded once",
    kernel = ([[function k(c, a)
      local x = tl.load(a + tl.arange(0, 771)):reshape(3, 257)
      local acc = tl.full({ 3, 3 }, 2048, tl.%s)
      tl.store(c + tl.arange(0, 9), tl.dot(x, x:trans(), acc):ravel())
    end]]):format(dtype),
    args = { c = { dtype, count = 9 }, a = { dtype, numbers(771, 5, 3) } },
    want = { c = function(inputs)
      return product(inputs.a, (function()
        local turned = {}
        for i = 0, 2 do
          for l = 0, 256 do turned[l * 3 + i + 1] = inputs.a[i * 257 + l + 1] end
        end
        return turned
      end)(), 1, 3, 3, 257, 2048)
    end },
  }
end

-- P48: f32 is f32; the other precisions are what their names say.
local function rounded(x, bits)
  if x == 0 then return 0 end
  local _, e = math.frexp(x)
  local step = 2 ^ (e - 1 - bits)
  local q = x / step
  local low = math.floor(q)
  local rest = q - low
  if rest > 0.5 or rest == 0.5 and low % 2 == 1 then low = low + 1 end
  return low * step
end
local function parts(x, bits, count)
  local out = {}
  for i = 1, count do
    out[i] = rounded(x, bits)
    x = x - out[i]
  end
  return out
end
local twenty = {}
for i = 1, 64 do twenty[i] = (i % 2 == 0 and 1 or -1) * (1 + (i * 7919 % 2 ^ 20) / 2 ^ 20) end
for _, mode in ipairs { { "ieee", 23, 1 }, { "tf32", 10, 1 }, { "bf16", 7, 1 }, { "tf32x3", 10, 2 },
  { "bf16x3", 7, 2 }, { "bf16x6", 7, 3 } } do
  cases[#cases + 1] = {
    name = "P48 dot of f32, precision " .. mode[1],
    kernel = ([[function k(c, a)
      local i = tl.arange(0, 64)
      local x = tl.load(a + i):reshape(8, 8)
      tl.store(c + i, tl.dot(x, x, { precision = "%s" }):ravel())
    end]]):format(mode[1]),
    args = { c = { "f32", count = 64 }, a = { "f32", twenty } }, ulp = 4, atol = 2e-6,
    want = { c = function(inputs)
      local out = {}
      for i = 0, 7 do
        for j = 0, 7 do
          local sum = 0
          for l = 0, 7 do
            local x = parts(inputs.a[i * 8 + l + 1], mode[2], mode[3])
            local y = parts(inputs.a[l * 8 + j + 1], mode[2], mode[3])
            for p = 1, mode[3] do
              for q = 1, mode[3] + 1 - p do sum = sum + x[p] * y[q] end
            end
          end
          out[i * 8 + j + 1] = sum
        end
      end
      return out
    end },
  }
end

-- Infinities and NaN go where IEEE products take them, whatever the precision.
for _, mode in ipairs { "ieee", "tf32", "bf16", "tf32x3", "bf16x3", "bf16x6" } do
  local function element(seed)
    return function(i)
      if i % 19 == seed then return seed % 2 == 0 and 1 / 0 or -1 / 0 end
      if i % 31 == seed then return 0 / 0 end
      return (i % 5 - 2) * (1 + 2 ^ -20)
    end
  end
  local function list(seed)
    local out, f = {}, element(seed)
    for i = 1, 15 * 15 do out[i] = f(i) end
    return out
  end
  cases[#cases + 1] = {
    name = "dot of infinities and NaN, precision " .. mode,
    kernel = ([[function k(c, a, b)
      local i = tl.arange(0, 225)
      local x, y = tl.load(a + i):reshape(15, 15), tl.load(b + i):reshape(15, 15)
      local z = tl.dot(x, y, { precision = "%s" }):ravel()
      tl.store(c + i, tl.where(z ~= z, 3, tl.where(z == math.huge, 2, tl.where(z == -math.huge, 1,
        0))))
    end]]):format(mode),
    args = { c = { "i32", count = 225 }, a = { "f32", list(4) }, b = { "f32", list(7) } },
    want = { c = function(inputs)
      local out = product(inputs.a, inputs.b, 1, 15, 15, 15)
      for i, z in ipairs(out) do
        out[i] = z ~= z and 3 or z == 1 / 0 and 2 or z == -1 / 0 and 1 or 0
      end
      return out
    end },
  }
end

-- P56: results of a dot go on into reductions, scans, sorting and histograms.
for _, size in ipairs { { 16, 1 }, { 16, 16 }, { 33, 5 }, { 64, 100 }, { 128, 128 } } do
  local m, n, k = size[1], size[2], 8
  cases[#cases + 1] = {
    name = ("P56 dot {%d, %d} into reductions"):format(m, n),
    kernel = ([[function k(sums, most, least, places, total, running, ordered, counts, a, b)
      local i, j = tl.arange(0, %d), tl.arange(0, %d)
      local x = tl.load(a + i:col() * 8 + tl.arange(0, 8):row())
      local y = tl.load(b + tl.arange(0, 8):col() * %d + j:row())
      local z = tl.dot(x, y)
      tl.store(sums + i, tl.sum(z, 1))
      tl.store(most + i, tl.max(z, 1))
      tl.store(least + j, tl.min(z, 0))
      tl.store(places + i, tl.argmin(z, 1))
      tl.store(total, tl.sum(z))
      tl.store(running + i, z:cumsum(1):slice(1, %d, %d):ravel())
      tl.store(ordered + i, z:sort(1):slice(1, 0, 1):ravel())
      tl.store(counts + tl.arange(0, 16), tl.histogram(tl.argmin(z, 1), 16))
    end]]):format(m, n, n, n - 1, n),
    args = { sums = { "f32", count = m }, most = { "f32", count = m }, least = { "f32", count = n },
      places = { "i32", count = m }, total = { "f32", count = 1 }, running = { "f32", count = m },
      ordered = { "f32", count = m }, counts = { "i32", count = 16 },
      a = { "f32", numbers(m * k, 1) }, b = { "f32", numbers(k * n, 2) } },
    want = (function()
      local function rows(f)
        return function(inputs)
          local z, out = product(inputs.a, inputs.b, 1, m, n, k), {}
          for r = 0, m - 1 do
            local row = {}
            for c = 1, n do row[c] = z[r * n + c] end
            out[r + 1] = f(row)
          end
          return out
        end
      end
      local function sum(row)
        local s = 0
        for _, x in ipairs(row) do s = s + x end
        return s
      end
      local function place(row)
        local at = 1
        for c = 2, n do
          if row[c] < row[at] then at = c end
        end
        return at - 1
      end
      local function least(row) return math.min(unpack(row)) end
      return {
        sums = rows(sum), running = rows(sum), ordered = rows(least), places = rows(place),
        most = rows(function(row) return math.max(unpack(row)) end),
        least = function(inputs)
          local z, out = product(inputs.a, inputs.b, 1, m, n, k), {}
          for c = 1, n do
            out[c] = math.huge
            for r = 0, m - 1 do out[c] = math.min(out[c], z[r * n + c]) end
          end
          return out
        end,
        total = function(inputs) return { sum(product(inputs.a, inputs.b, 1, m, n, k)) } end,
        counts = function(inputs)
          local out = {}
          for b = 1, 16 do out[b] = 0 end
          for _, p in ipairs(rows(place)(inputs)) do
            if p < 16 then out[p + 1] = out[p + 1] + 1 end
          end
          return out
        end,
      }
    end)(),
  }
end

-- dot_scaled --------------------------------------------------------------------------------------

local e2m1 = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 }
local function fp4(code) return code >= 8 and -e2m1[code - 7] or e2m1[code + 1] end

local formats = { e2m1 = "u8", e4m3 = "f8e4m3fn", e5m2 = "f8e5m2", bf16 = "bf16", fp16 = "f16" }
local m, n, k = 5, 7, 64

local function codes(count, seed)
  local out = {}
  for i = 1, count do out[i] = (i * 37 + seed * 101) % 256 end
  return out
end

for _, left in ipairs { "e2m1", "e4m3", "e5m2", "bf16", "fp16" } do
  for _, right in ipairs { "e2m1", "e4m3", "e5m2", "bf16" } do
    for _, g in ipairs { 32, 16 } do
      local function data(format, count, seed)
        if format == "e2m1" then return codes(count / 2, seed) end
        return numbers(count, seed, 9, 0.5)
      end
      local lw, rw = left == "e2m1" and k / 2 or k, right == "e2m1" and k / 2 or k
      local scale = g == 32 and "u8" or "f8e4m3fn"
      local function scales(rows, seed)
        local out = {}
        for i = 1, rows * k / g do
          out[i] = g == 32 and 125 + (i + seed) % 5 or 1 + (i + seed) % 3
        end
        return out
      end
      cases[#cases + 1] = {
        name = ("dot_scaled %s %s groups of %d"):format(left, right, g),
        kernel = ([[function k(c, a, b, sa, sb)
          local x = tl.load(a + tl.arange(0, %d)):reshape(%d, %d)
          local y = tl.load(b + tl.arange(0, %d)):reshape(%d, %d)
          local s = tl.load(sa + tl.arange(0, %d)):reshape(%d, %d)
          local t = tl.load(sb + tl.arange(0, %d)):reshape(%d, %d)
          local z = tl.dot_scaled(x, s, "%s", y, t, "%s")
          tl.store(c + tl.arange(0, %d), z:ravel())
        end]]):format(m * lw, m, lw, n * rw, rw, n, m * k / g, m, k / g, n * k / g, n, k / g, left,
          right, m * n),
        args = { c = { "f32", count = m * n }, a = { formats[left], data(left, m * k, 1) },
          b = { formats[right], data(right, n * k, 2) }, sa = { scale, scales(m, 1) },
          sb = { scale, scales(n, 2) } }, ulp = 2,
        want = { c = function(inputs)
          local function factor(list, row, l)
            local s = list[row * k / g + math.floor(l / g) + 1]
            return g == 32 and 2 ^ (s - 127) or s
          end
          local function x(i, l)
            if left ~= "e2m1" then return inputs.a[i * k + l + 1] end
            local byte = inputs.a[i * k / 2 + math.floor(l / 2) + 1]
            return fp4(l % 2 == 0 and byte % 16 or math.floor(byte / 16))
          end
          local function y(l, j)
            if right ~= "e2m1" then return inputs.b[l * n + j + 1] end
            local byte = inputs.b[math.floor(l / 2) * n + j + 1]
            return fp4(l % 2 == 0 and byte % 16 or math.floor(byte / 16))
          end
          local out = {}
          for i = 0, m - 1 do
            for j = 0, n - 1 do
              local sum = 0
              for l = 0, k - 1 do
                sum = sum + x(i, l) * factor(inputs.sa, i, l) * y(l, j) * factor(inputs.sb, j, l)
              end
              out[i * n + j + 1] = sum
            end
          end
          return out
        end },
      }
    end
  end
end
cases[#cases + 1] = {
  name = "dot_scaled: packed along M and N, no scales, accumulator, NaN scale",
  kernel = [[function k(c, d, a, b, s)
    local x = tl.load(a + tl.arange(0, 64)):reshape(2, 32)
    local y = tl.load(b + tl.arange(0, 64)):reshape(32, 2)
    local acc = tl.full({ 4, 4 }, 1, tl.f32)
    local z = tl.dot_scaled(x, nil, "e2m1", y, nil, "e2m1", acc, false, false)
    tl.store(c + tl.arange(0, 16), z:ravel())
    local t = tl.load(s + tl.arange(0, 4)):reshape(4, 1)
    local w = tl.dot_scaled(x, t, "e2m1", y, nil, "e2m1",
      { lhs_k_pack = false, rhs_k_pack = false })
    tl.store(d + tl.arange(0, 4), tl.sum(w, 1))
  end]],
  args = { c = { "f32", count = 16 }, d = { "f32", count = 4 }, a = { "u8", codes(64, 1) },
    b = { "u8", codes(64, 2) }, s = { "u8", { 127, 255, 128, 126 } } },
  want = {
    c = function(inputs)
      local out = {}
      for i = 0, 3 do
        for j = 0, 3 do
          local sum = 1
          for l = 0, 31 do
            local p = inputs.a[math.floor(i / 2) * 32 + l + 1]
            local q = inputs.b[l * 2 + math.floor(j / 2) + 1]
            sum = sum + fp4(i % 2 == 0 and p % 16 or math.floor(p / 16))
              * fp4(j % 2 == 0 and q % 16 or math.floor(q / 16))
          end
          out[i * 4 + j + 1] = sum
        end
      end
      return out
    end,
    d = function(inputs)
      local out = {}
      for i = 0, 3 do
        local sum = 0
        for l = 0, 31 do
          local p = inputs.a[math.floor(i / 2) * 32 + l + 1]
          local x = fp4(i % 2 == 0 and p % 16 or math.floor(p / 16))
          for j = 0, 3 do
            local q = inputs.b[l * 2 + math.floor(j / 2) + 1]
            sum = sum + x * fp4(j % 2 == 0 and q % 16 or math.floor(q / 16))
          end
        end
        out[i + 1] = i == 1 and 0 / 0 or sum * ({ 1, 0, 2, 0.5 })[i + 1]
      end
      return out
    end,
  },
}

return cases
