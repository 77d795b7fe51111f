-- Every elementary function of spec/ops_language.lua on every dtype: integers become f32, 8-bit
-- floats are computed in f32 and rounded once.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")
local rows = require "neso.language.rows"

local cases = {}

local lists = {
  float = { -2.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 3 },
  eight = { -1, -0.5, 0, 0.25, 0.5, 1 },
  int = { -3, -1, 0, 1, 2, 5, 9 }, uint = { 0, 1, 2, 5, 9 }, bool = { false, true },
}
local above_0 = { float = { 0.25, 0.5, 0.75, 1, 2, 4, 100 }, eight = { 0.25, 0.5, 1 },
  int = { 1, 2, 4, 9, 100 }, uint = { 1, 2, 4, 9, 100 }, bool = { true, true } }

local function values_kind(dtype)
  local kind = make.kind(dtype)
  return kind == "float" and make.bits(dtype) == 8 and "eight" or kind
end

local function result_dtype(row, dtype)
  if make.kind(dtype) == "float" or row.keep_integers then return dtype end
  return "f32"
end

local function numbers(rule)
  return function(...)
    local x = { ... }
    for i = 1, #x do
      x[i] = x[i] == true and 1 or x[i] == false and 0 or tonumber(x[i])
    end
    return rule(unpack(x))
  end
end

local function result(row, dtype, binary)
  local to = result_dtype(row, dtype)
  return { name = ("%s of edges, %s"):format(row[1], dtype), op = row[1],
    text = ("tl.%s(%s)"):format(row[1], binary and "a, b" or "a"), to = to,
    rule = numbers(row.reference), ulp = make.ulp(row, to) }
end

local function add(dtype, binary, values, results)
  if #results == 0 then return end
  cases[#cases + 1] = make.elementwise {
    name = results[1].name, from = binary and { dtype, dtype } or { dtype },
    values = binary and { values, values } or { values }, results = results,
  }
end

local function kind_of(row)
  if not (row.reference and row.ulp) then return nil end
  if row.op == "math.powf" then return "power" end
  if row.kind == "float1" then return row.positive and "positive" or "any" end
  if row.kind == "float2" then return "binary" end
  if row.library and not row[2]:find " " then
    return row.unit and "unit" or row.above_one and "above_one" or "any"
  end
  if row.library then return "binary" end
end

local unit = { float = { -1, -0.5, -0.25, 0, 0.25, 0.5, 1 }, eight = { -0.5, 0, 0.5, 1 },
  int = { -1, 0, 1 }, uint = { 0, 1 }, bool = { false, true } }
local above_one = { float = { 1, 1.5, 2, 10 }, eight = { 1, 1.5 }, int = { 1, 2, 9 },
  uint = { 1, 2, 9 }, bool = { true, true } }
local powers = { float = { 0.25, 0.5, 1, 2 }, eight = { 0.5, 1 } }

for _, dtype in ipairs(make.all) do
  local groups = { any = {}, positive = {}, unit = {}, above_one = {}, binary = {} }
  for _, row in ipairs(rows) do
    local kind = kind_of(row)
    local binary = kind == "binary" or kind == "power"
    if kind == "power" then
      add(dtype, binary, powers[values_kind(dtype)] or lists[values_kind(dtype)],
        { result(row, dtype, binary) })
    elseif kind then
      table.insert(groups[kind], result(row, dtype, binary))
    end
  end
  add(dtype, false, lists[values_kind(dtype)], groups.any)
  add(dtype, false, above_0[values_kind(dtype)], groups.positive)
  add(dtype, false, unit[values_kind(dtype)], groups.unit)
  add(dtype, false, above_one[values_kind(dtype)], groups.above_one)
  add(dtype, true, lists[values_kind(dtype)], groups.binary)
end

return cases
