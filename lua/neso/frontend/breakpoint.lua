--- neso.breakpoint() in kernels: what can be seen at a place, for the interpreter's prompt.

local host = require "neso.frontend.host"
local values = require "neso.frontend.values"

local M = {}

local function nearest_cells(scope)
  local cells, hidden = {}, {}
  while scope do
    for decl, cell in pairs(scope) do
      if type(decl) == "table" and values.is_cell(cell) and not hidden[cell.name] then
        cells[#cells + 1] = cell
      end
    end
    for _, cell in ipairs(cells) do hidden[cell.name] = true end
    scope = scope.parent
  end
  table.sort(cells, function(a, b) return a.serial < b.serial end)
  return cells
end

local MAX_DEPTH = 4 -- of tables in tables

local function has_value(x)
  return not (values.is_poison(x) or rawequal(x, values.UNSET))
end

--- A table of the kernel as it was at a breakpoint.
M.snapshot_meta = { __name = "snapshot" }

-- x as it is now, since the kernel may write to its tables later. Appends its operands.
local function snapshot(cx, x, operands, depth)
  if values.is_value(x) then
    operands[#operands + 1] = x.ssa
  elseif values.is_pointer(x) then
    operands[#operands + 1] = x.base
    if x.offset then operands[#operands + 1] = x.offset.ssa end
  elseif type(x) == "table" and cx.owned[x] and depth < MAX_DEPTH then
    local copy = setmetatable({}, M.snapshot_meta)
    for key, item in pairs(x) do
      if key ~= values.CLASS and has_value(item) then
        copy[key] = snapshot(cx, item, operands, depth + 1)
      end
    end
    return copy
  end
  return x
end

-- nil where it has no value.
local function variable_of(cx, cell, operands)
  if not has_value(cell.value) then return nil end
  return { name = cell.name, line = cell.node and cell.node.line,
    value = snapshot(cx, cell.value, operands, 0) }
end

local function calls_of(cx)
  local calls = {}
  for i = #cx.calls, 1, -1 do
    local call = cx.calls[i]
    calls[#calls + 1] = ("%s:%d"):format(call.ctx.name, call.node.line)
  end
  return calls
end

local function emit(cx, node)
  local operands, variables, names = {}, {}, {}
  for _, cell in ipairs(nearest_cells(cx.frame.scope)) do
    local variable = variable_of(cx, cell, operands)
    if variable then
      variables[#variables + 1], names[#names + 1] = variable, variable.name
    end
  end
  local op = cx.builder:op("neso.breakpoint", operands, {},
    { { "names", "s", table.concat(names, " ") } })
  op.frame = { variables = variables, calls = calls_of(cx), ctx = cx.frame.code.ctx,
    line = node.line }
  return op
end

--- Before every statement of a kernel that is stepped through.
function M.statement(cx, node)
  emit(cx, node).is_statement = true
end

--- Outside of kernels it has no meaning.
function M.breakpoint()
  error("neso.breakpoint has a meaning in kernels only: the interpreter stops there", 2)
end

host.define(M.breakpoint, function(cx, _, node)
  if not cx.interpreted then
    cx:fail("compiled code has no breakpoints",
      "run the kernel in the interpreter: k:interpret(grid, ...), or NESO_INTERPRET=1", node)
  end
  emit(cx, node)
  return { n = 0 }
end)

return M
