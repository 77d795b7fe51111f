-- Control flow: branches, loops, leaving early, functions, tables.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "codegen_support.lua")

local function check(statements, params, expected, options)
  assert.are.equal(expected, support.body(statements, params, options))
end

describe("if", function()
  it("compiles the taken side only when the condition is known", function()
    check("if BLOCK > 8 then tl.store(x, 1) else tl.store(x, no.such.thing) end",
      "x:*i32 BLOCK=16", "  neso.store %0, 0, 1\n")
  end)

  it("merges variables; literals take the type of the other side", function()
    check([[local v = 0
      if n > 3 then v = f end
      tl.store(x, v)]], "x:*f32 n:i32 f:f32", [[
  %3 = arith.cmpi %1, 3 {sgt} : i1
  %4 = scf.if %3 : f32
  {
    scf.yield %2
  }
  {
    scf.yield 0
  }
  neso.store %0, 0, %4
]])
  end)

  it("what follows an early return belongs to the other side", function()
    check([[local i = tl.program_id(0)
      if i >= n then return end
      tl.store(x + i, i)]], "x:*i32 n:i32", [[
  %2 = neso.program_id {axis = 0 : i32} : i32
  %3 = arith.cmpi %2, %1 {sge} : i1
  %4 = scf.if %3 : i1
  {
    scf.yield 1
  }
  {
    neso.store %0, %2, %2
    scf.yield 0
  }
]])
  end)

  it("merges pointers by offset, and by base where bases differ", function()
    check([[local p, q = x, x
      if n > 1 then p = y  q = x + n end
      tl.store(p, 1)  tl.store(q, 2)]], "x:*f32 y:*f32 n:i32", [[
  %3 = arith.cmpi %2, 1 {sgt} : i1
  %4, %5 = scf.if %3 : ptr<f32>, i32
  {
    scf.yield %1, %2
  }
  {
    scf.yield %0, 0
  }
  neso.store %4, 0, 1
  neso.store %0, %5, 2
]])
  end)
end)

