-- Functions that the other files of this kind leave out, on every dtype that takes them.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

local function is_eight(dtype) return make.kind(dtype) == "float" and make.bits(dtype) == 8 end

local function add(dtype, label, values, list, from)
  local results = {}
  for i, row in ipairs(list) do
    results[i] = { name = row[1] .. " " .. dtype, op = row[1], text = row[2], to = row[3],
      rule = row[4], ulp = row.ulp }
  end
  cases[#cases + 1] = make.elementwise { name = ("%s of %s"):format(label, dtype),
    from = from or { dtype, dtype }, values = values, results = results,
    side_by_side = label == "next" }
end

-- ------------------------------------------------------------------- elements --

local function truncated(a, b) return a / b >= 0 and math.floor(a / b) or math.ceil(a / b) end

local function float_rows(dtype)
  local quotient = make.bits(dtype) < 32 and "f32" or dtype
  local own = make.fit(dtype)
  local first = make.bits(dtype) < 32 and make.fit "f32" or own
  local function cut(a, b) return is_eight(dtype) and first(a / b) or own(first(a / b)) end
  return {
    { "div_floor", "tl.div_floor(a, b)", dtype, function(a, b) return math.floor(cut(a, b)) end },
    { "div_trunc", "tl.div_trunc(a, b)", dtype, function(a, b) return truncated(cut(a, b), 1) end },
    { "rem", "tl.rem(a, b)", dtype, math.fmod },
    { "fdiv", "tl.fdiv(a, b)", quotient, function(a, b) return a / b end },
    { "div_rn", "tl.div_rn(a, b)", quotient, function(a, b) return a / b end },
    { "isnan", "tl.isnan(a)", "i1", function(a) return a ~= a end },
    { "isinf", "tl.isinf(a)", "i1", function(a) return math.abs(a) == math.huge end },
    { "isfinite", "tl.isfinite(a)", "i1", function(a) return a - a == 0 end },
    { "signbit", "tl.signbit(a)", "i1", function(a) return a < 0 or 1 / a < 0 end },
    { "copysign", "tl.copysign(a, b)", dtype, function(a, b)
      return (b < 0 or 1 / b < 0) and -math.abs(a) or math.abs(a)
    end },
    { "ldexp", "tl.ldexp(a, 1)", dtype, function(a) return a * 2 end },
  }
end

for _, dtype in ipairs(make.joined(make.floats, make.eights)) do
  local values = is_eight(dtype) and { -0.75, -0.5, 0.25, 0.5 } or { -7.5, -1, -0.5, 0.25, 2, 3 }
  add(dtype, "functions", { values, values }, float_rows(dtype))
end
for _, dtype in ipairs(make.integers) do
  local values = { 0, 1, 2, 7, 33, 100 }
  add(dtype, "functions", { values, { 1, 2, 3, 16 } }, {
    { "cdiv", "tl.cdiv(a, b)", dtype, function(a, b) return (a + b - 1) / b end },
    { "fdiv", "tl.fdiv(a, b)", "f32", function(a, b)
      return make.fit "f32"(tonumber(a) / tonumber(b))
    end },
    { "div_rn", "tl.div_rn(a, b)", "f32", function(a, b)
      return make.fit "f32"(tonumber(a) / tonumber(b))
    end },
    { "fma", "tl.fma(a, b, a)", "f32", function(a, b) return tonumber(a * b + a) end },
    { "swizzle2d", "(tl.swizzle2d(a % 4, b % 4, a * 0 + 4, a * 0 + 4, a * 0 + 2))", dtype,
      function(a, b)
        local ij = a % 4 * 4 + b % 4
        local group = ij / 8
        return group * 2 + ij % 8 % 2
      end },
  })
end

local function logistic(x) return 1 / (1 + math.exp(-x)) end

for _, dtype in ipairs(make.all) do
  local eight = is_eight(dtype)
  local to = make.kind(dtype) == "float" and dtype or "f32"
  local values = make.kind(dtype) == "bool" and { false, true }
    or make.kind(dtype) == "uint" and { 0, 1, 3 } or eight and { -0.5, 0, 0.5 } or { -3, 0, 1 }
  local ulp = (to == "f16" or to == "bf16") and 0.51 or not eight and 12 or nil
  local rows = {
    { "sigmoid", "tl.sigmoid(a)", to, function(a)
      return logistic(a == true and 1 or a == false and 0 or tonumber(a))
    end, ulp = ulp },
    { "cast", "tl.cast(tl.cast(a, tl.f32), tl." .. dtype .. ")", dtype, function(a) return a end },
  }
  if dtype ~= "i1" then
    local other = ({ [8] = "u8", [16] = "i16", [32] = "u32", [64] = "i64" })[make.bits(dtype)]
    rows[3] = { "bitcast", ("a:bitcast(tl.%s):bitcast(tl.%s)"):format(other, dtype), dtype,
      function(a) return a end }
  end
  add(dtype, "one operand", { values }, rows, { dtype })
end
-- No NaNs by way of f64: which bits they have is not said.
for _, pair in ipairs { { "i8", "u8" }, { "u16", "i16" }, { "i32", "f32" }, { "f64", "i64" },
  { "u64", "f64", { 0, 1, 7, 2 ^ 40 } }, { "bf16", "u16" } } do
  local from, to = pair[1], pair[2]
  add(from, "bits as " .. to, { pair[3] }, {
    { "bitcast", ("a:bitcast(tl.%s):bitcast(tl.%s)"):format(to, from), from,
      function(a) return a end },
  }, { from })
end

