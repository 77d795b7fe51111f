-- Every function of spec/ops_language.lua that has a reference, on each float dtype.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local make = dofile(here .. "make.lua")
local rows = dofile(here .. "../ops_language.lua")

local any_sign = { -9.5, -3.25, -2.5, -1.5, -1, -0.75, -0.5, -0.125, 0.125, 0.3, 0.5, 1, 1.5, 2,
  2.5, 3.75, 7, 11.25 }
local inf, nan = math.huge, 0 / 0
-- What every function must survive: zeros, the least and the largest numbers, infinities, NaN.
local ends = { 0, -0.0, inf, -inf, nan, 1e-40, -1e-40, 1e-30, -1e-30, 3e38, -3e38, 1e6, -1e6, 65504,
  6e-8, 88, -88, 1e9, 1e22 }
local unit = { -1, -0.99, -0.75, -0.5, -0.125, -1e-3, 0, 1e-3, 0.125, 0.3, 0.5, 0.75, 0.99, 1 }
local above_one = { 1, 1.0009765625, 1.25, 1.5, 2, 3.5, 10, 1000, 65504 }
local positive = { 0.001, 0.125, 0.3, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 7, 10, 100, 1000.5, 12345 }

local function apply(row, names)
  return function(inputs)
    local out = {}
    for i = 1, #inputs[names[1]] do
      local list = {}
      for k, name in ipairs(names) do
        list[k] = inputs[name][i]
      end
      out[i] = row.reference(unpack(list))
    end
    return out
  end
end

local function unary(row, dtype)
  local values = row.positive and positive or row.unit and unit or row.above_one and above_one
    or any_sign
  return {
    name = row[1] .. " " .. dtype,
    kernel = ([[function unary(out, x, n, BLOCK)
      local i = tl.arange(0, BLOCK)
      tl.store(out + i, tl.%s(tl.load(x + i, i < n, 1)), i < n)
    end]]):format(row[1]),
    args = { out = { dtype, count = #values }, x = { dtype, values }, n = #values, BLOCK = 32 },
    want = { out = apply(row, { "x" }) },
    ulp = make.ulp(row, dtype),
  }
end

local function binary(row, dtype)
  local xs, ys = {}, {}
  for _, a in ipairs(any_sign) do
    for _, b in ipairs { -3.25, 0.5, 2 } do
      xs[#xs + 1], ys[#ys + 1] = a, b
    end
  end
  return {
    name = row[1] .. " " .. dtype,
    kernel = ([[function binary(out, x, y, n, BLOCK)
      local i = tl.arange(0, BLOCK)
      local m = i < n
      tl.store(out + i, tl.%s(tl.load(x + i, m, 1), tl.load(y + i, m, 1)), m)
    end]]):format(row[1]),
    args = { out = { dtype, count = #xs }, x = { dtype, xs }, y = { dtype, ys }, n = #xs,
      BLOCK = 64 },
    want = { out = apply(row, { "x", "y" }) },
    ulp = make.ulp(row, dtype),
  }
end

-- The ends; 16-bit floats hold other numbers there, so the wider two say it all.
local function at_the_ends(row, dtype)
  local case = unary(row, dtype)
  case.name = case.name .. " at the ends"
  case.args.x[2], case.args.n = ends, #ends
  case.args.out.count = #ends
  return case
end

local cases = {}
for _, row in ipairs(rows) do
  if row.reference and row.ulp then
    local case_of = row[2]:find("^%a %a") and binary or unary
    for _, dtype in ipairs { "f32", "f64", "f16", "bf16" } do
      cases[#cases + 1] = case_of(row, dtype)
      if case_of == unary and (dtype == "f32" or dtype == "f64") and not row.op_ends then
        cases[#cases + 1] = at_the_ends(row, dtype)
      end
    end
  end
end
return cases
