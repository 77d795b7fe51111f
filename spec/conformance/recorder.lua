-- Notes what a kernel applies while it is compiled: functions and operators of the language, and
-- operations of the tile IR, each with the dtypes that it is applied to.

local language = require "neso.language"
local arith = require "neso.frontend.arith"
local builder = require "neso.frontend.builder"
local expr = require "neso.frontend.expr"
local values = require "neso.frontend.values"

local M = {}

local seen = {}

local function note(kind, name, dtype)
  seen[kind .. " " .. name .. " " .. dtype] = true
end

-- Parameters that say where, not what.
local aside = { mask = true, condition = true, index = true, other = true }
local both = { cast = true, to = true, bitcast = true }

local function note_values(kind, name, list)
  local any = false
  for _, x in pairs(list) do
    if values.is_runtime(x) then
      note(kind, name, x.dtype.name)
      any = true
    elseif type(x) == "table" and not x.name and #x > 0 and getmetatable(x) == nil then
      any = note_values(kind, name, x) or any
    end
  end
  return any
end

-- Descriptors are tables: what they hold shows in the base, the last argument and the results.
local function note_descriptor(op, args, results)
  local any = note_values("function", op.name, results)
  local last = args[args.n]
  if op.name:find "^make" then last = args[1] end
  any = note_values("function", op.name, { last }) or any
  if not any then note("function", op.name, "-") end
end

local apply = language.apply
function language.apply(cx, op, args, node)
  local results = apply(cx, op, args, node)
  if op.row.group == "descriptor" then
    note_descriptor(op, args, results)
    return results
  end
  local list = {}
  for i = 1, args.n do
    local param = op.params[i]
    if not (param and aside[param.name]) then list[#list + 1] = args[i] end
  end
  local any = note_values("function", op.name, list)
  if not any or both[op.name] then any = note_values("function", op.name, results) or any end
  if not any then note("function", op.name, "-") end
  return results
end

local binary = expr.binary
function expr.binary(cx, op, a, b)
  if not (values.is_pointer(a) or values.is_pointer(b)) then
    note_values("operator", op, { a, b })
  end
  return binary(cx, op, a, b)
end

local unary = arith.unary
function arith.unary(cx, op, v)
  note_values("operator", op == "-" and "unary -" or op == "~" and "unary ~" or op, { v })
  return unary(cx, op, v)
end

local function element(key) return key:match "^[pt]:([^:]+)" end

local class = getmetatable(builder.new())
local append = class.op
function class.op(self, name, operands, types, attrs, regions)
  if #operands == 0 and #types == 0 then note("ir", name, "-") end
  for _, operand in ipairs(operands) do note("ir", name, element(operand.type)) end
  for _, key in ipairs(types) do note("ir", name, element(key)) end
  return append(self, name, operands, types, attrs, regions)
end

--- What was noted since the last call: "function sum f32", "operator + i8", "ir arith.addi i8".
---@return string[]
function M.take()
  local list = {}
  for key in pairs(seen) do list[#list + 1] = key end
  table.sort(list)
  seen = {}
  return list
end

return M
