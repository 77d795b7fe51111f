-- What `require "neso"` and the steps after it load. Each case runs in a fresh LuaJIT.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")
local run = support.lua

local maps = [[
local function mapped(name)
  local file = io.open "/proc/self/maps"
  local text = file:read "*a"
  file:close()
  return text:find(name, 1, true) ~= nil
end
]]

describe("require 'neso'", function()
  it("loads no other module and no library", function()
    assert.are.equal("neso\tfalse\tfalse\n", run(maps .. [[
      local before = {}
      for name in pairs(package.loaded) do before[name] = true end
      require "neso"
      local new = {}
      for name in pairs(package.loaded) do if not before[name] then new[#new + 1] = name end end
      print(table.concat(new, " "), mapped "libneso", mapped "core.so")
    ]]))
  end)

  it("takes less than 2 ms", function()
    local best = math.huge
    for _ = 1, 5 do
      best = math.min(best, tonumber(run [[
        local start = os.clock()
        require "neso"
        print(os.clock() - start)
      ]]))
    end
    assert.is_true(best < 0.002)
  end)

  it("leaves the globals alone", function()
    assert.are.equal("", run [[
      setmetatable(_G, { __newindex = function(_, name) print(name) end })
      local neso = require "neso"
      local x = neso.zeros { 2 }
      neso.jit(function() end)
      tostring(x)
    ]])
  end)

  it("maps no compiler for tensors, kernels and devices", function()
    assert.are.equal("true\tfalse\n", run(maps .. [[
      local neso = require "neso"
      tostring(neso.randn { 10 })
      tostring(neso.devices())
      neso.jit(function(x) end)
      print(mapped "libneso.so", mapped "libneso_compiler")
    ]]))
  end)

  it("lets a fork follow a look at the devices", function()
    assert.truthy(run([[
      local neso = require "neso"
      neso.devices()
      local ffi = require "ffi"
      ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
      local pid = ffi.C.fork()
      local x = neso.ones { 4 }
      if pid == 0 then ffi.C._exit(x:get(3) == 1 and 0 or 1) end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      print("child " .. status[0])
    ]]):find "child 0")
  end)
end)

local stage = os.getenv "NESO_STAGE"

for _, version in ipairs { "5.1", "5.2", "5.3", "5.4" } do
  local has_core = stage and support.read(("%s/lib/lua/%s/neso/core.so"):format(stage, version))
  local _, status = support.run("command -v lua" .. version)
  local describe_puc = has_core and status == 0 and describe or pending

  describe_puc("PUC Lua " .. version, function()
    local function puc(code)
      local modules = ("%s/share/lua/%s"):format(stage, version)
      return support.lua(code, ("LUA_PATH='%s/?.lua;%s/?/init.lua' LUA_CPATH='%s/lib/lua/%s/?.so'")
        :format(modules, modules, stage, version), "lua" .. version)
    end

    it("makes, prints and saves tensors", function()
      assert.are.equal("{{1.0, 2.0},\n {3.0, 4.5}}\nf32 {2, 2} on cpu:0\n", puc [[
        local neso = require "neso"
        print(neso.tensor { { 1, 2 }, { 3, 4.5 } })
      ]])
    end)

    it("keeps 64-bit integers", function()
      assert.are.equal("9223372036854775807\t18446744073709551615\n", puc [[
        local neso = require "neso"
        print(neso.tensor({ "9223372036854775807" }, "i64"):get(0),
          neso.tensor({ "18446744073709551615" }, "u64"):get(0))
      ]])
    end)

    it("runs string kernels and kernels of functions", function()
      assert.are.equal("7\t5\n", puc [[
        local neso = require "neso"
        local tl = neso.language
        local x = neso.tensor({ 0, 0 }, "i32")
        local k = neso.kernel "function k(x, n) tl.store(x, n // 2) end"
        k[1](x, 15)
        local f = neso.jit(function(x, n)
          tl.store(x + 1, n)
        end)
        f[1](x, 5)
        print(("%d\t%d"):format(x:get(0), x:get(1)))
      ]])
    end)
  end)
end
