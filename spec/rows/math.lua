-- Mathematics: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

-- f on numbers, the sign of x kept where it gives 0; what has no fraction stays.
local function to_whole(f)
  return function(x)
    if x == 0 or x ~= x or math.abs(x) >= 2 ^ 52 then return x end
    local y = f(x)
    return y == 0 and x < 0 and -0.0 or y
  end
end

local round_away = to_whole(function(x)
  return x >= 0 and math.floor(x + 0.5) or math.ceil(x - 0.5)
end)

-- Kahan's: what rounding exp(x) and 1 + x lost is divided out again.
local function expm1(x)
  local u = math.exp(x)
  if u == 1 or u == math.huge then return u == 1 and x or u elseif u - 1 == -1 then return -1 end
  return (u - 1) * x / math.log(u)
end

local function tanh(x)
  local e = expm1(-2 * math.abs(x))
  local y = -e / (e + 2)
  return x < 0 and -y or x == 0 and x or y
end

local function log1p(x)
  local u = 1 + x
  if u == math.huge then return u end
  return u == 1 and x or math.log(u) * x / (u - 1)
end

local function sinh(x)
  local e = expm1(math.abs(x))
  local y = e == math.huge and e or (e + e / (e + 1)) / 2
  return x < 0 and -y or x == 0 and x or y
end

local function cosh(x)
  return (math.exp(x) + math.exp(-x)) / 2
end

local function asinh(x)
  local a = math.abs(x)
  local y = a > 1e150 and math.log(a) + math.log(2) or log1p(a + a * a / (1 + math.sqrt(a * a + 1)))
  return x < 0 and -y or x == 0 and x or y
end

local function acosh(x)
  local t = x - 1
  return x > 1e150 and math.log(x) + math.log(2) or log1p(t + math.sqrt(t * (t + 2)))
end

local function atanh(x)
  return 0.5 * (log1p(x) - log1p(-x))
end

local function cbrt(x)
  if x == 0 or math.abs(x) == math.huge then return x end
  local y = math.abs(x) ^ (1 / 3)
  y = y - (y * y * y - math.abs(x)) / (3 * y * y)
  return x < 0 and -y or y
end

local function hypot(x, y)
  x, y = math.abs(x), math.abs(y)
  if x == math.huge or y == math.huge then return math.huge end
  local most, least = math.max(x, y), math.min(x, y)
  return most == 0 and 0 or most * math.sqrt(1 + (least / most) ^ 2)
end

local rint = to_whole(function(x)
  local low = math.floor(x)
  local rest = x - low
  if rest > 0.5 or rest == 0.5 and low % 2 == 1 then return low + 1 end
  return low
end)

local function erf(x)
  if x ~= x then return x end
  if math.abs(x) > 6 then return x > 0 and 1 or -1 end -- within 1e-16
  local term, sum, n = x, x, 0
  repeat
    n = n + 1
    term = term * 2 * x * x / (2 * n + 1)
    sum = sum + term
  until math.abs(term) <= 1e-17 * math.abs(sum)
  return 2 / math.sqrt(math.pi) * math.exp(-x * x) * sum
end

local function cdiv(x, d)
  if type(x) ~= "number" or type(d) ~= "number" then
    error(("tl.cdiv takes numbers, got %s and %s"):format(type(x), type(d)), 2)
  end
  return -math.floor(-x / d)
end

local function div_floor(x, y)
  return math.floor(x / y)
end

local function power_of_2(n)
  local p = 1
  while p < n do
    p = p * 2
  end
  return p
end

