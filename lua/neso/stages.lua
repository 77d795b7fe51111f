--- Stages of a backend's compiler, and what the environment asks of them:
--   NESO_DUMP=tile,llvm,asm (or all)  writes their texts to standard error,
--   NESO_DUMP_DIR=folder              to files there instead (all stages without NESO_DUMP),
--   NESO_OVERRIDE=tile=path,...       takes a stage's result from a file,
--   NESO_OVERRIDE_DIR=folder          from <kernel>.<stage>.<mlir|ll|s> in it, where there is one.
local core = require "neso.shell"

local getenv = require "os".getenv

local M = {}

local loaded = {} -- folder of a backend -> its compiler.lua

local function compiler_of(backend)
  local compiler = loaded[backend.path]
  if not compiler then
    local chunk, why = loadfile(backend.path .. "/compiler.lua")
    if not chunk then error(("backend %s has no compiler: %s"):format(backend.name, why), 0) end
    compiler = chunk()
    loaded[backend.path] = compiler
  end
  return compiler
end

--- The stages that compile for a backend, in order.
---@param backend neso.backend
---@param options table
---@return table[] stages { name, passes }
function M.of(backend, options)
  local stages = compiler_of(backend).stages
  if type(stages) == "function" then stages = stages(options) end
  local list = {}
  for i, stage in ipairs(stages) do
    list[i] = { name = stage.name, passes = stage.passes or "" }
  end
  return list
end

--- All that can be dumped: the program as the frontend gave it, then every stage.
function M.names(stages)
  local names = { "program" }
  for _, stage in ipairs(stages) do names[#names + 1] = stage.name end
  return names
end

--- Stages that NESO_DUMP asks for as C reads them, ",tile,asm,"; nil for none.
function M.wanted(stages)
  local text, folder = getenv "NESO_DUMP", getenv "NESO_DUMP_DIR"
  if (not text or text == "") and not folder then return nil end
  if not text or text == "" or text == "all" or text == "1" then
    text = table.concat(M.names(stages), ",")
  end
  return "," .. text:gsub("%s", "") .. ","
end

local extensions = { llvm = "ll", opt = "ll", asm = "s" }

local function extension(stage) return extensions[stage] or "mlir" end

local function read(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local text = file:read "*a"
  file:close()
  return text
end

local function add_listed(overrides, text)
  for stage, path in text:gmatch "([%w_]+)=([^,]+)" do
    local content, why = read(path)
    if not content then error("NESO_OVERRIDE: " .. why, 0) end
    overrides[stage] = content
  end
end

local function file_name(kernel) return (kernel:gsub("[^%w_%-]", "_")) end

--- Texts that replace stage results, nil for none.
function M.overrides(kernel, stages)
  local text, folder = getenv "NESO_OVERRIDE", getenv "NESO_OVERRIDE_DIR"
  if not text and not folder then return nil end
  local overrides = {}
  if text then add_listed(overrides, text) end
  for _, stage in ipairs(folder and M.names(stages) or {}) do
    local path = ("%s/%s.%s.%s"):format(folder, file_name(kernel), stage, extension(stage))
    overrides[stage] = overrides[stage] or read(path)
  end
  return next(overrides) and overrides or nil
end

local written = {} -- kernel name -> builds written so far

local function write_file(folder, name, text)
  core.make_folder(folder)
  local file, why = io.open(folder .. "/" .. name, "wb")
  if not file then error("NESO_DUMP_DIR: " .. why, 0) end
  file:write(text)
  file:close()
end

--- Writes the dumps of a build to where the environment says.
function M.write_dumps(build)
  if not build.wanted or not next(build.dumps) then return end
  local folder = getenv "NESO_DUMP_DIR"
  local number = (written[build.name] or 0) + 1
  written[build.name] = number
  for _, stage in ipairs(M.names(build.stages)) do
    local text = build.dumps[stage]
    if text and folder then
      write_file(folder, ("%s.%d.%s.%s"):format(file_name(build.name), number, stage,
        extension(stage)), text)
    elseif text then
      io.stderr:write("-- ", build.name, ": ", stage, "\n", text, "\n")
    end
  end
end

return M
