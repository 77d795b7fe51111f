-- The table of messages: every refusal of the frontend and of the language with a kernel that meets
-- it. A file a topic, each a list of
--   message   first line as shown, without its place
--   hint      as shown, or nil
--   kernel    statements of the kernel; or text, the whole function; or fn, the function itself; or
--             chunk, a text of functions, in the Lua of `version`
--   env       function that gives the free names of the kernel
--   params    types of the arguments (default: x:*f32 n:i32), see spec/lua/codegen_support.lua
--   options   of the build

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "../lua/codegen_support.lua")
local context = require "neso.frontend.context"
local diagnostics = require "neso.frontend.diagnostics"
local parser = require "neso.frontend.parser"

local M = {}

M.topics = { "syntax", "values", "control", "functions", "tables", "limits", "memory", "shapes",
  "numbers", "reductions", "descriptors", "products", "debugging" }

local default_params = "x:*f32 n:i32"

--- Cases of a topic.
function M.of(topic)
  return dofile(here .. topic .. ".lua")
end

local function build(case)
  local options = { env = case.env and case.env() }
  for key, value in pairs(case.options or {}) do options[key] = value end
  local params = case.params or default_params
  if case.chunk then
    local ctx = { name = "k.lua", text = case.chunk, version = case.version or 5.3 }
    return parser.parse_chunk(case.chunk, ctx)
  end
  if case.fn then return support.build(case.fn, params, options) end
  if case.text then return support.text(case.text, params, options) end
  return support.body(case.kernel, params, options)
end

--- The whole error text of a case.
function M.text(case)
  local ok, text = pcall(build, case)
  assert(not ok, "the kernel compiles")
  return text
end

--- First line without its place, and the hint.
function M.shown(text)
  local line = text:match "^[^\n]-:%d+:%d+: ([^\n]*)" or text:match "^[^\n]-: ([^\n]*)"
  return line, text:match "\nhint: ([^\n]*)"
end

-- Sites -------------------------------------------------------------------------------------------

local root = here .. "../../"
local callers = { "cx:fail%(", "diagnostics%.throw%(", "self:too_large%(", "self:fail%(",
  "[^%w_.:]fail%(", "state%.fail%(", "state%.fail_at%(" }

-- Lines of a file that raise a message.
local function lines_of(path)
  local found, number = {}, 0
  for line in io.lines(path) do
    number = number + 1
    for _, pattern in ipairs(callers) do
      local is_call = (" " .. line):find(pattern) and not line:find "function"
      if is_call and found[#found] ~= number then found[#found + 1] = number end
    end
  end
  return found
end

local function files_of(folder)
  local out = {}
  local pipe = assert(io.popen("ls '" .. root .. folder .. "'"))
  for name in pipe:lines() do
    if name:find "%.lua$" then out[#out + 1] = folder .. "/" .. name end
  end
  pipe:close()
  return out
end

--- Every place of the sources that raises a message: {file =, line =, last = line before the next}.
function M.sites()
  local sites = {}
  for _, folder in ipairs { "lua/neso/frontend", "lua/neso/language" } do
    for _, file in ipairs(files_of(folder)) do
      local lines = lines_of(root .. file)
      for i, line in ipairs(lines) do
        local after = lines[i + 1] or line + 5
        sites[#sites + 1] = { file = file, line = line, last = math.min(after - 1, line + 5) }
      end
    end
  end
  return sites
end

local function caller_files(met)
  for level = 3, 12 do
    local info = debug.getinfo(level, "Sl")
    if not info then return end
    local file = info.source:match "(lua/neso/[%w_/]+%.lua)$"
    if file then
      met[file] = met[file] or {}
      met[file][info.currentline] = true
    end
  end
end

--- Runs `run` and gives the lines of the sources that raised messages: met[file][line].
function M.watch(run)
  local met = {}
  local class = getmetatable(context.new()).__index
  local fail, throw = class.fail, diagnostics.throw
  class.fail = function(...) caller_files(met) return fail(...) end
  diagnostics.throw = function(...) caller_files(met) return throw(...) end
  local ok, problem = pcall(run)
  class.fail, diagnostics.throw = fail, throw
  if not ok then error(problem, 0) end
  return met
end

--- True when a message was raised at the site.
function M.is_met(met, site)
  for line = site.line, site.last do
    if met[site.file] and met[site.file][line] then return true end
  end
  return false
end

return M