-- One step from 1 up and down, and from 0.
for _, row in ipairs { { "f16", 10, -24 }, { "bf16", 7, -133 }, { "f32", 23, -149 },
  { "f64", 52, -1074 } } do
  local dtype, up, down = row[1], 1 + 2 ^ -row[2], 1 - 2 ^ -(row[2] + 1)
  add(dtype, "next", { { 1, 1, 0, 2 }, { 2, 0, 1, 2 } }, {
    { "nextafter", "tl.nextafter(a, b)", dtype, function(a, b)
      if a == b then return a end
      return a == 0 and 2 ^ row[3] or b > a and up or down
    end },
  })
  cases[#cases].results[1].rounded = true
end

-- -------------------------------------------------------------------- softmax --

for _, dtype in ipairs(make.floats) do
  cases[#cases + 1] = {
    name = "softmax " .. dtype,
    kernel = [[function k(out, px)
      local i = tl.arange(0, 99)
      tl.store(out + i, tl.softmax(tl.load(px + i):reshape(3, 33)):ravel())
    end]],
    args = { out = { dtype, count = 99 }, px = { dtype, make.values(dtype, 99, "small") } },
    ulp = (dtype == "f32" or dtype == "f64") and 16 or 4,
    want = { out = function(inputs)
      local out = {}
      make.rows({ 3, 33 }, 1, function(_, at)
        local sum = 0
        for _, i in ipairs(at) do sum = sum + math.exp(inputs.px[i]) end
        for _, i in ipairs(at) do out[i] = math.exp(inputs.px[i]) / sum end
      end)
      return out
    end },
  }
end

-- --------------------------------------------------------------------- random --

-- A seed is a number, whatever integer it comes as.
for _, dtype in ipairs(make.integers) do
  local case = { name = "random numbers of a seed of " .. dtype, results = {}, want = {},
    args = { px = { dtype, { 77 } } } }
  local body, params = {}, { "px" }
  for r, name in ipairs { "rand", "randn", "randint", "rand4x", "randn4x", "randint4x" } do
    local out = "out" .. r
    params[#params + 1] = out
    body[r] = ("  tl.store(%s + i, (tl.%s(seed, i)) == (tl.%s(77, i)))"):format(out, name, name)
    case.args[out] = { "i1", count = 33 }
    case.want[out] = {}
    for i = 1, 33 do case.want[out][i] = true end
    case.results[r] = { name = ("%s of a seed of %s"):format(name, dtype), op = name, out = out }
  end
  case.kernel = ("function k(%s)\n  local i, seed = tl.arange(0, 33), tl.load(px)\n%s\nend"):format(
    table.concat(params, ", "), table.concat(body, "\n"))
  cases[#cases + 1] = case
end

-- --------------------------------------------------------------------- memory --

for _, dtype in ipairs(make.numbers) do
  cases[#cases + 1] = {
    name = "atomic_cas of every second element, " .. dtype,
    kernel = [[function k(old, px, py)
      local i = tl.arange(0, 33)
      tl.store(old + i, tl.atomic_cas(px + i, tl.load(py + i), tl.load(py + 32 - i)))
    end]],
    args = { old = { dtype, count = 33 }, px = { dtype, make.values(dtype, 33, "small") },
      py = { dtype, (function()
        local list = make.values(dtype, 33, "small")
        for i = 1, 33, 2 do list[i] = 1 end
        return list
      end)() } },
    want = {
      old = function(inputs) return inputs.px end,
      px = function(inputs)
        local out = {}
        for i, x in ipairs(inputs.px) do out[i] = x == inputs.py[i] and inputs.py[34 - i] or x end
        return out
      end,
    },
  }
end

-- A tensor of 100 read and written by blocks of 33 that leave it.
for _, dtype in ipairs(make.all) do
  local function moved(first)
    return function(inputs)
      local out = {}
      for i = 0, 32 do
        out[i + 1] = inputs.px[first + i + 1]
        if out[i + 1] == nil then out[i + 1] = dtype ~= "i1" and 0 or false end
      end
      return out
    end
  end
  cases[#cases + 1] = {
    name = "descriptors and block pointers, " .. dtype,
    kernel = [[function k(a, b, c, px)
      local from = tl.make_tensor_descriptor(px, { 100 }, { 1 }, { 33 })
      local to = tl.make_tensor_descriptor(a, { 33 }, { 1 }, { 33 })
      tl.store_tensor_descriptor(to, 0, tl.load_tensor_descriptor(from, 20))
      tl.store(b + tl.arange(0, 33), tl.load_tensor_descriptor(from, 80))
      local p = tl.make_block_ptr(px, { 100 }, { 1 }, { 20 }, { 33 })
      p = tl.advance(p, { 60 })
      tl.store(c + tl.arange(0, 33), tl.load(p, { boundary_check = { 0 }, padding = "zero" }))
    end]],
    args = { a = { dtype, count = 33 }, b = { dtype, count = 33 }, c = { dtype, count = 33 },
      px = { dtype, make.values(dtype, 100, is_eight(dtype) and "small" or nil) } },
    want = { a = moved(20), b = moved(80), c = moved(80) },
  }
end

-- What one branch puts into a buffer is not there in the other, nor after both.
cases[#cases + 1] = {
  name = "a block from outside, reversed in one branch, used in the other and after",
  kernel = [[function k(out, n)
    local i = tl.arange(0, 33)
    for j = 0, n do
      if j ~= 0 then
        tl.store(out + i, tl.flip(i))
      else
        tl.store(out + i + 33, i * 2)
      end
    end
    tl.store(out + i + 66, i)
  end]],
  args = { out = { "i32", count = 99 }, n = 0 },
  want = { out = (function()
    local out = {}
    for i = 0, 32 do out[i + 1], out[i + 34], out[i + 67] = 0, i * 2, i end
    return out
  end)() },
}

return cases
