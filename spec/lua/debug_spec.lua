-- Printing, assertions and checked mode: text and errors of real launches.

local neso = require "neso"
local support = dofile "spec/lua/support.lua"

-- What a script prints that begins with neso, tl and a few tensors.
local function printed(code, environment)
  return support.lua([[
    local neso = require "neso"
    local tl = neso.language
  ]] .. code, environment)
end

-- Error of a launch without the name of the file: "3: kernel 'k': ...".
local function failure(launch)
  local ok, message = pcall(launch)
  assert.is_false(ok)
  return (tostring(message):gsub("^.-:(%d+): kernel", "%1: kernel"))
end

describe("tl.device_print", function()
  it("prints scalars, blocks and texts in the order of the programs", function()
    assert.equal([[
(0, 0, 0) n 3 true
(0, 0, 0) {0, 0} v 1.5 0
(0, 0, 0) {0, 1} v -0.0 1
(0, 0, 0) {1, 0} v inf 2
(0, 0, 0) {1, 1} v 0.1 3
(1, 0, 0) n 3 true
(1, 0, 0) {0, 0} v 1.5 0
(1, 0, 0) {0, 1} v -0.0 1
(1, 0, 0) {1, 0} v inf 2
(1, 0, 0) {1, 1} v 0.1 3
]], printed [[
      local k = neso.jit(function(x, n)
        local i = tl.arange(0, 4)
        tl.device_print("n", n, n > 2)
        tl.device_print("v ", tl.load(x + i):reshape(2, 2), i:reshape(2, 2))
      end)
      k[2](neso.tensor({ 1.5, -0.0, 1 / 0, 0.1 }), 3)
    ]])
  end)

  it("is what print(...) does in a kernel", function()
    assert.equal("(0, 0, 0) a\t1\tnil\ttrue\t7\n(0, 0, 0) b\n(1, 0, 0) a\t1\tnil\ttrue\t7\n"
      .. "(1, 0, 0) b\n", printed [[
      local k = neso.jit(function(n)
        print("a", 1, nil, true, n)
        print("b")
      end)
      k[2](7)
    ]])
  end)

  it("shows every dtype", function()
    local rows = { i1 = "true", i8 = "-128", i16 = "-3", i32 = "-2147483648", i64 = "-3",
      u8 = "200", u16 = "65535", u32 = "4294967295", u64 = "7", f16 = "0.1", bf16 = "0.1",
      f32 = "0.1", f64 = "0.1", f8e5m2 = "0.09", f8e4m3fn = "448.0", f8e4b15 = "1.5",
      f8e4m3fnuz = "0.1",
      f8e5m2fnuz = "-2.0" }
    for dtype, text in pairs(rows) do
      local code = ([[
        local k = neso.jit(function(x)
          tl.device_print("", tl.load(x))
          tl.device_print("", tl.load(x + tl.arange(0, 1)))
        end)
        k[1](neso.tensor({ %s }, "%s"))
      ]]):format(text, dtype)
      local out = printed(code)
      assert.equal(("(0, 0, 0) %s\n(0, 0, 0) {0} %s\n"):format(text, text), out)
    end
  end)

  it("shows bits and addresses", function()
    local out = printed [[
      local k = neso.jit(function(x)
        tl.device_print("bits ", tl.load(x), { hex = true })
        tl.device_print("at", x, x + tl.arange(0, 2))
      end)
      local x = neso.tensor({ 1 })
      k[1](x)
      print(tostring(x:pointer()):match "0x%x+")
    ]]
    local address = out:match "(0x%x+)\n$"
    local number = tonumber(address)
    assert.equal(("(0, 0, 0) bits 0x3f800000\n(0, 0, 0) {0} at 0x%x 0x%x\n"
      .. "(0, 0, 0) {1} at 0x%x 0x%x\n%s\n"):format(number, number, number, number + 4, address),
      out)
  end)

  it("prints in loops, branches and functions, and keeps what came before a failure", function()
    assert.equal("(0, 0, 0) i 0\n(0, 0, 0) i 1\n(0, 0, 0) even 0\nfalse\n", printed [[
      local function show(i) tl.device_print("i", i) end
      local k = neso.jit(function(n)
        local i = 0
        for j in tl.range(2) do show(j) end
        if n % 2 == 0 then tl.device_print("even", n) end
        assert(n > 0, "n is not positive")
        tl.device_print("never")
      end)
      print((pcall(k[1], 0)))
    ]])
  end)

  it("refuses what it cannot print", function()
    assert.matches("begins with a text, got", failure(function()
      neso.kernel [[function k(n) tl.device_print(n) end]][1](1)
    end))
    assert.matches("cannot print blocks of shapes {2} and {3}", failure(function()
      neso.kernel [[function k() print(tl.arange(0, 2), tl.arange(0, 3)) end]][1]()
    end), 1, true)
    assert.matches("the function given to tl.reduce uses print", failure(function()
      neso.kernel [[function k()
        tl.reduce(tl.arange(0, 2), 0, function(a, b) print(a) return a + b end)
      end]][1]()
    end))
  end)
end)

