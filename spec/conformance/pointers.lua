-- Pointers as values: addresses, pointers made of them, other element types, choice by tl.where.

local cases = {}

local function case(name, kernel, args, want)
  cases[#cases + 1] = { name = "pointer: " .. name, kernel = kernel, args = args, want = want }
end

local function counting(n)
  local list = {}
  for i = 1, n do list[i] = i * 3 - 40 end
  return list
end

local x = counting(48)

case("address of elements", [[function k(out, x)
  local i = tl.arange(0, 48)
  tl.store(out + i, (x + i):to(tl.i64) - x:to(tl.i64))
end]], { out = { "i64", count = 48 }, x = { "f32", x } }, {
  out = function()
    local want = {}
    for i = 1, 48 do want[i] = (i - 1) * 4 end
    return want
  end })

case("not null", [[function k(out, x)
  tl.store(out, x:to(tl.i1))
end]], { out = { "i1", count = 1 }, x = { "f32", x } }, { out = { 1 } })

for _, dtype in ipairs { "i8", "i16", "f32", "f64" } do
  case("block of addresses of " .. dtype, [[function k(out, x)
    local i = tl.arange(0, 48)
    local address = (x + i):to(tl.i64)
    local p = address:to(tl.pointer_type(tl.]] .. dtype .. [[))
    tl.store(out + i, tl.load(p, i ~= 5, 1))
  end]], { out = { dtype, count = 48 }, x = { dtype, x } }, {
    out = function(inputs)
      local want = {}
      for i = 1, 48 do want[i] = i == 6 and 1 or inputs.x[i] end
      return want
    end })
end

case("table of addresses", [[function k(out, table, a, b)
  tl.store(table, a:to(tl.i64))
  tl.store(table + 1, b:to(tl.i64))
  local i = tl.arange(0, 33)
  for j in tl.range(2) do
    local p = tl.load(table + j):to(tl.pointer_type(tl.f32))
    tl.store(out + j * 33 + i, tl.load(p + i) * 2)
  end
end]], { out = { "f32", count = 66 }, table = { "i64", count = 2 }, a = { "f32", counting(33) },
  b = { "f32", x } }, {
  out = function(inputs)
    local want = {}
    for i = 1, 33 do want[i], want[33 + i] = inputs.a[i] * 2, inputs.b[i] * 2 end
    return want
  end })

case("as bytes", [[function k(out, x)
  local p = (x + 3):to(tl.pointer_type(tl.u8))
  tl.store(out + tl.arange(0, 4), tl.load(p + tl.arange(0, 4)))
end]], { out = { "u8", count = 4 }, x = { "i32", { 0, 0, 0, 0x01020304 } } },
  { out = { 4, 3, 2, 1 } })

case("bytes as words", [[function k(out, x)
  local p = (x + 4):to(tl.pointer_type(tl.i32))
  tl.store(out + tl.arange(0, 3), tl.load(p + tl.arange(0, 3)))
end]], { out = { "i32", count = 3 },
  x = { "u8", { 9, 9, 9, 9, 1, 0, 0, 0, 0, 1, 0, 0, 255, 255, 255, 255 } } },
  { out = { 1, 256, -1 } })

case("where, scalar condition", [[function k(out, a, b, n)
  local p = tl.where(n > 3, a, b)
  tl.store(out + tl.arange(0, 33), tl.load(p + tl.arange(0, 33)))
end]], { out = { "f32", count = 33 }, a = { "f32", counting(33) }, b = { "f32", x }, n = 4 }, {
  out = function(inputs) return inputs.a end })

case("where, block condition", [[function k(out, a, b)
  local i = tl.arange(0, 33)
  local p = tl.where(i % 2 == 0, a + i, b + i + 1)
  tl.store(out + i, tl.load(p))
end]], { out = { "f32", count = 33 }, a = { "f32", counting(33) }, b = { "f32", x } }, {
  out = function(inputs)
    local want = {}
    for i = 0, 32 do want[i + 1] = i % 2 == 0 and inputs.a[i + 1] or inputs.b[i + 2] end
    return want
  end })

-- A pointer chosen at run time may be any parameter: the load must come before the store to it.
case("shifted through a chosen pointer", [[function k(x, y, n)
  local i = tl.arange(0, 47)
  local p = x
  if n > 3 then p = y end
  local q = x:to(tl.i64):to(tl.pointer_type(tl.f32))
  tl.store(y + i + 1, tl.load(p + i))
  tl.store(x + i + 1, tl.load(q + i))
end]], { x = { "f32", x }, y = { "f32", x }, n = 4 }, {
  x = function(inputs)
    local want = { inputs.x[1] }
    for i = 1, 47 do want[i + 1] = inputs.x[i] end
    return want
  end,
  y = function(inputs)
    local want = { inputs.y[1] }
    for i = 1, 47 do want[i + 1] = inputs.y[i] end
    return want
  end })

return cases
