-- Helps to make cases: dtypes, values with the edges of each dtype, shapes, rounding, references on
-- whole blocks. `local make = dofile(here .. "make.lua")`.
--
--   make.integers, .signed, .unsigned, .floats, .halves, .eights, .all   lists of dtype names
--   make.kind(dtype)             "int", "uint", "float" or "bool"
--   make.bits(dtype)             of a value
--   make.edges(dtype)            zeros, extremes, and of floats denormals, infinities and NaN
--   make.values(dtype, n, set)   n values, all different while there are as many: the edges, then
--                                others; set "finite" leaves infinities and NaN out, "small" takes
--                                whole numbers of -3 .. 3 (0 .. 6)
--   make.shapes                  shapes that are no powers of two, and 1, of rank 1 to 3
--   make.size(shape), .text(shape), .without(shape, axis)
--   make.coords(shape, i)        0-based coordinates of element i, from 0
--   make.rows(shape, axis, f)    calls f(number of the row, positions along the axis), from 1
--   make.fit(dtype)              function: rounds or wraps a result to the dtype
--   make.lift(dtype)             function: a stored value as a reference takes it: 64-bit integers
--                                for integers (uint64_t for u64), numbers for floats, booleans
--   make.ulp(row, dtype)         error allowed of a function of spec/rows
--   make.half(dtype, bits)       the value of 16 bits as f16 or bf16
--   make.elementwise{...}        a case, see there
--   make.plain_lua{...}          a case, see there

local ffi = require "ffi"

local M = {}

M.signed = { "i8", "i16", "i32", "i64" }
M.unsigned = { "u8", "u16", "u32", "u64" }
M.halves = { "f16", "bf16" }
M.floats = { "f16", "bf16", "f32", "f64" }
M.eights = { "f8e5m2", "f8e4m3fn", "f8e4b15", "f8e4m3fnuz", "f8e5m2fnuz" }

