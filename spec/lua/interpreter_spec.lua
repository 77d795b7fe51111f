-- The interpreter: references of every operation, the same bits as compiled code, checked
-- accesses, breakpoints.
local neso = require "neso"
local support = require "spec.lua.support"
local formats = require "neso.interpreter.formats".formats
local plan = require "neso.interpreter.plan"

local ops = dofile((os.getenv "NESO_SOURCE" or ".") .. "/spec/ops.lua")

local function both(kernel, grid, outputs, ...)
  local found = {}
  for turn = 1, 2 do
    for _, x in ipairs(outputs) do x:fill_(0) end
    if turn == 1 then kernel[grid](...) else kernel:interpret(grid, ...) end
    found[turn] = {}
    for i, x in ipairs(outputs) do found[turn][i] = x:clone() end
  end
  return found[1], found[2]
end

local function refusal(run, ...)
  local ok, why = pcall(run, ...)
  assert.is_false(ok)
  return why
end

describe("references", function()
  it("are there for every operation of the tile IR, and for no other", function()
    local rows, missing = plan.references(), {}
    local terminator = { ["scf.yield"] = true, ["scf.condition"] = true, ["neso.yield"] = true,
      ["func.return"] = true }
    local listed = {}
    for _, row in ipairs(ops.ir) do
      listed[row[1]] = true
      if not rows[row[1]] and not terminator[row[1]] then missing[#missing + 1] = row[1] end
    end
    assert.same({}, missing)
    for name in pairs(rows) do assert.is_true(listed[name], name) end
  end)

  it("decode and encode every 16-bit and 8-bit float as tensors do", function()
    for _, name in ipairs { "f16", "bf16", "f8e5m2", "f8e4m3fn", "f8e4b15", "f8e4m3fnuz",
      "f8e5m2fnuz" } do
      local wide = name:find "^f8" and "u8" or "u16"
      local count = wide == "u8" and 256 or 65536
      local codes = neso.arange(count, nil, nil, "i32"):to(wide)
      local decoded = codes:bitcast(name):to "f64"
      for i = 0, count - 1 do
        local want, got = decoded:get(i), formats[name].value(i)
        assert.is_true(want == got or want ~= want and got ~= got, name .. " " .. i)
        if got == got then
          local back = formats[name].bits(got)
          assert.equal(got, formats[name].value(back), name .. " " .. i)
        end
      end
    end
  end)

  it("round as tensors do", function()
    neso.seed(7)
    local count = 4000
    local x = neso.randn({ count }, "f64")
    for i = 0, count - 1 do
      x:set(i, x:get(i) * 2 ^ math.floor(x:get((i * 7 + 1) % count) * 12))
    end
    for name, format in pairs(formats) do
      local want = x:to(name):to "f64"
      for i = 0, count - 1 do
        local got = format.round(x:get(i))
        local w = want:get(i)
        assert.is_true(w == got or w ~= w and got ~= got,
          ("%s of %.17g: %.17g, wanted %.17g"):format(name, x:get(i), got, w))
      end
    end
  end)
end)

describe("the same bits as compiled code", function()
  local function values_of(dtype, count)
    if dtype:find "^f" or dtype:find "^bf" then
      local x = neso.randn({ count }, "f64")
      for i = 0, count - 1 do
        local scale = i % 3 == 0 and 1 or 2 ^ math.floor(x:get((i * 5 + 2) % count) * 9)
        x:set(i, x:get(i) * scale)
      end
      for i, edge in ipairs { 0, -0, 1, -1, math.huge, -math.huge, 65504, 2 ^ -24, 2 ^ -149 } do
        x:set(i, edge)
      end
      return x:to(dtype)
    end
    local bits = tonumber(dtype:match "%d+")
    local low = neso.randint(-2 ^ 31, 2 ^ 31 - 1, { count }, "i64")
    local x = neso.empty({ count }, "i64")
    local words = x:bitcast "i64"
    for i = 0, count - 1 do
      local shift = 2LL ^ (i % (bits - 1))
      local small = i % 5 == 0 and low:get(i) % 3 or low:get(i) * shift
      words:set(i, small)
    end
    return words:to(dtype)
  end

  local function compare(rule, dtype, x, y, compiled, interpreted)
    for i = 0, x.numel - 1 do
      local p, q = compiled:get(i), interpreted:get(i)
      if p ~= q and (p == p or q == q) then
        error(("%s of %s: (%s, %s) gives %s, compiled %s"):format(rule, dtype, tostring(x:get(i)),
          tostring(y:get(i)), tostring(q), tostring(p)), 0)
      end
    end
  end

  -- rules: list of { dtype of the result, expression of a and b }
  local function check(dtype, rules)
    local names, stores, outputs, count = {}, {}, {}, 513
    for n, rule in ipairs(rules) do
      names[n] = "out" .. n
      stores[n] = ("tl.store(out%d + i, %s, i < n)"):format(n, rule[2])
      outputs[n] = neso.empty({ count }, rule[1])
    end
    local kernel = neso.kernel(([[function k(x, y, n, BLOCK, %s)
      local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
      local a, b = tl.load(x + i, i < n), tl.load(y + i, i < n)
      %s
    end]]):format(table.concat(names, ", "), table.concat(stores, "\n")))
    local x, y = values_of(dtype, count), values_of(dtype, count)
    local compiled, interpreted = both(kernel, 6, outputs, x, y, count, 100, unpack(outputs))
    for n, rule in ipairs(rules) do
      compare(rule[2], dtype, x, y, compiled[n], interpreted[n])
    end
  end

  local function rules_of(dtype, expressions, conditions)
    local rules = {}
    for _, expression in ipairs(expressions) do rules[#rules + 1] = { dtype, expression } end
    for _, expression in ipairs(conditions) do rules[#rules + 1] = { "i1", expression } end
    return rules
  end

  local integers = { "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64" }

  it("for integers of every width", function()
    neso.seed(11)
    for _, dtype in ipairs(integers) do
      check(dtype, rules_of(dtype, { "a + b", "a - b", "a * b", "a // b", "a % b", "-a", "a & b",
        "a | ~b", "a ~ b", "a << (b & 127)", "a >> (b & 127)", "a << b", "a >> b",
        "tl.div_trunc(a, b)", "tl.rem(a, b)", "tl.maximum(a, b)", "tl.minimum(a, b)", "tl.abs(a)",
        "tl.where(a < b, a, b)" }, { "a < b", "a >= b", "a == b" }))
    end
  end)

  it("for floats of every width", function()
    neso.seed(12)
    for _, dtype in ipairs { "f16", "bf16", "f32", "f64" } do
      check(dtype, rules_of(dtype, { "a + b", "a - b", "a * b", "a / b", "-a",
        "tl.sqrt(tl.abs(a))", "tl.fma(a, b, a)", "tl.floor(a)", "tl.ceil(a)", "tl.trunc(a)",
        "tl.round(a)", "a // b", "tl.maximum(a, b)", "tl.minimum(a, b, false)",
        "tl.where(a <= b, a, b)" }, { "a == b", "a ~= b", "a > b" }))
    end
  end)

  it("for conversions between all pairs", function()
    neso.seed(13)
    local all = { "f16", "bf16", "f32", "f64", unpack(integers) }
    for _, from in ipairs(all) do
      local rules = {}
      for i, to in ipairs(all) do rules[i] = { to, "a:to(tl." .. to .. ")" } end
      check(from, rules)
    end
  end)

  it("for bf16 too small to be normal, on every way through scalars", function()
    local kernel = neso.kernel [[function k(out, x, n)
      local i = tl.arange(0, 5)
      local v = tl.load(x + i)
      tl.store(out + i, tl.map_elementwise(function(p)
        if p > 1 then return p * 2 end
        return p
      end, v))
      tl.store(out + i + 5, tl.cummax(v, 0, true))
      tl.store(out + i + 10, tl.minimum(v, n:to(tl.bf16), false))
      local s = tl.load(x + 1)
      for j = 1, n do
        if j == n - 1 then s = tl.load(x + j) end
      end
      tl.store(out + 15, s)
    end]]
    local x = neso.tensor({ 0x8015, 0x15, 0x8001, 1, 0x3f80 }, "u16"):bitcast "bf16"
    local out = neso.empty({ 16 }, "bf16")
    local compiled, interpreted = both(kernel, 1, { out }, out, x, 3)
    assert.same(interpreted[1]:totable(), compiled[1]:totable())
  end)

  it("keeping the bits of a NaN that is only moved", function()
    local kernel = neso.kernel [[function k(out, bits, x)
      local i = tl.arange(0, 4)
      local v = tl.trans(tl.load(x + i):reshape(2, 2)):ravel()
      tl.store(out + i, v)
      tl.store(bits + i, v:bitcast(tl.i32))
    end]]
    local x = neso.tensor({ 0x7f800001, 0x7fc12345, -1, 0x7fffffff }, "i32"):bitcast "f32"
    local out, bits = neso.empty({ 4 }, "f32"), neso.empty({ 4 }, "i32")
    kernel:interpret(1, out, bits, x)
    assert.same({ 0x7f800001, -1, 0x7fc12345, 0x7fffffff }, bits:totable())
    assert.same(bits:totable(), out:bitcast "i32":totable())
  end)

  it("whatever bits a float is made of (an f64 NaN becomes quiet)", function()
    for dtype, word in pairs { f16 = "i16", bf16 = "i16", f32 = "i32", f64 = "i64" } do
      local kernel = neso.kernel(([[function k(out, negated, x)
        local i = tl.arange(0, 512)
        local v = tl.load(x + i):bitcast(tl.%s)
        tl.store(out + i, v:bitcast(tl.%s))
        tl.store(negated + i, -v)
      end]]):format(dtype, word))
      local x = neso.randint(-2 ^ 31, 2 ^ 31, { 512 }, "i64")
      for i = 0, 511 do
        local quiet = i % 3 == 1 and -0x8000000000000LL or 0x7ff8000000000000LL
        x:set(i, i % 3 == 0 and x:get(i) * 4294967296LL or quiet + i % 7)
        if i % 11 == 0 then x:set(i, i % 2 == 0 and -1LL or 0x7fffffffffffffffLL) end
      end
      local words = x:to(word)
      if word == "i32" then words = neso.randint(-2 ^ 23, 2 ^ 23, { 512 }) end
      local out, negated = neso.empty({ 512 }, word), neso.empty({ 512 }, dtype)
      for _ = 1, 3 do
        kernel:interpret(1, out, negated, words)
        assert.is_true(out:equal(words), dtype)
      end
    end
  end)
end)

describe("launching", function()
  local pids = neso.kernel [[function k(out)
    local x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    local at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + at, at * 10 + tl.atomic_add(out + 24, 1))
  end]]

  it("takes the grids and arguments of a launch; x runs fastest", function()
    local out = neso.zeros({ 25 }, "i32")
    pids:interpret({ 2, 3, 4 }, out)
    for i = 0, 23 do assert.equal(11 * i, out:get(i)) end
    pids:interpret(0, out)
    assert.equal(24, out:get(24))
    pids:interpret(function() return 1 end, { out = out })
    assert.equal(25, out:get(24))
    assert.truthy(refusal(pids.interpret, pids, -1, out):find "grid")
    assert.truthy(refusal(pids.interpret, pids, 1):find "takes 1 arguments")
  end)

  it("sees captured values anew and keeps constants apart", function()
    local scale = 2
    local kernel = neso.jit(function(out, N)
      tl.store(out + tl.arange(0, N), scale * N) -- luacheck: ignore
    end)
    local environment = { tl = neso.language }
    setfenv(kernel._fn, setmetatable(environment, { __index = _G }))
    local out = neso.zeros { 4 }
    kernel:interpret(1, out, 2)
    assert.equal(4, out:get(1))
    kernel:interpret(1, out, 4)
    assert.equal(8, out:get(3))
    scale = 3
    kernel:interpret(1, out, 4)
    assert.equal(12, out:get(3))
  end)

  it("is what NESO_INTERPRET=1 makes of every launch", function()
    local code = [[local neso = require "neso"
      local k = neso.kernel "function k(out) tl.store(out + tl.arange(0, 4), 7) end"
      local out = neso.zeros { 4 }
      k[1](out)
      k:bind(1, out)()
      k:warmup(out)
      print(out:get(3), #k:variants())]]
    assert.equal("7\t0\n", support.lua(code, "NESO_INTERPRET=1"))
    assert.equal("7\t1\n", support.lua(code, "NESO_INTERPRET=0"))
  end)

  it("prints and asserts as compiled code does", function()
    local code = [[local neso = require "neso"
      local k = neso.kernel("function k(x) local v = tl.load(x + tl.arange(0, 3))\n"
        .. "tl.device_print('v', v, v:to(tl.f16) / 3, v > 1, (v * 3):to(tl.u8))\n"
        .. "tl.device_print{ 'h', v, hex = true }\n"
        .. "tl.device_assert(v < 2, 'large') end")
      print(select(2, pcall(k[2], neso.arange(3, nil, nil, "f32"))):match "[^\n]*")]]
    local compiled = support.lua(code, "NESO_INTERPRET=0")
    assert.truthy(compiled:find("element {2}", 1, true))
    -- Compiled programs may all have printed before the first failure ends the launch.
    local interpreted = support.lua(code, "NESO_INTERPRET=1")
    local first = interpreted:match "^(.-)[^\n]*in program"
    assert.equal(first, compiled:sub(1, #first))
    assert.truthy(interpreted:find("assertion failed: large, in program (0, 0, 0), element {2}", 1,
      true))
  end)
end)

describe("an access outside of a buffer", function()
  local copy = neso.kernel [[function copy(y, x, n, BLOCK)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local v = tl.load(x + i - 1, i >= n)
  tl.store(y + i, v)
end]]

  it("names place, program, element, buffer and distance", function()
    local x, y = neso.zeros({ 8 }, "f16"), neso.zeros({ 6 }, "u8")
    local why = refusal(copy.interpret, copy, 2, y, x, 1, 4)
    assert.truthy(why:find("interpreter_spec.lua:%d+%[string%]:4:3: kernel 'copy': this writes "
      .. "element 6 of 'y', which has 6 %(u8%): 1 beyond its end, in program %(1, 0, 0%), "
      .. "element {2} of the block {4}"), why)
    assert.truthy(why:find("   4 |   tl.store(y + i, v)\n     |   ^~~~", 1, true), why)
    why = refusal(copy.interpret, copy, 1, y, x, 0, 4)
    assert.truthy(why:find("reads element -1 of 'x', which has 8 (f16): 1 before its beginning", 1,
      true), why)
  end)

  it("leaves kernel and tensors usable", function()
    local x, y = neso.ones { 8 }, neso.zeros { 8 }
    refusal(copy.interpret, copy, 3, y, x, 1, 4)
    copy:interpret(2, y, x, 1, 4)
    assert.equal(1, y:get(7))
    copy[2](y, x, 1, 4)
  end)

  it("counts from a view's first element, and knows the buffer around it", function()
    local x, y = neso.ones { 8 }, neso.zeros { 4 }
    copy:interpret(1, y, x:slice(0, 4, 8), 0, 4)
    copy:interpret(1, y, x:slice(0, 2, 6), 0, 4)
    local why = refusal(copy.interpret, copy, 1, neso.zeros { 8 }, x:slice(0, 2, 8), 0, 8)
    assert.truthy(why:find("element 6 of 'x', which goes from -2 to 5 (f32): 1 beyond", 1, true),
      why)
  end)

  it("is found through pointers made of addresses and in atomics", function()
    local far = neso.kernel [[function far(x, at)
      local p = (x:to(tl.i64) + at):to(tl.pointer_type(tl.f32))
      tl.store(p, 3.5)
    end]]
    local x = neso.zeros { 4 }
    far:interpret(1, x, 12)
    assert.equal(3.5, x:get(3))
    assert.truthy(refusal(far.interpret, far, 1, x, 16):find("in no buffer", 1, true))
    local table_of = neso.kernel [[function table_of(list)
      tl.store(tl.load(list + 1):to(tl.pointer_type(tl.f32)) + tl.arange(0, 2), 9)
    end]]
    local ffi = require "ffi"
    local other = neso.zeros { 2 }
    local list = neso.zeros({ 2 }, "i64")
    list:set(1, ffi.cast("int64_t", ffi.cast("uintptr_t", other:pointer())))
    table_of:interpret(1, list)
    assert.equal(9, other:get(1))
    local add = neso.kernel "function add(x) tl.atomic_add(x + 4, 1) end"
    assert.truthy(refusal(add.interpret, add, 1, x):find("changes element 4 of 'x'", 1, true))
  end)
end)

describe("breakpoints", function()
  local source = [[function k(out, x, n, BLOCK)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local count, flag = n - 1, n > 3
  for j = 1, 2 do
    local v = tl.load(x + i) * j
    if j == 2 then neso.breakpoint() end
    local w = v + 1
    tl.store(out + i, w)
  end
end]]
  local kernel = neso.kernel(source)
  local x, out = neso.arange(8, nil, nil, "f16"), neso.zeros { 8 }

  after_each(function() neso.interpreter.on_breakpoint = nil end)

  it("give a hook what can be seen", function()
    local seen = {}
    neso.interpreter.on_breakpoint = function(frame)
      seen[#seen + 1] = frame
    end
    kernel:interpret(2, out, x, 8, 4)
    assert.equal(2, #seen)
    local frame = seen[2]
    assert.same({ 1, 0, 0 }, frame.program)
    assert.equal(6, frame.line)
    assert.same({ "out", "x", "n", "BLOCK", "i", "count", "flag", "j", "v" }, frame.names)
    assert.same({ 8, 10, 12, 14 }, frame.values.v:totable())
    assert.equal("f16", frame.values.v.dtype.name)
    assert.equal(7, frame.values.count)
    assert.equal(true, frame.values.flag)
    assert.equal(2, frame.values.j)
    assert.equal(4, frame.values.BLOCK)
    assert.equal("pointer x (f16)", tostring(frame.values.x))
    assert.truthy(frame:where():find("6 | if j == 2 then neso.breakpoint() end", 1, true))
    assert.equal(15, out:get(7))
  end)

  it("show the tables of a kernel, and where a function was called", function()
    local nested = neso.kernel [[
local function twice(v)
  local state = { value = v, parts = { 2, v + 1 }, f = twice }
  neso.breakpoint()
  state.value = nil
  return v * 2
end
function nested(out)
  tl.store(out, twice(tl.load(out)))
end]]
    local one = neso.ones { 1 }
    neso.interpreter.on_breakpoint = function(frame)
      assert.equal(1, frame.values.state.value)
      assert.equal(2, frame.values.state.parts[2])
      assert.equal(1, #frame.calls)
      assert.truthy(frame:where():find("called in .*:8$"))
      assert.truthy(frame:variables():find("parts = { 2, 2 }", 1, true))
    end
    nested:interpret(1, one)
    assert.equal(2, one:get(0))
    neso.interpreter.on_breakpoint = function() error("of a hook", 0) end
    assert.truthy(refusal(nested.interpret, nested, 1, one):find("of a hook", 1, true))
  end)

  it("go on to the next statement, or end the launch", function()
    local lines = {}
    neso.interpreter.on_breakpoint = function(frame)
      lines[#lines + 1] = frame.line
      return #lines < 3 and "next" or "quit"
    end
    local why = refusal(kernel.interpret, kernel, 1, out, x, 8, 4)
    assert.same({ 6, 7, 8 }, lines)
    assert.truthy(why:find("ended at a breakpoint", 1, true))
  end)

  it("may launch kernels, also the same one", function()
    local depth, other = 0, neso.zeros { 8 }
    neso.interpreter.on_breakpoint = function()
      if depth > 0 then return end
      depth = 1
      kernel:interpret(1, other, x, 8, 4)
      kernel:interpret(1, other, x, 8, 4)
      depth = 0
    end
    out:fill_(0)
    kernel:interpret(2, out, x, 8, 4)
    assert.equal(7, other:get(3))
    assert.equal(15, out:get(7))
  end)

  it("open a prompt", function()
    local path = os.tmpname()
    support.write(path, ([[local neso = require "neso"
      local k = neso.kernel %q
      local x, out = neso.arange(8, nil, nil, "f32"), neso.zeros { 8 }
      print(pcall(k.interpret, k, 2, out, x, 8, 4))
      print(out:get(3))]]):format(source))
    local text = support.run(("printf "
      .. "'v\\ncount + 1\\nnothing.at\\n:where\\n:vars\\n:n\\nw\\n:c\\n:q\\n'"
      .. " | luajit %s"):format(path))
    os.remove(path)
    assert.truthy(text:find("{0., 2., 4., 6.}\nf32 {4} on cpu:0", 1, true), text)
    assert.truthy(text:find("break> 8\n", 1, true), text)
    assert.truthy(text:find("attempt to index", 1, true), text)
    assert.truthy(text:find("[string]:7: kernel 'k', program (0, 0, 0) of (2, 1, 1)", 1, true),
      text)
    assert.truthy(text:find("ended at a breakpoint, in program (1, 0, 0)", 1, true), text)
    assert.truthy(text:find("\n7\n$"), text)
  end)

  it("are refused in compiled code and outside of kernels", function()
    local why = refusal(kernel[1], out, x, 8, 4)
    assert.truthy(why:find(":6:20: compiled code has no breakpoints\n", 1, true), why)
    assert.truthy(why:find("hint: run the kernel in the interpreter", 1, true))
    assert.truthy(refusal(neso.breakpoint):find("in kernels only", 1, true))
  end)
end)
