-- Every operator on every dtype, on all pairs of the dtype's edges.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")
local bit = require "bit"
local ffi = require "ffi"

local cases = {}

local comparisons = {
  ["<"] = function(a, b) return a < b end,
  ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end,
  [">="] = function(a, b) return a >= b end,
  ["=="] = function(a, b) return a == b end,
  ["~="] = function(a, b) return a ~= b end,
}
local comparison_names = { "<", "<=", ">", ">=", "==", "~=" }

local function add(dtype, list, values, from)
  local results = {}
  for i, row in ipairs(list) do
    results[i] = { name = row[1] .. " " .. dtype, op = row[1], text = row[2], to = row[3],
      rule = row[4], ulp = row.ulp, any_zero = row.any_zero }
  end
  cases[#cases + 1] = make.elementwise { name = dtype .. ": " .. list.name,
    from = from or { dtype, dtype }, values = values, results = results }
end

local function compared()
  local list = { name = "comparisons" }
  for i, op in ipairs(comparison_names) do
    list[i] = { op, ("a %s b"):format(op), "i1", comparisons[op] }
  end
  return list
end

-- ------------------------------------------------------------------- integers --

local function floor_quotient(a, b)
  if b == 0 then return a < 0 and -1 or 0 end
  local q = a / b
  return q * b ~= a and (a < 0) ~= (b < 0) and q - 1 or q
end

local function cut_quotient(a, b) return b == 0 and 0 or a / b end

local function sum(a, b) return a + b end
local function difference(a, b) return a - b end
local function product(a, b) return a * b end
local function negative(a) return -a end
local function smaller(a, b) return a < b and a or b end
local function larger(a, b) return a > b and a or b end

local function arithmetic(dtype)
  local signed = make.kind(dtype) == "int"
  local wide = make.bits(dtype) == 64
  local single = make.fit "f32"
  return { name = "arithmetic",
    { "+", "a + b", dtype, sum }, { "-", "a - b", dtype, difference },
    { "*", "a * b", dtype, product }, { "unary -", "-a", dtype, negative },
    { "//", "a // b", dtype, floor_quotient },
    { "div_floor", "tl.div_floor(a, b)", dtype, floor_quotient },
    { "%", "a % b", dtype, function(a, b) return a - floor_quotient(a, b) * b end },
    { "div_trunc", "tl.div_trunc(a, b)", dtype, cut_quotient },
    { "rem", "tl.rem(a, b)", dtype, function(a, b) return a - cut_quotient(a, b) * b end },
    { "/", "a / b", "f32", function(a, b)
      return single(tonumber(a)) / single(tonumber(b))
    end, ulp = wide and 1 or nil },
    { "minimum", "tl.minimum(a, b)", dtype, smaller },
    { "maximum", "a:maximum(b)", dtype, larger },
    { "clamp", "tl.clamp(a, 1, b)", dtype, function(a, b)
      return smaller(larger(a, a * 0 + 1), b)
    end },
    { "where", "tl.where(a < b, a, b)", dtype, smaller },
    { "abs", "tl.abs(a)", dtype, function(a) return signed and a < 0 and -a or a end },
  }
end

local function bits_of(dtype)
  local bits = make.bits(dtype)
  local ones = ffi.cast("uint64_t", -1LL)
  local mask = bits == 64 and ones or bit.rshift(ones, 64 - bits)
  local function unsigned(a) return bit.band(ffi.cast("uint64_t", a), mask) end
  local function count(a)
    local n = 0
    a = unsigned(a)
    while a ~= 0 do
      n = n + tonumber(bit.band(a, 1ULL))
      a = bit.rshift(a, 1)
    end
    return n
  end
  local function zeros_above(a)
    a = unsigned(a)
    for n = 0, bits - 1 do
      if bit.band(bit.rshift(a, bits - 1 - n), 1ULL) == 1ULL then return n end
    end
    return bits
  end
  local function first(a)
    a = unsigned(a)
    for n = 1, bits do
      if bit.band(bit.rshift(a, n - 1), 1ULL) == 1ULL then return n end
    end
    return 0
  end
  return { name = "bits",
    { "&", "a & b", dtype, bit.band }, { "|", "a | b", dtype, bit.bor },
    { "~", "a ~ b", dtype, bit.bxor }, { "unary ~", "~a", dtype, bit.bnot },
    { "band", "tl.band(a, b)", dtype, bit.band }, { "bor", "tl.bor(a, b)", dtype, bit.bor },
    { "bxor", "tl.bxor(a, b)", dtype, bit.bxor }, { "bnot", "tl.bnot(a)", dtype, bit.bnot },
    { "popcount", "tl.popcount(a)", "i32", count }, { "clz", "tl.clz(a)", "i32", zeros_above },
    { "ffs", "tl.ffs(a)", "i32", first },
  }
end

local function shifts(dtype)
  local bits, signed = make.bits(dtype), make.kind(dtype) == "int"
  local ones = ffi.cast("uint64_t", -1LL)
  local mask = bits == 64 and ones or bit.rshift(ones, 64 - bits)
  local function up(a, n)
    if n < 0 or n >= bits then return 0 end
    return bit.lshift(a, tonumber(n))
  end
  local function zeros(a, n)
    if n < 0 or n >= bits then return 0 end
    return bit.rshift(bit.band(ffi.cast("uint64_t", a), mask), tonumber(n))
  end
  local function sign(a, n)
    if not signed then return zeros(a, n) end
    if n < 0 or n >= bits then return a < 0 and -1 or 0 end
    return bit.arshift(a, tonumber(n))
  end
  return { name = "shifts",
    { "<<", "a << b", dtype, up }, { ">>", "a >> b", dtype, sign },
    { "lshift", "tl.lshift(a, b)", dtype, up }, { "rshift", "tl.rshift(a, b)", dtype, zeros },
    { "arshift", "tl.arshift(a, b)", dtype, sign },
  }
