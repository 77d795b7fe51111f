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

-- A variable's operands, appended to the list; nil where it has no value.
local function variable_of(cell, operands)
  local value = cell.value
  if values.is_poison(value) or rawequal(value, values.UNSET) then return nil end
  local variable = { name = cell.name, line = cell.node and cell.node.line, value = value }
  if values.is_value(value) then
    operands[#operands + 1] = value.ssa
  elseif values.is_pointer(value) then
    operands[#operands + 1] = value.base
    if value.offset then operands[#operands + 1] = value.offset.ssa end
  end
  return variable
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
    local variable = variable_of(cell, operands)
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
