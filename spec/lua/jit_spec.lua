-- Kernels as objects: definition, launches, variants, captured values, inspection.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")
local neso = require "neso"
local tl = neso.language

local function scaled_by(factor)
  return neso.jit(function(x, out, n, BLOCK)
    local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    local mask = i < n
    tl.store(out + i, tl.load(x + i, mask) * factor, mask)
  end)
end

local script = [[
local neso = require "neso"
local tl = neso.language
local store = neso.jit(function(x, n)
  tl.store(x, n + 1)
end)
local x = neso.zeros({ 1 }, "i32")
store[1](x, 41)
print(x:get(0), store:info().cached)
]]

describe("a launch", function()
  local x = neso.arange(100):to "f32"
  local scale = scaled_by(3)

  local function check(launch, ...)
    local out = neso.zeros { 100 }
    launch(out, ...)
    local wanted = {}
    for i = 0, 99 do wanted[i + 1] = 3 * i end
    assert.are.same(wanted, out:totable())
  end

  it("takes arguments by place and by name", function()
    check(function(out) scale[4](x, out, 100, 32) end)
    check(function(out) scale[4] { x, out, 100, 32 } end)
    check(function(out) scale[4] { x, out, n = 100, BLOCK = 32 } end)
    check(function(out) scale[4] { x = x, out = out, n = 100, BLOCK = 32, num_warps = 2 } end)
  end)

  it("takes a grid as number, table or function", function()
    check(function(out) scale[{ 4 }](x, out, 100, 32) end)
    check(function(out) scale[{ 4, 1, 1 }](x, out, 100, 32) end)
    local grid = function(meta) return neso.cdiv(meta.n, meta.BLOCK) end
    check(function(out) scale[grid](x, out, 100, 32) end)
    check(function(out) scale[grid] { x, out, n = 100, BLOCK = 16 } end)
    check(function(out)
      scale[function(meta) return { neso.cdiv(meta.n, meta.BLOCK), 1 } end](x, out, 100, 64)
    end)
  end)

  it("over no program does nothing", function()
    local out = neso.zeros { 100 }
    scale[0](x, out, 100, 32)
    scale[{ 4, 0 }](x, out, 100, 32)
    assert.are.same(0, out:max_abs_diff(neso.zeros { 100 }))
  end)

  it("keeps its grid however many grids there are", function()
    local count = neso.kernel "function count(x) tl.store(x + tl.program_id(0), 1) end"
    local launchers = {}
    for n = 1, 600 do launchers[n] = count[n] end
    local flags = neso.zeros({ 600 }, "i32")
    launchers[2](flags)
    assert.are.same({ 1, 1, 0 }, flags:slice(0, 0, 3):totable())
    launchers[600](flags)
    assert.are.equal(1, flags:get(599))
  end)

  it("of an empty kernel takes less than 2 us", function()
    local empty, best = neso.jit(function() end), math.huge
    empty[1]()
    for _ = 1, 10 do
      local start = neso.clock()
      for _ = 1, 1000 do empty[1]() end
      best = math.min(best, (neso.clock() - start) / 1000)
    end
    assert.is_true(best < 2e-6 or os.getenv "NESO_SANITIZED" ~= nil)
  end)

  it("may be bound", function()
    local out = neso.zeros { 100 }
    local step = scale:bind(4, x, out, 100, 32)
    step()
    check(function(other) other:copy_(out) end)
    local arguments = { x, out, n = 100, BLOCK = 32 }
    step = scale:bind(function(meta) return neso.cdiv(meta.n, meta.BLOCK) end, arguments)
    arguments.n, arguments[2] = nil, nil
    out:fill_(0)
    collectgarbage()
    step()
    check(function(other) other:copy_(out) end)
  end)
end)

