--- What happens when a launch finds no variant: the frontend's program and the backend's stages go
--- to the C module, which looks into the cache or compiles.
local captures = require "neso.captures"
local devices = require "neso.devices"
local frontend = require "neso.frontend"
local jit = require "neso.jit"
local stages = require "neso.stages"

local M = {}

local readers = {
  n = tonumber,
  b = function(text) return text == "true" end,
  s = function(text) return text end,
}

-- "fp=s:contract;num_warps=n:4;@3" as a table
local function read_options(text)
  local options = {}
  for name, tag, value in text:gmatch "([%w_]+)=(%l):([^;]*);" do
    options[name] = readers[tag](value)
  end
  return options
end

local function signature(params)
  local words = {}
  for i, param in ipairs(params) do
    if param.kind == "const" then
      words[i] = param.name .. "=" .. tostring(param.value)
    else
      words[i] = param.name .. ":" .. (param.kind == "pointer" and "*" or "") .. param.dtype
    end
  end
  return table.concat(words, " ")
end

local function done(kernel, variant)
  stages.write_dumps(variant)
  if variant.error then return end
  local list = kernel._variants
  list[#list + 1] = variant
  require "neso.log".info("kernel '%s' [%s]: %s, %.1f ms", variant.name, variant.signature,
    variant.cached and "from the cache" or "compiled",
    variant.cached and variant.load_ms or variant.compile_ms)
end

--- What the frontend needs for a kernel with these arguments.
---@param kernel neso.kernel
---@param params table[] { name, kind, dtype, facts, value }
---@param option_text string
---@return neso.BuildRequest
function M.request(kernel, params, option_text)
  local record = jit.record(kernel)
  local groups = kernel._groups or {}
  for _, param in ipairs(params) do
    param.const, param.group = record.const[param.name], groups[param.name]
  end
  local options = read_options(option_text)
  for name, value in pairs(record.options) do
    if options[name] == nil then options[name] = value end
  end
  return {
    name = record.name, fn = record.fn, source = record.source, ast = record.ast,
    env = record.env, params = params, options = options,
  }
end

--- Describes the build of a variant (for the C module, which fills the outcome in and calls
--- `done`).
---@param kernel neso.kernel
---@param params table[] { name, kind, dtype, facts, value } and `specs`
---@param option_text string
---@param device neso.device
---@return table build
function M.resolve(kernel, params, option_text, device)
  local record = jit.record(kernel)
  local backend = devices.backend_of(device.driver)
  local request = M.request(kernel, params, option_text)
  local options = request.options
  local program, lines, info = frontend.build(request)
  captures.add(kernel, info.captures or {})
  local list = stages.of(backend, options)
  return {
    name = record.name, file = (record.source or record.ast.ctx).name,
    program = program, lines = lines, specs = params.specs, stages = list,
    wanted = stages.wanted(list), overrides = stages.overrides(record.name, list),
    verify = os.getenv "NESO_VERIFY" ~= nil, options = options, device = device,
    signature = signature(params),
    done = function(variant) done(kernel, variant) end,
  }
end

return M
