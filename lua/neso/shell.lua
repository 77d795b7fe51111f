--- Binds the C module to the shell: what C calls back into, loaded when it is called.
local core = require "neso.core"
local dtype = require "neso.dtype"
local version = require("neso").version

assert(core.version == version,
  ("neso.core is of version %s, the Lua modules of %s"):format(core.version, version))

local has_ffi, ffi = pcall(require, "ffi")

-- Integers of 64 bits that a number cannot hold: int64_t and uint64_t cdata under LuaJIT, else
-- their decimal text. (Lua 5.3 and later have integers; only u64 from 2^63 on comes here.)
local function wide(high, low, unsigned, text)
  if not has_ffi then return text end
  local bits = ffi.cast("uint64_t", high) * 2 ^ 32 + ffi.cast("uint64_t", low)
  return unsigned and bits or ffi.cast("int64_t", bits)
end

-- Errors of C name the user's line, not one of these files.
local own = require "debug".getinfo(1, "S").source:match "^@.*/"
if own then core.own(own) end

local function later(module, name)
  return function(...) return require(module)[name](...) end
end

-- Order of neso_port in runtime/binding/binding.h.
local ports = {
  dtype.list,
  wide,
  later("neso.devices", "default_handle"),
  later("neso.devices", "of"),
  later("neso.serialize", "value"),
  later("neso.resolve", "resolve"),
  later("neso.captures", "refresh"),
  later("neso.jit", "option"),
  later("neso.jit", "prepare"),
  later("neso.interpreter", "launch"),
  later("neso.descriptor", "launch"),
}
for i, port in ipairs(ports) do core.bind(i - 1, port) end

return core
