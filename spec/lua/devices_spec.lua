-- The menu of backends; cases that depend on the environment run in a fresh LuaJIT.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")
local neso = require "neso"

local function run(environment, code) return support.lua(code, environment) end

local function folder(manifest)
  local path = os.tmpname()
  os.remove(path)
  os.execute("mkdir -p " .. path .. "/mine")
  support.write(path .. "/mine/backend.lua", manifest)
  return path
end

describe("the menu", function()
  it("lists backends by priority with their answers", function()
    local list = neso.devices()
    assert.are.equal("cpu", list[1].name)
    assert.is_true(list[1].active)
    assert.are.equal("cpu:0", tostring(list[1].devices[1]))
    local null = list[#list]
    assert.are.equal("null", null.name)
    assert.is_false(null.active)
    assert.truthy(null.reason:find "NESO_NULL_DEVICES")
    assert.are.equal(list[1].devices[1], list.serving)
    local text = tostring(list)
    assert.truthy(text:find("cpu +yes"))
    assert.truthy(text:find("serving: cpu:0", 1, true))
  end)

  it("has device objects", function()
    local device = neso.device()
    assert.are.equal("cpu", device.backend)
    assert.are.equal(device, neso.device "cpu")
    assert.are.equal(device, neso.device "cpu:0")
    assert.are.equal(device, neso.zeros { 1 }.device)
    assert.is_true(#device.name > 0 and #device.target > 0)
    assert.is_true(neso.threads() >= 1)
    local ok, why = pcall(neso.device, "cpuu")
    assert.is_false(ok)
    assert.truthy(why:find("did you mean 'cpu'", 1, true))
    ok, why = pcall(neso.device, "null")
    assert.is_false(ok)
    assert.truthy(why:find "not active")
    assert.is_false((pcall(neso.device, "cpu:7")))
  end)

  it("follows NESO_BACKEND", function()
    assert.are.equal("null:0\tnull:1\n", run("NESO_BACKEND=null NESO_NULL_DEVICES=2", [[
      local neso = require "neso"
      print(neso.device(), neso.device "null:1")
    ]]))
    local output = run("NESO_BACKEND=gpu", [[print(pcall(require "neso".device))]])
    assert.truthy(output:find("NESO_BACKEND=gpu: no such backend", 1, true))
    output = run("NESO_BACKEND=gpu", [[print(require "neso".devices())]])
    assert.truthy(output:find("serving: none; NESO_BACKEND=gpu: no such backend", 1, true))
    output = run("NESO_BACKEND=null", [[print(pcall(require "neso".device))]])
    assert.truthy(output:find "no device can serve")
    assert.truthy(output:find "NESO_NULL_DEVICES")
  end)

  it("takes a third party's backend from NESO_BACKEND_PATH", function()
    local path = folder [[return { name = "mine", driver = "cpu", priority = 99,
      options = { turbo = true } }]]
    for _, place in ipairs { path, path .. "/mine" } do
      assert.are.equal("mine\tmine:0\n", run("NESO_BACKEND_PATH=" .. place, [[
        local neso = require "neso"
        print(neso.devices()[1].name, neso.device())
      ]]))
    end
    os.execute("rm -r " .. path)
  end)

  it("shows why a manifest or driver cannot serve, and goes on", function()
    for manifest, why in pairs {
      ["syntax error here"] = "backend.lua:1",
      ["return { name = 'mine' }"] = "a manifest has name, driver and priority",
      ["error 'boom'"] = "boom",
      ["return { name = 'mine', driver = 'warp', priority = 50 }"] = "warp",
    } do
      local path = folder(manifest)
      local output = run("NESO_BACKEND_PATH=" .. path, [[
        local neso = require "neso"
        for _, row in ipairs(neso.devices()) do
          if row.name == "mine" then print(row.active, row.reason) end
        end
        print(neso.device())
      ]])
      assert.truthy(output:find("^false"))
      assert.truthy(output:find(why, 1, true))
      assert.truthy(output:find "cpu:0\n$")
      os.execute("rm -r " .. path)
    end
  end)
end)

describe("tensors on devices", function()
  it("go where they are told, and launches refuse a mix", function()
    local output = run("NESO_NULL_DEVICES=2", [[
      local neso = require "neso"
      local a, b = neso.empty({ 4 }, "f32", "null:0"), neso.empty({ 4 }, "f32", "null:1")
      print(a.device, b.device)
      local k = neso.jit(function(left, right) end)
      print(pcall(k[1], a, b))
      print(pcall(k[1], a, neso.empty { 4 }))
    ]])
    assert.truthy(output:find "^null:0\tnull:1\n")
    local _, mixes = output:gsub("left[^\n]*right", "")
    assert.are.equal(2, mixes)
  end)
end)
