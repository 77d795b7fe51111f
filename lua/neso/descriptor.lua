--- Tensor descriptors made by the host: a tensor, the shape of the blocks that kernels move, and
--- what they read outside. As an argument of a launch one stands for the pointer, the extents and
--- the strides; the shape of the blocks is a compile-time value.
local core = require "neso.shell"
local jit = require "neso.jit"

local concat = table.concat
local error, getmetatable, ipairs, pairs, setmetatable, type = error, getmetatable, ipairs, pairs,
  setmetatable, type
local format = string.format
local unpack = rawget(table, "unpack") or unpack

local M = {}

---@class neso.Descriptor
---@field tensor neso.tensor
---@field block_shape integer[]
---@field padding "zero"|"nan"
---@field package layout string block shape and padding, as kernels are compiled for them
local meta = { __name = "neso.descriptor", __descriptor = true }

local function check_block(x, block)
  if type(block) ~= "table" then
    error(format("neso.descriptor: the block shape is a table, got %s", type(block)), 3)
  end
  if #block ~= x.ndim then
    error(format("neso.descriptor: the block shape has %d axes, the tensor %d", #block, x.ndim), 3)
  end
  for d, extent in ipairs(block) do
    if type(extent) ~= "number" or extent < 1 or extent % 1 ~= 0 then
      error(format("neso.descriptor: block_shape[%d] is a whole number from 1 on, got %s", d,
        tostring(extent)), 3)
    end
  end
end

local function check_padding(x, padding)
  if padding ~= "zero" and padding ~= "nan" then
    error(format('neso.descriptor: padding is "zero" or "nan", got %s', tostring(padding)), 3)
  end
  if padding == "nan" and x.dtype.kind ~= "float" then
    error(format("neso.descriptor: padding with NaN is for floats, not %s", x.dtype.name), 3)
  end
end

--- A descriptor of a tensor with 1 to 5 dimensions whose last one has no gaps. Kernels use it as
--- what tl.make_tensor_descriptor gives.
---@param x neso.tensor
---@param block_shape integer[]
---@param padding "zero"|"nan"|nil
---@return neso.Descriptor
function M.descriptor(x, block_shape, padding)
  if not core.is_tensor(x) then
    error(format("neso.descriptor: expected a tensor, got %s", type(x)), 2)
  end
  padding = padding or "zero"
  local rank = x.ndim
  if rank < 1 or rank > 5 then
    error(format("neso.descriptor: a descriptor has 1 to 5 axes, the tensor %d", rank), 2)
  end
  check_block(x, block_shape)
  check_padding(x, padding)
  local shape, strides = x.shape, x.strides
  if strides[rank] ~= 1 and shape[rank] > 1 then
    error(format("neso.descriptor: the last stride is 1, that of the tensor is %d; permute its "
      .. "dimensions or take x:contiguous()", strides[rank]), 2)
  end
  strides[rank] = nil
  local block = { unpack(block_shape) }
  return setmetatable({ tensor = x, block_shape = block, padding = padding, extents = shape,
    strides = strides, layout = concat(block, ",") .. ":" .. padding }, meta)
end

--- True for what M.descriptor gives.
function M.is(x) return type(x) == "table" and getmetatable(x) == meta end

function meta.__tostring(self)
  return format("descriptor of a tensor {%s} of %s, blocks {%s}, padding %s",
    concat(self.extents, ", "), self.tensor.dtype.name, concat(self.block_shape, ", "),
    self.padding)
end

-- Launches -------------------------------------------------------------------------------------

-- Names of the parameters that stand for descriptor `name`.
local function names_of(name, rank)
  local list = { name }
  for d = 1, rank do list[#list + 1] = format("%s.shape[%d]", name, d) end
  for d = 1, rank - 1 do list[#list + 1] = format("%s.strides[%d]", name, d) end
  list[#list + 1] = name .. ".block"
  return list
end

-- Appends the values of these parameters; the length of the list after that.
local function append(list, n, desc)
  local rank = #desc.extents
  list[n + 1] = desc.tensor
  for d = 1, rank do list[n + 1 + d] = desc.extents[d] end
  for d = 1, rank - 1 do list[n + 1 + rank + d] = desc.strides[d] end
  n = n + 2 * rank + 1
  list[n] = desc.layout
  return n
end

-- The kernel with the parameters that stand for its descriptors, one a set of ranks.
local function kernel_for(kernel, args)
  local ranks = {}
  for i = 1, #kernel.params do
    ranks[i] = M.is(args[i]) and #args[i].extents or 0
  end
  local key = concat(ranks, ",")
  local known = kernel._described or {}
  kernel._described = known
  if not known[key] then
    local groups = {}
    for i, name in ipairs(kernel.params) do
      groups[i] = ranks[i] > 0 and names_of(name, ranks[i]) or { name }
    end
    known[key] = jit.expand(kernel, groups)
  end
  return known[key]
end

-- Arguments by place, and the launch options of a call by name.
local function arrange(kernel, ...)
  local first, count = ..., select("#", ...)
  local args = { ... }
  local options
  if count == 1 and type(first) == "table" and getmetatable(first) == nil then
    args, options = {}, {}
    for key, value in pairs(first) do
      local place = type(key) == "number" and key or kernel._names[key] or -1
      if place > 0 then args[place] = value else options[key] = value end
    end
  end
  for i, value in pairs(kernel._defaults or {}) do
    if args[i] == nil then args[i] = value end
  end
  return args, options
end

local function spread(kernel, args)
  local list, n = {}, 0
  for i = 1, #kernel.params do
    if M.is(args[i]) then
      n = append(list, n, args[i])
    else
      n = n + 1
      list[n] = args[i]
    end
  end
  return list, n
end

local verbs = {
  launch = function(kernel, grid, ...) kernel[grid](...) end,
  interpret = function(kernel, grid, ...) kernel:interpret(grid, ...) end,
  warmup = function(kernel, _, ...) return kernel:warmup(...) end,
  bind = function(kernel, grid, ...) return kernel:bind(grid, ...) end,
}

--- A launch, warm-up or binding with descriptors among its arguments (for the C module).
---@param kernel neso.kernel
---@param verb "launch"|"interpret"|"warmup"|"bind"
---@param grid table|function|nil
function M.launch(kernel, verb, grid, ...)
  local args, options = arrange(kernel, ...)
  local list, n = spread(kernel, args)
  local run, inner = verbs[verb], kernel_for(kernel, args)
  if not options then return run(inner, grid, unpack(list, 1, n)) end
  for i = 1, n do options[i] = list[i] end
  return run(inner, grid, options)
end

return M
