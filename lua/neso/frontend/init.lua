--- The frontend: a Lua function and the types of its arguments become a tile program.

local context = require "neso.frontend.context"
local call = require "neso.frontend.call"
local checked = require "neso.frontend.checked"
local diagnostics = require "neso.frontend.diagnostics"
local dtype = require "neso.dtype"
local fields = require "neso.frontend.fields"
local program = require "neso.frontend.program"
local stmt = require "neso.frontend.stmt"
local values = require "neso.frontend.values"

local M = {}

local no_shape = {}

---@class neso.BuildParam
---@field name string
---@field kind "const"|"pointer"|"scalar"
---@field value any of a const
---@field dtype string|nil of a pointer's element or a scalar
---@field group integer|nil how many parameters from here on stand for a descriptor
---@field facts integer|nil bit 0: divisible by 16, bit 1: buffer below 2^31 bytes,
---  bit 2: no other pointer's bytes are its own

---@class neso.BuildRequest
---@field name string
---@field fn function|nil live function
---@field source table|nil record of source.of
---@field ast table|nil Function node (default: parsed from source)
---@field env table|nil free names of a string kernel
---@field params neso.BuildParam[]
---@field options table|nil
---@field print function|nil receives the lines of static_print (default: print)
---@field interpreted boolean|nil for the interpreter: breakpoints are allowed
---@field stepping boolean|nil and there is one: every statement says which variables it sees

local function code_of(request)
  if request.ast then
    return { node = request.ast, ctx = request.ast.ctx, fn = request.fn, env = request.env }
  end
  return call.code_of_record(request.source, request.fn, request.env)
end

local function small_buffer(facts)
  return math.floor((facts or 0) / 2) % 2 == 1
end

local function run_time_param(cx, param)
  local kind = dtype.find(param.dtype)
  local ssa = { param = true }
  local value
  if param.kind == "pointer" then
    ssa.type = values.pointer_key(kind)
    ssa.small = small_buffer(param.facts) and not cx.checked
    ssa.const, ssa.element, ssa.parameter = param.const, kind.name, param.name
    value = values.pointer(ssa, nil, kind)
  else
    ssa.type = values.type_key(kind, no_shape)
    value = values.value(ssa, kind, no_shape)
  end
  cx.params[#cx.params + 1] = { value = ssa, name = param.name, facts = param.facts or 0 }
  return value
end

local function given_value(cx, param)
  if param.kind == "const" then return param.value end
  return run_time_param(cx, param)
end

-- What tl.make_tensor_descriptor takes, of the parameters from `first` on that stand for a
-- descriptor (neso.descriptor).
local function described(cx, params, first)
  local last = first + params[first].group - 1
  local rank = (last - first) / 2
  local out = { base = given_value(cx, params[first]), shape = {}, strides = {}, block_shape = {} }
  for d = 1, rank do out.shape[d] = given_value(cx, params[first + d]) end
  for d = 1, rank - 1 do out.strides[d] = given_value(cx, params[first + rank + d]) end
  out.strides[rank] = 1
  local block, padding = params[last].value:match "^(.*):(.*)$"
  for extent in block:gmatch "%d+" do out.block_shape[#out.block_shape + 1] = tonumber(extent) end
  out.padding = padding
  return out
end

-- Arguments by place, and those of descriptors.
local function arguments(cx, params)
  local args, descriptors, i = { n = 0 }, {}, 1
  while i <= #params do
    args.n = args.n + 1
    if params[i].group then
      descriptors[args.n] = described(cx, params, i)
      i = i + params[i].group
    else
      args[args.n] = given_value(cx, params[i])
      i = i + 1
    end
  end
  return args, descriptors
end

local function check_params(code, args)
  local node = code.node
  if node.is_vararg then
    diagnostics.throw(code.ctx, node, "a kernel cannot take '...'",
      "name its parameters; helper functions may have varargs")
  end
  if #node.params ~= args.n then
    diagnostics.throw(code.ctx, node, ("the kernel has %d parameters, %d were given"):format(
      #node.params, args.n))
  end
end

local function compile_body(cx, code, args, descriptors)
  local frame = call.new_frame(cx, code, nil, code.node)
  frame.is_kernel = true
  cx.frame, cx.node = frame, code.node
  for i = 1, args.n do
    if descriptors[i] then
      args[i] = require("neso.language.descriptor").make_tensor_descriptor(cx, descriptors[i])
    end
  end
  for i, param in ipairs(code.node.params) do
    stmt.declare(cx, param, args[i])
  end
  stmt.run_from(cx, code.node.body, 1)
  cx.builder.line = 0
  cx.builder:op("func.return", {}, {})
end

---@class neso.TileProgram
---@field name string
---@field params table[] array of { value =, name =, facts = }
---@field body table region without arguments that ends with func.return
---@field ctx table name and text of the kernel's source

local function tile_program(request)
  fields.language = require "neso.language"
  local cx = context.new()
  local code = code_of(request)
  cx.root_ctx, cx.kernel_node = code.ctx, code.node
  local options = request.options or {}
  cx.contract = options.fp == "contract"
  if checked.wanted(options) then checked.enable(cx) end
  cx.interpreted = request.interpreted
  if request.stepping then cx.watch = require("neso.frontend.breakpoint").statement end
  local args, descriptors = arguments(cx, request.params)
  check_params(code, args)
  local ok, problem = pcall(compile_body, cx, code, args, descriptors)
  if not ok then
    if type(problem) == "string" and problem:find("stack overflow", 1, true) then
      diagnostics.throw(code.ctx, cx.node, "what this kernel has here nests too deeply",
        "compute it in several statements")
    end
    error(problem, 0)
  end
  local print_line = request.print or print
  for _, line in ipairs(cx.builder.prints) do
    print_line(line)
  end
  return { name = request.name, params = cx.params, body = cx:finish(), ctx = code.ctx },
    { captures = cx.captures }
end

local function build(request)
  local tile, info = tile_program(request)
  local bytes, lines = program.encode(tile.name, tile.params, tile.body)
  return bytes, lines, info
end

-- Code that runs once is slower under LuaJIT's compiler than interpreted (three times, measured).
local function interpreted(run, argument)
  local jit = rawget(_G, "jit")
  if not jit or not jit.status() then return run(argument) end
  jit.off()
  local ok, first, second, third = pcall(run, argument)
  jit.on()
  if not ok then error(first, 0) end
  return first, second, third
end

--- Compiles a kernel to a tile program (spec/program.md).
---@param request neso.BuildRequest
---@return string program
---@return string lines little-endian uint32 an operation
---@return table info {captures = what was read of the host}
function M.build(request)
  return interpreted(build, request)
end

--- The same before it is encoded, for the interpreter.
---@param request neso.BuildRequest
---@return neso.TileProgram program
---@return table info
function M.program(request)
  return interpreted(tile_program, request)
end

return M
