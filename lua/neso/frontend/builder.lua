--- Grows the operations of a tile program: regions, constants, checkpoints.

local values = require "neso.frontend.values"
local dtypes = require("neso.dtype").names

local M = {}

local Builder = {}
Builder.__index = Builder

local type_key = values.type_key

function M.new()
  local body = { args = {}, ops = {} }
  return setmetatable({
    body = body, region = body, line = 0, count = 0, depth = 0, constants = {},
    constant_index = {}, prints = {},
  }, Builder)
end

--- Appends an operation to the current region.
---@param name string
---@param operands table[] ssa values
---@param types string[] type keys of the results
---@param attrs table[]|nil
---@param regions table[]|nil
---@return table op
function Builder:op(name, operands, types, attrs, regions)
  if self.before then self.before(self, name, operands) end
  local op = { name = name, operands = operands, results = {}, attrs = attrs or {},
    regions = regions or {}, line = self.line, region = self.region }
  for i, key in ipairs(types) do
    op.results[i] = { type = key, def = op }
  end
  local ops = self.region.ops
  ops[#ops + 1] = op
  self.count = self.count + 1
  return op
end

--- An operation with one result, as a value of the language.
function Builder:value(name, operands, dtype, shape, attrs)
  local op = self:op(name, operands, { type_key(dtype, shape) }, attrs)
  return values.value(op.results[1], dtype, shape)
end

--- The attribute `axis` of an operation.
function M.axis(axis)
  return { "axis", "i", "t:i32", tostring(axis) }
end

local function number_text(dtype, number)
  if dtype.kind ~= "float" or dtype.bits == 8 then
    return ("%.0f"):format(number), "i"
  end
  if number ~= number then return "nan", "f" end
  if number == math.huge then return "inf", "f" end
  if number == -math.huge then return "-inf", "f" end
  return ("%.17g"):format(number), "f"
end

-- Binary digits, and up to which exponents (of math.frexp) all of them are there.
local formats = { f16 = { 11, 13 }, bf16 = { 8, 125 }, f32 = { 24, 125 } }

-- True where the dtype holds the number as it is, and that is easily seen.
local function is_exact(number, dtype)
  local format = formats[dtype.name]
  if not format or number == 0 or number - number ~= 0 then return true end
  local mantissa, exponent = math.frexp(number)
  mantissa = mantissa * 2 ^ format[1]
  return mantissa == math.floor(mantissa) and math.abs(exponent) <= format[2]
end

--- A constant, kept once a program at the head of the body. Of 8-bit floats only 0. `constant` of
--- its ssa is the number, unless that had to be rounded to the dtype.
---@param number number|boolean|string a string is the decimal text of a large integer
function Builder:constant(number, dtype, shape)
  if type(number) == "boolean" then
    number = number and 1 or 0
  end
  local text, kind = number, "i"
  if type(number) == "number" then
    text, kind = number_text(dtype, number)
  end
  local key = type_key(dtype, shape)
  local index = key .. "=" .. text
  local ssa = self.constant_index[index]
  if not ssa then
    local op = { name = "arith.constant", operands = {}, results = {}, line = 0, regions = {},
      attrs = { { "value", kind, key, text } } }
    local known = type(number) == "number" and is_exact(number, dtype)
    ssa = { type = key, def = op, constant = known and number or nil }
    op.results[1] = ssa
    self.constant_index[index] = ssa
    self.constants[#self.constants + 1] = op
  end
  return values.value(ssa, dtype, shape)
end

function Builder:i32(number)
  return self:constant(number, dtypes.i32, {})
end

--- Runs `fill` with a new region as the current one; gives the region and fill's results.
---@param types string[] type keys of the region's arguments
function Builder:in_region(types, fill)
  local region = { args = {}, ops = {}, parent = self.region }
  for i, key in ipairs(types) do
    region.args[i] = { type = key, region = region }
  end
  local before = self.region
  self.region, self.depth = region, self.depth + 1
  local result = fill(region)
  self.region, self.depth = before, self.depth - 1
  return region, result
end

--- A place to return to: `restore` drops what was appended to the region since.
function Builder:checkpoint()
  local region = self.region
  return { region = region, last = region.ops[#region.ops], prints = #self.prints }
end

function Builder:restore(mark)
  local ops = mark.region.ops
  while ops[#ops] ~= mark.last do
    ops[#ops].dead = true
    ops[#ops] = nil
  end
  for i = #self.prints, mark.prints + 1, -1 do
    self.prints[i] = nil
  end
  self.region = mark.region
end

--- Puts an operation right behind the one that defines `ssa` (or at the head of the region that
--- `ssa` is an argument of), so that it can be used wherever `ssa` can.
function Builder:value_after(ssa, name, operands, dtype, shape, attrs)
  local place = ssa.def and ssa.def.region or ssa.region or self.body
  local op = { name = name, operands = operands, results = {}, attrs = attrs or {}, regions = {},
    line = ssa.def and ssa.def.line or 0, region = place }
  op.results[1] = { type = type_key(dtype, shape), def = op }
  local at = 1
  if ssa.def and ssa.def.region then
    for i = #place.ops, 1, -1 do
      if place.ops[i] == ssa.def then
        at = i + 1
        break
      end
    end
  end
  table.insert(place.ops, at, op)
  return values.value(op.results[1], dtype, shape)
end

-- Gives the number of operations.
local function mark_uses(region, used)
  local count = #region.ops
  for _, op in ipairs(region.ops) do
    for _, operand in ipairs(op.operands) do
      used[operand] = true
    end
    for _, inner in ipairs(op.regions) do
      count = count + mark_uses(inner, used)
    end
  end
  return count
end

--- The finished body: the constants that are used, then the operations; and their number.
function Builder:finish()
  local used = {}
  local count = mark_uses(self.body, used)
  local ops = {}
  for _, op in ipairs(self.constants) do
    if used[op.results[1]] then
      ops[#ops + 1] = op
    end
  end
  for _, op in ipairs(self.body.ops) do
    ops[#ops + 1] = op
  end
  return { args = {}, ops = ops }, count
end

return M
