--- Looking into kernels: `k:tile()`, `k:llvm()`, `k:asm()`, `k:dump(stage)`, `k:info()`,
--- `k:variants()`.
local core = require "neso.shell"
local stages = require "neso.stages"
local suggest = require "neso.suggest"

local M = {}

local function pick(kernel, variant)
  local list = kernel._variants
  if type(variant) == "table" then return variant._build end
  return list[variant or #list]
end

local function check_stage(stage, names)
  for _, name in ipairs(names) do
    if name == stage then return end
  end
  error(("no stage '%s'%s"):format(tostring(stage), suggest.hint(tostring(stage), names)), 3)
end

local function rebuilt(build, stage)
  local again = {}
  for key, value in pairs(build) do again[key] = value end
  again.wanted, again.done, again.uncached = "," .. stage .. ",", nil, true
  core.rebuild(again, build.device.handle)
  if again.error then error(again.error, 0) end
  return again.dumps[stage]
end

--- Text of a stage ("program", "tile", "llvm", "opt", "asm") of the variant built last, or of
--- `variant` (an entry of `k:variants()` or its number). nil before the first launch or warm-up.
--- What came from the cache is compiled again for it.
---@param kernel neso.kernel
---@param stage string
---@param variant table|integer|nil
---@return string|nil
function M.dump(kernel, stage, variant)
  local build = pick(kernel, variant)
  if not build then return nil end
  stage = stage or "tile"
  check_stage(stage, stages.names(build.stages))
  return build.dumps[stage] or rebuilt(build, stage)
end

--- The tile IR.
function M.tile(kernel, variant) return M.dump(kernel, "tile", variant) end

--- The LLVM IR before LLVM's own passes; `k:dump "opt"` shows it after them.
function M.llvm(kernel, variant) return M.dump(kernel, "llvm", variant) end

--- The assembly.
function M.asm(kernel, variant) return M.dump(kernel, "asm", variant) end

local function describe(build)
  return { signature = build.signature, options = build.options, device = build.device,
    cached = build.cached, compile_ms = build.compile_ms, load_ms = build.load_ms,
    binary_size = build.binary_size, metadata = build.metadata, _build = build }
end

--- The variants built in this process, in order.
---@return table[]
function M.variants(kernel)
  local list = {}
  for i, build in ipairs(kernel._variants) do list[i] = describe(build) end
  return list
end

--- Name, place and parameters, how many variants there are, and of the one built last: signature,
--- cached, compile_ms, load_ms, binary_size.
---@return table
function M.info(kernel)
  local list = kernel._variants
  local info = #list > 0 and describe(list[#list]) or {}
  info.name, info.place, info.params = kernel.name, kernel._place, kernel.params
  info.variants = #list
  return info
end

return M
