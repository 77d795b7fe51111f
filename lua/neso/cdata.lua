--- LuaJIT's FFI objects and tensors share memory.
local core = require "neso.shell"
local tensor = require "neso.tensor"

local M = {}

local has_ffi, ffi = pcall(require, "ffi")

local ctypes = {
  i1 = "uint8_t", i8 = "int8_t", i16 = "int16_t", i32 = "int32_t", i64 = "int64_t",
  u8 = "uint8_t", u16 = "uint16_t", u32 = "uint32_t", u64 = "uint64_t",
  f16 = "uint16_t", bf16 = "uint16_t", f32 = "float", f64 = "double",
}

local function need_ffi()
  if not has_ffi then error("FFI objects need LuaJIT", 3) end
end

local function ctype(element) return ctypes[element.name] or "uint8_t" end

-- ffi.sizeof(array) is its size; of a pointer, that of a pointer.
local function memory_size(cdata, bytes)
  local text = tostring(ffi.typeof(cdata))
  if text:find "%*>?$" or text:find "%(%*" then return bytes end
  return ffi.sizeof(cdata)
end

--- A tensor over the memory of an FFI array, struct or pointer, without copying. The array is kept
--- alive by the tensor; what a pointer leads to is the caller's to keep.
---@param cdata ffi.cdata*
---@param shape integer|integer[]
---@param element neso.dtype|string|nil
---@return neso.tensor
function M.from(cdata, shape, element)
  need_ffi()
  if type(cdata) ~= "cdata" then
    error(("from_cdata: expected an FFI array or pointer, got %s"):format(type(cdata)), 2)
  end
  local kind, extents = tensor.find_dtype(element), tensor.find_shape(shape)
  local bytes = kind.size
  for _, extent in ipairs(extents) do bytes = bytes * extent end
  local size = memory_size(cdata, bytes)
  if size < bytes then
    error(("from_cdata: the shape needs %d bytes, the array has %d"):format(bytes, size), 2)
  end
  local address = tonumber(ffi.cast("uintptr_t", ffi.cast("void *", cdata)))
  if address == 0 and bytes > 0 then error("from_cdata: the pointer is NULL", 2) end
  return core.wrap(address, size, kind.code, extents, cdata)
end

--- Pointer to the first element; f16, bf16 and fp8 elements appear as their bits.
---@param x neso.tensor
---@return ffi.cdata*
function M.pointer(x)
  need_ffi()
  local pointer = ffi.cast(ctype(x.dtype) .. " *", core.address(x))
  return ffi.gc(pointer, function() return x end)
end

return M
