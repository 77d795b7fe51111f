--- Reading and writing fields: tables of the kernel and of the host, and what blocks, pointers,
--- strings and the language offer by name.

local aggregates = require "neso.frontend.aggregates"
local merge = require "neso.frontend.merge"
local names = require "neso.frontend.names"
local suggest = require "neso.suggest"
local values = require "neso.frontend.values"

local M = {}

local is_value, is_pointer = values.is_value, values.is_pointer

-- The language (neso.language), set by it; its methods are the operations that start with a block.
M.language = nil

local properties = {
  shape = function(cx, x)
    local out = cx:new_table()
    for i, extent in ipairs(values.shape_of(x)) do
      out[i] = extent
    end
    return out
  end,
  dtype = function(_, x) return x.dtype end,
  ndim = function(_, x) return #values.shape_of(x) end,
  numel = function(_, x) return values.numel(values.shape_of(x)) end,
}

local function did_you_mean(name, known)
  local nearest = suggest.closest(tostring(name), known)
  return nearest and ("did you mean '%s'?"):format(nearest)
end

local OF_TENSORS = {}
for name in ("shape strides stride size numel get set item data_ptr pointer slice"):gmatch "%a+" do
  OF_TENSORS[name] = true
end

--- Hint for a method that x has not.
function M.suggest(name, x)
  if is_pointer(x) and OF_TENSORS[name] then
    return "a tensor is a pointer in a kernel; pass its extents and strides as arguments"
  end
  return did_you_mean(name, M.language.method_names())
end

local function read_runtime(cx, x, key)
  if type(key) == "string" then
    local property = properties[key]
    if property then return property(cx, x) end
    if M.language.method(key) then
      cx:fail(("'%s' is a method of %s"):format(key, values.describe(x)),
        ("call it: x:%s(...)"):format(key))
    end
    cx:fail(("%s has no field '%s'"):format(values.describe(x), key), M.suggest(key, x))
  end
  cx:fail(("an element of %s cannot be picked by an index"):format(values.describe(x)),
    is_pointer(x) and "read memory with tl.load(p + i)"
      or key == nil and "x:col() is x[:, None], x:row() is x[None, :]; see also tl.expand_dims"
      or "tl.slice takes a part, tl.gather elements by index; see also tl.where and the reductions")
end

local function read_language(cx, key)
  local value = M.language[key]
  if value == nil then
    local advice = require("neso.language.absent")[key]
    if advice then
      cx:fail(("tl has no '%s' yet"):format(key), advice ~= "" and advice or nil)
    end
    cx:fail(("tl has no '%s'"):format(tostring(key)), did_you_mean(key, M.language.names()))
  end
  return value
end

--- object[key]
function M.read(cx, object, key)
  if is_value(object) or is_pointer(object) then return read_runtime(cx, object, key) end
  if values.is_poison(object) then cx:fail(object.message, object.hint) end
  if values.is_runtime(key) then
    cx:fail("an index must be known when compiling, got " .. values.describe(key),
      "tables exist only while the kernel is compiled; data for run time lives in tensors")
  end
  if object == M.language then return read_language(cx, key) end
  if type(object) == "string" then return string[key] end
  if type(object) ~= "table" then
    cx:fail(("cannot read '%s' of %s"):format(tostring(key), values.describe(object)),
      object == nil and key ~= nil and M.language[key] ~= nil
        and "the language is neso.language: 'local tl = neso.language' above the kernel" or nil)
  end
  if cx.owned[object] then
    local value = object[key]
    if value == nil then return aggregates.inherited(cx, object, key, M.read) end
    return value
  end
  return names.read_field(cx, object, key)
end

--- object[key] = value
function M.write(cx, object, key, value)
  if is_value(object) or is_pointer(object) then
    cx:fail("an element of " .. values.describe(object) .. " cannot be assigned",
      "write memory with tl.store; choose by element with tl.where")
  end
  if type(object) ~= "table" then
    cx:fail(("cannot set '%s' of %s"):format(tostring(key), values.describe(object)))
  end
  if not cx.owned[object] then
    cx:fail("a kernel cannot change a table of the host",
      "only tables made in the kernel can be written to")
  end
  if key == nil or values.is_runtime(key) then
    cx:fail("a table key must be known when compiling, got " .. values.describe(key))
  end
  if object[key] == nil and aggregates.new_field(cx, object, key, value, M.write) then return end
  merge.write(cx, object, key, value)
end

return M
