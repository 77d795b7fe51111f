--- Kernels: what `neso.jit` and `neso.kernel` give. Defining one compiles nothing.
-- `k[grid](...)` launches; a launcher is made once a grid and kept, so a launch makes no closure.
local core = require "neso.shell"
local declare = require "neso.declare"
local suggest = require "neso.suggest"

local debug = require "debug"

local error, ipairs, pairs, rawset, setmetatable, type = error, ipairs, pairs, rawset,
  setmetatable, type
local format = string.format
local unpack = rawget(table, "unpack") or unpack

local M = {}

local MAX_LAUNCHERS = 256 -- kept a kernel

---@class neso.kernel
---@field name string
---@field params string[]
local methods = {}
local kernel_meta = { __name = "neso.kernel", __names = methods }
M.kernel_meta = kernel_meta

--- True for a kernel object.
---@param value any
---@return boolean
function M.is(value)
  return type(value) == "table" and getmetatable(value) == kernel_meta
end

-- A kernel object of what declare.read gave.
local function kernel_of(fields, names, declared)
  fields.params, fields._declared = names, declared
  fields._handle = core.kernel(names, declared.kinds, declared.codes)
  fields._captures = { rows = 0, seen = {}, labels = {} }
  fields._epochs, fields._epoch, fields._last_epoch, fields._states = {}, 0, 0, 0
  fields._names, fields._defaults = declared.positions, declared.defaults
  fields._const, fields._options = declared.const, declared.options
  fields._kept, fields._variants = 0, fields._variants or {}
  return setmetatable(fields, kernel_meta)
end

-- nil and a message when the declaration is wrong.
local function new_kernel(fields, names, decl)
  local declared, why = declare.read(names, decl)
  if not declared then return nil, why end
  return kernel_of(fields, names, declared)
end

--- The kernel with several parameters for some of its own (neso.descriptor): `groups[i]` names
--- those for parameter i, the first as it is, the last of several a compile-time value.
---@param kernel neso.kernel
---@param groups string[][]
---@return neso.kernel
function M.expand(kernel, groups)
  local from = kernel._declared
  local names, lengths = {}, {}
  local out = { kinds = {}, codes = {}, positions = {}, const = from.const, options = from.options }
  for i, group in ipairs(groups) do
    lengths[group[1]] = #group > 1 and #group or nil
    for place, name in ipairs(group) do
      local n, last = #names + 1, place > 1 and place == #group
      names[n], out.positions[name] = name, n
      out.kinds[n] = place == 1 and from.kinds[i] or last and declare.CONST or declare.AUTO
      out.codes[n] = place == 1 and from.codes[i] or 0
    end
  end
  return kernel_of({ name = kernel.name, _fn = kernel._fn, _ast = kernel._ast, _env = kernel._env,
    _place = kernel._place, _variants = kernel._variants, _groups = lengths }, names, out)
end

-- ------------------------------------------------------------------ definition --

local has_parameter_names = pcall(debug.getlocal, function(_) end, 1)

local function source_of(fn)
  return require "neso.frontend.source".of(fn)
end

-- nil and the reason when the text of the function is not to be had.
local function parameter_names(fn)
  if has_parameter_names then
    local names = {}
    local info = debug.getinfo(fn, "u")
    for i = 1, info.nparams or 255 do
      names[i] = debug.getlocal(fn, i)
      if not names[i] then break end
    end
    return names
  end
  local record, why = source_of(fn)
  if not record then return nil, why end
  local ctx = { name = record.name, text = record.text, version = record.version }
  local node = require "neso.frontend.parser".parse_function(record.text, record.from, record.to,
    ctx)
  local names = {}
  for i, param in ipairs(node.params) do names[i] = param.name end
  return names
end

--- A kernel of a Lua function. Parameters in CAPITALS are compile-time constants; `decl` gives
--- types and defaults: `neso.jit({ n = tl.i64, x = "*f16", BLOCK = 256 }, function(x, n, BLOCK)`.
---@param decl table|function
---@param fn function|nil
---@return neso.kernel
function M.jit(decl, fn)
  if fn == nil then decl, fn = {}, decl end
  if M.is(fn) then error("neso.jit: this is a kernel already", 2) end
  if type(fn) ~= "function" then
    error(format("neso.jit: expected a function, got %s", type(fn)), 2)
  end
  if type(decl) ~= "table" then
    error(format("neso.jit: the declaration must be a table, got %s", type(decl)), 2)
  end
  local info = debug.getinfo(fn, "S")
  if info.what == "C" then error("neso.jit: a C function has no Lua source", 2) end
  require "neso.frontend.source".keep(fn)
  local names, why = parameter_names(fn)
  local kernel
  if names then
    local place = info.short_src .. ":" .. info.linedefined
    kernel, why = new_kernel({ _fn = fn, _place = place }, names, decl)
  end
  if not kernel then error(why, 2) end
  return kernel