describe("declarations", function()
  it("give types and defaults", function()
    local fill = neso.jit({ value = tl.f64, x = "*f64", BLOCK = 8 }, function(x, value, BLOCK)
      tl.store(x + tl.arange(0, BLOCK), value)
    end)
    local x = neso.zeros({ 8 }, "f64")
    fill[1](x, 0.1)
    assert.are.equal(0.1, x:get(7))
    fill[1] { x, value = 0.3 }
    assert.are.equal(0.3, x:get(0))
    assert.truthy(fill:info().signature:find("value:f64", 1, true))
    local big = neso.jit({ value = tl.i64 }, function(y, value)
      tl.store(y, value)
    end)
    local y = neso.zeros({ 1 }, "i64")
    big[1](y, "9007199254740993")
    assert.truthy(tostring(y:get(0)):find "^9007199254740993")
  end)

  it("are checked", function()
    local function refuse(decl)
      local ok, why = pcall(neso.jit, decl, function(count, BLOCK) return count, BLOCK end)
      assert.is_false(ok)
      return why
    end
    assert.truthy(refuse { cuont = tl.i32 }:find("did you mean 'count'", 1, true))
    assert.truthy(refuse { count = "f31" }:find "parameter 'count' is declared as f31")
    assert.truthy(refuse(3):find "must be a table")
    assert.is_false((pcall(neso.jit, 3)))
    assert.is_false((pcall(neso.jit, print)))
  end)

  it("are refused with the user's line", function()
    local line = debug.getinfo(1, "l").currentline
    local _, why = pcall(function()
      local k = neso.jit({ count = "f31" }, function(count) return count end)
      return k
    end)
    assert.truthy(why:find("jit_spec.lua:" .. line + 2 .. ":", 1, true), why)
    _, why = pcall(function()
      local k = neso.kernel("function k(count) end", { declare = { k = { cuont = tl.i32 } } })
      return k
    end)
    assert.truthy(why:find("jit_spec.lua:" .. line + 7 .. ":", 1, true), why)
  end)
end)

