--- A program of the frontend as steps that run one after another. Values live in numbered slots.

local blocks = require "neso.interpreter.blocks"
local types = require "neso.interpreter.types"

local M = {}

local topics = { "integer", "float", "convert", "elementary", "shape", "memory", "reduce", "order",
  "region", "atomic", "program" }

local rows

--- The references by operation (spec/reference).
function M.references()
  if rows then return rows end
  rows = {}
  for _, topic in ipairs(topics) do
    for name, row in pairs(require("neso.interpreter.reference." .. topic)) do rows[name] = row end
  end
  return rows
end

-- Attributes --------------------------------------------------------------------------------------

local function int64_of(text)
  local value = 0LL
  for digit in text:gmatch "%d" do value = value * 10 + tonumber(digit) end
  return text:find "^-" and -value or value
end

local special = { inf = math.huge, ["-inf"] = -math.huge, nan = 0 / 0 }

local function constant(key, text)
  local element = types.of(key).element
  if element.is_float then return element.round(special[text] or tonumber(text)) end
  return element.wrap(int64_of(text))
end

local function attributes_of(op)
  local attributes = {}
  for _, attr in ipairs(op.attrs) do
    local name, kind = attr[1], attr[2]
    if kind ~= "i" and kind ~= "f" then
      attributes[name] = attr[3]
    elseif name == "value" then
      attributes[name] = constant(attr[3], attr[4])
    else
      attributes[name] = tonumber(attr[4])
    end
  end
  return attributes
end

-- Steps -------------------------------------------------------------------------------------------

local function put_all(slots, to, ...)
  for i = 1, #to do slots[to[i]] = (select(i, ...)) end
end

local function several(f, from, to)
  local count = #from
  return function(slots)
    local given = {}
    for i = 1, count do given[i] = slots[from[i]] end
    put_all(slots, to, f(unpack(given, 1, count)))
  end
end

local one_result = {
  [0] = function(f, out) return function(s) s[out] = f() end end,
  function(f, out, a) return function(s) s[out] = f(s[a]) end end,
  function(f, out, a, b) return function(s) s[out] = f(s[a], s[b]) end end,
  function(f, out, a, b, c) return function(s) s[out] = f(s[a], s[b], s[c]) end end,
  function(f, out, a, b, c, d) return function(s) s[out] = f(s[a], s[b], s[c], s[d]) end end,
}

local function step_of(f, from, to)
  if #to == 1 and one_result[#from] then return one_result[#from](f, to[1], unpack(from)) end
  return several(f, from, to)
end

local Plan = {}
Plan.__index = Plan

function Plan:define(value)
  self.count = self.count + 1
  self.number[value] = self.count
  return self.count
end

local function types_of(values)
  local list = {}
  for i, value in ipairs(values) do list[i] = types.of(value.type) end
  return list
end

local function lift_key(op)
  local parts = { op.name }
  for _, list in ipairs { op.operands, op.results } do
    for _, type_of in ipairs(list) do parts[#parts + 1] = type_of.element.name end
  end
  for name, value in pairs(op.attributes) do
    if type(value) ~= "boolean" then parts[#parts + 1] = name .. "=" .. tostring(value) end
  end
  return table.concat(parts, " ")
end

local function function_of(self, op)
  local row = M.references()[op.name]
  if not row then error(("the interpreter has no reference for %s"):format(op.name), 0) end
  if row.block then return row.block(op, self.machine) end
  return blocks.lift(lift_key(op), #op.operands, function() return row.scalar(op) end,
    op.results[1])
end

local function run_steps(steps, slots)
  for i = 1, #steps do steps[i](slots) end
end

local function give(slots, from)
  local count = #from
  if count == 0 then return end
  if count == 1 then return slots[from[1]] end
  local values = {}
  for i = 1, count do values[i] = slots[from[i]] end
  return unpack(values, 1, count)
end

--- A region as a function from its arguments to what its terminator carries.
function Plan:region(region)
  local slots, args = self.slots, {}
  for i, value in ipairs(region.args) do args[i] = self:define(value) end
  local steps, yields = self:steps(region)
  return function(...)
    for i = 1, #args do slots[args[i]] = (select(i, ...)) end
    run_steps(steps, slots)
    return give(slots, yields)
  end
end

local terminators = { ["scf.yield"] = true, ["scf.condition"] = true, ["neso.yield"] = true,
  ["func.return"] = true }
local constants = { ["arith.constant"] = true, ["neso.arange"] = true }

function Plan:numbers(values)
  local list = {}
  for i, value in ipairs(values) do list[i] = self.number[value] end
  return list
end

--- The steps of a region's operations, and the slots that its terminator reads.
function Plan:steps(region)
  local steps, yields = {}, {}
  for _, source in ipairs(region.ops) do
    if terminators[source.name] then
      yields = self:numbers(source.operands)
    else
      local op = { name = source.name, line = source.line, attributes = attributes_of(source),
        operands = types_of(source.operands), results = types_of(source.results), regions = {},
        source = source }
      local from = self:numbers(source.operands)
      for i, inner in ipairs(source.regions) do op.regions[i] = self:region(inner) end
      local to = {}
      for i, result in ipairs(source.results) do to[i] = self:define(result) end
      local f = function_of(self, op)
      if constants[op.name] then
        self.slots[to[1]] = f()
      else
        steps[#steps + 1] = step_of(f, from, to)
      end
    end
  end
  return steps, yields
end

--- Whether a breakpoint stands in the region.
function M.has_breakpoint(region)
  for _, op in ipairs(region.ops) do
    if op.name == "neso.breakpoint" then return true end
    for _, inner in ipairs(op.regions) do
      if M.has_breakpoint(inner) then return true end
    end
  end
  return false
end

---@class neso.Plan
---@field machine table what lies outside of the values (spec/reference/README.md)
---@field slots table values by slot
---@field number table value of the frontend -> slot
---@field run fun() runs the program once

--- Makes a program of the frontend ready to run on a machine.
---@param tile neso.TileProgram
---@param machine table
---@return neso.Plan
function M.new(tile, machine)
  local self = setmetatable({ machine = machine, slots = {}, number = {}, count = 0 }, Plan)
  machine.plan = self
  self.params = {}
  for i, param in ipairs(tile.params) do self.params[i] = self:define(param.value) end
  self.run = self:region(tile.body)
  return self
end

return M
