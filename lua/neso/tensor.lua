--- Tensors: typed, strided views of memory on a device. Indices count from 0, as offsets in kernels
--- do; dimensions too, negative ones from the end.
--
-- Elements become numbers (i1: booleans). A 64-bit integer beyond 2^53 becomes an int64_t or
-- uint64_t cdata under LuaJIT, an integer in Lua 5.3 and later, and otherwise its decimal text; all
-- three are accepted where an element is given. A value that an integer dtype cannot hold is an
-- error; `:to` converts (see runtime/src/formats.h for the rules).
local core = require "neso.shell"
local dtype = require "neso.dtype"
local suggest = require "neso.suggest"

local error, ipairs, type = error, ipairs, type
local format = string.format

local M = {}

---@class neso.tensor
---@field shape integer[]
---@field strides integer[] in elements
---@field dtype neso.dtype
---@field device neso.device
---@field ndim integer
---@field numel integer
---@field nbytes integer
---@field offset integer elements from the start of its memory
local methods = {}
M.methods = methods

--- True for a tensor.
M.is = core.is_tensor

local function find_dtype(value, level)
  if value == nil then return dtype.names.f32 end
  local found = dtype.find(value)
  if found then return found end
  local names = {}
  for i, item in ipairs(dtype.list) do names[i] = item.name end
  error(format("no dtype '%s'%s", tostring(value), suggest.hint(tostring(value), names)),
    (level or 2) + 1)
end
M.find_dtype = find_dtype

-- A list of extents from {2, 3} or 6.
local function find_shape(shape, level)
  if type(shape) == "number" then return { shape } end
  if type(shape) == "table" and not dtype.is(shape) then return shape end
  error(format("a shape is a number or a table of numbers, got %s", type(shape)), (level or 2) + 1)
end
M.find_shape = find_shape

local function handle_of(device, level)
  return device and require "neso.devices".device(device, (level or 2) + 1).handle
end

local NAMED = { dtype = true, device = true }

-- dtype, shape and device of what is made; dtype and device may also be named in the shape's table.
local function made_of(shape, element, device, level)
  if type(element) == "number" then
    error("a shape of several extents is a table, such as { 3, 4 }", level + 1)
  end
  if type(shape) == "table" and not dtype.is(shape) then
    for key in pairs(shape) do
      if type(key) == "string" and not NAMED[key] then
        error(format("'%s' in a shape; only dtype and device are named there", key), level + 1)
      end
    end
    element, device = element or shape.dtype, device or shape.device
  end
  return find_dtype(element, level + 1).code, find_shape(shape, level + 1),
    handle_of(device, level + 1)
end

-- Memory for a new tensor; `level` is that of the caller for messages, as error takes it.
function M.make(shape, element, device, level)
  return core.empty(made_of(shape, element, device, level + 1))
end
local make = M.make

--- Uninitialized memory. The dtype defaults to f32, the device to the one that serves; both may
--- stand in the shape's table: empty { 3, 4, dtype = "f16" }.
---@param shape integer|integer[]
---@param element neso.dtype|string|nil
---@param device neso.device|string|nil
---@return neso.tensor
function M.empty(shape, element, device)
  local x = make(shape, element, device, 2)
  return x
end

--- Every element `value`.
function M.full(shape, value, element, device)
  local x = make(shape, element, device, 2)
  return core.fill(x, value)
end

function M.zeros(shape, element, device)
  local x = make(shape, element, device, 2)
  return core.fill(x, 0)
end

function M.ones(shape, element, device)
  local x = make(shape, element, device, 2)
  return core.fill(x, 1)
end

local function like(x, element)
  if not core.is_tensor(x) then error(format("expected a tensor, got %s", type(x)), 3) end
  local kind = element == nil and x.dtype or find_dtype(element, 3)
  return core.empty(kind.code, x.shape, x.device.handle)
end

--- Shape, device and dtype (unless given) of `x`.
function M.empty_like(x, element) return like(x, element) end
function M.zeros_like(x, element) return core.fill(like(x, element), 0) end
function M.ones_like(x, element) return core.fill(like(x, element), 1) end

--- Numbers from `start` up to and without `stop`, by `step`: arange(n), arange(start, stop, step).
--- The dtype defaults to i32 when all are whole, else f32.
function M.arange(start, stop, step, element)
  if dtype.find(stop) then start, stop, step, element = 0, start, 1, stop end
  if dtype.find(step) then step, element = 1, step end
  if stop == nil then start, stop = 0, start end
  step = step or 1
  if type(start) ~= "number" or type(stop) ~= "number" or type(step) ~= "number" or step == 0 then
    error("arange: expected numbers and a step that is not 0", 2)
  end
  local whole = start % 1 == 0 and step % 1 == 0
  local count = math.max(0, math.ceil((stop - start) / step))
  local x = core.empty(find_dtype(element or (whole and "i32" or "f32")).code, { count })
  return core.arange(x, start, step)
