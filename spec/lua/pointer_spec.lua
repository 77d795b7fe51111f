local neso = require "neso"
local tl = neso.language

local function problem(decl, fn, ...)
  local ok, message = pcall(neso.jit(decl, fn)[1], ...)
  assert.is_false(ok)
  return message
end

describe("pointers as values", function()
  local zeros, threes = neso.zeros { 8 }, neso.full({ 8 }, 3)

  it("declared const refuse stores, whatever way they take", function()
    local message = problem({ x = "*const f32" }, function(x)
      tl.store(x + tl.arange(0, 8), 1)
    end, zeros)
    assert.matches("cannot write through block {8} of pointers to const f32", message, 1, true)
    message = problem({ x = tl.pointer_type(tl.f32, true) }, function(x, y, n)
      local p = y
      if n > 2 then p = x end
      tl.store(p, 1)
    end, zeros, threes, 3)
    assert.matches("cannot write through pointer to const f32", message, 1, true)
  end)

  it("keep const through a cast", function()
    local message = problem({ x = "*const f32" }, function(x)
      tl.store(x:to(tl.pointer_type(tl.f32)), 1)
    end, zeros)
    assert.matches("a pointer to const elements cannot become one that may be written", message, 1,
      true)
  end)

  it("are read through when const", function()
    local copy = neso.jit({ y = "*const f32" }, function(x, y)
      local i = tl.arange(0, 8)
      tl.store(x + i, tl.load(y + i))
    end)
    copy[1](zeros, threes)
    assert.equal(3, zeros:get(7))
  end)

  it("are made of 64-bit integers only", function()
    local message = problem({}, function(x, n)
      tl.store(n:to(tl.pointer_type(tl.f32)), tl.load(x))
    end, zeros, 3)
    assert.matches("a pointer is made of an i64, not of scalar of i32", message, 1, true)
    message = problem({}, function(x) tl.store(x, x:to(tl.f32)) end, zeros)
    assert.matches("cannot convert pointer to f32 to the dtype f32", message, 1, true)
  end)

  it("are declared in a form that is checked", function()
    local ok, message = pcall(neso.jit, { x = "*cons f32" }, function(x) tl.store(x, 1) end)
    assert.is_false(ok)
    assert.matches("*const f32", message, 1, true)
  end)
end)