return {
  { "exp", "x", group = "math", kind = "float1", op = "math.exp", reference = math.exp, ulp = 4,
    doc = "e to the x." },
  { "exp2", "x", group = "math", kind = "float1", op = "math.exp2", ulp = 4,
    reference = function(x) return 2 ^ x end, doc = "2 to the x." },
  { "expm1", "x", group = "math", kind = "float1", op = "math.expm1", reference = expm1,
    ulp = 8, doc = "exp(x) - 1." },
  { "log", "x", group = "math", kind = "float1", op = "math.log", reference = math.log, ulp = 4,
    positive = true, doc = "Natural logarithm." },
  { "log2", "x", group = "math", kind = "float1", op = "math.log2", ulp = 4, positive = true,
    reference = function(x) return math.log(x) / math.log(2) end, doc = "Logarithm to base 2." },
  { "log10", "x", group = "math", kind = "float1", op = "math.log10", ulp = 4, positive = true,
    reference = function(x) return math.log(x) / math.log(10) end, doc = "Logarithm to base 10." },
  { "log1p", "x", group = "math", kind = "float1", op = "math.log1p", reference = log1p,
    ulp = 8, positive = true, doc = "log(1 + x)." },
  { "sin", "x", group = "math", kind = "float1", op = "math.sin", reference = math.sin, ulp = 4,
    doc = "Sine of x in radians." },
  { "cos", "x", group = "math", kind = "float1", op = "math.cos", reference = math.cos, ulp = 4,
    doc = "Cosine of x in radians." },
  { "tan", "x", group = "math", kind = "float1", op = "math.tan", reference = math.tan, ulp = 8,
    doc = "Tangent of x in radians." },
  { "tanh", "x", group = "math", kind = "float1", op = "math.tanh", reference = tanh, ulp = 8,
    doc = "Hyperbolic tangent." },
  { "erf", "x", group = "math", kind = "float1", op = "math.erf", reference = erf, ulp = 8,
    doc = "Error function." },
  { "sqrt", "x", group = "math", kind = "float1", op = "math.sqrt", reference = math.sqrt, ulp = 0,
    positive = true, doc = "Square root, correctly rounded." },
  { "rsqrt", "x", group = "math", kind = "float1", op = "math.rsqrt", ulp = 2, positive = true,
    reference = function(x) return 1 / math.sqrt(x) end, doc = "1 / sqrt(x)." },
  { "floor", "x", group = "math", kind = "float1", op = "math.floor",
    reference = to_whole(math.floor), ulp = 0, keep_integers = true,
    doc = "Greatest whole number not above x, in the type of x." },
  { "ceil", "x", group = "math", kind = "float1", op = "math.ceil",
    reference = to_whole(math.ceil), ulp = 0, keep_integers = true,
    doc = "Least whole number not below x, in the type of x." },
  { "trunc", "x", group = "math", kind = "float1", op = "math.trunc", ulp = 0, keep_integers = true,
    reference = to_whole(function(x) return x >= 0 and math.floor(x) or math.ceil(x) end),
    doc = "x cut toward zero, in the type of x." },
  { "round", "x", group = "math", kind = "float1", op = "math.round", reference = round_away,
    ulp = 0, keep_integers = true, doc = "Nearest whole number, halves away from zero." },
  { "abs", "x", group = "math", op = "math.absf", reference = math.abs, ulp = 0,
    doc = "Absolute value; the least integer wraps to itself." },
  { "fma", "x y z", group = "math", kind = "float3", op = "math.fma", direct = true,
    doc = "x * y + z, rounded once." },
  { "pow", "x y", group = "math", op = "math.powf", ulp = 2,
    reference = function(x, y) return x ^ y end, doc = "x to the y; the same as x ^ y." },
  { "atan2", "y x", group = "math", kind = "float2", op = "math.atan2", ulp = 4,
    reference = math.atan2 or math.atan, method = false, doc = "Angle of the point (x, y)." },
  { "asin", "x", group = "math", library = true, ulp = 1, unit = true, reference = math.asin,
    doc = "Angle whose sine is x." },
  { "acos", "x", group = "math", library = true, ulp = 1, unit = true, reference = math.acos,
    doc = "Angle whose cosine is x." },
  { "atan", "x", group = "math", library = true, ulp = 1, reference = math.atan,
    doc = "Angle whose tangent is x." },
  { "sinh", "x", group = "math", library = true, ulp = 1, reference = sinh,
    doc = "Hyperbolic sine." },
  { "cosh", "x", group = "math", library = true, ulp = 1, reference = cosh,
    doc = "Hyperbolic cosine." },
  { "asinh", "x", group = "math", library = true, ulp = 1, reference = asinh,
    doc = "Inverse of sinh." },
  { "acosh", "x", group = "math", library = true, ulp = 1, above_one = true, reference = acosh,
    doc = "Inverse of cosh, for x of at least 1." },
  { "atanh", "x", group = "math", library = true, ulp = 1, unit = true, reference = atanh,
    doc = "Inverse of tanh." },
  { "cbrt", "x", group = "math", library = true, ulp = 1, reference = cbrt, doc = "Cube root." },
  { "exp10", "x", group = "math", library = true, ulp = 1,
    reference = function(x) return 10 ^ x end, doc = "10 to the x." },
  { "hypot", "x y", group = "math", library = true, ulp = 1, example = "tl.hypot(v, v)",
    reference = hypot, doc = "sqrt(x * x + y * y), without overflow on the way." },
  { "isnan", "x", group = "math", library = true, doc = "True where x is NaN." },
  { "isinf", "x", group = "math", library = true, doc = "True where x is an infinity." },
  { "isfinite", "x", group = "math", library = true,
    doc = "True where x is neither NaN nor an infinity." },
  { "signbit", "x", group = "math", library = true,
    doc = "True where the sign bit of a float is set." },
  { "copysign", "x y", group = "math", kind = "float2", op = "math.copysign", direct = true,
    example = "tl.copysign(v, v)", doc = "The size of x with the sign of y." },
  { "nextafter", "x y", group = "math", library = true, example = "tl.nextafter(v, v)",
    doc = "The float of their type next to x toward y." },
  { "ldexp", "x n", group = "math", library = true, example = "tl.ldexp(v, n)",
    doc = "x * 2^n for integers n." },
  { "rint", "x", group = "math", kind = "float1", op = "math.roundeven", keep_integers = true,
    ulp = 0, reference = rint, doc = "Nearest whole number, halves to even, in the type of x." },
  { "fdiv", "x y", group = "math", example = "tl.fdiv(v, 3)", doc = "x / y, correctly rounded." },
  { "div_rn", "x y", group = "math", example = "tl.div_rn(v, 3)", doc = "The same as tl.fdiv." },
  { "sqrt_rn", "x", group = "math", kind = "float1", op = "math.sqrt", reference = math.sqrt,
    ulp = 0, positive = true, doc = "The same as tl.sqrt." },
  { "sigmoid", "x", group = "math", library = true, doc = "1 / (1 + exp(-x))." },
  { "minimum", "x y propagate_nan?", group = "math", doc = "The smaller by element; NaN wins unless"
    .. " propagate_nan = false.", reference = math.min, ulp = 0 },
  { "maximum", "x y propagate_nan?", group = "math", doc = "The larger by element; NaN wins unless"
    .. " propagate_nan = false.", reference = math.max, ulp = 0 },
  { "clamp", "x low high propagate_nan?", group = "math", doc = "minimum(maximum(x, low), high)." },
  { "where", "condition x y", group = "math", op = "arith.select",
    doc = "x where the condition is true, y elsewhere; both are computed." },
  { "cdiv", "x d", group = "math", reference = cdiv, host = true,
    doc = "x / d rounded up, for integers and d > 0." },
  { "div_floor", "x y", group = "math", reference = div_floor, host = true,
    doc = "Quotient rounded down, exact for integers: `x // y` where Lua has no such operator." },
  { "div_trunc", "x y", group = "math", doc = "Quotient cut toward zero, as in C; x / 0 gives 0." },
  { "rem", "x y", group = "math", doc = "Remainder with the sign of x, as in C; of 0 it is x." },
  { "umulhi", "x y", group = "math",
    doc = "High half of the product of two 32- or 64-bit integers taken as unsigned." },
  { "next_power_of_2", "n", group = "math", reference = power_of_2, host = true, method = false,
    doc = "Least power of two not below n; for numbers known when compiling." },
}
