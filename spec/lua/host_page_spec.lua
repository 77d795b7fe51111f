-- spec/host.md names everything that the library offers outside of kernels.
local neso = require "neso"
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"

describe("the page of the library", function()
  local file = assert(io.open(here .. "../host.md"))
  local page = file:read "*a"
  file:close()

  it("has every function", function()
    for name in pairs(getmetatable(neso).__names) do
      assert.truthy(page:find("[`%p ]" .. name .. "[(`.]"), name)
    end
  end)

  it("has every method", function()
    for name in pairs(require("neso.tensor").methods) do
      assert.truthy(page:find("x:" .. name .. "(", 1, true), name)
    end
  end)
end)
