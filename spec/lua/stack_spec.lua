-- A host's thread may have a small stack: compiling does not run on it.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")

local SCRIPT = [[
  local neso = require "neso"
  local tl = neso.language
  local chain = neso.jit(function(out)
    local at = tl.arange(0, 16)
    local x = tl.load(out + at)
    for _ in tl.static_range(0, 4000) do x = (x * 0.5 + 1) * 0.5 + 1 end
    tl.store(out + at, x)
  end)
  local x = neso.zeros { 16 }
  chain[1](x)
  print(x:get(0))
]]

describe("a thread with 256 KiB of stack", function()
  it("compiles a chain of thousands of operations", function()
    local path = os.tmpname()
    support.write(path, SCRIPT)
    local output, status = support.run(("ulimit -s 256; NESO_CACHE_DIR= luajit '%s'"):format(path))
    os.remove(path)
    assert.equal(0, status, output)
    assert.equal("2\n", output)
  end)
end)