describe("tl.device_assert", function()
  local helper = neso.kernel [[function helper(x, n)
    for i in tl.range(n) do
      for j in tl.range(n) do
        if i * j == 6 then
          tl.device_assert(tl.load(x + i * j) < 5, "x is small")
        end
      end
    end
  end]]

  it("names line, message, program and element", function()
    local x = neso.arange(12)
    local k = neso.kernel [[function k(x)
      local i = tl.arange(0, 12):reshape(3, 4)
      tl.device_assert(tl.load(x + i) ~= 6 + 0 * tl.program_id(0), "six")
    end]]
    assert.equal("3: kernel 'k': assertion failed: six, in program (0, 0, 0), element {1, 2}",
      failure(function() k[{ 5, 2 }](x) end))
    local masked = neso.kernel [[function k(x)
      local i = tl.arange(0, 12)
      tl.device_assert(tl.load(x + i) ~= 6, "six", i < 6)
      tl.device_assert(tl.program_id(1) < 1)
    end]]
    assert.equal("4: kernel 'k': assertion failed, in program (0, 1, 0)",
      failure(function() masked[{ 1, 2 }](x) end))
  end)

  it("works in helpers, branches and nested loops, and after a thousand failures", function()
    local x = neso.arange(16)
    local k = neso.kernel([[function k(x, n)
      helper(x, n)
      tl.store(x, 1)
    end]], { helper = helper })
    for _ = 1, 1000 do
      assert.matches("assertion failed: x is small, in program", failure(function()
        k[8](x, 4)
      end))
    end
    assert.equal(0, x:get(0))
    k[8](x, 2)
    assert.equal(1, x:get(0))
  end)

  it("comes from the cache with its line", function()
    local code = [[
      local k = neso.kernel("function k(n)\n\n  assert(n == 1, 'one')\nend")
      print(pcall(k[1], 2))
      print(k:info().cached)
    ]]
    local first = printed(code)
    local second = printed(code)
    assert.matches(":3: kernel 'k': assertion failed: one, in program %(0, 0, 0%)", first)
    assert.equal((first:gsub("false\n$", "true\n"):gsub("[^\t]*:3:", "")),
      (second:gsub("[^\t]*:3:", "")))
  end)

  it("refuses what is no condition", function()
    assert.matches("an assertion takes a condition, got scalar of i32", failure(function()
      neso.kernel [[function k(n) assert(n) end]][1](1)
    end))
    assert.matches("the message of an assertion is a text", failure(function()
      neso.kernel [[function k(n) tl.device_assert(n > 0, n) end]][1](1)
    end))
  end)
end)