end

for _, dtype in ipairs(make.integers) do
  add(dtype, arithmetic(dtype))
  add(dtype, compared())
  add(dtype, bits_of(dtype))
  local bits = make.bits(dtype)
  local counts = { 0, 1, 2, bits - 1, bits, bits + 1, 100 }
  if make.kind(dtype) == "int" then counts[8] = -1 end
  add(dtype, shifts(dtype), { make.edges(dtype), counts })
end
for _, dtype in ipairs { "i32", "u32" } do
  add(dtype, { name = "umulhi", { "umulhi", "tl.umulhi(a, b)", dtype, function(a, b)
    local function low(x) return bit.band(ffi.cast("uint64_t", x), 0xffffffffULL) end
    return bit.rshift(low(a) * low(b), 32)
  end } })
end

-- --------------------------------------------------------------------- floats --

local function float_mod(fit)
  return function(a, b)
    local r = math.fmod(a, b)
    if r ~= 0 and (r < 0) ~= (b < 0) then r = fit(r + b) end
    return r
  end
end

local function or_nan(rule)
  return function(a, b)
    if a ~= a or b ~= b then return 0 / 0 end
    return rule(a, b)
  end
end

local function float_arithmetic(dtype)
  local quotient = make.bits(dtype) < 32 and "f32" or dtype
  local single, own = make.fit "f32", make.fit(dtype)
  -- Formats below 32 bits, f16 apart, are computed in f32 first.
  local first = (dtype == "bf16" or make.bits(dtype) == 8) and single or function(x) return x end
  local function rounded(rule)
    return function(a, b) return first(rule(a, b)) end
  end
  return { name = "arithmetic",
    { "+", "a + b", dtype, rounded(sum) }, { "-", "a - b", dtype, rounded(difference) },
    { "*", "a * b", dtype, rounded(product) }, { "unary -", "-a", dtype, negative },
    { "/", "a / b", quotient, function(a, b) return a / b end },
    { "//", "a // b", dtype, function(a, b)
      return math.floor(make.bits(dtype) == 8 and first(a / b) or own(first(a / b)))
    end },
    { "%", "a % b", quotient, float_mod(make.fit(quotient)) },
    -- Which zero they give of -0 and 0 is not said.
    { "minimum", "tl.minimum(a, b)", dtype, or_nan(smaller), any_zero = true },
    { "maximum", "a:maximum(b)", dtype, or_nan(larger), any_zero = true },
    { "where", "tl.where(a < b, a, b)", dtype, function(a, b) return a < b and a or b end },
    { "clamp", "tl.clamp(a, 0, b)", dtype, or_nan(function(a, b)
      return smaller(larger(a, 0), b)
    end), any_zero = true },
    { "abs", "tl.abs(a)", dtype, math.abs },
    { "fma", "tl.fma(a, b, a)", dtype, function(a, b) return first(a * b + a) end,
      ulp = dtype == "f64" and 1 or nil },
  }
end

for _, dtype in ipairs(make.joined(make.floats, make.eights)) do
  local eight = make.bits(dtype) == 8
  local edges = eight and { -0.5, -0.25, 0, 0.25, 0.5, 1 } or make.edges(dtype)
  local values = { edges, edges }
  if dtype == "f8e4b15" then values[2] = { -0.5, -0.25, 0.25, 0.5, 1 } end -- it has no NaN
  add(dtype, float_arithmetic(dtype), values)
  add(dtype, compared(), { values[1], values[2] })
end

-- ------------------------------------------------------------------- booleans --

local function number(a) return a and 1 or 0 end
add("i1", { name = "operators",
  { "+", "a + b", "i32", function(a, b) return number(a) + number(b) end },
  { "-", "a - b", "i32", function(a, b) return number(a) - number(b) end },
  { "*", "a * b", "i32", function(a, b) return number(a) * number(b) end },
  { "unary -", "-a", "i32", function(a) return -number(a) end },
  { "/", "a / b", "f32", function(a, b) return number(a) / number(b) end },
  { "//", "a // b", "i32", function(a, b) return number(a) * number(b) end },
  { "%", "a % b", "i32", function(a, b) return b and 0 or number(a) end },
  { "&", "a & b", "i1", function(a, b) return a and b end },
  { "|", "a | b", "i1", function(a, b) return a or b end },
  { "~", "a ~ b", "i1", function(a, b) return a ~= b end },
  { "unary ~", "~a", "i1", function(a) return not a end },
  { "and", "a and b", "i1", function(a, b) return a and b end },
  { "or", "a or b", "i1", function(a, b) return a or b end },
  { "not", "not a", "i1", function(a) return not a end },
  { "==", "a == b", "i1", function(a, b) return a == b end },
  { "~=", "a ~= b", "i1", function(a, b) return a ~= b end },
  { "<", "a < b", "i1", function(a, b) return number(a) < number(b) end },
  { "<=", "a <= b", "i1", function(a, b) return number(a) <= number(b) end },
  { ">", "a > b", "i1", function(a, b) return number(a) > number(b) end },
  { ">=", "a >= b", "i1", function(a, b) return number(a) >= number(b) end },
  { "minimum", "tl.minimum(a, b)", "i1", function(a, b) return a and b end },
  { "maximum", "tl.maximum(a, b)", "i1", function(a, b) return a or b end },
  { "where", "tl.where(a, b, a)", "i1", function(a, b) return a and b end },
})

return cases
