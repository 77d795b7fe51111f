-- Every reduction, scan and order on every dtype, along every axis of shapes that are no powers of
-- two. The values are small enough that sums are exact in the dtypes they are made in.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

-- The last two for some dtypes only: they cost half a second each.
local shapes = { { { 33 }, 0 }, { { 3, 5 }, 0 }, { { 5, 48 }, 1 }, { { 2, 3, 4 }, 1 } }
local all_shapes = { i32 = true, f32 = true, u8 = true, bf16 = true }

local function summed_dtype(dtype)
  local kind, bits = make.kind(dtype), make.bits(dtype)
  if kind == "bool" then return "i32" end
  return kind ~= "float" and bits < 32 and kind:sub(1, 1):gsub("b", "i") .. "32" or dtype
end

-- What a rule sees of a stored value.
local function plain(x)
  if x == true then return 1 elseif x == false then return 0 end
  return tonumber(x)
end

local function fold(rule)
  return function(list)
    local acc = list[1]
    for j = 2, #list do acc = rule(acc, list[j]) end
    return acc
  end
end

local function prefixes(rule)
  return function(list)
    local out = { list[1] }
    for j = 2, #list do out[j] = rule(out[j - 1], list[j]) end
    return out
  end
end

local function sum(a, b) return a + b end
local function product(a, b) return a * b end

local function first_where(better)
  return function(list)
    local best = 1
    for j = 2, #list do
      if better(list[j], list[best]) then best = j end
    end
    return best - 1
  end
end
local function greater(a, b) return a > b end
local function less(a, b) return a < b end

local function order(list, descending)
  local at = {}
  for j = 1, #list do at[j] = j end
  table.sort(at, function(i, j)
    if list[i] == list[j] then return i < j end
    if descending then return list[i] > list[j] end
    return list[i] < list[j]
  end)
  return at
end

local function sorted(list)
  local out = {}
  for j, i in ipairs(order(list)) do out[j] = list[i] end
  return out
end

local function places(list, descending)
  local out = {}
  for j, i in ipairs(order(list, descending)) do out[j] = i - 1 end
  return out
end

local function nonzero(list)
  local any, all = 0, 1
  for _, x in ipairs(list) do
    if x ~= 0 then any = 1 else all = 0 end
  end
  return any, all
end

local bxor = require "bit".bxor

