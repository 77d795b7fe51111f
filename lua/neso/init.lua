--- neso: tiled kernels written as Lua functions.
-- Requiring this module loads nothing else: each name below loads its module when it is first
-- used, libneso with the first tensor or launch, and the compiler with the first cache miss.

local VERSION = "0.1.0"

---@class neso
local neso = { _VERSION = "neso " .. VERSION, version = VERSION }

local require, setmetatable = require, setmetatable

-- name = { module, field of it or nil for the module itself }
local homes = {
  language = { "neso.language" },
  dtypes = { "neso.dtype", "names" },
  jit = { "neso.jit", "jit" },
  kernel = { "neso.jit", "kernel" },
  is_kernel = { "neso.jit", "is" },
  export = { "neso.jit", "export" },
  devices = { "neso.devices", "devices" },
  device = { "neso.devices", "device" },
  threads = { "neso.devices", "threads" },
  clock = { "neso.devices", "clock" },
  tensor = { "neso.tensor", "tensor" },
  is_tensor = { "neso.tensor", "is" },
  empty = { "neso.tensor", "empty" },
  empty_like = { "neso.tensor", "empty_like" },
  zeros = { "neso.tensor", "zeros" },
  zeros_like = { "neso.tensor", "zeros_like" },
  ones = { "neso.tensor", "ones" },
  ones_like = { "neso.tensor", "ones_like" },
  full = { "neso.tensor", "full" },
  arange = { "neso.tensor", "arange" },
  seed = { "neso.random", "seed" },
  rand = { "neso.random", "rand" },
  randn = { "neso.random", "randn" },
  randint = { "neso.random", "randint" },
  from_cdata = { "neso.cdata", "from" },
  allclose = { "neso.compare", "allclose" },
  load = { "neso.npy", "load" },
  save = { "neso.npy", "save" },
  extern = { "neso.extern", "extern" },
  descriptor = { "neso.descriptor", "descriptor" },
  cache = { "neso.cache" },
  cdiv = { "neso.language", "cdiv" },
  repl = { "neso.repl", "run" },
  breakpoint = { "neso.frontend.breakpoint", "breakpoint" },
  interpreter = { "neso.interpreter" },
}

return setmetatable(neso, {
  __names = homes,
  __tostring = function()
    local suggest = require "neso.suggest"
    return suggest.listing(neso._VERSION, suggest.keys(homes))
  end,
  __index = function(self, name)
    local home = homes[name]
    if not home then return nil end
    local value = require(home[1])
    if home[2] then value = value[home[2]] end
    self[name] = value
    return value
  end,
})