describe("variants", function()
  it("follow types, constants and options, not values", function()
    local scale = scaled_by(2)
    local x = neso.zeros { 64 }
    for n = 2, 60 do scale[1](x, x, n, 64) end
    assert.are.equal(1, #scale:variants())
    scale[1](x, x, 64, 32)
    assert.are.equal(2, #scale:variants())
    scale[1](x:to "f16", x, 64, 32)
    assert.are.equal(3, #scale:variants())
    scale[1] { x, x, n = 64, BLOCK = 32, fp = "contract" }
    assert.are.equal(4, #scale:variants())
    scale:warmup(x, x, 64, 16)
    assert.are.equal(5, #scale:variants())
    scale[1](x, x, 64, 16)
    assert.are.equal(5, #scale:variants())
  end)

  it("may use neso.cdiv on numbers of the launch", function()
    local blocks = neso.jit(function(x, n) tl.store(x, neso.cdiv(n, 4)) end)
    local x = neso.zeros({ 1 }, "i32")
    blocks[1](x, 9)
    assert.are.equal(3, x:get(0))
  end)

  it("follow captured values, and come back to them", function()
    local factor = 2
    local scale = neso.jit(function(x)
      tl.store(x, tl.load(x) * factor)
    end)
    local x = neso.ones { 1 }
    scale[1](x)
    factor = 5
    scale[1](x)
    factor = 2
    scale[1](x)
    assert.are.equal(20, x:get(0))
    local count = #scale:variants()
    for turn = 1, 20 do
      factor = turn % 2 == 0 and 2 or 5
      x:fill_(1)
      scale[1](x)
      assert.are.equal(factor, x:get(0))
    end
    assert.are.equal(count, #scale:variants())
  end)

  it("follow fields of captured tables and globals", function()
    local config = { add = 1 }
    local k = neso.kernel("function k(x) tl.store(x, c.add + K) end", { c = config })
    rawset(_G, "K", 10)
    local x = neso.zeros({ 1 }, "i32")
    k[1](x)
    assert.are.equal(11, x:get(0))
    config.add = 2
    rawset(_G, "K", 20)
    k[1](x)
    assert.are.equal(22, x:get(0))
    rawset(_G, "K", nil)
  end)

  it("follow the keys of a table that was walked", function()
    local weights = { 1, 2 }
    local k = neso.jit(function(x)
      local sum = 0
      for _, weight in ipairs(weights) do sum = sum + weight end
      tl.store(x, sum)
    end)
    local x = neso.zeros({ 1 }, "i32")
    k[1](x)
    assert.are.equal(3, x:get(0))
    weights[3] = 10
    k[1](x)
    assert.are.equal(13, x:get(0))
    weights[3] = nil
    k[1](x)
    assert.are.equal(3, x:get(0))
  end)

  it("are bounded when a captured value keeps changing", function()
    local n = 0
    local k = neso.jit(function(x)
      tl.store(x, n)
    end)
    local x = neso.zeros({ 1 }, "i32")
    for turn = 1, 70 do
      n = turn
      k[1](x)
      assert.are.equal(turn, x:get(0))
    end
  end)

  it("of a factory are each kernel's own", function()
    local x, out = neso.ones { 4 }, neso.zeros { 4 }
    for factor = 1, 4 do
      scaled_by(factor)[1](x, out, 4, 4)
      assert.are.equal(factor, out:get(3))
    end
  end)

  it("take dtypes and tables as constants", function()
    local k = neso.jit(function(x, TYPE, SHIFTS)
      tl.store(x, (tl.load(x):to(TYPE) + SHIFTS.a + SHIFTS[1]):to(tl.f32))
    end)
    local x = neso.ones { 1 }
    k[1](x, tl.i32, { a = 1, 2 })
    assert.are.equal(4, x:get(0))
    k[1] { x, TYPE = tl.f64, SHIFTS = { a = 0.5, 0 } }
    assert.are.equal(4.5, x:get(0))
    local count = #k:variants()
    k[1](x, tl.i32, { 2, a = 1 })
    assert.are.equal(count, #k:variants())
  end)
end)

describe("a kernel string", function()
  it("holds several kernels and helpers, with Lua 5.3's operators", function()
    local first, second, none = neso.kernel([[
      local function half(v) return v // 2 end
      function first(x) tl.store(x, half(7) + OFFSET) end
      function second(x) tl.store(x, (1 << 4) | 3) end
    ]], { OFFSET = 100 })
    assert.is_nil(none)
    local x = neso.zeros({ 1 }, "i32")
    first[1](x)
    assert.are.equal(103, x:get(0))
    second[1](x)
    assert.are.equal(19, x:get(0))
    assert.are.equal("first", first.name)
  end)
end)

describe("inspection", function()
  it("shows every stage", function()
    local scale = scaled_by(7)
    assert.is_nil(scale:tile())
    local x = neso.zeros { 8 }
    scale[1](x, x, 8, 8)
    assert.truthy(scale:tile():find("neso.masked_load", 1, true))
    assert.truthy(scale:llvm():find("define", 1, true))
    assert.truthy(scale:asm():find("neso_kernel", 1, true))
    assert.truthy(scale:dump("opt", 1):find("define", 1, true))
    assert.is_false((pcall(scale.dump, scale, "nothing")))
    local info = scale:info()
    assert.are.equal(1, info.variants)
    assert.are.same({ "x", "out", "n", "BLOCK" }, info.params)
    assert.is_true(info.binary_size > 0)
    assert.truthy(tostring(scale):find "jit_spec.lua")
  end)

  it("follows NESO_DUMP, NESO_DUMP_DIR and NESO_OVERRIDE", function()
    local folder = os.tmpname()
    os.remove(folder)
    local output = support.lua(script, "NESO_DUMP=tile,asm")
    assert.truthy(output:find("-- store: tile", 1, true))
    assert.truthy(output:find("-- store: asm", 1, true))
    assert.truthy(output:find("42\tfalse", 1, true))
    support.lua(script, "NESO_DUMP=tile NESO_DUMP_DIR=" .. folder)
    local name = folder .. "/store.1.tile.mlir"
    local text = support.read(name)
    local changed, count = text:gsub("arith%.constant 1 : i32", "arith.constant 100 : i32")
    assert.are.equal(1, count)
    support.write(name, changed)
    assert.truthy(support.lua(script, "NESO_OVERRIDE=tile=" .. name):find "^141")
    os.execute(("mv %s %s/store.tile.mlir"):format(name, folder))
    assert.truthy(support.lua(script, "NESO_OVERRIDE_DIR=" .. folder):find "^141")
    assert.truthy(support.lua(script):find "^42")
    assert.truthy(support.lua(script, "NESO_OVERRIDE=tile=/nonexistent"):find "No such file")
    os.execute("rm -r " .. folder)
  end)
end)
