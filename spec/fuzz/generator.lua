-- Random kernels that are valid and whose results the language promises bit by bit: every dtype,
-- shapes that are no powers of two, masks, strided and gathered loads, every elementwise operator,
-- reductions, scans, sort, gather, cat, slice, dot, atomics, control flow on run-time conditions.
--
-- What a backend may choose is kept away from the results: sums and products of floats are of small
-- whole numbers, the greater of -0 and +0 has 0 added, and elementary functions are stored, with
-- the error that they may have, and never read.
--
-- A kernel is { inputs, outputs, body, grid, n }: `body` is a tree of statements, { text } or
-- { head =, body = {...}, middle =, other = {...}, tail = }, of which a minimizer takes parts out.

local expressions = require "expressions"

local M = {}

--- Elements of every tensor.
M.SIZE = 2048

local Generator = setmetatable({}, { __index = expressions })
Generator.__index = Generator

-- Park and Miller's sequence: the same on every machine.
local function sequence(seed)
  local state = seed % 2147483646 + 1
  for _ = 1, 3 do state = state * 48271 % 2147483647 end
  return function(n)
    state = state * 48271 % 2147483647
    return math.floor(state / 2147483647 * n) + 1
  end
end

local dtypes = { "i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32",
  "f32", "f64", "i32", "f8e5m2", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2fnuz" }
local extents = { 1, 2, 3, 4, 5, 7, 8, 16, 17, 24, 31, 32, 33, 48, 64, 96, 100, 128, 257 }

function Generator:chance(percent) return self.random(100) <= percent end

function Generator:pick(list) return list[self.random(#list)] end

function Generator:some_dtype() return self:pick(self.dtypes) end

function Generator:fresh()
  self.count = self.count + 1
  return "v" .. self.count
end

function Generator:declare(text, dtype, shape)
  local name = self:fresh()
  self:put { ("local %s = %s"):format(name, text) }
  self.values[#self.values + 1] = { name = name, dtype = dtype, shape = shape }
end

function Generator:put(statement) table.insert(self.block, statement) end

-- --------------------------------------------------------------------- memory --

-- Row-major positions of a shape as an expression, times a stride.
local function positions(shape, stride)
  local rank = #shape
  if rank == 0 then return "0" end
  local parts, step = {}, stride
  for d = rank, 1, -1 do
    local text = ("tl.arange(0, %d)"):format(shape[d])
    if rank > 1 then
      local at = {}
      for k = 1, rank do at[k] = k == d and shape[d] or 1 end
      text = ("%s:reshape(%s)"):format(text, table.concat(at, ", "))
    end
    parts[#parts + 1] = step == 1 and text or ("%s * %d"):format(text, step)
    step = step * shape[d]
  end
  return table.concat(parts, " + ")
end

local function size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

-- A mask of the shape, or nothing.
function Generator:mask(shape)
  if #shape == 0 or self:chance(50) then return nil end
  if self:chance(60) then
    local at = self:chance(50) and 1 or #shape
    local form = {}
    for k = 1, #shape do form[k] = k == at and shape[at] or 1 end
    local text = ("tl.arange(0, %d):reshape(%s) %s %s"):format(shape[at], table.concat(form, ", "),
      self:pick { "<", ">=", "<=", "~=" }, self:chance(50) and "n" or tostring(self.random(40)))
    return ("tl.broadcast_to(%s, { %s })"):format(text, table.concat(shape, ", "))
  end
  return self:expr("i1", shape, 2)
end

function Generator:input(dtype)
  local name = "p_" .. dtype
  self.inputs[name] = dtype
  return name
end

function Generator:load()
  local shape, dtype = self:pick(self.shapes), self:some_dtype()
  local size = size_of(shape)
  local stride = size * 3 < M.SIZE and self:pick { 1, 1, 1, 2, 3 } or 1
  local offsets = ("(%s)"):format(positions(shape, stride))
  if #shape > 0 and self:chance(15) then
    offsets = ("(%s & 511)"):format(self:expr("i32", shape, 1))
  elseif size * stride + 64 < M.SIZE then
    offsets = ("%s + %s"):format(offsets, self:pick { "7", "tl.program_id(0) * 11", "(n & 31)" })
  end
  local mask = self:mask(shape)
  local other = mask and self:chance(40) and ", " .. self:expr(dtype, shape, 0) or ""
  self:declare(("tl.load(%s + %s%s)"):format(self:input(dtype), offsets,
    mask and ", " .. mask .. other or ""), dtype, shape)
end

-- Room for a shape in a tensor of its own, apart for each program.
function Generator:store(text, dtype, shape, ulp, plain)
  local size = size_of(shape)
  local stride = not plain and size * 2 * self.grid <= M.SIZE and self:pick { 1, 1, 2 } or 1
  if size * stride * self.grid > M.SIZE then return nil end
  local name = "o" .. (#self.outputs + 1)
  self.outputs[#self.outputs + 1] = { name = name, dtype = dtype, ulp = ulp }
  local place = ("%s + tl.program_id(0) * %d + %s"):format(name, size * stride,
    positions(shape, stride))
  if #shape == 0 then place = ("%s + tl.program_id(0)"):format(name) end
  local mask = not plain and self:mask(shape)
  self:put { ("tl.store(%s, %s%s)"):format(place, text, mask and ", " .. mask or "") }
  return place
end

local bits_only = { atomic_and = true, atomic_or = true, atomic_xor = true }

-- On integers, of duplicates the result is not looked at.
function Generator:atomic()
  local shape = self:pick(self.shapes)
  local dtype = self:pick { "i32", "i64", "u32", "u8", "i16" }
  if #shape == 0 then return end
  local op = self:pick { "atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or",
    "atomic_xor" }
  local name = "o" .. (#self.outputs + 1)
  self.outputs[#self.outputs + 1] = { name = name, dtype = dtype, ones = bits_only[op] }
  local mask = self:mask(shape)
  self:put { ("tl.%s(%s + (%s) %% %d, %s%s)"):format(op, name, positions(shape, 1),
    self.random(40), self:expr(dtype, shape, 2), mask and ", " .. mask or "") }
end

-- Stored, and loaded again in another order.
function Generator:reload()
  local shape, dtype = self:pick(self.shapes), self:some_dtype()
  if #shape ~= 1 or dtype:match "^f8" then return end
  local place = self:store(self:expr(dtype, shape, 2), dtype, shape, nil, true)
  if not place then return end
  self:declare(("tl.load(%s + tl.program_id(0) * %d + %d - tl.arange(0, %d))"):format(
    place:match "^o%d+", shape[1], shape[1] - 1, shape[1]), dtype, shape)
end

local functions = { exp = 4, log = 4, sin = 4, cos = 4, tanh = 8, exp2 = 4, log1p = 8, rsqrt = 2,
  erf = 8, atan2 = 4, sigmoid = 12 }
local function_names = { "exp", "log", "sin", "cos", "tanh", "exp2", "log1p", "rsqrt", "erf",
  "atan2", "sigmoid" }

function Generator:elementary()
  local shape, dtype = self:pick(self.shapes), self:pick { "f32", "f32", "f16", "bf16", "f64" }
  local name = self:pick(function_names)
  if name == "erf" and dtype == "f64" then return end
  local x = ("(%s * 0.125)"):format(self:small(dtype, shape))
  if name == "log" or name == "log1p" or name == "rsqrt" then
    x = ("(tl.abs(%s) + 0.25)"):format(x)
  end
  if name == "atan2" then x = x .. ", " .. self:small(dtype, shape) end
  local ulp = dtype == "f64" and functions[name] * 8 + 1
    or dtype == "f32" and functions[name] + 1 or 1
  self:store(("tl.%s(%s)"):format(name, x), dtype, shape, ulp)
end

-- -------------------------------------------------------------------- control --

function Generator:nested(fill)
  local outer, values = self.block, #self.values
  local inner = {}
  self.block, self.depth = inner, self.depth + 1
  fill()
  self.block, self.depth = outer, self.depth - 1
  while #self.values > values do table.remove(self.values) end
  return inner
end

function Generator:some_statements(count)
  return function()
    for _ = 1, self.random(count) do self:statement() end
  end
end

function Generator:assign()
  local v = #self.values > 0 and self:pick(self.values)
  if not v or v.fixed then return end
  self:put { ("%s = %s"):format(v.name, self:expr(v.dtype, v.shape, 2)) }
end

function Generator:branch()
  local statement = { head = ("if %s then"):format(self:expr("i1", {}, 2)), tail = "end" }
  statement.body = self:nested(self:some_statements(3))
  if self:chance(50) then
    statement.middle, statement.other = "else", self:nested(self:some_statements(3))
  end
  self:put(statement)
end

function Generator:counted_loop()
  local name = self:fresh()
  local limit = self:pick { "n & 3", "3", "tl.program_id(0) + 1" }
  local head = self:chance(30) and ("for %s = %s, 0, -1 do"):format(name, limit)
    or ("for %s = 0, %s do"):format(name, limit)
  self.loops = self.loops + 1
  local body = self:nested(function()
    self.values[#self.values + 1] = { name = name, dtype = "i32", shape = {}, fixed = true }
    self:some_statements(3)()
    if self:chance(25) then
      self:put { ("if %s then break end"):format(self:expr("i1", {}, 1)) }
    end
  end)
  self.loops = self.loops - 1
  self:put { head = head, body = body, tail = "end" }
end

function Generator:while_loop()
  local name = self:fresh()
  self:put { ("local %s = n & 1"):format(name) }
  self.loops = self.loops + 1
  local body = self:nested(self:some_statements(2))
  self.loops = self.loops - 1
  local more = self:chance(50) and " and " .. self:expr("i1", {}, 1) or ""
  local head = ("while %s < 4%s do %s = %s + 1"):format(name, more, name, name)
  self:put { head = head, body = body, tail = "end" }
end

function Generator:leave()
  if self.loops == 0 then self:put { ("if %s then return end"):format(self:expr("i1", {}, 1)) } end
end

function Generator:store_some()
  local dtype, shape = self:some_dtype(), self:pick(self.shapes)
  self:store(self:expr(dtype, shape, 3), dtype, shape)
end

function Generator:declare_some()
  local dtype, shape = self:some_dtype(), self:pick(self.shapes)
  self:declare(self:expr(dtype, shape, 3), dtype, shape)
end

local everywhere = { "load", "declare_some", "declare_some", "assign", "assign" }
local at_top = { "load", "load", "declare_some", "declare_some", "assign", "store_some",
  "store_some", "atomic", "reload", "elementary", "branch", "counted_loop", "while_loop", "leave" }
local inside = { "load", "declare_some", "assign", "assign", "assign", "store_some", "branch",
  "counted_loop" }

function Generator:statement()
  local list = self.depth == 0 and at_top or self.depth < 3 and inside or everywhere
  self[self:pick(list)](self)
end

-- --------------------------------------------------------------------- kernel --

local function shapes_of(self)
  local a, b = self:pick(extents), self:pick(extents)
  while a * b > 1024 do a, b = self:pick(extents), self:pick(extents) end
  local list = { {}, { a }, { b }, { a, b }, { a, b }, { b, a }, { a, 1 }, { 1, b } }
  if a * b <= 256 then list[#list + 1] = { a * b } end
  if a * b <= 128 and self:chance(50) then
    list[#list + 1] = { 2, a, b }
    list[#list + 1] = { a, 2, b }
  end
  if self:chance(40) then list = { {}, { a }, { a }, { b } } end
  return list
end

--- The kernel of a seed.
---@param seed integer
---@return table kernel
function M.kernel(seed)
  local random = sequence(seed)
  local self = setmetatable({ random = random, count = 0, values = {}, inputs = {}, outputs = {},
    depth = 0, loops = 0, block = {} }, Generator)
  self.grid = self:pick { 1, 1, 2, 3 }
  self.shapes = shapes_of(self)
  self.dtypes = { self:pick(dtypes), self:pick(dtypes), self:pick(dtypes), "i32", "f32" }
  for _ = 1, 3 do self:load() end
  for _ = 1, 2 + random(7) do self:statement() end
  for _ = 1, 2 do self:store_some() end
  return { seed = seed, body = self.block, grid = self.grid, inputs = self.inputs,
    outputs = self.outputs, n = random(40) - 2 }
end

local function lines(body, indent, out)
  for _, statement in ipairs(body) do
    if statement[1] then
      out[#out + 1] = indent .. statement[1]
    else
      out[#out + 1] = indent .. statement.head
      lines(statement.body, indent .. "  ", out)
      if statement.other then
        out[#out + 1] = indent .. statement.middle
        lines(statement.other, indent .. "  ", out)
      end
      out[#out + 1] = indent .. statement.tail
    end
  end
  return out
end

--- Its text, and the names of its parameters.
function M.text(kernel)
  local params = { "n" }
  local names = {}
  for name in pairs(kernel.inputs) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do params[#params + 1] = name end
  for _, output in ipairs(kernel.outputs) do params[#params + 1] = output.name end
  local body = table.concat(lines(kernel.body, "  ", {}), "\n")
  return ("function k(%s)\n%s\nend"):format(table.concat(params, ", "), body)
end

return M
