--- NumPy's .npy files: versions 1 to 3, C and Fortran order, either byte order. dtypes that NumPy
--- lacks (bf16, fp8) are written as unsigned integers of their bits.
local core = require "neso.shell"
local dtype = require "neso.dtype"
local tensor = require "neso.tensor"

local M = {}

local MAGIC = "\147NUMPY"
local MAX_HEADER = 2 ^ 20

local from_numpy = {
  b1 = "i1", i1 = "i8", i2 = "i16", i4 = "i32", i8 = "i64", u1 = "u8", u2 = "u16", u4 = "u32",
  u8 = "u64", f2 = "f16", f4 = "f32", f8 = "f64",
}
local to_numpy = {}
for code, name in pairs(from_numpy) do to_numpy[name] = code end

local function fail(path, why) error(path .. ": " .. why, 0) end

local function byte_order()
  local dump = string.dump(function() end)
  return dump:byte(7) == 0 and dump:sub(1, 4) == "\27Lua" and "big" or "little"
end

local function number(bytes)
  local value = 0
  for i = #bytes, 1, -1 do value = value * 256 + bytes:byte(i) end
  return value
end

-- Header text and where the data begins.
local function read_header(file, path)
  local start = file:read(8)
  if not start or #start < 8 or start:sub(1, 6) ~= MAGIC then fail(path, "not an .npy file") end
  local version = start:byte(7)
  if version < 1 or version > 3 then fail(path, "unknown .npy version " .. version) end
  local width = version == 1 and 2 or 4
  local length_bytes = file:read(width)
  if not length_bytes or #length_bytes < width then fail(path, "the header is cut off") end
  local length = number(length_bytes)
  if length > MAX_HEADER then fail(path, "the header is too long") end
  local text = file:read(length)
  if not text or #text < length then fail(path, "the header is cut off") end
  return text, 8 + width + length
end

local function parse_shape(text, path)
  local inner = text:match "['\"]shape['\"]%s*:%s*%(([%d%s,L]*)%)"
  if not inner then fail(path, "the header has no shape") end
  local shape = {}
  for digits in inner:gmatch "%d+" do shape[#shape + 1] = tonumber(digits) end
  return shape
end

local function parse_header(text, path)
  local descr = text:match "['\"]descr['\"]%s*:%s*['\"]([^'\"]*)['\"]"
  if not descr then fail(path, "structured arrays are not supported") end
  local order, code = descr:match "^([<>=|]?)(%a%d+)$"
  local name = code and from_numpy[code]
  if descr == "?" then order, name = "|", "i1" end
  if not name then fail(path, ("dtype '%s' is not supported"):format(descr)) end
  local fortran = text:match "['\"]fortran_order['\"]%s*:%s*(%a+)"
  if fortran ~= "True" and fortran ~= "False" then fail(path, "the header has no fortran_order") end
  return dtype.names[name], order, fortran == "True", parse_shape(text, path)
end

local function check_size(path, element, shape, start)
  local bytes = element.size
  for _, extent in ipairs(shape) do bytes = bytes * extent end
  local size, why = core.file_size(path)
  if not size then error(why, 0) end
  if start + bytes > size then
    fail(path, ("the shape needs %.0f bytes, the file has %.0f"):format(bytes, size - start))
  end
end

local function reversed(list)
  local result = {}
  for i = #list, 1, -1 do result[#result + 1] = list[i] end
  return result
end

local function order_of(rank)
  local order = {}
  for d = 1, rank do order[d] = rank - d end
  return order
end

--- Reads an .npy file. Fortran order becomes a transposed view.
---@param path string
---@return neso.tensor
function M.load(path)
  local file, why = io.open(path, "rb")
  if not file then error(why, 2) end
  local ok, text, start = pcall(read_header, file, path)
  file:close()
  if not ok then error(text, 2) end
  local parsed = { pcall(parse_header, text, path) }
  if not parsed[1] then error(parsed[2], 2) end
  local element, order, fortran, shape = parsed[2], parsed[3], parsed[4], parsed[5]
  check_size(path, element, shape, start)
  local x = tensor.empty(fortran and reversed(shape) or shape, element)
  local swap = (order == ">" and byte_order() == "little")
    or (order == "<" and byte_order() == "big")
  local read, message = core.file_read(x, path, start, swap and element.size > 1)
  if not read then error(message, 2) end
  return fortran and #shape > 1 and x:permute(order_of(#shape)) or x
end

local function header_of(x)
  local code = to_numpy[x.dtype.name] or (x.dtype.size == 1 and "u1" or "u2")
  local order = x.dtype.size == 1 and "|" or (byte_order() == "little" and "<" or ">")
  local shape = table.concat(x.shape, ", ") .. (x.ndim == 1 and "," or "")
  local text = ("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }"):format(order, code,
    shape)
  local padding = -(10 + #text + 1) % 64
  text = text .. (" "):rep(padding) .. "\n"
  return MAGIC .. "\1\0" .. string.char(#text % 256, math.floor(#text / 256)) .. text
end

--- Writes an .npy file (version 1, C order).
---@param path string
---@param x neso.tensor
function M.save(path, x)
  if not core.is_tensor(x) then error("save: expected a tensor, got " .. type(x), 2) end
  local ok, why = core.file_write(x:contiguous(), path, header_of(x))
  if not ok then error(why, 2) end
end

return M
