-- Functions of C libraries and of bitcode, and assembly, in kernels.

local neso = require "neso"
local support = dofile "spec/lua/support.lua"
local tl = neso.language

local is_x86 = neso.device().target ~= nil and jit.arch == "x64"

local function failure(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  return tostring(message)
end

-- The results of a kernel `k(out)` that stores n elements.
local function results(text, env, dtype, n)
  local out = neso.zeros({ n }, dtype)
  neso.kernel(text, env)[1](out)
  return out:totable()
end

describe("neso.extern", function()
  local cbrt = neso.extern { name = "cbrtf", library = "libm.so.6", args = { tl.f32 },
    result = "f32", pure = true }
  local labs = neso.extern { name = "labs", args = { "i64" }, result = "i64" }
  local toupper = neso.extern { name = "toupper", args = { "u8" }, result = "u8" }
  local memcmp = neso.extern { name = "memcmp", args = { tl.pointer_type(tl.i32),
    tl.pointer_type(tl.i32), "i64" }, result = "i32" }

  it("calls C element by element, with broadcasting and the rules of types", function()
    local env = { cbrt = cbrt, labs = labs, toupper = toupper, memcmp = memcmp }
    assert.same({ 0, 1, 2, 3, 4 }, results([[function k(out)
      local i = tl.arange(0, 5)
      tl.store(out + i, cbrt((i * i * i):to(tl.f32)))
    end]], env, "f32", 5))
    assert.same({ 27, 27, 27, 27 }, results([[function k(out)
      tl.store(out + tl.arange(0, 4), cbrt(19683) + tl.zeros({ 4 }))
    end]], env, "f32", 4))
    assert.same({ 3, 2, 1, 0, 1, 2 }, results([[function k(out)
      local i = tl.arange(0, 6)
      tl.store(out + i, labs(i - 3))
    end]], env, "i64", 6))
    assert.same({ 65, 66, 67 }, results([[function k(out)
      local i = tl.arange(0, 3)
      tl.store(out + i, toupper((i + 97):to(tl.u8)))
    end]], env, "u8", 3))
    assert.same({ 0 }, results([[function k(out) tl.store(out, memcmp(out, out, 4)) end]], env,
      "i32", 1))
  end)

  it("finds the functions again when the code comes from the cache", function()
    local code = [[
      local neso = require "neso"
      local sqrt = neso.extern { name = "sqrt", library = "libm.so.6", args = { "f64" },
        result = "f64", pure = true }
      local k = neso.kernel("function k(x) tl.store(x, sqrt(tl.load(x))) end", { sqrt = sqrt })
      local x = neso.tensor({ 81 }, "f64")
      k[1](x)
      print(x:get(0), k:info().cached)
    ]]
    support.lua(code)
    assert.equal("9\ttrue\n", support.lua(code))
  end)

  it("names what is missing", function()
    local function call(t)
      t.args, t.result = {}, tl.i32
      local k = neso.kernel("function k(out) tl.store(out, f()) end", { f = neso.extern(t) })
      return failure(k[1], neso.zeros({ 1 }, "i32"))
    end
    assert.matches("library 'libm.so.6' has no function 'no_such_function'",
      call { name = "no_such_function", library = "libm.so.6" }, 1, true)
    assert.matches("the process has no function 'no_such_function'",
      call { name = "no_such_function" }, 1, true)
    assert.matches("library 'libno_such.so' cannot be loaded: ", call { name = "f",
      library = "libno_such.so" }, 1, true)
  end)

  it("refuses wrong declarations and arguments", function()
    assert.matches("neso.extern: no field 'librar'.*library", failure(neso.extern,
      { name = "f", librar = "x", result = "i32" }))
    assert.matches("name is the symbol", failure(neso.extern, { name = "a b", result = "i32" }))
    assert.matches("result is a dtype", failure(neso.extern, { name = "f", result = "int" }))
    assert.matches("argument 1: f8e5m2 is no type of C", failure(neso.extern,
      { name = "f", args = { "f8e5m2" }, result = "i32" }))
    assert.matches("called in kernels only", failure(cbrt, 1))
    local function compile(text)
      return failure(neso.kernel("function k(out, n) " .. text .. " end",
        { cbrt = cbrt, memcmp = memcmp })[1], neso.zeros { 1 }, 3)
    end
    assert.matches("'cbrtf' takes 1 arguments, got 2", compile "cbrt(n, n)")
    assert.matches("argument 1 of 'cbrtf' is f32, got scalar of f64", compile
      "tl.store(out, cbrt(n:to(tl.f64)))")
    assert.matches("argument 1 of 'memcmp' is .*got scalar of i32", compile "memcmp(n, out, 1)")
  end)

  describe("of bitcode", function()
    local path = os.tmpname()
    local function write(factor)
      support.write(path, ([[
        define float @scaled(float %%x, float %%y) {
          %%z = fmul float %%x, %s
          %%r = call float @plus(float %%z, float %%y)
          ret float %%r
        }
        define float @plus(float %%x, float %%y) {
          %%r = fadd float %%x, %%y
          ret float %%r
        }
        define float @unused(float %%x) {
          %%r = call float @nowhere(float %%x)
          ret float %%r
        }
        declare float @nowhere(float)
      ]]):format(factor))
    end
    local text = [[function k(out)
      local i = tl.arange(0, 3)
      tl.store(out + i, f(i, 1))
    end]]
    local function scaled(result, args)
      return neso.extern { name = "scaled", bitcode = path, args = args or { "f32", "f32" },
        result = result or "f32", pure = true }
    end
    teardown(function() os.remove(path) end)

    it("is compiled in, and its content is part of the key", function()
      write "2.0"
      assert.same({ 1, 3, 5 }, results(text, { f = scaled() }, "f32", 3))
      write "4.0"
      assert.same({ 1, 5, 9 }, results(text, { f = scaled() }, "f32", 3))
    end)

    it("is refused when it is none, lacks the function or has another type", function()
      write "2.0"
      local function attempt(f)
        return failure(results, text, { f = f }, "f32", 3)
      end
      assert.matches("the bitcode has 'scaled' as .*, which is not what neso.extern was told",
        attempt(scaled("f64")))
      assert.matches("the bitcode defines no function 'other'", attempt(neso.extern {
        name = "other", bitcode = path, args = { "f32", "f32" }, result = "f32" }))
      support.write(path, "this is no bitcode")
      assert.matches("the bitcode of 'scaled' cannot be read", attempt(scaled()))
      assert.matches("No such file", failure(neso.extern, { name = "f", bitcode = "/no/such",
        result = "f32" }))
    end)
  end)
end)

describe("tl.inline_asm_elementwise", function()
  if not is_x86 then return end

  it("runs assembly on each element", function()
    assert.same({ 5, 8, 11, 14, 17 }, results([[function k(out)
      local i = tl.arange(0, 5)
      tl.store(out + i, tl.inline_asm_elementwise{ asm = { x86_64 = "lea 5($1,$1,2), $0",
        nvidia = "mad.lo.s32 $0, $1, 3, 5;" }, constraints = "=r,r", args = { i },
        dtype = tl.i32, pure = true })
    end]], nil, "i32", 5))
    assert.same({ 1, 2, 3 }, results([[function k(out)
      local i = tl.arange(1, 4)
      tl.store(out + i - 1, tl.inline_asm_elementwise("sqrtsd $1, $0", "=x,x",
        { (i * i):to(tl.f64) }, tl.f64))
    end]], nil, "f64", 3))
  end)

  it("gives several results, broadcasts, and packs small elements into registers", function()
    assert.same({ 0, 10, 1, 11 }, results([[function k(out)
      local i = tl.arange(0, 2)
      local a, b = tl.inline_asm_elementwise{ asm = "mov $2, $0\nlea ($2,$3), $1",
        constraints = "=&r,=r,r,r", args = { i, 10 }, dtype = { tl.i32, tl.i32 } }
      tl.store(out + i * 2, a)
      tl.store(out + i * 2 + 1, b)
    end]], nil, "i32", 4))
    assert.same({ 3, 2, 1, 0, 7, 6, 5, 4 }, results([[function k(out)
      local i = tl.arange(0, 8)
      tl.store(out + i, tl.inline_asm_elementwise{ asm = "mov $1, $0\nbswap $0",
        constraints = "=r,r", args = { i:to(tl.u8) }, dtype = tl.u8, pack = 4 })
    end]], nil, "u8", 8))
    assert.same({ 1, 0, 3, 2 }, results([[function k(out)
      local i = tl.arange(0, 4)
      tl.store(out + i, tl.inline_asm_elementwise{ asm = "mov $1, $0\nrol $$16, $0",
        constraints = "=r,r", args = { i:to(tl.i16) }, dtype = tl.i16, pack = 2 })
    end]], nil, "i16", 4))
    assert.same({ 1, 0, 3, 2 }, results([[function k(out)
      local i = tl.arange(0, 4)
      tl.store(out + i, tl.inline_asm_elementwise{ asm = "mov $3, $0\nmov $2, $1",
        constraints = "=&r,=r,r,r", args = { i }, dtype = tl.i32, pack = 2 })
    end]], nil, "i32", 4))
  end)

  it("turns what is wrong into errors", function()
    local function attempt(fields, n)
      local text = "function k(n) print(tl.inline_asm_elementwise{ %s }) end"
      return failure(neso.kernel(text:format(fields))[1], n or 3)
    end
    assert.matches("invalid instruction mnemonic 'frobnicate'", attempt
      [[asm = "frobnicate $0", constraints = "=r", args = {}, dtype = tl.i32]])
    assert.matches("the assembly has no text for x86_64", attempt
      [[asm = { nvidia = "nop;" }, constraints = "=r,r", args = { n }, dtype = tl.i32]])
    assert.matches("'zz' in the constraints '=q,zz,' is none", attempt
      [[asm = "nop", constraints = "=q,zz,", args = {}, dtype = tl.i32]])
    assert.matches("have 1 outputs and 0 inputs, the values take 1 and 1", attempt
      [[asm = "nop", constraints = "=r", args = { n }, dtype = tl.i32]])
    assert.matches("couldn't allocate output register for constraint '{nothing}'", attempt
      [[asm = "nop", constraints = "={nothing},r", args = { n }, dtype = tl.i32]])
    assert.matches("pack = 4 does not divide the last extent of shape {6}", attempt
      [[asm = "nop", constraints = "=r,r", args = { tl.arange(0, 6):to(tl.i8) }, dtype = tl.i8,
        pack = 4]])
    assert.matches("does not take i1", attempt
      [[asm = "nop", constraints = "=r,r", args = { n > 1 }, dtype = tl.i32]])
    assert.matches("asm is a text", attempt
      [[asm = 3, constraints = "=r,r", args = { n }, dtype = tl.i32]])
    local k = neso.kernel [[function k(out) tl.store(out, 1) end]]
    local x = neso.zeros(1)
    k[1](x)
    assert.equal(1, x:get(0))
  end)
end)
