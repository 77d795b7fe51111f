-- What numbers do in whole computations: products rounded to nearest, no contraction, sums of
-- 16-bit floats, operators of booleans, the integer model at its ends.

local bit = require "bit"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

-- ------------------------------------------------------------------ P47, P49, P50 --

local pairs_count = os.getenv "NESO_INTERPRET" and 2 ^ 13 or 2 ^ 20

-- The bits that the kernel below makes of an index, in whole numbers below 2^53.
local function hashed(i)
  local x = bit.bxor(i, bit.rshift(i, 9))
  local low, high = x % 65536, math.floor(x / 65536)
  return (low * 40503 + high * 7919 + 12345) % 2 ^ 32
end

cases[#cases + 1] = {
  name = "P47 products of bf16 are rounded to nearest, 2^20 pairs, that wraps",
  grid = pairs_count / 4096,
  kernel = [[function k(out)
    local i = tl.program_id(0) * 4096 + tl.arange(0, 4096)
    local x = (i ~ (i >> 9)):to(tl.u32)
    local h = (x & 65535) * 40503 + (x >> 16) * 7919 + 12345
    local a = (h & 65535):to(tl.u16):bitcast(tl.bf16)
    local b = (h >> 16):to(tl.u16):bitcast(tl.bf16)
    tl.static_assert((a * b).dtype == tl.bf16)
    tl.store(out + i, a * b)
  end]],
  args = { out = { "bf16", count = pairs_count } },
  want = { out = function()
    local out, fit = {}, make.fit "bf16"
    for i = 0, pairs_count - 1 do
      local h = hashed(i)
      out[i + 1] = fit(make.half("bf16", h % 65536) * make.half("bf16", math.floor(h / 65536)))
    end
    return out
  end },
}

cases[#cases + 1] = {
  name = "P49 what equals its maximum has exp 1, and no square root of less than 0",
  kernel = [[function k(out, px, s)
    local i = tl.arange(0, 33)
    local x = tl.load(px + i)
    local y = x * s
    tl.store(out + i, tl.exp(y - tl.max(y)))
    tl.store(out + 33 + i, tl.exp(x * s - x * s))
    tl.store(out + 66 + i, tl.sqrt(x * s - y))
  end]],
  args = { out = { "f32", count = 99 }, s = 0.18033688, px = { "f32", (function()
    local out = {}
    for i = 1, 33 do out[i] = 1134139801600 end
    return out
  end)() } },
  want = { out = function()
    local out = {}
    for i = 1, 99 do out[i] = i <= 66 and 1 or 0 end
    return out
  end },
}

-- 1, then 2^-9 4096 times: lost one by one in bf16, 9 all together.
for _, row in ipairs { { "bf16", 2 ^ -9, 9 }, { "f16", 2 ^ -12, 2 } } do
  local dtype, small, sum = row[1], row[2], row[3]
  cases[#cases + 1] = {
    name = ("P50 sums of %s keep what is small"):format(dtype),
    kernel = [[function k(out, px, n)
      local i = tl.arange(0, 5000)
      local x = tl.load(px + i, i < n)
      tl.static_assert(tl.sum(x).dtype == x.dtype)
      tl.store(out, tl.sum(x))
      tl.store(out + 1, tl.sum(tl.load(px + tl.arange(0, 4096))))
      tl.store(out + 2, tl.sum(x:to(tl.f32)))
    end]],
    args = { out = { "f32", count = 3 }, n = 4097, px = { dtype, (function()
      local out = { 1 }
      for i = 2, 4097 do out[i] = small end
      return out
    end)() } },
    want = { out = { sum, make.fit(dtype)(sum - small), sum } },
  }
end

-- ------------------------------------------------------------------------------ P60 --

local truth = {
  ["=="] = function(a, b) return a == b end, ["~="] = function(a, b) return a ~= b end,
  ["and"] = function(a, b) return a and b end, ["or"] = function(a, b) return a or b end,
  ["&"] = function(a, b) return a and b end, ["|"] = function(a, b) return a or b end,
  ["~"] = function(a, b) return a ~= b end,
}
local words = { "==", "~=", "and", "or", "&", "|", "~" }

-- How each side is given: as a loaded block, a loaded scalar, a constant block, or a literal.
local sides = {
  block = function(p) return ("tl.load(p%s + tl.arange(0, 3) * 0)"):format(p) end,
  scalar = function(p) return ("tl.load(p%s)"):format(p) end,
  constant = function(_, v) return ("tl.full({3}, %s)"):format(v) end,
  literal = function(_, v) return tostring(v) end,
}
local forms = { "block", "scalar", "constant", "literal" }

