--- Functions of other languages that kernels call element by element: of a shared library, found
--- when a kernel is loaded, or of LLVM bitcode, compiled into it.

local dtype = require "neso.dtype"
local suggest = require "neso.suggest"

local M = {}

---@class neso.extern
---@field name string symbol
---@field library string as the tile program says it
---@field args table[] dtypes and pointer types
---@field result neso.dtype
---@field pure boolean
local meta = {
  __name = "neso.extern",
  __tostring = function(f) return "extern " .. f.name end,
  __call = function(f)
    error(("%s is called in kernels only"):format(tostring(f)), 2)
  end,
}

local known = { name = true, library = true, bitcode = true, args = true, result = true,
  pure = true }

local function fail(message, ...)
  error("neso.extern: " .. message:format(...), 3)
end

local function check_names(t)
  for key in pairs(t) do
    if not known[key] then
      fail("no field '%s'%s", tostring(key), suggest.hint(tostring(key), suggest.keys(known)))
    end
  end
end

local function type_of(x)
  local found = dtype.is_pointer_type(x) and x or dtype.find(x)
  if found and not (found.kind == "float" and found.bits == 8) then return found end
end

local function read_args(args)
  local out = {}
  if type(args) ~= "table" then fail("args is a list of dtypes, as { tl.f32 }") end
  if #args > 16 then fail("at most 16 arguments") end
  for i, x in ipairs(args) do
    out[i] = type_of(x) or fail("argument %d: %s is no type of C", i, tostring(x))
  end
  return out
end

local function library_of(t)
  if t.bitcode == nil then
    local library = t.library or ""
    if type(library) ~= "string" or library:find "[%c]" then fail("library is a name or a path") end
    return library
  end
  if t.library then fail("a function comes from a library or from bitcode, not from both") end
  local file, why = io.open(t.bitcode, "rb")
  if not file then fail("%s", why) end
  local bytes = file:read "*a"
  file:close()
  return "bc:" .. bytes
end

--- A function for kernels: `neso.extern{ name = "cbrtf", library = "libm.so.6", args = { tl.f32 },
--- result = tl.f32, pure = true }`. `pure`: it has no effects and may be called less often.
---@param t table name, library or bitcode (a path), args, result, pure
---@return neso.extern
function M.extern(t)
  if type(t) ~= "table" then fail("expected a table, got %s", type(t)) end
  check_names(t)
  if type(t.name) ~= "string" or not t.name:find "^[%w_%.$@]+$" then
    fail("name is the symbol of the function")
  end
  local result = type_of(t.result)
  if not result or dtype.is_pointer_type(result) then fail("result is a dtype, as tl.f32") end
  return setmetatable({ name = t.name, library = library_of(t), args = read_args(t.args or {}),
    result = result, pure = t.pure == true }, meta)
end

function M.is(x)
  return type(x) == "table" and getmetatable(x) == meta
end

return M
