--- Types of the tile program as the interpreter holds their values. A scalar or block is an FFI
--- array with one entry an element in row-major order: int64_t for integers (i1 is 0 or 1, the
--- others keep their sign), double for floats. Such an array never changes once it is made.
---
--- A pointer is a table (see memory.lua).

local bit = require "bit"
local ffi = require "ffi"
local formats = require "neso.interpreter.formats"

local arshift, band, lshift = bit.arshift, bit.band, bit.lshift

local M = {}

---@class neso.Element what an array's entries are
---@field name string "f32"
---@field is_float boolean
---@field bits integer
---@field size integer bytes in memory
---@field new fun(n: integer): ffi.cdata* entries of 0
---@field wrap fun(x): any an int64_t as a value of this type (integers)
---@field unsigned fun(x): any the bits of a value, not negative below 64 bits (integers)
---@field signed fun(x): any a value with its sign; that of i1 true is -1 (integers)
---@field round fun(x: number): number rounded to this type (floats)
---@field to_bits fun(x): any a value's bits as an int64_t, with sign
---@field from_bits fun(x): any
---@field pointer ffi.ctype* pointer to such elements in memory
---@field read fun(memory, index: number): any
---@field write fun(memory, index: number, x)

local function same(x) return x end

local function narrow(bits)
  local by = 64 - bits
  return function(x) return arshift(lshift(x, by), by) end
end

local function masked(bits)
  local mask = 2LL ^ bits - 1
  return function(x) return band(x, mask) end
end

local function integer(bits)
  local element = { name = "i" .. bits, is_float = false, bits = bits, size = bits / 8,
    new = ffi.typeof "int64_t[?]", from_bits = nil }
  element.wrap = bits == 64 and same or narrow(bits)
  element.unsigned = bits == 64 and same or masked(bits)
  element.signed, element.to_bits = same, same
  element.from_bits = element.wrap
  element.pointer = ffi.typeof("int" .. bits .. "_t *")
  element.read = function(memory, index) return ffi.cast("int64_t", memory[index]) end
  element.write = function(memory, index, x) memory[index] = x end
  return element
end

local function boolean()
  local element = integer(8)
  local function lowest(x) return band(x, 1LL) end
  element.name, element.bits = "i1", 1
  element.wrap, element.unsigned, element.from_bits = lowest, same, lowest
  element.signed = function(x) return -x end
  element.read = function(memory, index) return memory[index] ~= 0 and 1LL or 0LL end
  return element
end

local storage = { [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "int64_t" }

local function float(name, bits)
  local format = formats.formats[name]
  local value_of, bits_of = format.value, format.bits
  local element = { name = name, is_float = true, bits = bits, size = bits / 8,
    new = ffi.typeof "double[?]", round = format.round }
  local extend = bits == 64 and same or narrow(bits)
  element.to_bits = function(x) return extend(ffi.cast("int64_t", bits_of(x))) end
  if bits == 64 then
    element.from_bits = value_of
  else
    local mask = masked(bits)
    element.from_bits = function(x) return value_of(tonumber(mask(x))) end
  end
  element.pointer = ffi.typeof(storage[element.size] .. " *")
  element.read = function(memory, index) return value_of(memory[index]) end
  element.write = function(memory, index, x) memory[index] = bits_of(x) end
  return element
end

---@type table<string, neso.Element>
M.elements = { i1 = boolean() }
for _, bits in ipairs { 8, 16, 32, 64 } do M.elements["i" .. bits] = integer(bits) end
for name, bits in pairs { f64 = 64, f32 = 32, f16 = 16, bf16 = 16 } do
  M.elements[name] = float(name, bits)
end

--- What elements of a dtype of the language are in a tile program.
---@param dtype string "u8"
---@return neso.Element
function M.stored(dtype)
  return M.elements[dtype] or M.elements[dtype:find "^f8" and "i8" or dtype:gsub("^u", "i")]
end

---@class neso.TileType
---@field key string "t:f32:4x8"
---@field element neso.Element
---@field pointer boolean
---@field shape integer[]
---@field count integer

local known = {}

local function parse(key)
  local kind, name, extents = key:match "^([pt]):([^:]+):?(.*)$"
  local element = M.elements[name]
  if not element then error(("the interpreter knows no type '%s'"):format(key), 0) end
  local type_of = { key = key, element = element, pointer = kind == "p", shape = {}, count = 1 }
  for extent in extents:gmatch "%d+" do
    type_of.shape[#type_of.shape + 1] = tonumber(extent)
    type_of.count = type_of.count * tonumber(extent)
  end
  return type_of
end

--- The type that a key of the frontend names.
---@param key string
---@return neso.TileType
function M.of(key)
  local found = known[key]
  if not found then
    found = parse(key)
    known[key] = found
  end
  return found
end

return M