end

local function function_nodes(block, ctx)
  local nodes = {}
  for _, stat in ipairs(block) do
    local func = stat.func
    local plain = stat.kind == "LocalFunction"
      or (stat.kind == "FunctionStat" and not stat.is_method and stat.target.kind == "Name")
    if not func or not plain then
      require "neso.frontend.diagnostics".throw(ctx, stat,
        "a kernel string holds functions with plain names only",
        "constants come from the table after the string: neso.kernel([[...]], { N = 8 })")
    end
    local name = stat.kind == "LocalFunction" and stat.name or stat.target
    nodes[#nodes + 1] = { name = name.name, node = func, exported = stat.kind == "FunctionStat" }
  end
  return nodes
end

local function string_env(given)
  local env = { neso = require "neso", tl = require "neso.language" }
  for name, value in pairs(given or {}) do env[name] = value end
  return setmetatable(env, { __index = _G })
end

local function parameters_of(node, ctx)
  local names = {}
  if node.is_vararg then
    require "neso.frontend.diagnostics".throw(ctx, node, "a kernel cannot take '...'")
  end
  for i, param in ipairs(node.params) do names[i] = param.name end
  return names
end

-- "demo.lua:10[string]": the first Lua function that called neso.kernel.
local function string_name()
  for level = 3, 12 do
    local info = debug.getinfo(level, "Sl")
    if info and info.currentline > 0 then
      return format("%s:%d[string]", info.short_src, info.currentline)
    end
  end
  return "[string]"
end

--- Kernels of a string, where Lua 5.3's operators work under every Lua: the functions of the text
--- in their order; `local function` makes a helper that is not returned. Free names are found in
--- `env`, then `tl` and `neso`, then the globals; `env.declare[name]` declares parameters.
---@param text string
---@param env table|nil
---@return neso.kernel ...
function M.kernel(text, env)
  if type(text) ~= "string" then
    error(format("neso.kernel: expected a string, got %s (neso.jit takes functions)",
      type(text)), 2)
  end
  local name = string_name()
  local ctx = { name = name, text = text, version = 5.3 }
  local block = require "neso.frontend.parser".parse_chunk(text, ctx)
  ctx = block.ctx
  local functions = function_nodes(block, ctx)
  if #functions == 0 then error("neso.kernel: the string holds no function", 2) end
  local declared = env and env.declare or {}
  local scope, results = string_env(env), {}
  for _, entry in ipairs(functions) do
    entry.node.ctx = ctx
    local kernel, why = new_kernel({ name = entry.name, _ast = entry.node, _env = scope,
      _place = name .. ":" .. entry.node.line }, parameters_of(entry.node, ctx),
      declared[entry.name] or {})
    if not kernel then error(why, 2) end
    rawset(scope, entry.name, kernel)
    if entry.exported or #functions == 1 then results[#results + 1] = kernel end
  end
  return unpack(results)
end

--- What the frontend needs of a kernel object; nil for any other value.
---@param value any
---@return table|nil record { fn, source, ast, env, name, params }
function M.record(value)
  if not M.is(value) then return nil end
  local record = value._record
  if record then return record end
  record = { fn = value._fn, ast = value._ast, env = value._env, params = value.params,
    place = value._place, const = value._const, options = value._options }
  if value._fn then
    local source, why = source_of(value._fn)
    if not source then
      error(format("kernel at %s: %s", value._place, tostring(why)), 0)
    end
    record.source = source
  end
  record.name = rawget(value, "name") or M.name_of(record.source, value)
  value._record = record
  return record
end

-- The name that the text gives the function: `local k = neso.jit(function`, `function k(`.
function M.name_of(source, value)
  local before = source.text:sub(1, source.from - 1)
  local line = before:match "[^\n]*\n?[^\n]*$"
  local name = line:match "([%a_][%w_]*)%s*=%s*[%w_%.]*jit%s*[%(%s].-$"
    or line:match "([%a_][%w_]*)%s*=%s*$"
    or source.text:sub(source.from):match "^function%s+([%a_][%w_%.:]*)%s*%("
  return name or "kernel@" .. value._place:match "[^/]*$"
end

-- --------------------------------------------------------------------- launches --

--- Gives a kernel's handle its name and place (for the C module).
function M.prepare(kernel)
  core.name(kernel._handle, M.record(kernel).name, kernel._place)
end

local function title(kernel)
  local ok, record = pcall(M.record, kernel)
  return format("kernel '%s' (%s)", ok and record.name or "?", kernel._place)
end

--- Accepts a launch option or raises (for the C module).
function M.option(kernel, name)
  local options = require "neso.devices".options()
  if options[name] then
    kernel._names[name] = -1
    return
  end
  local known = {}
  for _, param in ipairs(kernel.params) do known[#known + 1] = param end
  for _, option in ipairs(suggest.keys(options)) do known[#known + 1] = option end
  error(format("%s has no parameter or launch option '%s'%s", title(kernel), tostring(name),
    suggest.hint(tostring(name), known)), 3)
end

local function forget_launchers(kernel)
  for key in pairs(kernel) do
    if type(key) ~= "string" then kernel[key] = nil end
  end
  kernel._kept = 0
end

local function make(kernel, constructor, grid)
  return constructor(kernel._handle, kernel, kernel._captures, kernel._names, kernel._defaults,
    grid)
end

-- The next three give nil and a message for what is no grid.
local function new_launcher(kernel, grid)
  local ok, launcher = pcall(make, kernel, core.launcher, grid)
  if ok then return launcher end
  return nil, (launcher:gsub("^[^ ]*:%d+: ", ""))
end

local function keep(kernel, grid)
  local launcher, why = new_launcher(kernel, grid)
  if not launcher then return nil, why end
  if kernel._kept >= MAX_LAUNCHERS then forget_launchers(kernel) end
  kernel._kept = kernel._kept + 1
  rawset(kernel, grid, launcher)
  return launcher
end

-- A table of extents is new at every launch: the last launcher is kept with its extents.
local function table_launcher(kernel, grid)
  local x, y, z = grid[1], grid[2] or 1, grid[3] or 1
  if kernel._x == x and kernel._y == y and kernel._z == z and grid[4] == nil then
    return kernel._last
  end
  local launcher, why = new_launcher(kernel, grid)
  if not launcher then return nil, why end
  kernel._last, kernel._x, kernel._y, kernel._z = launcher, x, y, z
  return launcher
end

function kernel_meta.__index(kernel, key)
  local kind = type(key)
  if kind == "string" then
    if key == "name" then
      local name = M.record(kernel).name
      kernel.name = name
      return name
    end
    return methods[key]
  end
  local launcher, why
  if kind == "table" then
    launcher, why = table_launcher(kernel, key)
  elseif kind == "number" or kind == "function" then
    launcher, why = keep(kernel, key)
  else
    launcher, why = new_launcher(kernel, key)
  end
  if not launcher then error(title(kernel) .. ": " .. why, 2) end
  return launcher
end

function kernel_meta.__call(kernel)
  error(title(kernel) .. " is launched with a grid: k[grid](...)", 2)
end

function kernel_meta.__tostring(kernel)
  return format("%s(%s)", title(kernel), table.concat(kernel.params, ", "))
end

--- Compiles for these arguments without launching.
function methods.warmup(kernel, ...)
  local warmup = kernel._warmup
  if not warmup then
    warmup = make(kernel, core.warmup)
    kernel._warmup = warmup
  end
  return warmup(...)
end

--- A launch with grid and arguments frozen, called without arguments: `local step = k:bind(grid,
--- x, y, n)`, then `step()`.
---@param grid number|table|function
---@return function
function methods.bind(kernel, grid, ...)
  return make(kernel, core.binder, grid)(...)
end

--- Launches in the interpreter: the same program, step by step, with every access checked and
--- breakpoints (neso.breakpoint).
---@param grid number|table|function
function methods.interpret(kernel, grid, ...)
  make(kernel, core.interpreter, grid)(...)
end

--- Publishes a kernel for C hosts, which get it by neso_kernel_get. It stays as long as the Lua
--- state, or until another is exported under the name.
---@param name string
---@param kernel neso.kernel
function M.export(name, kernel)
  if not M.is(kernel) then
    error(format("neso.export: expected a kernel, got %s", type(kernel)), 2)
  end
  core.export(name, kernel._handle, kernel)
  M.exported = M.exported or {}
  M.exported[name] = kernel
end

for _, name in ipairs { "dump", "tile", "llvm", "asm", "info", "variants" } do
  methods[name] = function(...) return require "neso.inspect"[name](...) end
end

return M
