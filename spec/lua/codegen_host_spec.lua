-- Kernels as live functions: upvalues, globals, helper functions, what is noted of them; lines.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "codegen_support.lua")
local printer = dofile(here .. "program_print.lua")
local tl = require "neso.language"

local scale = 3
local config = { block = 8, names = { "a", "b" } }

local function helper(v)
  return v * scale
end

local function captured(info, name)
  for _, capture in ipairs(info.captures) do
    if (capture.name or capture.key) == name then return capture end
  end
end

describe("live kernels", function()
  it("read upvalues and helper functions, and note them", function()
    local function kernel(x, n)
      tl.store(x + tl.arange(0, config.block), helper(n))
    end
    local program, _, info = support.build(kernel, "x:*i32 n:i32")
    assert.are.equal([[
kernel k(%0 x: ptr<i32> facts 2, %1 n: i32)
  %2 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %3 = arith.muli %1, 3 : i32
  %4 = tensor.splat %3 : <8xi32>
  neso.store %0, %2, %4
  func.return
]], printer.print(program, nil, true))
    assert.are.equal(3, captured(info, "scale").value)
    assert.are.equal(helper, captured(info, "scale").fn)
    local block = captured(info, "block")
    assert.are.equal("field", block.kind)
    assert.are.equal(config, block.table)
    assert.are.equal("upvalue", captured(info, "config").kind)
  end)

  it("note each field that pairs and ipairs go over", function()
    local settings = { b = 2, a = 1 }
    local list = { 5, 6 }
    local _, _, info = support.build(function(x)
      for _, v in pairs(settings) do tl.store(x, v) end
      for _, v in ipairs(list) do tl.store(x, v) end
    end, "x:*i32")
    local noted = {}
    for _, capture in ipairs(info.captures) do
      if capture.kind == "field" then
        noted[#noted + 1] = tostring(capture.key) .. "=" .. tostring(capture.value)
      end
    end
    assert.are.equal("a=1 b=2 1=5 2=6 3=nil", table.concat(noted, " "))
  end)

  it("equal kernels have equal bytes, whatever their lines", function()
    local function first(x) tl.store(x, 1) end


    local function second(x) tl.store(x, 1) end
    local program, lines = support.build(first, "x:*f32")
    local again, other_lines = support.build(second, "x:*f32")
    assert.are.equal(program, again)
    assert.are_not.equal(lines, other_lines)
  end)

  it("give each operation its line", function()
    local program, lines = support.build(function(x)
      local v = tl.load(x)
      tl.store(x, v)
    end, "x:*f32")
    local at = debug.getinfo(1, "l").currentline - 3
    local text = printer.print(program, lines, true)
    assert.truthy(text:find("neso.load %0, 0 : f32  // " .. at, 1, true))
    assert.truthy(text:find("neso.store %0, 0, %1  // " .. at + 1, 1, true))
  end)

  it("print while compiling, once even in a loop", function()
    local out = {}
    support.build(function(x, n)
      local acc = 0
      for _ = 1, n do
        tl.static_print("acc", acc)
        acc = acc + 0.5
      end
      tl.store(x, acc)
    end, "x:*f32 n:i32", { print = function(line) out[#out + 1] = line end })
    assert.are.same({ "acc\tscalar of f32" }, out)
  end)

  it("cannot be called with tl functions outside of kernels", function()
    assert.has_error(function() tl.load(1) end,
      "tl.load has a meaning in kernels only; call it in a function given to neso.jit")
    assert.are.equal(4, tl.cdiv(10, 3))
    assert.are.equal(16, tl.next_power_of_2(9))
  end)
end)