local function joined(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, item in ipairs(list) do out[#out + 1] = item end
  end
  return out
end

M.joined = joined
M.integers = joined(M.signed, M.unsigned)
M.numbers = joined(M.integers, M.floats)
M.all = joined({ "i1" }, M.numbers, M.eights)

function M.kind(dtype)
  if dtype == "i1" then return "bool" end
  return dtype:match "^i" and "int" or dtype:match "^u" and "uint" or "float"
end

function M.bits(dtype)
  return dtype:match "^f8" and 8 or tonumber(dtype:match "%d+$")
end

-- ------------------------------------------------------------------- rounding --

local single = ffi.new "float[1]"

-- Rounds to `mantissa` bits behind the point, to nearest, ties to even; what is beyond the largest
-- becomes `over`.
local function rounder(mantissa, least, largest, over)
  local magic = 1.5 * 2 ^ 52
  return function(x)
    if x ~= x or x == 0 then return x end
    if math.abs(x) == math.huge then return x > 0 and over or -over end
    local _, exponent = math.frexp(x)
    local step = 2 ^ (math.max(exponent - 1, least) - mantissa)
    local y = (x / step + magic - magic) * step
    if math.abs(y) > largest then return y > 0 and over or -over end
    return y == 0 and x < 0 and -0.0 or y
  end
end

-- The same where 0 has no sign.
local function plain_zero(round)
  return function(x) return round(x) + 0 end
end

local fits = {
  f64 = function(x) return x end,
  f32 = function(x)
    single[0] = x
    return single[0]
  end,
  f16 = rounder(10, -14, 65504, math.huge),
  bf16 = rounder(7, -126, 3.3895313892515355e38, math.huge),
  f8e5m2 = rounder(2, -14, 57344, math.huge),
  f8e4m3fn = rounder(3, -6, 448, 0 / 0),
  f8e4b15 = rounder(3, -14, 1.75, 1.75),
  f8e4m3fnuz = plain_zero(rounder(3, -7, 240, 0 / 0)),
  f8e5m2fnuz = plain_zero(rounder(2, -15, 57344, 0 / 0)),
  i1 = function(x) return x == true or type(x) ~= "boolean" and x ~= 0 end,
}
for _, bits in ipairs { 8, 16, 32, 64 } do
  for _, sign in ipairs { "i", "u" } do
    local ctype = ffi.typeof((sign == "u" and "u" or "") .. "int" .. bits .. "_t")
    local narrow = bits < 64
    fits[sign .. bits] = function(x)
      local y = ffi.cast(ctype, x)
      if narrow then return tonumber(y) end
      return ctype(y)
    end
  end
end

function M.fit(dtype) return fits[dtype] end

function M.lift(dtype)
  local kind = M.kind(dtype)
  if kind == "float" then return tonumber end
  if kind == "bool" then return function(x) return x == true or x == 1 end end
  local ctype = ffi.typeof(dtype == "u64" and "uint64_t" or "int64_t")
  return function(x) return ffi.cast(ctype, x) + ctype(0) end
end

-- --------------------------------------------------------------------- values --

local nan, inf = 0 / 0, math.huge
local limits = { -- largest, least normal, least
  f16 = { 65504, 2 ^ -14, 2 ^ -24 },
  bf16 = { 3.3895313892515355e38, 2 ^ -126, 2 ^ -133 },
  f32 = { 3.4028234663852886e38, 2 ^ -126, 2 ^ -149 },
  f64 = { 1.7976931348623157e308, 2 ^ -1022, 2 ^ -1074 },
}

--- Error allowed beyond the rounding of a result: 16-bit floats are computed in f32 and rounded
--- once, so only that rounding shows; functions of f64 are less exact.
function M.ulp(row, dtype)
  if M.kind(dtype) ~= "float" or M.bits(dtype) == 8 then return 0 end
  if M.bits(dtype) == 16 then return math.min(row.ulp, 0.01) end
  return dtype == "f64" and row.ulp * 8 or row.ulp
end

function M.half(dtype, bits)
  local mantissa, bias, top = 10, 15, 31
  if dtype == "bf16" then mantissa, bias, top = 7, 127, 255 end
  local sign = bits >= 32768 and -1 or 1
  local e, fraction = math.floor(bits % 32768 / 2 ^ mantissa), bits % 2 ^ mantissa / 2 ^ mantissa
  if e == top then return fraction == 0 and sign * math.huge or 0 / 0 end
  if e == 0 then return sign * fraction * 2 ^ (1 - bias) end
  return sign * (1 + fraction) * 2 ^ (e - bias)
end

local function float_edges(dtype, finite)
  local out = { 0, -0.0, 1, -1, 1.5, -2.5, 0.5, -0.5, 3, 7, -100 }
  for _, x in ipairs(limits[dtype] or { 2 }) do out[#out + 1], out[#out + 2] = x, -x end
  if finite or not limits[dtype] then return out end
  return joined(out, { inf, -inf, nan })
end

local function integer_edges(dtype)
  local bits, signed = M.bits(dtype), M.kind(dtype) == "int"
  local fit = fits[dtype]
  local out = { 0, 1, 2, 3, 5, 7, 10, 100, 2 ^ (bits / 2), 2 ^ (bits / 2) - 1 }
  local top = ffi.cast("int64_t", 1) * 2 ^ (bits - 2) * 2
  if signed then
    for _, x in ipairs { -1LL, -2LL, -7LL, -10LL, top, top + 1, top - 1, top - 2 } do
      out[#out + 1] = fit(x)
    end
  else
    for _, x in ipairs { -1LL, -2LL, top, top - 1 } do out[#out + 1] = fit(x) end
  end
  return out
end

function M.edges(dtype, finite)
  local kind = M.kind(dtype)
  if kind == "bool" then return { false, true } end
  return kind == "float" and float_edges(dtype, finite) or integer_edges(dtype)
end

-- Some value of the dtype, by number.
local function other(dtype, i)
  local kind = M.kind(dtype)
  local x = (i * 7919) % 4093
  if kind == "bool" then return x % 3 == 0 end
  if kind == "float" then
    if M.bits(dtype) == 8 then return (x % 15 - 7) / 8 end
    return fits[dtype]((x - 2046) / 2 ^ (x % 11))
  end
  return fits[dtype]((ffi.cast("int64_t", x) * 2654435761LL) * (x % 5 - 2))
end

local function small(dtype, i)
  local kind, x = M.kind(dtype), (i * 37) % 7
  if kind == "bool" then return x % 2 == 0 end
  if dtype == "f8e4b15" then return (x - 3) / 4 end
  return kind == "uint" and x or x - 3
end

function M.values(dtype, n, set)
  local out, edges = {}, set == "small" and {} or M.edges(dtype, set == "finite")
  for i = 1, n do
    out[i] = edges[i]
    if out[i] == nil then out[i] = set == "small" and small(dtype, i) or other(dtype, i) end
  end
  return out
end

-- --------------------------------------------------------------------- shapes --

M.shapes = { { 1 }, { 33 }, { 48 }, { 96 }, { 100 }, { 257 }, { 3, 5 }, { 33, 48 }, { 1, 100 },
  { 7, 1 }, { 2, 3, 4 }, { 5, 1, 33 } }

function M.size(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

function M.text(shape) return "{" .. table.concat(shape, ", ") .. "}" end

function M.without(shape, axis)
  local out = {}
  for d, extent in ipairs(shape) do
    if d ~= axis + 1 then out[#out + 1] = extent end
  end
  return out
end

function M.coords(shape, i)
  local at = {}
  for d = #shape, 1, -1 do
    at[d] = i % shape[d]
    i = math.floor(i / shape[d])
  end
  return at
end

function M.rows(shape, axis, f)
  local step, number = 1, 0
  for d = axis + 2, #shape do step = step * shape[d] end
  local extent = shape[axis + 1]
  for i = 0, M.size(shape) - 1 do
    if math.floor(i / step) % extent == 0 then
      local at = {}
      for j = 0, extent - 1 do at[j + 1] = i + j * step + 1 end
      number = number + 1
      f(number, at)
    end
  end
end

-- ---------------------------------------------------------------- elementwise --

local names = { "a", "b", "c" }

-- Every pairing of two lists, or each element of one.
local function combinations(spec)
  local lists = spec.values
  if #lists ~= 2 or spec.side_by_side then return lists end
  local xs, ys = {}, {}
  for _, x in ipairs(lists[1]) do
    for _, y in ipairs(lists[2]) do
      xs[#xs + 1], ys[#ys + 1] = x, y
    end
  end
  return { xs, ys }
end

local function reference(spec, rule, to, ulp)
  local lifts, fit = {}, fits[to] or tonumber
  local exact = (ulp or 0) > 0
  for k, dtype in ipairs(spec.from) do lifts[k] = M.lift(dtype) end
  return function(inputs)
    local out, count = {}, #inputs.a
    for i = 1, count do
      local x = {}
      for k = 1, #spec.from do x[k] = lifts[k](inputs[names[k]][i]) end
      local y = rule(unpack(x, 1, #spec.from))
      out[i] = exact and y or fit(y)
    end
    return out
  end
end

--- A case that evaluates expressions of a, b, c on blocks of values.
--   name      of the case
--   from      dtypes of a, b, c
--   values    a list of values each (default: the edges); two lists are combined, each with each,
--             unless side_by_side
--   skip      as in a case
--   results   list of { name =, op =, text = expression, to = dtype, rule = function(a, b, c),
--             ulp =, atol =, any_zero = }; the rule's result is rounded to `to` unless it has an
--             ulp
---@return table case
function M.elementwise(spec)
  spec.values = spec.values or {}
  for k, dtype in ipairs(spec.from) do spec.values[k] = spec.values[k] or M.edges(dtype) end
  local inputs = combinations(spec)
  local count = #inputs[1]
  local head, body = {}, {}
  local case = { name = spec.name, args = {}, want = {}, results = {}, skip = spec.skip,
    dtypes = spec.from }
  for k, dtype in ipairs(spec.from) do
    case.args[names[k]] = { dtype, inputs[k] }
    head[k] = names[k]
    body[k] = ("  local %s = tl.load(%s + i)\n"):format(names[k], names[k])
  end
  for r, result in ipairs(spec.results) do
    local out = "out" .. r
    head[#head + 1] = out
    body[#body + 1] = ("  tl.store(%s + i, %s)\n"):format(out, result.text)
    case.args[out] = { result.to, count = count }
    case.want[out] = reference(spec, result.rule, result.to, result.ulp)
    case.results[r] = { name = result.name, op = result.op, out = out, ulp = result.ulp,
      atol = result.atol, any_zero = result.any_zero, rounded = (result.ulp or 0) == 0 }
  end
  case.kernel = ("function k(%s)\n  local i = tl.arange(0, %d)\n%send"):format(
    table.concat(head, ", "), count, table.concat(body))
  return case
end

-- ------------------------------------------------------------------ plain Lua --

-- A case whose kernel writes what plain Lua gives for the same text, once for each input.
--   name, inputs   (i32)
--   statements     body of a function of n
---@return table case
function M.plain_lua(spec)
  local inputs = spec.inputs
  local plain = assert(loadstring("return function(n)\n" .. spec.statements .. "\nend"))()
  return {
    name = spec.name,
    kernel = ([[local function body(n)
%s
end
function k(out, x)
  local i = tl.program_id(0)
  tl.store(out + i, body(tl.load(x + i)))
end]]):format(spec.statements),
    args = { out = { "i32", count = #inputs }, x = { "i32", inputs } },
    grid = #inputs,
    want = { out = function()
      local out = {}
      for i, n in ipairs(inputs) do out[i] = plain(n) end
      return out
    end },
  }
end

return M
