-- Operators: Lua's meaning on every dtype; integer wrap, division, also by zero.
local cases = {}

local function pairs_of(list)
  local xs, ys = {}, {}
  for _, a in ipairs(list) do
    for _, b in ipairs(list) do
      xs[#xs + 1], ys[#ys + 1] = a, b
    end
  end
  return xs, ys
end

local function add(name, expression, dtype, out, list, rule, ulp)
  local xs, ys = pairs_of(list)
  cases[#cases + 1] = {
    name = name .. " " .. dtype,
    kernel = ([[function op(out, x, y, n, BLOCK)
      local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
      local m = i < n
      local a, b = tl.load(x + i, m), tl.load(y + i, m)
      tl.store(out + i, %s, m)
    end]]):format(expression),
    args = { out = { out, count = #xs }, x = { dtype, xs }, y = { dtype, ys }, n = #xs,
      BLOCK = 32 },
    grid = math.ceil(#xs / 32),
    want = { out = function(inputs)
      local want = {}
      for i = 1, #inputs.x do
        want[i] = rule(inputs.x[i], inputs.y[i])
      end
      return want
    end },
    ulp = ulp,
  }
end

local function wrap(bits, signed)
  return function(x)
    x = x % 2 ^ bits
    return signed and x >= 2 ^ (bits - 1) and x - 2 ^ bits or x
  end
end

local function trunc(x)
  return x >= 0 and math.floor(x) or math.ceil(x)
end

for _, bits in ipairs { 8, 16, 32 } do
  for _, signed in ipairs { true, false } do
    local dtype = (signed and "i" or "u") .. bits
    local low, high = signed and -2 ^ (bits - 1) or 0, 2 ^ (bits - (signed and 1 or 0)) - 1
    local list = signed and { low, low + 1, -7, -1, 0, 1, 2, 5, high - 1, high }
      or { 0, 1, 2, 5, 7, 100, high - 1, high }
    local fit = wrap(bits, signed)
    local function divides(rule)
      return function(a, b) return fit(rule(a, b)) end
    end
    add("+", "a + b", dtype, dtype, list, function(a, b) return fit(a + b) end)
    add("-", "a - b", dtype, dtype, list, function(a, b) return fit(a - b) end)
    add("unary -", "-a", dtype, dtype, list, function(a) return fit(-a) end)
    if bits < 32 then
      add("*", "a * b", dtype, dtype, list, function(a, b) return fit(a * b) end)
    end
    local floored = divides(function(a, b)
      if b == 0 then return a < 0 and -1 or 0 end
      return math.floor(a / b)
    end)
    add("//", "a // b", dtype, dtype, list, floored)
    add("div_floor", "tl.div_floor(a, b)", dtype, dtype, list, floored)
    add("%", "a % b", dtype, dtype, list, divides(function(a, b)
      if b == 0 then return a end
      return a - math.floor(a / b) * b
    end))
    add("div_trunc", "tl.div_trunc(a, b)", dtype, dtype, list, divides(function(a, b)
      return b == 0 and 0 or trunc(a / b)
    end))
    add("rem", "tl.rem(a, b)", dtype, dtype, list, divides(function(a, b)
      return b == 0 and a or a - trunc(a / b) * b
    end))
    add("<", "a < b", dtype, "i1", list, function(a, b) return a < b end)
    add(">=", "a >= b", dtype, "i1", list, function(a, b) return a >= b end)
    add("==", "a == b", dtype, "i1", list, function(a, b) return a == b end)
    add("~=", "a ~= b", dtype, "i1", list, function(a, b) return a ~= b end)
  end
end

local nan, inf = 0 / 0, math.huge
local floats = { -inf, -3.5, -1, -0.25, 0, 0.75, 2, 1000, inf, nan }
for _, dtype in ipairs { "f32", "f64", "f16", "bf16" } do
  local function quotient(a, b) return a / b end
  add("float +", "a + b", dtype, dtype, floats, function(a, b) return a + b end)
  add("float *", "a * b", dtype, dtype, floats, function(a, b) return a * b end)
  add("float /", "a / b", dtype, dtype, floats, quotient)
  add("float <", "a < b", dtype, "i1", floats, function(a, b) return a < b end)
  add("float ==", "a == b", dtype, "i1", floats, function(a, b) return a == b end)
  add("float ~=", "a ~= b", dtype, "i1", floats, function(a, b) return a ~= b end)
  add("maximum with NaN", "tl.maximum(a, b)", dtype, dtype, floats, function(a, b)
    if a ~= a or b ~= b then return nan end
    return math.max(a, b)
  end)
  add("minimum skips NaN", "tl.minimum(a, b, false)", dtype, dtype, floats, function(a, b)
    if a ~= a then return b elseif b ~= b then return a end
    return math.min(a, b)
  end)
end

local finite = { -7.5, -3, -1, -0.25, 0.25, 0.75, 2, 3, 100 }
for _, dtype in ipairs { "f32", "f64" } do
  add("float //", "a // b", dtype, dtype, finite, function(a, b) return math.floor(a / b) end)
  add("float %", "a % b", dtype, dtype, finite, function(a, b)
    return a - math.floor(a / b) * b
  end)
  cases[#cases].any_zero = true -- Lua's own versions differ in the sign of no remainder
end

local booleans = { false, true }
local function truth(x) return x == true or x == 1 end
add("and", "a and b", "i1", "i1", booleans, function(a, b) return truth(a) and truth(b) end)
add("or", "a or b", "i1", "i1", booleans, function(a, b) return truth(a) or truth(b) end)
add("boolean ==", "a == b", "i1", "i1", booleans, function(a, b) return truth(a) == truth(b) end)
add("boolean ~= true", "a ~= true", "i1", "i1", booleans, function(a) return not truth(a) end)
add("not", "not a", "i1", "i1", booleans, function(a) return not truth(a) end)

-- A product that is not contracted with the subtraction: exp(x * s - max(x * s)) is exactly 1.
cases[#cases + 1] = {
  name = "no contraction",
  kernel = [[function k(out, x, s)
    local v = tl.load(x + tl.arange(0, 1)) * s
    tl.store(out + tl.arange(0, 1), tl.exp(v - tl.max(v, 0)))
  end]],
  args = { out = { "f32", count = 1 }, x = { "f32", { 1134139801600 } }, s = 0.18033688 },
  want = { out = { 1 } },
}

return cases