describe("checked mode", function()
  local function check(text, wanted, call)
    local k, grid = neso.kernel(text), call.grid or 1
    call.grid, call.checked = nil, true
    if wanted then
      assert.equal(wanted, failure(function() k[grid](call) end))
    else
      k[grid](call)
    end
  end

  local function ints(...) return neso.tensor({ ... }, "i32") end

  it("finds accesses outside of the buffers", function()
    local x = neso.zeros { 100 }
    check([[function k(x)
      local i = tl.program_id(0) * 32 + tl.arange(0, 32)
      tl.store(x + i, 1)
    end]], "3: kernel 'k': store of f32 at element 100 of 'x', which has 100, in program "
      .. "(3, 0, 0), element {4}", { x = x, grid = 4 })
    check([[function k(x, n)
      local i = tl.program_id(0) * 32 + tl.arange(0, 32)
      tl.store(x + i, tl.load(x + i, i < n), i < n)
    end]], nil, { x = x, n = 100, grid = 4 })
    check([[function k(x)
      tl.store(x, tl.load(x - 1))
    end]], "2: kernel 'k': load of f32 at element -1 of 'x', which has 100, in program (0, 0, 0)",
      { x = x })
    check([[function k(x)
      tl.atomic_add(x + 4294967296, 1)
    end]], "2: kernel 'k': atomic of f32 at element 4294967296 of 'x', which has 100, in program "
      .. "(0, 0, 0)", { x = x })
    check([[function k(x)
      local p = x
      for i in tl.range(101) do
        tl.store(p, i)
        p = p + 1
      end
    end]], nil, { x = neso.zeros { 101 } })
  end)

  it("finds signed overflow of every width, and leaves unsigned wrap alone", function()
    for _, bits in ipairs { 8, 16, 32, 64 } do
      local least = bits == 64 and "-9223372036854775808" or -2 ^ (bits - 1)
      local most = bits == 64 and "9223372036854775807" or 2 ^ (bits - 1) - 1
      local x = neso.tensor({ least, 0, 1, most }, "i" .. bits)
      local u = neso.tensor({ 0, 1, 2, 3 }, "u" .. bits)
      for op, rows in pairs {
        ["+"] = { { 0 }, { 1, 3 }, { -1, 0 } }, ["-"] = { { 0 }, { 1, 0 }, { -1, 3 } },
        ["*"] = { { 0 }, { 1 }, { -1, 0 }, { 2, 0 } },
      } do
        for _, row in ipairs(rows) do
          local text = "function k(x)\nlocal y = tl.load(x + tl.arange(0, 4)) %s %d"
            .. " tl.store(x, y:max())\nend"
          local problem = row[2] and ("2: kernel 'k': i%d overflow: the result of '%s' does not"
            .. " fit, in program (0, 0, 0), element {%d}"):format(bits, op, row[2])
          check(text:format(op, row[1]), problem, { x = x:clone() })
        end
        check(("function k(x)\ntl.store(x, (tl.load(x + tl.arange(0, 4)) %s 3):max())\nend"):format(
          op), nil, { x = u:clone() })
      end
      check("function k(x)\ntl.store(x, -tl.load(x))\nend",
        ("2: kernel 'k': i%d overflow: the result of '-' does not fit, in program (0, 0, 0)")
          :format(bits), { x = x })
    end
  end)

  it("finds divisions, shifts and conversions that cannot be", function()
    local x = ints(5, -2147483648, 7, 0)
    for _, call in ipairs { "a // b", "a % b", "tl.div_trunc(a, b)", "tl.rem(a, b)" } do
      local text = ("function k(x)\nlocal a, b = tl.load(x + 1), tl.load(x + 3)\n"
        .. "tl.store(x, %s)\nend"):format(call)
      assert.matches("3: kernel 'k': division by zero: '", failure(function()
        neso.kernel(text)[1] { x = x, checked = true }
      end))
      assert.matches("i32 overflow: '[^']*' of the least value by %-1", failure(function()
        neso.kernel(text)[1] { x = ints(5, -2147483648, 7, -1), checked = true }
      end))
      neso.kernel(text)[1] { x = ints(5, -2147483648, 7, 2), checked = true }
    end
    check("function k(x, n)\ntl.store(x, tl.load(x) << n)\nend", "2: kernel 'k': the count of '<<' "
      .. "is not within 0 to 31, in program (0, 0, 0)", { x = x, n = 32 })
    check("function k(x, n)\ntl.store(x, tl.load(x) >> n)\nend", "2: kernel 'k': the count of '>>' "
      .. "is not within 0 to 31, in program (0, 0, 0)", { x = x, n = -1 })
    check("function k(x, n)\ntl.store(x, tl.load(x) << n)\nend", nil, { x = x, n = 31 })
    for _, row in ipairs { { 2147483648 }, { -2147483648, true }, { -2147483904 }, { 0 / 0 } } do
      check("function k(x, f)\ntl.store(x, (f + tl.load(x + 3):to(tl.f32)):to(tl.i32))\nend",
        not row[2] and "2: kernel 'k': the value does not fit i32, in program (0, 0, 0)" or nil,
        { x = x, f = row[1] })
    end
  end)

  it("checks promises", function()
    local x = ints(0)
    check("function k(x, n)\ntl.assume(n > 2)\nend", "2: kernel 'k': what tl.assume promises does "
      .. "not hold, in program (0, 0, 0)", { x = x, n = 1 })
    check("function k(x, n)\ntl.multiple_of(n, 4)\nend", "2: kernel 'k': what tl.multiple_of "
      .. "promises does not hold, in program (0, 0, 0)", { x = x, n = 6 })
    check("function k(x, n)\ntl.max_contiguous(tl.arange(0, 8) * n, 4)\nend", "2: kernel 'k': what "
      .. "tl.max_contiguous promises does not hold, in program (0, 0, 0), element {0, 1}",
      { x = x, n = 2 })
    check("function k(x, n)\ntl.max_constancy(tl.arange(0, 8) // 4, 4)\nend", nil, { x = x, n = 2 })
  end)

  it("leaves alone 32-bit offsets that are computed in 64 bits on their way", function()
    check([[function k(x, big)
      local off = big * big
      tl.store(x + off, 1, big < 0)
    end]], nil, { x = ints(0), big = 65536 })
    check([[function k(x, big)
      local off = big * big
      tl.store(x + off, off, big < 0)
    end]], "2: kernel 'k': i32 overflow: the result of '*' does not fit, in program (0, 0, 0)",
      { x = ints(0), big = 65536 })
  end)

  it("has variants of its own, can be declared and comes from the environment", function()
    local plain = neso.kernel [[function k(x, n) tl.store(x, n + 1) end]]
    local x = ints(0)
    plain[1](x, 2147483647)
    assert.matches("i32 overflow", failure(function()
      plain[1] { x, 2147483647, checked = true }
    end))
    plain[1](x, 2147483647)
    assert.equal(2, #plain:variants())
    local declared = neso.kernel("function k(x, n) tl.store(x, n + 1) end",
      { declare = { k = { checked = true } } })
    assert.matches("i32 overflow", failure(function() declared[1](x, 2147483647) end))
    declared[1] { x, 2147483647, checked = false }
    local code = [[
      local k = neso.kernel "function k(x, n) tl.store(x, n + 1) end"
      local ok, message = pcall(k[1], neso.zeros(1, "i32"), 2147483647)
      print(ok, tostring(message):match "i32 overflow")
    ]]
    assert.equal("false\ti32 overflow\n", printed(code, "NESO_CHECKED=1"))
    assert.equal("true\tnil\n", printed(code, "NESO_CHECKED=0"))
    assert.equal("true\tnil\n", printed(code))
  end)

  it("lets the host live", function()
    local k = neso.kernel [[function k(x)
      tl.store(x + tl.program_id(0) * 1000000000, 1)
    end]]
    local x = ints(0, 0)
    for _ = 1, 200 do
      assert.matches("at element 1000000000 of 'x', which has 2", failure(function()
        k[4] { x, checked = true }
      end))
    end
    k[1] { x, checked = true }
    assert.equal(1, x:get(0))
  end)
end)
