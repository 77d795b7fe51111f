-- Random expressions of a dtype and a shape; see generator.lua.

local M = {}

local function kind_of(dtype)
  if dtype == "i1" then return "bool" end
  return dtype:match "^i" and "int" or dtype:match "^u" and "uint" or "float"
end

local function bits_of(dtype) return dtype:match "^f8" and 8 or tonumber(dtype:match "%d+$") end

local function list_text(shape) return "{ " .. table.concat(shape, ", ") .. " }" end

local function same(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

local function size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

local function cast(text, dtype) return ("(%s):to(tl.%s)"):format(text, dtype) end

-- --------------------------------------------------------------------- leaves --

function M:known(dtype, shape)
  local exact, other = {}, {}
  for _, v in ipairs(self.values) do
    if same(v.shape, shape) then
      if v.dtype == dtype then exact[#exact + 1] = v.name else other[#other + 1] = v.name end
    end
  end
  if #exact > 0 and (#other == 0 or self:chance(75)) then return self:pick(exact) end
  if #other > 0 then return cast(self:pick(other), dtype) end
end

function M:constant(dtype, shape)
  local kind = kind_of(dtype)
  local text = kind == "bool" and self:pick { "true", "false" }
    or kind == "float" and self:pick { "0.5", "1", "2", "1.5", "0" }
    or self:pick { "0", "1", "3", "7", "100" }
  if #shape == 0 then
    if kind == "bool" then return ("(n %s 5)"):format(self:pick { "<", ">", "==" }) end
    return cast("n * 0 + " .. self.random(9), dtype)
  end
  return ("tl.full(%s, %s, tl.%s)"):format(list_text(shape), text, dtype)
end

function M:leaf(dtype, shape)
  local known = self:chance(80) and self:known(dtype, shape)
  if known then return known end
  if #shape == 0 then
    return cast(self:pick { "n", "tl.program_id(0)", "n + 1", "tl.num_programs(0)" }, dtype)
  elseif #shape == 1 and self:chance(50) then
    return cast(("tl.arange(0, %d)"):format(shape[1]), dtype)
  end
  return self:constant(dtype, shape)
end

--- Whole numbers of 8 bits: sums and products of some of them are exact in every float of 32 bits.
function M:small(dtype, shape)
  return cast(self:expr(self:pick { "i8", "u8" }, shape, 1), dtype)
end

-- ------------------------------------------------------------------- elements --

local integer = {
  function(self, d, s, n) return ("(%s %s %s)"):format(self:expr(d, s, n),
    self:pick { "+", "-", "*", "//", "%", "&", "|", "~" }, self:expr(d, s, n)) end,
  function(self, d, s, n) return ("(%s %s %s)"):format(self:expr(d, s, n),
    self:pick { "+", "-", "*", "//", "%" }, self.random(60)) end,
  function(self, d, s, n) return ("(%s %s (%s & 15))"):format(self:expr(d, s, n),
    self:pick { "<<", ">>" }, self:expr(d, s, n)) end,
  function(self, d, s, n) return ("tl.%s(%s, %s)"):format(self:pick { "minimum", "maximum",
    "div_trunc", "rem", "rshift", "lshift" }, self:expr(d, s, n), self:expr(d, s, n)) end,
  function(self, d, s, n) return ("(%s%s)"):format(self:pick { "-", "~" }, self:expr(d, s, n)) end,
  function(self, d, s, n) return ("tl.abs(%s)"):format(self:expr(d, s, n)) end,
  function(self, d, s, n)
    return cast(("tl.%s(%s)"):format(self:pick { "popcount", "clz", "ffs" },
      self:expr(self:pick { "i32", "u8", "i64", "u16" }, s, n)), d)
  end,
  function(self, d, s, n) return ("tl.clamp(%s, 2, 90)"):format(self:expr(d, s, n)) end,
  function(self, d, s, n) return cast(self:expr(self:some_dtype(), s, n), d) end,
}

local float = {
  function(self, d, s, n) return ("(%s %s %s)"):format(self:expr(d, s, n),
    self:pick { "+", "-", "*" }, self:expr(d, s, n)) end,
  function(self, d, s, n) return cast(("%s %s %s"):format(self:expr(d, s, n),
    self:pick { "/", "//", "%" }, self:expr(d, s, n)), d) end,
  function(self, d, s, n) return ("(%s %s %s)"):format(self:expr(d, s, n),
    self:pick { "+", "-", "*" }, self:pick { "0.5", "3", "1.25", "2" }) end,
  function(self, d, s, n) return ("(tl.%s(%s, %s) + 0)"):format(self:pick { "minimum", "maximum" },
    self:expr(d, s, n), self:expr(d, s, n)) end,
  function(self, d, s, n) return ("(-%s)"):format(self:expr(d, s, n)) end,
  function(self, d, s, n) return ("tl.%s(%s)"):format(self:pick { "abs", "floor", "ceil", "trunc",
    "round", "sqrt" }, self:expr(d, s, n)) end,
  function(self, d, s, n) return ("tl.fma(%s, %s, %s)"):format(self:expr(d, s, n),
    self:expr(d, s, n), self:expr(d, s, n)) end,
  function(self, d, s, n) return cast(self:expr(self:some_dtype(), s, n), d) end,
}

local comparisons = { "<", "<=", ">", ">=", "==", "~=" }

local boolean = {
  function(self, _, s, n)
    local d = self:some_dtype()
    return ("(%s %s %s)"):format(self:expr(d, s, n), self:pick(comparisons), self:expr(d, s, n))
  end,
  function(self, _, s, n)
    local d = self:pick { "i32", "f32", "i64", "u32" }
    return ("(%s %s %d)"):format(self:expr(d, s, n), self:pick(comparisons), self.random(50))
  end,
  function(self, d, s, n) return ("(%s %s %s)"):format(self:expr(d, s, n),
    self:pick { "and", "or" }, self:expr(d, s, n)) end,
  function(self, d, s, n) return ("(not %s)"):format(self:expr(d, s, n)) end,
}

local by_kind = { int = integer, uint = integer, float = float, bool = boolean }

local function elements(self, dtype, shape, depth)
  if self:chance(10) then
    return ("tl.where(%s, %s, %s)"):format(self:expr("i1", shape, depth),
      self:expr(dtype, shape, depth), self:expr(dtype, shape, depth))
  end
  return self:pick(by_kind[kind_of(dtype)])(self, dtype, shape, depth)
end

-- ---------------------------------------------------------------- reductions --

-- A reduction of a block along an axis, as the dtype.
local function reduction(self, dtype, shape, axis, depth)
  local kind = kind_of(dtype)
  if kind == "bool" then
    return ("tl.%s(%s, %d)"):format(self:pick { "any", "all" }, self:expr("i1", shape, depth), axis)
  elseif dtype == "i32" and self:chance(30) then
    return ("tl.%s(%s, %d)"):format(self:pick { "argmax", "argmin" },
      self:expr(self:some_dtype(), shape, depth), axis)
  elseif kind == "float" then
    if bits_of(dtype) > 8 and self:chance(50) then
      return ("tl.sum(%s, %d)"):format(self:small(dtype, shape), axis)
    end
    return ("(tl.%s(%s, %d) + 0)"):format(self:pick { "max", "min" },
      self:expr(dtype, shape, depth), axis)
  end
  local op = self:pick { "sum", "prod", "max", "min", "xor_sum", "reduce" }
  if op == "reduce" then
    return ("tl.reduce(%s, %d, function(a, b) return %s end)"):format(
      self:expr(dtype, shape, depth), axis, self:pick { "a + b", "tl.maximum(a, b)", "a ~ b" })
  end
  return cast(("tl.%s(%s, %d)"):format(op, self:expr(dtype, shape, depth), axis), dtype)
end

local function scanned(self, dtype, shape, axis, depth)
  local kind = kind_of(dtype)
  if kind == "bool" then return self:expr(dtype, shape, depth) end
  local reverse = self:pick { "true", "false" }
  if kind == "float" then
    if bits_of(dtype) > 8 and self:chance(50) then
      return ("tl.cumsum(%s, %d, %s)"):format(self:small(dtype, shape), axis, reverse)
    end
    return ("(tl.%s(%s, %d, %s) + 0)"):format(self:pick { "cummax", "cummin" },
      self:expr(dtype, shape, depth), axis, reverse)
  end
  return cast(("tl.%s(%s, %d, %s)"):format(self:pick { "cumsum", "cumprod", "cummax", "cummin" },
    self:expr(dtype, shape, depth), axis, reverse), dtype)
end

-- --------------------------------------------------------------------- shapes --

local function inserted(shape, at, extent)
  local out = {}
  for k = 1, #shape + 1 do
    out[k] = k < at and shape[k] or k == at and extent or shape[k - 1]
  end
  return out
end

local function with(shape, at, extent)
  local out = { unpack(shape) }
  out[at] = extent
  return out
end

local moves = {
  function(self, d, s, n, axis) return ("tl.flip(%s, %d)"):format(self:expr(d, s, n), axis) end,
  function(self, d, s, n, axis)
    return ("tl.sort(%s, %d, %s)"):format(self:expr(d, s, n), axis, self:pick { "true", "false" })
  end,
  function(self, d, s, n, axis) return scanned(self, d, s, axis, n) end,
  function(self, d, s, n, axis)
    local from = self.random(40)
    return ("tl.gather(%s, %s %% %d, %d)"):format(self:expr(d, with(s, axis + 1, from), n),
      self:expr("i32", s, n), from + self.random(3) - 1, axis)
  end,
  function(self, d, s, n, axis)
    local extent = s[axis + 1]
    if extent < 2 then return self:expr(d, s, n) end
    local first = self.random(extent - 1)
    return ("tl.cat(%s, %s, %d)"):format(self:expr(d, with(s, axis + 1, first), n),
      self:expr(d, with(s, axis + 1, extent - first), n), axis)
  end,
  function(self, d, s, n, axis)
    local step, start = self:pick { 1, 2, 3 }, self.random(4) - 1
    local extent = s[axis + 1]
    local from = start + (extent - 1) * step + 1
    if from > 300 then return self:expr(d, s, n) end
    return ("tl.slice(%s, %d, %d, %d, %d)"):format(self:expr(d, with(s, axis + 1, from), n), axis,
      start, from, step)
  end,
  function(self, d, s, n)
    return ("tl.reshape(%s, %s)"):format(self:expr(d, { size_of(s) }, n), list_text(s))
  end,
  function(self, d, s, n) return ("tl.broadcast_to(%s, %s)"):format(self:expr(d,
    with(s, self.random(#s), 1), n), list_text(s)) end,
  function(self, d, s, n)
    local at, extent = self.random(#s + 1), self:pick { 2, 3, 7, 16, 33 }
    if size_of(s) * extent > 1024 or #s > 2 then return self:expr(d, s, n) end
    return cast(reduction(self, d, inserted(s, at, extent), at - 1, n), d)
  end,
  function(self, d, s, n)
    if kind_of(d) == "bool" or d:match "^f8" then return self:expr(d, s, n) end
    return ("tl.map_elementwise(function(a) if a > 3 then return a - 1 end return a + a end, %s)")
      :format(self:expr(d, s, n))
  end,
}

local function of_rank_2(self, dtype, s, depth)
  local choice = self.random(4)
  if choice == 1 then return ("tl.trans(%s)"):format(self:expr(dtype, { s[2], s[1] }, depth)) end
  if choice == 2 then
    return ("tl.broadcast_to(%s:col(), %s)"):format(self:expr(dtype, { s[1] }, depth), list_text(s))
  end
  if choice == 3 then
    return ("tl.broadcast_to(%s:row(), %s)"):format(self:expr(dtype, { s[2] }, depth), list_text(s))
  end
  local k = self:pick { 1, 3, 8, 16, 17, 33 }
  local kind = kind_of(dtype)
  if kind == "bool" or size_of(s) * k > 8192 then return self:leaf(dtype, s) end
  local from = self:pick { "i8", "f16", "bf16", "f32" }
  local a, b = self:small(from, { s[1], k }), self:small(from, { k, s[2] })
  if from == "i8" then a, b = self:expr("i8", { s[1], k }, 1), self:expr("i8", { k, s[2] }, 1) end
  return cast(("tl.dot(%s, %s)"):format(a, b), dtype)
end

local function moved(self, dtype, shape, depth)
  if #shape == 0 then
    local from = self:pick(self.shapes)
    if #from ~= 1 then return self:leaf(dtype, shape) end
    return cast(reduction(self, dtype, from, 0, depth), dtype)
  end
  if #shape == 2 and self:chance(40) then return of_rank_2(self, dtype, shape, depth) end
  return self:pick(moves)(self, dtype, shape, depth, self.random(#shape) - 1)
end

--- An expression of exactly this dtype and shape.
function M:expr(dtype, shape, depth)
  if depth <= 0 then return self:leaf(dtype, shape) end
  local chance = self.random(100)
  if chance <= 15 then return self:leaf(dtype, shape) end
  if chance <= 40 then return moved(self, dtype, shape, depth - 1) end
  return elements(self, dtype, shape, depth - 1)
end

return M