-- function, expression, dtype of the result (default: of the operand), rule on the list of one row:
-- a value, or with whole = true a list.
local function rows_of(dtype)
  local wide = summed_dtype(dtype)
  local integer = make.kind(dtype) ~= "float"
  local rows = {
    { "sum", "tl.sum(x, AXIS)", wide, fold(sum) },
    { "prod", "tl.prod(u, AXIS)", wide, fold(product), of = "pu" },
    { "max", "x:max(AXIS)", dtype, fold(math.max) },
    { "min", "x:min(AXIS)", dtype, fold(math.min) },
    { "argmax", "x:argmax(AXIS)", "i32", first_where(greater) },
    { "argmin", "x:argmin(AXIS)", "i32", first_where(less) },
    { "any", "tl.any(x, AXIS)", "i1", function(list) return (nonzero(list)) end },
    { "all", "tl.all(x, AXIS)", "i1", function(list) return (select(2, nonzero(list))) end },
    { "reduce", "tl.reduce(x, AXIS, function(a, b) return tl.maximum(a, b) end)", dtype,
      fold(math.max) },
    { "cumsum", "tl.cumsum(x, AXIS)", wide, prefixes(sum), whole = true },
    { "cumprod", "tl.cumprod(u, AXIS)", wide, prefixes(product), whole = true, of = "pu" },
    { "cummax", "x:cummax(AXIS)", dtype, prefixes(math.max), whole = true },
    { "cummin", "x:cummin(AXIS)", dtype, prefixes(math.min), whole = true },
    { "associative_scan",
      "tl.associative_scan(x, AXIS, function(a, b) return tl.minimum(a, b) end)", dtype,
      prefixes(math.min), whole = true },
    { "map_elementwise", "tl.map_elementwise(function(a) return a end, x)", dtype,
      function(list) return list end, whole = true },
    { "sort", "tl.sort(x, AXIS)", dtype, sorted, whole = true },
    { "argsort", "x:argsort(AXIS, true)", "i32", function(list) return places(list, true) end,
      whole = true },
    { "topk", "(tl.topk(x, 2, AXIS))", dtype, function(list)
      local at = order(list, true)
      return { list[at[1]], list[at[2]] }
    end, whole = true, keeps = 2 },
  }
  if integer then rows[#rows + 1] = { "xor_sum", "x:xor_sum(AXIS)", wide, fold(bxor) } end
  return rows
end

local function row_major(shape, axis, extent)
  local out = {}
  for d, n in ipairs(shape) do out[d] = d == axis + 1 and extent or n end
  return out
end

local function reference(row, shape, axis)
  local fit = make.fit(row[3])
  local from = row.of or "px"
  return function(inputs)
    local out, at_out = {}, {}
    if row.whole then
      make.rows(row_major(shape, axis, row.keeps or shape[axis + 1]), axis, function(n, at)
        at_out[n] = at
      end)
    end
    make.rows(shape, axis, function(n, at)
      local list = {}
      for j, i in ipairs(at) do list[j] = plain(inputs[from][i]) end
      local result = row[4](list)
      if not row.whole then
        out[n] = fit(result)
      else
        for j, i in ipairs(at_out[n]) do out[i] = fit(result[j]) end
      end
    end)
    return out
  end
end

-- Mostly 1 and -1, so that products stay small.
local function units(dtype, count)
  local out, kind = {}, make.kind(dtype)
  for i = 1, count do
    local x = i % 11 == 0 and 2 or i % 3 == 0 and kind ~= "uint" and -1 or 1
    out[i] = kind == "bool" and i % 5 ~= 0 or kind ~= "bool" and x
    if dtype == "f8e4b15" then out[i] = i % 3 == 0 and -1 or 1 end
  end
  return out
end

local function values_of(dtype, count)
  local out = make.values(dtype, count, "small")
  if make.bits(dtype) == 8 and make.kind(dtype) == "float" then
    for i = 1, count do out[i] = (i * 37 % 3 - 1) / 4 end
  end
  return out
end

for _, dtype in ipairs(make.all) do
  for k = 1, all_shapes[dtype] and #shapes or 2 do
    local shape, axis = shapes[k][1], shapes[k][2]
    local count = make.size(shape)
    local label = ("%s %s axis %d"):format(dtype, make.text(shape), axis)
    local case = { name = "reductions of " .. label, results = {}, want = {}, args = {
      px = { dtype, values_of(dtype, count) }, pu = { dtype, units(dtype, count) } } }
    local params, body = { "px", "pu" }, {
      ("  local x = tl.load(px + tl.arange(0, %d)):reshape(%s)"):format(count, make.text(shape)),
      ("  local u = tl.load(pu + tl.arange(0, %d)):reshape(%s)"):format(count, make.text(shape)),
    }
    for _, row in ipairs(rows_of(dtype)) do
      local extent = row.whole and (row.keeps or shape[axis + 1]) or 1
      local size = make.size(row_major(shape, axis, extent))
      local out = "out" .. (#case.results + 1)
      params[#params + 1] = out
      local text = row[2]:gsub("AXIS", axis)
      body[#body + 1] = ("  tl.store(%s + tl.arange(0, %d), tl.reshape(%s, %d))"):format(out, size,
        text, size)
      case.args[out] = { row[3], count = size }
      case.want[out] = reference(row, shape, axis)
      table.insert(case.results, { name = ("%s of %s"):format(row[1], label), op = row[1],
        out = out, rounded = true })
    end
    case.kernel = ("function k(%s)\n%s\nend"):format(table.concat(params, ", "),
      table.concat(body, "\n"))
    cases[#cases + 1] = case
  end
end

return cases
