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

--- Every line of the sources that raises a message: lines[file][line] = true.
function M.sites()
  local sites = {}
  for _, folder in ipairs { "lua/neso/frontend", "lua/neso/language" } do
    for _, file in ipairs(files_of(folder)) do
      sites[file] = {}
      for _, line in ipairs(lines_of(root .. file)) do sites[file][line] = true end
    end
  end
  return sites
end

-- Marks the line that calls, and the lines outside of it as long as each is a site too (functions
-- of a file that raise its messages).
local function mark(sites)
  for level = 3, math.huge do
    local info = debug.getinfo(level, "Sl")
    local lines = info and sites[info.source:match "(lua/neso/[%w_/]+%.lua)$"]
    if not (lines and lines[info.currentline] ~= nil) then return end
    lines[info.currentline] = "met"
  end
end

--- Runs `run` and gives the sites with those that raised a message set to "met".
function M.watch(run)
  local sites = M.sites()
  local class = getmetatable(context.new()).__index
  local fail, throw = class.fail, diagnostics.throw
  class.fail = function(...) mark(sites) return fail(...) end
  diagnostics.throw = function(...) mark(sites) return throw(...) end
  local ok, problem = pcall(run)
  class.fail, diagnostics.throw = fail, throw
  if not ok then error(problem, 0) end
  return sites
end

return M
