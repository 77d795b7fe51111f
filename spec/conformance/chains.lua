-- Chains of operations that move elements, each made from its number: what comes out must be what
-- following the places of the elements gives (P57), at sizes that are no powers of two (P62).

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local LARGEST = 4000

-- A source of numbers 0 .. n - 1 that is the same everywhere.
local function dice(seed)
  local state = seed * 2654435 % 2147483647 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n
  end
end

-- A block here is {shape =, from = source place of every element, from 0; -1 for none}.
local function strides(shape)
  local out, step = {}, 1
  for d = #shape, 1, -1 do
    out[d], step = step, step * shape[d]
  end
  return out
end

-- The block of a shape whose element at `at` (from 0) is what source(at) says.
local function block(shape, source)
  local out, at = { shape = shape, from = {} }, {}
  for d = 1, #shape do at[d] = 0 end
  for i = 1, make.size(shape) do
    out.from[i] = source(at)
    for d = #shape, 1, -1 do
      at[d] = at[d] + 1
      if at[d] < shape[d] then break end
      at[d] = 0
    end
  end
  return out
end

-- x with other coordinates: to(at) changes a copy of `at` into coordinates of x.
local function moved(x, shape, to)
  local step, there = strides(x.shape), {}
  return block(shape, function(at)
    for d = 1, math.max(#shape, #x.shape) do there[d] = at[d] end
    to(there, at)
    local place = 0
    for d = 1, #x.shape do place = place + there[d] * step[d] end
    return x.from[place + 1]
  end)
end

local function copy(list) return { unpack(list) } end

local function with(shape, d, extent)
  local out = copy(shape)
  out[d] = extent
  return out
end

local function beside(a, b, d)
  local first = a.shape[d]
  local left, right = strides(a.shape), strides(b.shape)
  return block(with(a.shape, d, first + b.shape[d]), function(at)
    local of, step, place = a, left, 0
    if at[d] >= first then of, step = b, right end
    for k = 1, #at do
      place = place + (at[k] - (k == d and of == b and first or 0)) * step[k]
    end
    return of.from[place + 1]
  end)
end

-- Two extents with the product n.
local function factors(n, roll)
  local list = {}
  for f = 1, n do
    if n % f == 0 then list[#list + 1] = f end
  end
  local f = list[roll(#list) + 1]
  return f, n / f
end

-- Each takes the block, an axis (from 1) and the dice; gives text in x, and the block that results.
local moves = {
  function(x) -- trans
    local n = #x.shape
    if n < 2 then return end
    local shape = copy(x.shape)
    shape[n], shape[n - 1] = shape[n - 1], shape[n]
    return "tl.trans(x)", moved(x, shape, function(to, at)
      to[n], to[n - 1] = at[n - 1], at[n]
    end)
  end,
  function(x, d) -- permute: the axis becomes the first
    local order, shape = { d - 1 }, { x.shape[d] }
    for k, extent in ipairs(x.shape) do
      if k ~= d then order[#order + 1], shape[#shape + 1] = k - 1, extent end
    end
    return "x:permute" .. make.text(order), moved(x, shape, function(to, at)
      for k, axis in ipairs(order) do to[axis + 1] = at[k] end
    end)
  end,
  function(x, _, roll) -- reshape
    local a, b = factors(make.size(x.shape), roll)
    local shape = { a, b }
    if roll(2) == 0 then shape[2], shape[3] = factors(b, roll) end
    return "x:reshape" .. make.text(shape), { shape = shape, from = x.from }
  end,
  function(x, d) -- flip
    return ("x:flip(%d)"):format(d - 1), moved(x, x.shape, function(to)
      to[d] = x.shape[d] - 1 - to[d]
    end)
  end,
  function(x, d, roll) -- slice
    local extent = x.shape[d]
    local first, step = roll(extent), roll(3) + 1
    if roll(2) == 0 then step = -step end
    local count = math.ceil((step > 0 and extent - first or first + 1) / math.abs(step))
    return ("x:slice(%d, %d, %d, %d)"):format(d - 1, first, step > 0 and extent or -1, step),
      moved(x, with(x.shape, d, count), function(to) to[d] = first + to[d] * step end)
  end,
  function(x, d) -- cat with itself backwards
    if #x.from * 2 > LARGEST then return end
    local back = moved(x, x.shape, function(to) to[d] = x.shape[d] - 1 - to[d] end)
    return ("tl.cat(x, x:flip(%d), %d)"):format(d - 1, d - 1), beside(x, back, d)
  end,
  function(x, d, roll) -- cut in two, the parts exchanged
    local cut = roll(x.shape[d])
    if cut == 0 then return end
    local shape = x.shape
    local axis = d - 1
    return ("tl.cat(x:slice(%d, %d), x:slice(%d, 0, %d), %d)"):format(axis, cut, axis, cut, axis),
      moved(x, shape, function(to) to[d] = (to[d] + cut) % shape[d] end)
  end,
  function(x) -- interleave with itself and split
    return "tl.interleave(x, x:flip()):slice(-1, 0, nil, 2)", x
  end,
  function(x) return "select(2, tl.split(tl.join(x:flip(0), x)))", x end,
  function(x, d) -- join with itself backwards
    if #x.from * 2 > LARGEST or #x.shape > 3 then return end
    local last, shape = #x.shape + 1, copy(x.shape)
    shape[last] = 2
    return ("tl.join(x, x:flip(%d))"):format(d - 1), moved(x, shape, function(to, at)
      if at[last] == 1 then to[d] = x.shape[d] - 1 - at[d] end
    end)
  end,
  function(x, d, roll) -- gather: some of the indices are outside
    local extent, factor = x.shape[d], roll(7) + 1
    local lined = {}
    for k in ipairs(x.shape) do lined[k] = k == d and extent or 1 end
    local index = ("tl.broadcast_to((tl.arange(0, %d) * %d - 1):reshape%s, %s)"):format(extent,
      factor, make.text(lined), make.text(x.shape))
    local step = strides(x.shape)
    return ("x:gather(%s, %d)"):format(index, d - 1), block(x.shape, function(at)
      local j, place = at[d] * factor - 1, 0
      if j < 0 or j >= extent then return -1 end
      for k = 1, #at do place = place + (k == d and j or at[k]) * step[k] end
      return x.from[place + 1]
    end)
  end,
  function(x, d) -- one more axis, and back by a squeeze
    if #x.shape > 3 then return end
    return ("x:unsqueeze(%d):flip(%d):squeeze(%d)"):format(d - 1, d - 1, d - 1), x
  end,
}

local starts = { { 33 }, { 257 }, { 100 }, { 33, 48 }, { 7, 96 }, { 5, 4, 9 }, { 2, 3, 4, 5 },
  { 1, 100 } }

local function chain(number)
  local roll = dice(number)
  local dtype = make.all[number % #make.all + 1]
  local shape = starts[roll(#starts) + 1]
  local n, count = make.size(shape), 0
  local x = block(shape, function()
    count = count + 1
    return count - 1
  end)
  local load = "local x = tl.load(px + tl.arange(0, %d)):reshape%s"
  local lines = { load:format(n, make.text(shape)) }
  while #lines < 7 do
    local text, y = moves[roll(#moves) + 1](x, roll(#x.shape) + 1, roll)
    if text then lines[#lines + 1], x = "x = " .. text, y end
  end
  local size = #x.from
  lines[#lines + 1] = ("tl.store(out + tl.arange(0, %d), x:ravel())"):format(size)
  return {
    name = ("chain %d of %s"):format(number, dtype),
    kernel = "function k(out, px)\n  " .. table.concat(lines, "\n  ") .. "\nend",
    args = { out = { dtype, count = size },
      px = { dtype, make.values(dtype, n, make.bits(dtype) == 8 and "small" or nil) } },
    want = { out = function(inputs)
      local out = {}
      for i, place in ipairs(x.from) do
        out[i] = inputs.px[place + 1]
        if place < 0 then out[i] = dtype ~= "i1" and 0 end
      end
      return out
    end },
  }
end

local number = 0
return function()
  number = number + 1
  if number <= 360 then return chain(number) end
end
