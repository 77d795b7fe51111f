-- Everything that makes blocks or moves elements, on every dtype.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

-- The input is x {3, 4, 5}; y {5} and z {5} are its first and last elements, w {5, 2} the first
-- ten, f {60} all of it. A row: function, expression, count and source of element i of the result.
local moved = {
  { "broadcast_to", "tl.broadcast_to(y, { 3, 5 })", 15, function(i) return i % 5 end },
  { "expand_dims", "tl.expand_dims(y, 0)", 5, function(i) return i end },
  { "unsqueeze", "x:unsqueeze(2)", 60, function(i) return i end },
  { "col", "tl.broadcast_to(tl.col(y), 5, 3)", 15, function(i) return math.floor(i / 3) end },
  { "row", "tl.broadcast_to(tl.row(y), 3, 5)", 15, function(i) return i % 5 end },
  { "reshape", "x:reshape(5, 12):trans()", 60, function(i)
    return i % 5 * 12 + math.floor(i / 5)
  end },
  { "view", "x:view(12, 5)", 60, function(i) return i end },
  { "ravel", "tl.ravel(x)", 60, function(i) return i end },
  { "trans", "tl.trans(x)", 60, function(i)
    return math.floor(i / 20) * 20 + i % 4 * 5 + math.floor(i / 4) % 5
  end },
  { "permute", "x:permute{ 2, 0, 1 }", 60, function(i)
    return math.floor(i / 4) % 3 * 20 + i % 4 * 5 + math.floor(i / 12)
  end },
  { "T", "w:T()", 10, function(i) return i % 5 * 2 + math.floor(i / 5) end },
  { "cat", "tl.cat(y, z)", 10, function(i) return i < 5 and i or i + 50 end },
  { "join", "tl.join(y, z)", 10, function(i)
    return i % 2 == 0 and i / 2 or 55 + (i - 1) / 2
  end },
  { "split", "select(2, tl.split(w))", 5, function(i) return 2 * i + 1 end },
  { "interleave", "tl.interleave(y, z)", 10, function(i)
    return i % 2 == 0 and i / 2 or 55 + (i - 1) / 2
  end },
  { "broadcast", "select(2, tl.broadcast(y:col(), z:row()))", 25, function(i)
    return 55 + i % 5
  end },
  { "slice", "tl.slice(x, 2, 4, 0, -2)", 24, function(i)
    return math.floor(i / 2) * 5 + 4 - i % 2 * 2
  end },
  { "flip", "x:flip(1)", 60, function(i)
    return math.floor(i / 20) * 20 + (3 - math.floor(i / 5) % 4) * 5 + i % 5
  end },
  { "squeeze", "y:col():squeeze(1)", 5, function(i) return i end },
  { "item", "tl.full({ 3 }, y:slice(0, 2, 3):item(), y.dtype)", 3, function() return 2 end },
  { "gather", "tl.gather(f, (tl.arange(0, 7) * 31) % 60, 0)", 7, function(i)
    return i * 31 % 60
  end },
  { "multiple_of", "tl.multiple_of(y, 1)", 5, function(i) return i end },
  { "max_contiguous", "tl.max_contiguous(y, 1)", 5, function(i) return i end },
  { "max_constancy", "tl.max_constancy(y, 1)", 5, function(i) return i end },
  { "where", "tl.where(tl.arange(0, 5) < 2, y, z)", 5, function(i)
    return i < 2 and i or 55 + i
  end },
  { "load", "tl.load(px + tl.arange(0, 33), tl.arange(0, 33) < 20, tl.load(px + 59))", 33,
    function(i) return i < 20 and i or 59 end },
}

local function number(x)
  return function(dtype) return dtype == "i1" and x ~= 0 or dtype ~= "i1" and x end
end

local made = { -- ONE and DTYPE stand for the number 1 and the dtype
  { "zeros", "tl.zeros({ 3, 11 }, DTYPE)", 33, number(0) },
  { "full", "tl.full({ 48 }, ONE, DTYPE)", 48, number(1) },
  { "zeros_like", "tl.zeros_like(x)", 60, number(0) },
  { "full_like", "tl.full_like(w, ONE)", 10, number(1) },
}

local function picked(count, source)
  return function(inputs)
    local out = {}
    for i = 0, count - 1 do out[i + 1] = inputs.px[source(i) + 1] end
    return out
  end
end

local function constant(count, value)
  local out = {}
  for i = 1, count do out[i] = value end
  return out
end

for _, dtype in ipairs(make.all) do
  local eight = make.kind(dtype) == "float" and make.bits(dtype) == 8
  local case = { name = "shapes of " .. dtype, results = {}, want = {},
    args = { px = { dtype, make.values(dtype, 60, eight and "small" or nil) } } }
  local params, body = { "px" }, {
    "  local f = tl.load(px + tl.arange(0, 60))",
    "  local x, y, z = f:reshape(3, 4, 5), f:slice(0, 0, 5), f:slice(0, 55, 60)",
    "  local w = f:slice(0, 0, 10):reshape(5, 2)",
  }
  local function add(row, text, want)
    local out = "out" .. (#case.results + 1)
    params[#params + 1] = out
    body[#body + 1] = ("  tl.store(%s + tl.arange(0, %d), tl.ravel(%s))"):format(out, row[3], text)
    case.args[out], case.want[out] = { dtype, count = row[3] }, want
    table.insert(case.results, { name = row[1] .. " of " .. dtype, op = row[1], out = out,
      rounded = true })
  end
  for _, row in ipairs(moved) do add(row, row[2], picked(row[3], row[4])) end
  local stands = { ONE = dtype == "i1" and "true" or "1", DTYPE = "tl." .. dtype }
  for _, row in ipairs(made) do
    add(row, row[2]:gsub("[A-Z]+", stands), constant(row[3], row[4](dtype)))
  end
  case.kernel = ("function k(%s)\n%s\nend"):format(table.concat(params, ", "),
    table.concat(body, "\n"))
  cases[#cases + 1] = case
end

return cases
