-- What the fuzzers of the frontend do with one input: parse it as a chunk; compile its first
-- function for arguments whose types follow from their names. The file gives
-- { parse =, build = }: functions of a text that give nil when all is well - also when the text is
-- refused with a message for a person - and a description of the fault else.

local root = debug.getinfo(1, "S").source:match "^@(.*/)" .. "../../"
package.path = root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. root .. "spec/fuzz/?.lua;"
  .. package.path
package.preload["neso.language.rows"] = function()
  return dofile(root .. "spec/ops_language.lua")
end

-- Strings as long as memory are the fault of who asks for them.
local repeated = string.rep
string.rep = function(text, count, ...) -- luacheck: ignore
  return repeated(text, math.min(count, 1000), ...)
end

if _G.FUZZ_COUNTERS then
  local ffi = require "ffi"
  require "instrument".install(ffi.cast("uint8_t *", _G.FUZZ_COUNTERS), _G.FUZZ_COUNT,
    { "neso.frontend", "neso.language" })
end

local parser = require "neso.frontend.parser"
local frontend = require "neso.frontend"
local language = require "neso.language"

-- Fewer steps than a kernel may take, so that an input costs milliseconds.
local function set_upvalue(fn, name, value)
  for i = 1, 100 do
    local found = debug.getupvalue(fn, i)
    if found == name then debug.setupvalue(fn, i, value) end
    if not found then return end
  end
end
local step = getmetatable(require "neso.frontend.context".new()).step
set_upvalue(step, "max_statements", 2 ^ 11)
set_upvalue(step, "max_made", 2 ^ 12)

local M = {}

--- What the mutator puts in.
M.words = {}
for _, name in ipairs(language.names()) do
  table.insert(M.words, "tl." .. name)
  table.insert(M.words, ":" .. name)
end
for name in pairs(language.dtypes) do table.insert(M.words, "tl." .. name) end
table.sort(M.words)

local NAME = "fuzz"

local function fault_of(problem)
  if type(problem) ~= "string" then return "the error is a " .. type(problem) end
  if problem:find("not enough memory", 1, true) then return nil end
  local placed = problem:find("^%S+:%d+:%d+: ") or problem:sub(1, #NAME) == NAME
  if not placed or problem:find "neso/[%w_/]+%.lua:%d+: " then return problem end
end

local function parse(text)
  return parser.parse_chunk(text, { name = NAME, text = text, version = 5.3 })
end

--- Parses the text.
function M.parse(text)
  local ok, problem = pcall(parse, text)
  if not ok then return fault_of(problem) end
end

local dtypes = { "f32", "i32", "f16", "i64", "u8", "f64", "i1", "bf16", "f8e4m3fn", "u32", "i8" }

local function param_of(name)
  if name:find "^[A-Z][A-Z0-9_]*$" then
    return { name = name, kind = "const", value = #name * 16 }
  end
  local last = name:byte(-1)
  local scalar = name:find "^[f-n]$" or name:find "^start" or name:find "^limit"
    or name:find "^extent" or name:find "^stride" or name:find "^rows" or name:find "^col"
  local kind = scalar and "scalar" or "pointer"
  if kind == "scalar" then
    return { name = name, kind = kind, dtype = last % 5 == 0 and "f32" or "i32" }
  end
  return { name = name, kind = kind, dtype = dtypes[(last + #name) % #dtypes + 1], facts = 2 }
end

local function kernel_of(block)
  for _, kind in ipairs { "FunctionStat", "LocalFunction" } do
    for _, stat in ipairs(block) do
      if stat.kind == kind and (kind == "LocalFunction" or stat.target.kind == "Name") then
        return stat.func
      end
    end
  end
end

local function environment()
  local env = { tl = language, ipairs = ipairs, pairs = pairs, type = type, select = select,
    assert = assert, error = error, tostring = tostring, tonumber = tonumber, print = print,
    next = next, unpack = unpack, string = string }
  env.math, env.bit, env.table = math, require "bit", table
  return env
end
local env = environment()

local function quiet() end

local function build(node, block)
  local params = {}
  for i, param in ipairs(node.params) do params[i] = param_of(param.name) end
  node.ctx = block.ctx
  frontend.build { name = "k", ast = node, env = env, params = params, options = {},
    print = quiet }
end

--- Parses the text and compiles the first function of it.
function M.build(text)
  local ok, block = pcall(parse, text)
  if not ok then return fault_of(block) end
  local node = kernel_of(block)
  if not node or node.is_vararg then return nil end
  local problem
  ok, problem = pcall(build, node, block)
  if not ok then return fault_of(problem) end
end

return M
