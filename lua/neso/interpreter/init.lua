--- The interpreter: `NESO_INTERPRET=1` or `k:interpret(grid, ...)` runs a kernel's tile program
--- step by step from the host, with the references of spec/reference instead of compiled code.

local captures = require "neso.captures"
local frontend = require "neso.frontend"
local resolve = require "neso.resolve"

local M = {}

local MAX_PLANS = 64 -- kept a kernel

--- Set to a function, it is called at every breakpoint instead of the prompt, with the frame
--- (neso.interpreter.prompt); it may return "continue" (the default), "next" (statement) or "quit".
---@type nil|fun(frame: table): string|nil
M.on_breakpoint = nil

local has_ffi = pcall(require, "ffi")

local function build(kernel, params, option_text)
  local request = resolve.request(kernel, params, option_text)
  request.interpreted = true
  local tile, info = frontend.program(request)
  if require("neso.interpreter.plan").has_breakpoint(tile.body) then
    request.stepping, request.print = true, function() end
    tile = frontend.program(request)
  end
  captures.add(kernel, info.captures)
  return { tile = tile, plan = require("neso.interpreter.run").prepare(tile) }
end

-- A launch at a breakpoint of the same kernel gets a plan of its own.
local function ready(kernel, params, option_text, key)
  local kept = kernel._plans
  if not kept or kept.count >= MAX_PLANS then
    kept = { count = 0 }
    kernel._plans = kept
  end
  local entry = kept[key]
  if not entry or entry.busy then
    entry = build(kernel, params, option_text)
    kept[key], kept.count = entry, kept.count + 1
  end
  return entry
end

--- Runs a launch (for the C module, which has typed the arguments).
---@param kernel neso.kernel
---@param params table[] { name, kind, dtype, facts, value | bytes | address, buffer, size }
---@param option_text string
---@param device neso.device
---@param key string tells launches that need programs of their own apart
---@param grid integer[]|nil nil: only what a launch needs is prepared
function M.launch(kernel, params, option_text, device, key, grid)
  if not has_ffi then
    error("the interpreter needs LuaJIT (its ffi library); this Lua can launch compiled code only",
      0)
  end
  if device.driver ~= "cpu" then
    error(("the interpreter works on tensors of the CPU, these are on %s"):format(tostring(device)),
      0)
  end
  local entry = ready(kernel, params, option_text, key)
  if not grid then return end
  entry.busy = true
  local ok, problem = pcall(require("neso.interpreter.run").launch, entry.plan, entry.tile, params,
    grid)
  entry.busy = nil
  require("neso.interpreter.report").finish(entry.plan.machine)
  if not ok then error(problem, 0) end
end

return M
