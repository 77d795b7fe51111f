--- The grid of a launch, program by program: x runs fastest.

local diagnostics = require "neso.frontend.diagnostics"
local ffi = require "ffi"
local memory = require "neso.interpreter.memory"
local plans = require "neso.interpreter.plan"
local types = require "neso.interpreter.types"

local M = {}

-- The line of a text as a place for messages: from its first character that is no blank.
function M.place(text, line)
  local start = 1
  for _ = 2, line do
    start = (text:find("\n", start, true) or #text) + 1
  end
  local first = text:find("%S", start) or start
  local stop = (text:find("\n", first, true) or #text + 1) - 1
  return { line = line, col = first - start + 1, pos = first, stop = stop }
end

--- A machine that runs `tile`.
---@param tile neso.TileProgram
local function new_machine(tile)
  local machine = { tile = tile, program = { 0, 0, 0 }, grid = { 1, 1, 1 } }

  --- Text of an error at an operation; `where` goes on behind the program, as ", element {3}".
  function machine.message(op, message, where, hint)
    local node = op.line and op.line > 0 and M.place(tile.ctx.text, op.line) or nil
    return diagnostics.format(tile.ctx, node, ("kernel '%s': %s, in program (%d, %d, %d)%s"):format(
      tile.name, message, machine.program[1], machine.program[2], machine.program[3], where or ""),
      hint)
  end

  function machine.fail(op, message, where, hint)
    error(machine.message(op, message, where, hint), 0)
  end

  function machine.view(op, base, to, verb) return memory.view(machine, op, base, to, verb) end

  machine.pointer, machine.address = memory.pointer, memory.address

  function machine.refuse(op)
    machine.fail(op, ("the interpreter cannot run %s"):format(op.name), nil,
      "launch the kernel without NESO_INTERPRET and k:interpret")
  end

  require("neso.interpreter.report").install(machine)
  return machine
end

--- A plan for the program and a machine of its own.
---@param tile neso.TileProgram
function M.prepare(tile)
  return plans.new(tile, new_machine(tile))
end

-- A run-time scalar from its bytes in the packed arguments.
local function scalar(param, type_of)
  local element = type_of.element
  local bytes = ffi.new("uint8_t[8]")
  ffi.copy(bytes, param.bytes, math.min(#param.bytes, 8))
  return element.new(1, element.read(ffi.cast(element.pointer, bytes), 0))
end

local function bind(plan, tile, params)
  local at = 0
  for _, param in ipairs(params) do
    if param.kind ~= "const" then
      at = at + 1
      local value
      if param.kind == "pointer" then
        value = memory.parameter(param)
      else
        value = scalar(param, types.of(tile.params[at].value.type))
      end
      plan.slots[plan.params[at]] = value
    end
  end
end

--- Runs every program of the grid.
---@param plan neso.Plan
---@param tile neso.TileProgram
---@param params table[]
---@param grid integer[]
function M.launch(plan, tile, params, grid)
  local machine, run = plan.machine, plan.run
  bind(plan, tile, params)
  machine.grid, machine.stepping = grid, false
  for z = 0, grid[3] - 1 do
    for y = 0, grid[2] - 1 do
      for x = 0, grid[1] - 1 do
        machine.program = { x, y, z }
        run()
      end
    end
  end
end

return M
