-- What kernels refuse: place, words, hint.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "codegen_support.lua")

local params = "x:*f32 n:i32"

-- First line of the error without its place, and the hint.
local function refused(statements, message, hint, given)
  local text = support.error(statements, given or params)
  local first = text:match("^k%.lua:%d+:%d+: ([^\n]*)")
  assert.are.equal(message, first or text)
  assert.are.equal(hint, text:match("\nhint: ([^\n]*)"))
end

describe("errors", function()
  it("show file, line, column, source and caret", function()
    assert.are.equal([[
k.lua:2:11: cannot add blocks of shapes {16} and {32}: extent 0 differs (16 and 32)
   2 | local y = tl.arange(0, 16) + tl.arange(0, 32)
     |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: x:col() makes {n, 1} and x:row() makes {1, n} of a block {n}]],
      support.error("local y = tl.arange(0, 16) + tl.arange(0, 32)", params))
  end)

  it("tell the calls that led there", function()
    local text = support.error("local function f(a) return a .. 'x' end\nf(n)", params)
    assert.truthy(text:find("^k.lua:2:28: '..' joins strings"))
    assert.truthy(text:find("\ncalled in k.lua:3$"))
  end)

  it("suggest names", function()
    refused("local k = x:stride(0)", "pointer to f32 has no method 'stride'",
      "a tensor is a pointer in a kernel; pass its extents and strides as arguments")
    refused("tl.laod(x)", "tl has no 'laod'", "did you mean 'load'?")
    refused("local z = n:summ()", "scalar of i32 has no method 'summ'", "did you mean 'sum'?")
    refused("tl.load(x, {masc = n > 1})", "tl.load has no parameter 'masc'",
      "did you mean 'mask'?")
  end)

  it("nil", function()
    refused("local y = foo + n", "cannot apply '+' to nil and scalar of i32",
      "'foo' has no value here")
    refused("local width = 2 local y = n * widht", "cannot apply '*' to scalar of i32 and nil",
      "'widht' has no value here; did you mean 'width'?")
    refused("local y = n + tl.arange(0, 4).shape[0]", "cannot apply '+' to scalar of i32 and nil",
      "tables of Lua count from 1")
    refused("local mask = n > 2 local y = tl.load(x, msak)", "'msak' is not set",
      "did you mean 'mask'?")
    refused("tl.store(x, n, None)", "'None' is not set", "Lua writes nil")
    refused("for i in range(n) do end", "cannot call 'range': it is nil", "Lua writes tl.range")
    support.error("local none tl.store(x, n, none) error 'through'", params)
    refused("foo(n)", "cannot call 'foo': it is nil",
      "the name is not set where the kernel looks for it")
  end)

  it("a boolean and a number in one choice", function()
    for _, y in ipairs { "n", "5" } do
      local text = support.error("local c = n > 2 local y = c and c or " .. y, params)
      assert.truthy(text:find("variable 'and/or' is", 1, true), text)
    end
  end)

  it("kernels that grow beyond all bounds", function()
    local unrolled = "for i in tl.static_range(4096) do "
      .. "for j in tl.static_range(4096) do %s end end"
    local hint = "unrolled loops and calls multiply; "
      .. "a loop at run time is 'for i = a, b' or tl.range"
    refused("local v = 0 " .. unrolled:format("v = v + 1"),
      "this kernel has more than 262144 statements to run while compiling", hint)
    refused("local v = n for i in tl.static_range(4096) do "
      .. "v = v * 3 + i v = v * 5 + i v = v * i end tl.store(x, v)",
      "this kernel has more than 16384 operations", hint)
    refused(("for i = 0, n do "):rep(70) .. ("end "):rep(70),
      "run-time branches and loops nest deeper than 60", nil)
    refused("local v = n" .. ("+n"):rep(30000), "what this kernel has here nests too deeply",
      "compute it in several statements")
    refused("local v = tl.zeros{1, 1, 1, 1, 1, 1, 1, 2}:expand_dims(0)",
      "a block of shape {1, 1, 1, 1, 1, 1, 1, 1, 2} has 9 dimensions; the limit is 8", nil)
  end)

  it("conditions", function()
    refused("if tl.arange(0, 4) > 2 then end", "'if' takes one boolean, got block {4} of i1",
      "use tl.where to choose by element, or x:any() or x:all() for one answer")
    refused("while n do end", "'while' takes a boolean, got scalar of i32",
      "in Lua every number is true; compare it: x ~= 0")
    refused("local b = not n", "'not' takes a boolean, got scalar of i32",
      "in Lua every number is true; compare it: x ~= 0")
  end)

  it("types that change", function()
    refused("local v = n\nfor i = 1, n do v = v + 0.5 end",
      "variable 'v' is scalar of i32 before the loop and scalar of f32 at the end of its body",
      "a variable keeps one type and shape over run-time branches and loops")
    refused("local v\nif n > 2 then v = n else\nv = tl.arange(0, 4) end",
      "variable 'v' is scalar of i32 in line 3 and block {4} of i32 in line 4",
      "a variable keeps one type and shape over run-time branches and loops")
    refused("local v\nif n > 1 then v = 1 end\ntl.store(x, v)",
      "'v' may have no value here: it is set on one path only",
      "give it a value before the branch in line 3")
  end)

  it("blocks that are too large or have no constant extent", function()
    refused("local z = tl.zeros({2048, 2048})",
      "a block of shape {2048, 2048} has 4194304 elements; the limit is 1048576",
      "work on smaller blocks in a loop or with more programs")
    refused("local z = tl.arange(0, n)",
      "the end of tl.arange must be an integer known when compiling, got scalar of i32",
      "parameters in CAPITALS are known when compiling")
  end)

  it("pointers and memory", function()
    refused("tl.store(n, 1)", "tl.store takes a pointer, got scalar of i32",
      "a tensor argument plus offsets is a pointer: x + offsets")
    refused("tl.store(x + 0.5, n)", "cannot move pointer to f32 by the number 0.5",
      "an offset is an integer; it counts elements")
    refused("local y = x * 2", "cannot apply '*' to pointer to f32 and the number 2",
      "a pointer takes + and - with an integer offset")
    refused("local y = tl.load(x, tl.arange(0, 4) < n)",
      "the mask has shape {4}, but the pointers have shape {}",
      "the pointers say which elements are moved; give them the full shape")
    refused("x[0] = 1", "an element of pointer to f32 cannot be assigned",
      "write memory with tl.store; choose by element with tl.where")
    refused("local v = tl.load(x):to(tl.f32, { rounding = 'rtz' })",
      'rounding = "rtz" is for floats that become narrower floats, not f16 to f32', nil, "x:*f16")
  end)

  it("dot", function()
    refused("local a = tl.zeros({16, 8})\nlocal b = tl.dot(a, a)",
      "tl.dot cannot multiply shapes {16, 8} and {16, 8}: 8 columns meet 16 rows")
  end)

  it("literals that do not fit", function()
    refused("local u = tl.full({4}, 1, tl.u8) + 300", "300 is outside the range of u8",
      "convert the other operand with :to(...) to a type that holds it")
    refused("local u = tl.full({4}, 1, tl.u8) + -1", "negative number -1 cannot become u8",
      "convert the other operand with :to(...) to a type that holds it")
  end)

  it("recursion, protected calls, globals", function()
    refused("local function f(a) return f(a) end\nf(n)",
      "this call is recursive; kernels cannot recurse", "write it as a loop")
    refused("pcall(print)",
      "'pcall' cannot be used in a kernel: errors of a kernel are found while compiling",
      "call it around the launch")
    refused("y = 1", "a kernel cannot assign to 'y', which lives outside of it",
      "declare it with 'local', or write results to a tensor with tl.store")
    refused("local s = string.rep('x', n)",
      "a C function cannot take values that are known at run time only",
      "use an operation of tl")
    refused("local t = {1}\nlocal v = t[n]",
      "an index must be known when compiling, got scalar of i32",
      "tables exist only while the kernel is compiled; data for run time lives in tensors")
  end)

  it("loops and jumps", function()
    refused("while true do local y = n end", "this loop never ends",
      "leave it with 'break' or 'return'")
    refused("for i = 1, n, 0 do end", "the step of a loop must not be 0")
    refused("return n", "a kernel returns nothing", "write results to a tensor with tl.store")
  end)

  it("assertions", function()
    refused("tl.static_assert(1 == 2, 'no way')", "static assertion failed: no way")
    refused("assert(false, 'never')", "never")
    refused("error('stop here')", "stop here")
  end)
end)
