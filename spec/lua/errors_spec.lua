-- Mistakes of a user: each a Lua error that names the kernel, its place and the parameter, after
-- which everything goes on working.
local neso = require "neso"
local tl = neso.language

local add = neso.jit(function(x, y, out, n, BLOCK)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = i < n
  tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)
end)

local x, y, out = neso.ones { 32 }, neso.ones { 32 }, neso.zeros { 32 }

local function works()
  out:fill_(0)
  add[2](x, y, out, 32, 16)
  return out:equal(neso.full({ 32 }, 2))
end

local function message(f, ...)
  local ok, text = pcall(f, ...)
  assert.is_false(ok)
  assert.are.equal("string", type(text))
  assert.is_true(works())
  return text
end

local function says(text, ...)
  for _, part in ipairs { ... } do
    assert.truthy(text:find(part, 1, true), ("%q is not in: %s"):format(part, text))
  end
end

describe("a launch refuses", function()
  local place = "errors_spec.lua:6"

  it("a call without a grid", function()
    says(message(add, x, y, out, 32, 16), "kernel 'add'", place, "k[grid]")
  end)

  it("too few and too many arguments", function()
    says(message(add[2], x, y), "kernel 'add'", place, "takes 5 arguments (x, y, out, n, BLOCK)",
      "got 2")
    says(message(add[2], x, y, out, 32, 16, 1), "got 6")
    says(message(add[2], { x, y, out, n = 32 }), "parameter 'BLOCK' (argument 5) is missing")
  end)

  it("values of the wrong kind", function()
    says(message(add[2], x, nil, out, 32, 16), "kernel 'add'", place,
      "parameter 'y' (argument 2): got nil, wanted a tensor")
    says(message(add[2], x, "y", out, 32, 16), "parameter 'y' (argument 2): got string")
    says(message(add[2], x, {}, out, 32, 16), "parameter 'y'", "name it in capitals")
    says(message(add[2], x, print, out, 32, 16), "parameter 'y'")
    says(message(add[2], x, y, out, 32, x), "parameter 'BLOCK' (argument 5): got a tensor",
      "parameters in CAPITALS are constants")
    says(message(add[2], x, y, out, 32, io.stdout), "parameter 'BLOCK'")
    says(message(add[2], x, y, out, 32, coroutine.create(print)), "parameter 'BLOCK'")
  end)

  it("the library inside of a kernel", function()
    says(message(neso.jit(function(o) tl.store(o, neso.ones { 3 }) end)[1], out),
      "neso.ones cannot be called in a kernel")
  end)

  it("unknown names, with a suggestion", function()
    says(message(add[2], { x, y, out, n = 32, BLOK = 16 }), "kernel 'add'", place,
      "no parameter or launch option 'BLOK'", "did you mean 'BLOCK'", "num_warps")
    says(message(add[2], { x, y, out, n = 32, BLOCK = 16, num_wraps = 4 }),
      "did you mean 'num_warps'")
    says(message(add[2], { x, y, out, n = 32, BLOCK = 16, num_warps = {} }), "cannot be a table")
    says(message(add[2], { x, y, out, x = x, n = 32, BLOCK = 16 }), "'x' is given twice")
  end)

  it("grids that are none", function()
    says(message(function() return add[2.5] end), "errors_spec.lua", "kernel 'add'",
      "grid[1] must be an integer, got 2.5")
    says(message(function() return add[{ 1, "a" }] end), "grid[2] must be an integer")
    says(message(function() return add[{ 1, 1, 1, 1 }] end), "one to three extents, got 4")
    says(message(function() return add[{}] end), "got 0")
    says(message(function() return add[true] end), "got boolean")
    says(message(add[-1], x, y, out, 32, 16), "add", "negative")
    says(message(add[{ 1, 2 ^ 40 }], x, y, out, 32, 16), "add")
    says(message(add[function() return "many" end], x, y, out, 32, 16), "a grid is a number")
    says(message(add[function() error "own mistake" end], x, y, out, 32, 16), "own mistake")
  end)

  it("freed tensors", function()
    local gone = neso.ones { 32 }
    local bound = add:bind(2, gone, y, out, 32, 16)
    gone:free()
    says(message(add[2], gone, y, out, 32, 16), "parameter 'x' (argument 1)", "freed")
    says(message(bound), "'x'", "freed")
  end)

  it("numbers that a declared type cannot hold", function()
    local k = neso.jit({ n = tl.i32 }, function(n, p)
      tl.store(p, n)
    end)
    says(message(k[1], 2 ^ 40, out), "'n'", "i32")
    says(message(k[1], 1.5, out), "'n'", "i32")
    says(message(k[1], out, out), "parameter 'n' (argument 1): got a tensor, wanted a number")
  end)
end)

describe("a kernel that does not compile", function()
  it("names file, line and column, each time it is launched", function()
    local bad = neso.jit(function(a, BLOCK)
      local i = tl.arange(0, BLOCK)
      tl.store(a + i, tl.load(a + i) + tl.arange(0, 2 * BLOCK))
    end)
    for _ = 1, 2 do
      local text = message(bad[1], x, 8)
      says(text, "errors_spec.lua:", "\n", "^")
      assert.truthy(text:match "^[^\n]*errors_spec.lua:%d+:%d+: ")
    end
    local unknown = neso.jit(function(a)
      tl.store(a, tl.laod(a))
    end)
    says(message(unknown[1], x), "laod", "load")
  end)

  it("whose string is no Lua says where", function()
    says(message(neso.kernel, "function k( tl.store(x) end"), "[string]:1:")
    says(message(neso.kernel, "x = 1"), "functions with plain names only")
    says(message(neso.kernel, ""), "no function")
    says(message(neso.kernel, print), "expected a string")
  end)
end)

describe("errors inside coroutines", function()
  it("end the coroutine only", function()
    local thread = coroutine.create(function()
      add[2](x, y, nil, 32, 16)
    end)
    local ok, text = coroutine.resume(thread)
    assert.is_false(ok)
    says(text, "parameter 'out'")
    assert.is_true(works())
    assert.is_true(select(2, coroutine.resume(coroutine.create(function()
      return works()
    end))))
  end)
end)

describe("many failures", function()
  it("leave nothing behind", function()
    local bad = neso.jit(function(a)
      tl.store(a, undefined_name) -- luacheck: ignore
    end)
    for _ = 1, 300 do
      pcall(bad[1], x)
      pcall(add[2], x, y, out, 32)
      pcall(neso.empty, { -1 })
    end
    assert.is_true(works())
  end)
end)