for _, left in ipairs(forms) do
  for _, right in ipairs(forms) do
    local case = { args = { out = { "i1", count = 3 * 4 * #words } }, want = { out = {} } }
    case.name = ("P60 booleans, %s with %s"):format(left, right)
    local text, at = {}, 0
    for v = 0, 3 do
      local a, b = v % 2 == 1, v >= 2
      for _, op in ipairs(words) do
        if not (left == "literal" and right == "literal" and op:find "[&|~]$" and op ~= "~=") then
          text[#text + 1] = ("tl.store(out + %d + tl.arange(0, 3), %s %s %s)"):format(at,
            sides[left]("a" .. (a and 1 or 0), a), op, sides[right]("b" .. (b and 1 or 0), b))
          for _ = 1, 3 do case.want.out[#case.want.out + 1] = truth[op](a, b) end
          at = at + 3
        end
      end
    end
    case.args.out.count = at
    case.kernel = ("function k(out, pa0, pa1, pb0, pb1)\n%s\nend"):format(table.concat(text, "\n"))
    for _, p in ipairs { "pa", "pb" } do
      case.args[p .. 0], case.args[p .. 1] = { "i1", { false } }, { "i1", { true } }
    end
    cases[#cases + 1] = case
  end
end

-- ------------------------------------------------------------------------------ P66 --

local operations = {
  { "a + b", function(a, b) return a + b end }, { "a - b", function(a, b) return a - b end },
  { "a * b", function(a, b) return a * b end }, { "-a", function(a) return -a end },
  { "a << s", function(a, _, s, bits) return s < bits and bit.lshift(a, s) or a * 0 end },
}

for _, dtype in ipairs(make.integers) do
  local bits, fit, lift = make.bits(dtype), make.fit(dtype), make.lift(dtype)
  local edges = make.edges(dtype)
  local a, b, s = {}, {}, {}
  for _, x in ipairs(edges) do
    for k, y in ipairs(edges) do
      a[#a + 1], b[#b + 1], s[#s + 1] = x, y, k % (bits + 2)
    end
  end
  local n, text, want = #a, {}, {}
  for k, operation in ipairs(operations) do
    text[k] = ("tl.store(out + %d + i, %s, i < n)"):format((k - 1) * n, operation[1])
    for i = 1, n do
      want[#want + 1] = fit(operation[2](lift(a[i]), lift(b[i]), s[i], bits))
    end
  end
  cases[#cases + 1] = {
    name = ("P66 + - * << and minus at the ends of %s, that wraps"):format(dtype),
    kernel = ([[function k(out, pa, pb, ps, n)
      local i = tl.arange(0, %d)
      local a, b = tl.load(pa + i, i < n), tl.load(pb + i, i < n)
      local s = tl.load(ps + i, i < n):to(a.dtype)
      %s
    end]]):format(n + 5, table.concat(text, "\n")),
    args = { out = { dtype, count = n * #operations }, pa = { dtype, a }, pb = { dtype, b },
      ps = { "u8", s }, n = n },
    want = { out = want },
  }
end

cases[#cases + 1] = {
  name = "P66 booleans count as i32; narrowed they are 1 unless 0",
  kernel = [[function k(out, p)
    local t = tl.load(p + tl.arange(0, 2) * 0)
    tl.static_assert((t + t).dtype == tl.i32)
    local i = tl.arange(0, 2)
    tl.store(out + i, t + t)
    tl.store(out + 2 + i, -t)
    tl.store(out + 4 + i, t * t)
    tl.store(out + 6 + i, (t + t):to(tl.i1))
    tl.store(out + 8 + i, t - t - t)
    tl.store(out + 10 + i, tl.sum(t))
  end]],
  args = { out = { "i32", count = 12 }, p = { "i1", { true } } },
  want = { out = { 2, 2, -1, -1, 1, 1, 1, 1, -1, -1, 2, 2 } },
}

cases[#cases + 1] = {
  name = "atan2 of zeros known when compiling",
  kernel = [[function k(out, x)
    local zero, below = tl.zeros({ 4 }), -tl.zeros({ 4 })
    local i = tl.arange(0, 4)
    tl.store(out + i, tl.atan2(zero, zero))
    tl.store(out + 4 + i, tl.atan2(zero, below))
    tl.store(out + 8, tl.atan2(tl.load(x), tl.load(x)))
  end]],
  args = { out = { "f32", count = 9 }, x = { "f32", { 0 } } }, ulp = 1,
  want = { out = { 0, 0, 0, 0, math.pi, math.pi, math.pi, math.pi, 0 } },
}

-- Divisors whose range holds 0 and 1 only.
cases[#cases + 1] = {
  name = "division by 0 where the divisor is 0 or 1",
  kernel = [[function k(q, r, x)
    local i = tl.arange(0, 2)
    tl.store(q + i, 7 // i:to(tl.u32))
    tl.store(q + 2 + i, tl.div_trunc(7, i))
    tl.store(r + i, 1 % (tl.load(x + i) > 0):to(tl.u8))
    tl.store(r + 2 + i, tl.rem(7, i))
  end]],
  args = { q = { "i32", count = 4 }, r = { "i32", count = 4 }, x = { "i32", { 0, 1 } } },
  want = { q = { 0, 7, 0, 7 }, r = { 1, 0, 7, 0 } },
}

return cases