describe("loops", function()
  it("for is inclusive; a literal accumulator takes the loop's type", function()
    check([[local acc = 0
      for i = 0, n, 16 do acc = acc + tl.load(x + i + tl.arange(0, 16)) end
      tl.store(x, tl.sum(acc))]], "x:*f32 n:i32", [[
  %2 = arith.addi %1, 1 : i32
  %10 = scf.for 0, %2, 16, 0 : <16xf32>
  {%3: i32, %4: <16xf32>
    %5 = neso.arange {start = 0 : i32, end = 16 : i32} : <16xi32>
    %6 = tensor.splat %3 : <16xi32>
    %7 = arith.addi %6, %5 : <16xi32>
    %8 = neso.load %0, %7 : <16xf32>
    %9 = arith.addf %4, %8 : <16xf32>
    scf.yield %9
  }
  %11 = neso.reduce %10 {axis = 0 : i32, kind = "sum"} : f32
  neso.store %0, 0, %11
]])
  end)

  it("counts down", function()
    check("for i = n, 1, -2 do tl.store(x + i, i) end", "x:*i32 n:i32", [[
  %2 = arith.subi 0, %1 : i32
  scf.for %2, 0, 2
  {%3: i32
    %4 = arith.subi 0, %3 : i32
    neso.store %0, %4, %4
    scf.yield
  }
]])
  end)

  it("tl.range is half open and carries hints", function()
    check("for i in tl.range{0, n, 16, num_stages = 3} do tl.store(x + i, 1) end", "x:*i32 n:i32",
      [[
  scf.for 0, %1, 16 {neso.num_stages = 3 : i32}
  {%2: i32
    neso.store %0, %2, 1
    scf.yield
  }
]])
  end)

  it("tl.static_range, ipairs and pairs unroll", function()
    check([[for i in tl.static_range(2) do tl.store(x + i, i) end
      for _, v in ipairs{3, 5} do tl.store(x, v) end
      for k, v in pairs{b = 1, a = n} do tl.store(x + #k, v) end]], "x:*i32 n:i32", [[
  neso.store %0, 0, 0
  neso.store %0, 1, 1
  neso.store %0, 0, 3
  neso.store %0, 0, 5
  neso.store %0, 1, %1
  neso.store %0, 1, 1
]])
  end)

  it("while becomes scf.while", function()
    check([[local i, acc = 0, 0
      while i < n do
        acc = acc + i * 0.5
        i = i + 1
      end
      tl.store(x, acc)]], "x:*f32 n:i32", [[
  %11, %12 = scf.while 0, 0 : i32, f32
  {%2: i32, %3: f32
    %4 = arith.cmpi %2, %1 {slt} : i1
    scf.condition %4, %2, %3
  }
  {%5: i32, %6: f32
    %7 = arith.sitofp %5 : f32
    %8 = arith.mulf %7, 0.5 : f32
    %9 = arith.addf %6, %8 : f32
    %10 = arith.addi %5, 1 : i32
    scf.yield %10, %9
  }
  neso.store %0, 0, %12
]])
  end)

  it("while over what is known when compiling unrolls", function()
    check([[local w, s = 4, tl.arange(0, 4)
      while w > 1 do
        w = w // 2
        s = s:reshape(2, w):sum(0)
      end
      tl.store(x, s:sum())]], "x:*i32", [[
  %1 = neso.arange {start = 0 : i32, end = 4 : i32} : <4xi32>
  %2 = neso.reshape %1 : <2x2xi32>
  %3 = neso.reduce %2 {axis = 0 : i32, kind = "sum"} : <2xi32>
  %4 = neso.reshape %3 : <2x1xi32>
  %5 = neso.reduce %4 {axis = 0 : i32, kind = "sum"} : <1xi32>
  %6 = neso.reduce %5 {axis = 0 : i32, kind = "sum"} : i32
  neso.store %0, 0, %6
]])
  end)

  it("break makes a flag that ends the loop", function()
    check([[local found = -1
      for i = 0, n do
        if tl.load(x + i) > 3 then found = i; break end
      end
      tl.store(x, found)]], "x:*f32 n:i32", [[
  %2 = arith.addi %1, 1 : i32
  %17, %18, %19 = scf.while 0, -1, 0 : i32, i32, i1
  {%3: i32, %4: i32, %5: i1
    %6 = arith.xori %5, 1 : i1
    %7 = arith.cmpi %3, %2 {slt} : i1
    %8 = arith.andi %6, %7 : i1
    scf.condition %8, %3, %4, %5
  }
  {%9: i32, %10: i32, %11: i1
    %12 = neso.load %0, %9 : f32
    %13 = arith.cmpf %12, 3 {ogt} : i1
    %14, %15 = scf.if %13 : i32, i1
    {
      scf.yield %9, 1
    }
    {
      scf.yield %10, 0
    }
    %16 = arith.addi %9, 1 : i32
    scf.yield %16, %14, %15
  }
  %20 = arith.sitofp %18 : f32
  neso.store %0, 0, %20
]])
  end)

  it("a variable set in a loop that always runs is there afterwards", function()
    check([[local last
      for i = 1, 3 do last = i * n end
      tl.store(x, last)]], "x:*i32 n:i32", [[
  %5 = scf.for 1, 4, 1, 0 : i32
  {%2: i32, %3: i32
    %4 = arith.muli %2, %1 : i32
    scf.yield %4
  }
  neso.store %0, 0, %5
]])
  end)
end)

describe("functions and tables", function()
  it("are compiled in place, with several results and closures", function()
    check([[local scale = 3
      local function f(a, ...)
        local first = ...
        return a * scale, first + select("#", ...)
      end
      local u, v = f(n, 4, 5)
      tl.store(x + v, u)]], "x:*i32 n:i32", [[
  %2 = arith.muli %1, 3 : i32
  neso.store %0, 6, %2
]])
  end)

  it("returns inside a run-time if are merged", function()
    check([[local function sign(a)
        if a > 0 then return 1 end
        if a < 0 then return -1 end
        return 0
      end
      tl.store(x, sign(n))]], "x:*i32 n:i32", [[
  %2 = arith.cmpi %1, 0 {sgt} : i1
  %5 = scf.if %2 : i32
  {
    scf.yield 1
  }
  {
    %3 = arith.cmpi %1, 0 {slt} : i1
    %4 = scf.if %3 : i32
    {
      scf.yield -1
    }
    {
      scf.yield 0
    }
    scf.yield %4
  }
  neso.store %0, 0, %5
]])
  end)

  it("fields of tables are variables", function()
    check([[local t = {a = n, list = {1, 2}}
      if n > 3 then t.a = t.a + t.list[2] else t.a = 0 end
      tl.store(x, t.a)]], "x:*i32 n:i32", [[
  %2 = arith.cmpi %1, 3 {sgt} : i1
  %4 = scf.if %2 : i32
  {
    %3 = arith.addi %1, 2 : i32
    scf.yield %3
  }
  {
    scf.yield 0
  }
  neso.store %0, 0, %4
]])
  end)
end)

describe("nested loops", function()
  local shapes = {
    { "for %s = 1, n do ", "end " },
    { "for %s = 1, n do if %s > tl.load(x) then break end ", "end " },
    { "local %s = 0 while %s < n do %s = %s + 1 ", "end " },
    { "local %s = 0 while true do %s = %s + 1 if %s > n then break end ", "end " },
    { "local %s = 0 repeat %s = %s + 1 ", "until %s >= n " },
  }

  local function nested(shape, depth)
    local parts, ends = { "local acc = 0 " }, {}
    for i = 1, depth do
      local name = "i" .. i
      parts[i + 1] = shape[1]:gsub("%%s", name)
      table.insert(ends, 1, (shape[2]:gsub("%%s", name)))
    end
    return table.concat(parts) .. "acc = acc + 1.5 " .. table.concat(ends) .. "tl.store(x, acc)"
  end

  it("are compiled in a time that does not double with each level", function()
    for _, shape in ipairs(shapes) do
      local start = os.clock()
      local text = support.body(nested(shape, 14), "x:*f32 n:i32")
      assert.truthy(text:find "addf")
      assert.is_true(os.clock() - start < 2)
    end
  end)
end)
