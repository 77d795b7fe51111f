-- A warm run maps no LLVM: the compiler library is opened on the first cache miss only.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")

local SCRIPT = [[
  local neso = require "neso"
  local tl = neso.language
  local add = neso.kernel[=[
    function add(out, a, n, BLOCK)
      local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
      tl.store(out + at, tl.load(a + at, at < n) + 1, at < n)
    end]=]
  local a, out = neso.zeros { 100 }, neso.zeros { 100 }
  add[1](out, a, 100, 128)
  for line in io.lines "/proc/self/maps" do
    local path = line:match "(/%S+)$"
    if path then print(path) end
  end
]]

local function maps_of_a_run(cache)
  return support.lua(SCRIPT, ("NESO_CACHE_DIR='%s'"):format(cache))
end

describe("a warm run", function()
  local cache, cold, warm

  setup(function()
    cache = os.tmpname()
    os.remove(cache)
    cold = maps_of_a_run(cache)
    warm = maps_of_a_run(cache)
  end)

  teardown(function() os.execute("rm -rf '" .. cache .. "'") end)

  it("follows a cold run that did map the compiler", function()
    assert.truthy(cold:find("libneso_compiler", 1, true), cold)
  end)

  it("runs from the cache", function()
    assert.truthy(warm:find("libneso.so", 1, true), warm)
  end)

  it("maps neither the compiler nor LLVM nor MLIR", function()
    for _, name in ipairs { "libneso_compiler", "libLLVM", "libMLIR" } do
      assert.falsy(warm:find(name, 1, true), name .. " is mapped in:\n" .. warm)
    end
  end)
end)
