--- What an expression of a kernel can be while it is compiled. A plain Lua value is a compile-time
--- value; the classes here are the rest.

local M = {}

local getmetatable, setmetatable, type = getmetatable, setmetatable, type
local concat = table.concat

---@class neso.Value run-time scalar or block
---@field ssa table {type=, def=operation or nil}
---@field dtype neso.dtype
---@field shape integer[] empty for a scalar
local Value = { __name = "value" }
Value.__index = Value

---@class neso.Pointer base address and offset in elements
---@field base table ssa value of pointer type; `const`: not to be written through
---@field offset neso.Value|nil
---@field dtype neso.dtype element type
local Pointer = { __name = "pointer" }
Pointer.__index = Pointer

---@class neso.Closure function written inside a kernel
local Closure = { __name = "closure" }
Closure.__index = Closure

---@class neso.Poison a variable that has no value on some path; reading it is an error
local Poison = { __name = "poison" }
Poison.__index = Poison

---@class neso.Cell a variable
local Cell = { __name = "cell" }
Cell.__index = Cell

--- Marks a slot that is not read before it is written.
M.UNSET = setmetatable({}, { __name = "unset" })

--- Hidden field of a table of the kernel: its metatable.
M.CLASS = setmetatable({}, { __name = "class", __tostring = function() return "metatable" end })

-- Names of metatables of the frontend itself.
local own = { value = true, pointer = true, closure = true, poison = true, cell = true,
  range = true, sequence = true, unset = true, class = true }

--- Metatable of a table of the host, unless the library made it.
function M.host_class(t)
  local class = getmetatable(t)
  if type(class) ~= "table" then return nil end
  local name = rawget(class, "__name")
  if type(name) == "string" and (own[name] or name:find("^neso%.")) then return nil end
  return class
end

function M.value(ssa, dtype, shape)
  return setmetatable({ ssa = ssa, dtype = dtype, shape = shape }, Value)
end

function M.pointer(base, offset, dtype)
  return setmetatable({ base = base, offset = offset, dtype = dtype }, Pointer)
end

function M.closure(node, scope, code)
  return setmetatable({ node = node, scope = scope, code = code }, Closure)
end

function M.poison(message, hint)
  return setmetatable({ message = message, hint = hint }, Poison)
end

function M.cell(value, name, serial, node)
  return setmetatable({ value = value, name = name, serial = serial, node = node }, Cell)
end

local function class_test(class)
  return function(x) return type(x) == "table" and getmetatable(x) == class end
end

M.is_value = class_test(Value)
M.is_pointer = class_test(Pointer)
M.is_closure = class_test(Closure)
M.is_poison = class_test(Poison)
M.is_cell = class_test(Cell)

local is_value, is_pointer = M.is_value, M.is_pointer

--- True for a value that is known only when the kernel runs.
function M.is_runtime(x)
  return is_value(x) or is_pointer(x)
end

local no_shape = {}

function M.shape_of(x)
  if is_value(x) then return x.shape end
  if is_pointer(x) and x.offset then return x.offset.shape end
  return no_shape
end

function M.shape_text(shape)
  return "{" .. concat(shape, ", ") .. "}"
end

function M.same_shape(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

function M.numel(shape)
  local n = 1
  for i = 1, #shape do
    n = n * shape[i]
  end
  return n
end

-- 8-bit floats travel as i8; neso.from_f8 and neso.to_f8 tell their formats.
local signless = { u8 = "i8", u16 = "i16", u32 = "i32", u64 = "i64", f8e5m2 = "i8",
  f8e4m3fn = "i8", f8e4b15 = "i8", f8e4m3fnuz = "i8", f8e5m2fnuz = "i8" }

--- Type key of the tile program for a dtype and a shape.
function M.type_key(dtype, shape)
  local name = signless[dtype.name] or dtype.name
  if #shape == 0 then return "t:" .. name end
  return "t:" .. name .. ":" .. concat(shape, "x")
end

--- The same for a pointer.
function M.pointer_key(dtype)
  return "p:" .. (signless[dtype.name] or dtype.name)
end

local function value_text(x)
  if #x.shape == 0 then return "scalar of " .. x.dtype.name end
  return "block " .. M.shape_text(x.shape) .. " of " .. x.dtype.name
end

local function pointer_text(x)
  local shape = M.shape_of(x)
  local element = (x.base.const and "const " or "") .. x.dtype.name
  if #shape == 0 then return "pointer to " .. element end
  return "block " .. M.shape_text(shape) .. " of pointers to " .. element
end

--- What a person calls the value: "block {1024} of f32", "the number 3", "nil".
---@return string
function M.describe(x)
  if is_value(x) then return value_text(x) end
  if is_pointer(x) then return pointer_text(x) end
  local kind = type(x)
  if x == nil then return "nil" end
  if kind == "number" then return "the number " .. ("%.14g"):format(x) end
  if kind == "boolean" then return tostring(x) end
  if kind == "string" then return "the string " .. ("%q"):format(x) end
  if kind == "table" then
    local meta = getmetatable(x)
    if meta and meta.__name == "neso.dtype" then return "the dtype " .. x.name end
    if meta and meta.__name == "neso.pointer_type" then return "the type " .. tostring(x) end
    if meta and meta.__name == "neso.op" then return "the function tl." .. x.name end
    if meta == Closure then return "a function" end
    local class = rawget(x, M.CLASS) or M.host_class(x)
    local name = class and rawget(class, "__name")
    return type(name) == "string" and "a table of class " .. name or "a table"
  end
  return "a " .. kind
end

return M
