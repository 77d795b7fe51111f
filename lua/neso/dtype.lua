--- Element types: one object each, shared by `neso` and `neso.language`.
-- The order is that of `neso_dtype` in runtime/include/neso.h.

---@class neso.dtype
---@field name string "f32"; what tostring gives
---@field kind "bool"|"int"|"uint"|"float"
---@field bits integer bits of a value
---@field size integer bytes an element takes in a buffer
---@field code integer value of `neso_dtype` in C
---@field min number|nil least value of an integer type (exact up to 53 bits)
---@field max number|nil greatest value of an integer type

local M = {}

local rows = {
  { "i1", "bool", 1, 1 },
  { "i8", "int", 8, 1 },
  { "i16", "int", 16, 2 },
  { "i32", "int", 32, 4 },
  { "i64", "int", 64, 8 },
  { "u8", "uint", 8, 1 },
  { "u16", "uint", 16, 2 },
  { "u32", "uint", 32, 4 },
  { "u64", "uint", 64, 8 },
  { "f16", "float", 16, 2 },
  { "bf16", "float", 16, 2 },
  { "f32", "float", 32, 4 },
  { "f64", "float", 64, 8 },
  { "f8e5m2", "float", 8, 1 },
  { "f8e4m3fn", "float", 8, 1 },
  { "f8e4b15", "float", 8, 1 },
  { "f8e4m3fnuz", "float", 8, 1 },
  { "f8e5m2fnuz", "float", 8, 1 },
}

local spellings = {
  bool = "i1", int1 = "i1", int8 = "i8", int16 = "i16", int32 = "i32", int64 = "i64",
  uint8 = "u8", uint16 = "u16", uint32 = "u32", uint64 = "u64",
  float16 = "f16", half = "f16", fp16 = "f16", bfloat16 = "bf16",
  float32 = "f32", float = "f32", fp32 = "f32",
  float64 = "f64", double = "f64", fp64 = "f64",
  f8e4m3 = "f8e4m3fn", f8e5 = "f8e5m2",
}

local meta = {
  __name = "neso.dtype",
  __tostring = function(self) return self.name end,
}

local by_name, list = {}, {}

local function limits(dtype)
  if dtype.kind == "float" then return nil, nil end
  if dtype.kind == "bool" then return 0, 1 end
  if dtype.kind == "uint" then return 0, 2 ^ dtype.bits - 1 end
  return -2 ^ (dtype.bits - 1), 2 ^ (dtype.bits - 1) - 1
end

for i, row in ipairs(rows) do
  local dtype = { name = row[1], kind = row[2], bits = row[3], size = row[4], code = i - 1 }
  dtype.min, dtype.max = limits(dtype)
  list[i] = setmetatable(dtype, meta)
  by_name[dtype.name] = dtype
end

--- All dtypes in the order of their codes (index = code + 1).
---@type neso.dtype[]
M.list = list

--- dtypes by their own name: `dtype.names.f32`.
---@type table<string, neso.dtype>
M.names = by_name

--- True for a dtype object.
---@param value any
---@return boolean
function M.is(value)
  return type(value) == "table" and getmetatable(value) == meta
end

---@class neso.pointer_type
---@field dtype neso.dtype of the elements
---@field const boolean true: not to be written through

local pointer_meta = {
  __name = "neso.pointer_type",
  __tostring = function(self)
    return ("pointer to %s%s"):format(self.const and "const " or "", self.dtype.name)
  end,
}
local pointers = {}

--- The type of pointers to elements of a dtype; one object a type.
---@param element neso.dtype
---@param const boolean|nil
---@return neso.pointer_type
function M.pointer(element, const)
  local key = (const and "const " or "") .. element.name
  if not pointers[key] then
    pointers[key] = setmetatable({ dtype = element, const = const or false }, pointer_meta)
  end
  return pointers[key]
end

--- True for what `M.pointer` gives.
---@return boolean
function M.is_pointer_type(value)
  return type(value) == "table" and getmetatable(value) == pointer_meta
end

--- A dtype object, its name ("f32") or another spelling of it ("float32").
--- nil when `value` is none of these.
---@param value any
---@return neso.dtype|nil
function M.find(value)
  if M.is(value) then return value end
  if type(value) ~= "string" then return nil end
  return by_name[value] or by_name[spellings[value]]
end

return M
