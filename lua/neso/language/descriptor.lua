--- Tensor descriptors: a tensor in memory with its extents, its strides and the shape of the blocks
--- that are moved. In a kernel a descriptor is a table; what a block has outside of the tensor is
--- padding when loaded and dropped when stored. Block pointers are descriptors with a place.

local atomic = require "neso.language.atomic"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local expr = require "neso.frontend.expr"
local language = require "neso.language"
local memory = require "neso.language.memory"
local values = require "neso.frontend.values"

local M = {}

local describe = values.describe

local methods = {
  load = "load_tensor_descriptor", store = "store_tensor_descriptor",
  gather = "descriptor_gather", scatter = "descriptor_scatter",
  atomic_add = "descriptor_atomic_add", atomic_min = "descriptor_atomic_min",
  atomic_max = "descriptor_atomic_max", atomic_and = "descriptor_atomic_and",
  atomic_or = "descriptor_atomic_or", atomic_xor = "descriptor_atomic_xor",
}

-- Making one ----------------------------------------------------------------------------------

local function list(cx, x, what)
  if type(x) ~= "table" or values.is_runtime(x) or #x == 0 then
    cx:fail(("%s is a table of integers, got %s"):format(what, describe(x)))
  end
  return x
end

-- A run-time or compile-time integer as i64.
local function integer(cx, x, what)
  if not (values.is_value(x) and #x.shape == 0 and x.dtype.kind ~= "float")
    and not (type(x) == "number" and x % 1 == 0) then
    cx:fail(("%s is a scalar integer, got %s"):format(what, describe(x)))
  end
  return convert.cast(cx, convert.to_value(cx, x), dtypes.i64)
end

local function integers(cx, x, rank, what)
  x = list(cx, x, what)
  if #x ~= rank then
    cx:fail(("%s has %d entries, the block shape has %d"):format(what, #x, rank))
  end
  local out = cx:new_table()
  for d = 1, rank do out[d] = integer(cx, x[d], what) end
  return out
end

local function make(cx, a)
  if not values.is_pointer(a.base) or #values.shape_of(a.base) > 0 then
    cx:fail("a descriptor begins at a scalar pointer, got " .. describe(a.base))
  end
  local block = check.shape(cx, list(cx, a.block_shape, "the block shape"))
  if #block > 5 then cx:fail(("a descriptor has 1 to 5 axes, not %d"):format(#block)) end
  local padding = check.choice(cx, a.padding, "padding", { "zero", "nan" }, "zero")
  if padding == "nan" and a.base.dtype.kind ~= "float" then
    cx:fail("padding with NaN is for floats, not " .. a.base.dtype.name)
  end
  local desc = cx:new_table()
  desc.base, desc.padding, desc.block_shape = a.base, padding, cx:new_table()
  for d = 1, #block do desc.block_shape[d] = block[d] end
  desc.shape = integers(cx, a.shape, #block, "the shape of a descriptor")
  desc.strides = integers(cx, a.strides, #block, "the strides of a descriptor")
  return desc
end

function M.make_tensor_descriptor(cx, a)
  local desc = make(cx, a)
  local last = a.strides[#desc.block_shape]
  if last ~= 1 then
    cx:fail("the last stride of a descriptor is 1, known when compiling; got " .. describe(last),
      "name the axes in another order and transpose the block")
  end
  for name, op in pairs(methods) do desc[name] = language[op] end
  return desc
end

-- Blocks --------------------------------------------------------------------------------------

-- Branches may choose among descriptors, but of one block shape and padding.
local function check_constant(cx, x, name)
  for d = 1, #x.block_shape do
    if type(x.block_shape[d]) ~= "number" then
      cx:fail(("tl.%s takes a descriptor of one block shape; that of this one, in axis %d, is"
        .. " known only at run time"):format(name, d - 1),
        "descriptors that meet after a branch have one block shape and one padding")
    end
  end
  return x
end

local function check_descriptor(cx, x, name)
  if type(x) == "table" and cx.owned[x] and x.block_shape and x.strides then
    return check_constant(cx, x, name)
  end
  cx:fail(("tl.%s takes a tensor descriptor, got %s"):format(name, describe(x)),
    "tl.make_tensor_descriptor makes one")
end

-- v along axis d of a block of the rank.
local function along(cx, v, d, rank)
  for k = 1, rank do
    if k ~= d then v = convert.expand_dims(cx, v, k - 1) end
  end
  return v
end

local function count(cx, extent)
  return cx.builder:value("neso.arange", {}, dtypes.i32, { extent },
    { { "start", "i", "t:i32", "0" }, { "end", "i", "t:i32", tostring(extent) } })
end

-- Pointers and mask for the indices of each axis (i64 values of one axis each). `checked[d]` tells
-- whether axis d may leave the tensor.
local function place(cx, desc, indices, checked)
  local pointer, mask = desc.base, true
  local rank = #indices
  for d = 1, rank do
    local index = along(cx, indices[d], d, rank)
    if checked == nil or checked[d] then
      local inside = expr.binary(cx, "<", index, desc.shape[d])
      inside = expr.binary(cx, "&", expr.binary(cx, ">=", index, 0), inside)
      mask = mask == true and inside or expr.binary(cx, "&", mask, inside)
    end
    pointer = expr.binary(cx, "+", pointer, expr.binary(cx, "*", index, desc.strides[d]))
  end
  return pointer, mask
end

local function block_indices(cx, desc, offsets, name)
  local rank = #desc.block_shape
  if #offsets ~= rank then
    cx:fail(("tl.%s needs %d offsets, got %d"):format(name, rank, #offsets))
  end
  local out = {}
  for d = 1, rank do
    local start = integer(cx, offsets[d], "an offset")
    local step = convert.cast(cx, count(cx, desc.block_shape[d]), dtypes.i64)
    out[d] = expr.binary(cx, "+", start, step)
  end
  return out
end

-- Offsets given one by one, or as a table.
local function offsets_of(given, first, last)
  if type(given[first]) == "table" and not values.is_runtime(given[first]) then
    return given[first]
  end
  local out = {}
  for i = first, last do out[#out + 1] = given[i] end
  return out
end

local function shaped(cx, x, block, what)
  local shape = values.shape_of(x)
  if #shape > 0 and not values.same_shape(shape, block) then
    cx:fail(("%s has shape %s, the descriptor moves blocks %s"):format(what,
      values.shape_text(shape), values.shape_text(block)))
  end
  return x
end

local function load(cx, desc, pointer, mask)
  local other = desc.padding == "nan" and 0 / 0 or nil
  if mask == true then return memory.load(cx, { pointer = pointer }) end
  return memory.load(cx, { pointer = pointer, mask = mask, other = other })
end

function M.load_tensor_descriptor(cx, a)
  local name = "load_tensor_descriptor"
  local desc = check_descriptor(cx, a.list[1], name)
  local indices = block_indices(cx, desc, offsets_of(a.list, 2, a.list.n), name)
  return load(cx, desc, place(cx, desc, indices))
end

-- Descriptor, pointers, mask and value of an operation that writes.
local function target(cx, a, name)
  local desc, n = check_descriptor(cx, a.list[1], name), a.list.n
  local value = a.list[n]
  if n < 3 then cx:fail(("tl.%s takes offsets and a value"):format(name)) end
  local indices = block_indices(cx, desc, offsets_of(a.list, 2, n - 1), name)
  local pointer, mask = place(cx, desc, indices)
  return pointer, mask, shaped(cx, value, desc.block_shape, "the value")
end

function M.store_tensor_descriptor(cx, a)
  local pointer, mask, value = target(cx, a, "store_tensor_descriptor")
  memory.store(cx, { pointer = pointer, value = value, mask = mask })
end

for _, kind in ipairs { "add", "min", "max", "and", "or", "xor" } do
  local name = "descriptor_atomic_" .. kind
  M[name] = function(cx, a)
    local pointer, mask, value = target(cx, a, name)
    atomic["atomic_" .. kind](cx, { pointer = pointer, value = value, mask = mask })
  end
end

-- Rows at x_offsets, columns from y on.
local function row_place(cx, desc, rows, y, name)
  if #desc.block_shape ~= 2 or desc.block_shape[1] ~= 1 then
    cx:fail(("tl.%s takes a descriptor of blocks {1, N}, not %s"):format(name,
      values.shape_text(desc.block_shape)))
  end
  if not values.is_value(rows) or #rows.shape ~= 1 or rows.dtype.kind == "float" then
    cx:fail(("tl.%s takes a block {n} of row numbers, got %s"):format(name, describe(rows)))
  end
  local columns = expr.binary(cx, "+", integer(cx, y, "the first column"),
    convert.cast(cx, count(cx, desc.block_shape[2]), dtypes.i64))
  return place(cx, desc, { convert.cast(cx, rows, dtypes.i64), columns })
end

function M.descriptor_gather(cx, a)
  local desc = check_descriptor(cx, a.desc, "descriptor_gather")
  return load(cx, desc, row_place(cx, desc, a.x_offsets, a.y, "descriptor_gather"))
end

function M.descriptor_scatter(cx, a)
  local desc = check_descriptor(cx, a.desc, "descriptor_scatter")
  local pointer, mask = row_place(cx, desc, a.x_offsets, a.y, "descriptor_scatter")
  shaped(cx, a.value, { a.x_offsets.shape[1], desc.block_shape[2] }, "the value")
  memory.store(cx, { pointer = pointer, value = a.value, mask = mask })
end

-- Block pointers ------------------------------------------------------------------------------

function M.make_block_ptr(cx, a)
  local desc = make(cx, a)
  desc.offsets = integers(cx, a.offsets, #desc.block_shape, "the offsets of a block pointer")
  return desc
end

local function check_block_pointer(cx, x, name)
  if type(x) == "table" and cx.owned[x] and x.offsets then return check_constant(cx, x, name) end
  cx:fail(("tl.%s takes a block pointer, got %s"):format(name, describe(x)),
    "tl.make_block_ptr makes one")
end

--- A block pointer moved by offsets; the one given stays.
function M.advance(cx, a)
  local from = check_block_pointer(cx, a.pointer, "advance")
  local by = integers(cx, a.offsets, #from.block_shape, "the offsets of tl.advance")
  local out = cx:new_table()
  for key, value in pairs(from) do out[key] = value end
  out.offsets = cx:new_table()
  for d = 1, #by do out.offsets[d] = expr.binary(cx, "+", from.offsets[d], by[d]) end
  return out
end

-- Which axes are checked: those named (0-based), none by default.
local function checked_axes(cx, axes, rank)
  local out = {}
  for _, axis in ipairs(axes or {}) do out[check.axis(cx, axis, rank) + 1] = true end
  return out
end

local function block_place(cx, block, a)
  if a.mask ~= nil or a.other ~= nil then
    cx:fail("a block pointer takes boundary_check in place of mask and other")
  end
  local indices = block_indices(cx, block, block.offsets, "make_block_ptr")
  return place(cx, block, indices, checked_axes(cx, a.boundary_check, #block.block_shape))
end

--- tl.load and tl.store of a block pointer.
function M.load_block(cx, a)
  local block = check_block_pointer(cx, a.pointer, "load")
  local padding = check.choice(cx, a.padding, "padding", { "", "zero", "nan" }, "")
  local pointer, mask = block_place(cx, block, a)
  return load(cx, { padding = padding }, pointer, mask)
end

function M.store_block(cx, a)
  local block = check_block_pointer(cx, a.pointer, "store")
  local pointer, mask = block_place(cx, block, a)
  shaped(cx, a.value, block.block_shape, "the value")
  memory.store(cx, { pointer = pointer, value = a.value, mask = mask })
end

return M
