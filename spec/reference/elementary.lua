-- Elementary functions: computed in double and rounded. Backends are allowed the error stated in
-- the rows of the language.
local rows = {}

local exp, log = math.exp, math.log

local function add(name, rule)
  rows["math." .. name] = { scalar = function(op)
    local round = op.results[1].element.round
    return function(a, b) return round(rule(a, b)) end
  end }
end

-- Kahan's: what rounding exp(x) and 1 + x lost is divided out again.
local function expm1(x)
  local u = exp(x)
  if u == 1 then return x elseif u == 0 or u == math.huge or u ~= u then return u - 1 end
  return (u - 1) * x / log(u)
end

local function log1p(x)
  local u = 1 + x
  if u == 1 then return x elseif x == math.huge or x ~= x then return x end
  return log(u) * x / (u - 1)
end

local function tanh(x)
  if x ~= x then return x elseif x > 20 then return 1 elseif x < -20 then return -1 end
  local u = expm1(2 * x)
  return u / (u + 2)
end

local function erf(x)
  if x ~= x then return x end
  if math.abs(x) > 6 then return x > 0 and 1 or -1 end -- within 1e-16
  local term, sum, n = x, x, 0
  repeat
    n = n + 1
    term = term * 2 * x * x / (2 * n + 1)
    sum = sum + term
  until math.abs(term) <= 1e-17 * math.abs(sum)
  return 2 / math.sqrt(math.pi) * exp(-x * x) * sum
end

local function log2(x)
  local mantissa, exponent = math.frexp(x)
  if x <= 0 or x ~= x or x == math.huge then return log(x) end
  if mantissa < 0.75 then mantissa, exponent = 2 * mantissa, exponent - 1 end
  return exponent + log(mantissa) / log(2)
end

add("exp", function(x) return exp(x) end)
add("exp2", function(x) return 2 ^ x end)
add("expm1", expm1)
add("log", function(x) return log(x) end)
add("log2", log2)
add("log10", function(x) return math.log10(x) end)
add("log1p", log1p)
add("sin", function(x) return math.sin(x) end)
add("cos", function(x) return math.cos(x) end)
add("tan", function(x) return math.tan(x) end)
add("tanh", tanh)
add("erf", erf)
add("rsqrt", function(x) return 1 / math.sqrt(x) end)
add("powf", function(x, y) return x ^ y end)
add("atan2", function(y, x) return math.atan2(y, x) end)

return rows