end

--- A tensor of nested tables or of one number; the dtype defaults to f32, and may stand in the
--- outer table: tensor { 1, 2, 3, dtype = "i32" }.
---@param values table|number|boolean
---@param element neso.dtype|string|nil
function M.tensor(values, element, device)
  if type(values) == "table" then
    element, device = element or values.dtype, device or values.device
  end
  local kind = find_dtype(element)
  if core.is_tensor(values) then return values:to(kind) end
  if type(values) ~= "table" then
    return core.fill(core.empty(kind.code, {}, handle_of(device)), values)
  end
  local x = core.empty(kind.code, core.nested_shape(values), handle_of(device))
  return core.read_table(x, values)
end

-- ----------------------------------------------------------------------- views --

local function dimension(x, dim, what)
  local rank = x.ndim
  if type(dim) ~= "number" or dim % 1 ~= 0 or dim < -rank or dim >= rank then
    error(format("%s: dimension %s of a tensor with %d", what, tostring(dim), rank), 3)
  end
  return (dim % rank) + 1
end

local function numel(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

local function contiguous_strides(shape)
  local strides, stride = {}, 1
  for d = #shape, 1, -1 do
    strides[d] = stride
    stride = stride * shape[d]
  end
  return strides
end

local function list_of(first, ...)
  if type(first) == "table" then return first end
  return { first, ... }
end

-- One extent may be -1.
local function complete_shape(x, shape)
  local known, open = 1, nil
  local result = {}
  for d, extent in ipairs(shape) do
    result[d] = extent
    if extent == -1 and not open then open = d else known = known * extent end
  end
  if open then result[open] = known ~= 0 and x.numel / known or 0 end
  if numel(result) ~= x.numel or (open and result[open] % 1 ~= 0) then
    error(format("reshape: %d elements cannot become {%s}", x.numel, table.concat(shape, ", ")), 3)
  end
  return result
end

--- Another shape of the same elements; a copy when the tensor is not contiguous.
function methods.reshape(x, ...)
  local shape = complete_shape(x, list_of(...))
  return core.view(methods.contiguous(x), shape, contiguous_strides(shape), 0)
end

--- All elements in one dimension.
function methods.flatten(x) return methods.reshape(x, -1) end

--- Elements [from, to) of a dimension, every `step`-th; negative ones count from the end.
function methods.slice(x, dim, from, to, step)
  local d = dimension(x, dim, "slice")
  local shape, strides = x.shape, x.strides
  local extent = shape[d]
  from, to, step = from or 0, to or extent, step or 1
  if from < 0 then from = from + extent end
  if to < 0 then to = to + extent end
  if from < 0 or from > extent or to < from or to > extent or step < 1 then
    error(format("slice: [%d, %d) by %d of dimension %d, which has %d", from, to, step, dim,
      extent), 2)
  end
  shape[d] = math.ceil((to - from) / step)
  local offset = shape[d] > 0 and from * strides[d] or 0
  strides[d] = strides[d] * step
  return core.view(x, shape, strides, offset)
end

--- The part at `index` of a dimension, which goes away.
function methods.select(x, dim, index)
  local d = dimension(x, dim, "select")
  local shape, strides = x.shape, x.strides
  local at = index < 0 and index + shape[d] or index
  if at < 0 or at >= shape[d] then
    error(format("select: index %d of dimension %d, which has %d", index, dim, shape[d]), 2)
  end
  table.remove(shape, d)
  local stride = table.remove(strides, d)
  return core.view(x, shape, strides, at * stride)
end

--- Dimensions in another order: x:permute(1, 0).
function methods.permute(x, ...)
  local order = list_of(...)
  local old_shape, old_strides, shape, strides, used = x.shape, x.strides, {}, {}, {}
  if #order ~= x.ndim then
    error(format("permute: %d dimensions given for %d", #order, x.ndim), 2)
  end
  for i, dim in ipairs(order) do
    local d = dimension(x, dim, "permute")
    if used[d] then error(format("permute: dimension %d is given twice", dim), 2) end
    used[d] = true
    shape[i], strides[i] = old_shape[d], old_strides[d]
  end
  return core.view(x, shape, strides, 0)
end

--- Two dimensions exchanged, the last two by default.
function methods.transpose(x, a, b)
  local first, second = dimension(x, a or -2, "transpose"), dimension(x, b or -1, "transpose")
  local shape, strides = x.shape, x.strides
  shape[first], shape[second] = shape[second], shape[first]
  strides[first], strides[second] = strides[second], strides[first]
  return core.view(x, shape, strides, 0)
end

--- Extents of 1 repeated without a copy; new dimensions in front.
function methods.expand(x, ...)
  local shape = list_of(...)
  local old_shape, old_strides, strides = x.shape, x.strides, {}
  local extra = #shape - #old_shape
  if extra < 0 then error("expand: fewer dimensions than the tensor has", 2) end
  for d, extent in ipairs(shape) do
    local old = old_shape[d - extra] or 1
    if old ~= extent and old ~= 1 then
      error(format("expand: dimension %d has %d elements, not 1 or %d", d - 1, old, extent), 2)
    end
    strides[d] = old == extent and old_strides[d - extra] or 0
  end
  return core.view(x, shape, strides, 0)
end

--- A dimension of one element at `dim`.
function methods.unsqueeze(x, dim)
  local rank = x.ndim
  local at = dim < 0 and dim + rank + 1 or dim
  if at < 0 or at > rank then error(format("unsqueeze: no dimension %d", dim), 2) end
  local shape, strides = x.shape, x.strides
  table.insert(shape, at + 1, 1)
  table.insert(strides, at + 1, 1)
  return core.view(x, shape, strides, 0)
end

--- Without dimension `dim`, which has one element; without all such ones by default.
function methods.squeeze(x, dim)
  local only = dim and dimension(x, dim, "squeeze")
  local shape, strides = {}, {}
  local old_shape, old_strides = x.shape, x.strides
  for d, extent in ipairs(old_shape) do
    if extent ~= 1 or (only and only ~= d) then
      shape[#shape + 1], strides[#strides + 1] = extent, old_strides[d]
    end
  end
  return core.view(x, shape, strides, 0)
end

-- ---------------------------------------------------------------------- copies --

methods.is_contiguous = core.is_contiguous

--- The tensor itself when it is row-major without gaps, else such a copy.
function methods.contiguous(x)
  return core.is_contiguous(x) and x or methods.clone(x)
end

function methods.clone(x)
  return core.copy(core.empty(x.dtype.code, x.shape, x.device.handle), x)
end

--- Overwrites with the elements of `source`, which is expanded and converted as needed.
function methods.copy_(x, source)
  if not core.is_tensor(source) then
    error(format("copy_: expected a tensor, got %s", type(source)), 2)
  end
  return core.copy(x, methods.expand(source, x.shape))
end

methods.fill_ = core.fill

--- The same values as another dtype (the tensor itself when it has that already).
function methods.to(x, element)
  local kind = find_dtype(element)
  if kind == x.dtype then return x end
  return core.copy(core.empty(kind.code, x.shape, x.device.handle), x)
end

--- The same bits as another dtype of the same size.
function methods.bitcast(x, element)
  local kind = find_dtype(element)
  if kind.size ~= x.dtype.size then
    error(format("bitcast: %s has %d bytes, %s has %d", x.dtype.name, x.dtype.size, kind.name,
      kind.size), 2)
  end
  return core.view(x, x.shape, x.strides, 0, kind.code)
end

-- -------------------------------------------------------------------- elements --

--- Element at 0-based indices.
methods.get = core.get

--- x:set(i, j, ..., value)
methods.set = core.set

--- The only element.
function methods.item(x)
  if x.numel ~= 1 then error(format("item: the tensor has %d elements", x.numel), 2) end
  return core.get(methods.reshape(x, {}))
end

--- Nested Lua tables, which count from 1.
methods.totable = core.totable

--- FFI pointer to the first element (LuaJIT), which keeps the tensor's memory alive.
function methods.pointer(x) return require "neso.cdata".pointer(x) end
methods.cdata = methods.pointer

--- Gives the memory back now; later uses of the tensor and of its views are errors.
methods.free = core.free
methods.is_freed = core.is_freed

-- ------------------------------------------------------------------ comparison --

--- Same shape and equal elements (exactly; NaN equals nothing).
function methods.equal(x, y) return require "neso.compare".equal(x, y) end

--- Largest |x - y|, NaN when one is NaN where the other is not.
function methods.max_abs_diff(x, y) return require "neso.compare".max_abs_diff(x, y) end

--- Writes an .npy file.
function methods.save(x, path) return require "neso.npy".save(path, x) end

local meta = core.tensor_meta
local property = core.property

function meta.__index(x, key)
  local method = methods[key]
  if method then return method end
  if type(key) == "number" then
    if x.ndim == 1 then return core.get(x, key) end
    return methods.select(x, 0, key)
  end
  return property(x, key)
end

function meta.__newindex(x, key, value)
  if type(key) == "number" and x.ndim == 1 then
    core.set(x, key, value)
    return
  end
  error(format("a tensor has no field '%s' to assign; x:set(i, ..., v) sets an element",
    tostring(key)), 2)
end

for event, op in pairs { __add = "+", __sub = "-", __mul = "*", __div = "/", __mod = "%",
  __pow = "^", __unm = "-" } do
  meta[event] = function()
    error(format("tensors have no '%s' of their own; what computes is a kernel (neso.jit)", op), 2)
  end
end

function meta.__len(x) return x.shape[1] or 0 end
function meta.__tostring(x) return require "neso.print".text(x) end
meta.__name, meta.__names = "neso.tensor", methods

return M
