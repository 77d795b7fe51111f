-- Operators, promotion and functions of the language: the operations they become.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "codegen_support.lua")

local function check(statements, params, expected, options)
  assert.are.equal(expected, support.body(statements, params, options))
end

describe("operators", function()
  it("promote f16 with bf16 to f16, and literals do not widen", function()
    check("local a = tl.load(h) + tl.load(b)  tl.store(x, a * 0.5)", "x:*f16 h:*f16 b:*bf16", [[
  %3 = neso.load %1, 0 : f16
  %4 = neso.load %2, 0 : bf16
  %5 = arith.extf %4 : f32
  %6 = arith.truncf %5 : f16
  %7 = arith.addf %3, %6 : f16
  %8 = arith.mulf %7, 0.5 : f16
  neso.store %0, 0, %8
]])
  end)

  it("a literal with a fraction makes f32 of an integer", function()
    check("tl.store(x, i * 0.5)", "x:*f32 i:i32", [[
  %2 = arith.sitofp %1 : f32
  %3 = arith.mulf %2, 0.5 : f32
  neso.store %0, 0, %3
]])
  end)

  it("/ divides integers as f32", function()
    check("tl.store(x, i / 2)", "x:*f32 i:i64", [[
  %2 = arith.sitofp %1 : f32
  %3 = arith.divf %2, 2 : f32
  neso.store %0, 0, %3
]])
  end)

  it("// and % floor; powers of two cost one operation", function()
    check("tl.store(x, i // 4)  tl.store(x, i % 8)  tl.store(x, i % 3)", "x:*i32 i:i32", [[
  %2 = arith.shrsi %1, 2 : i32
  neso.store %0, 0, %2
  %3 = arith.andi %1, 7 : i32
  neso.store %0, 0, %3
  %4 = arith.remsi %1, 3 : i32
  %5 = arith.cmpi %4, 0 {ne} : i1
  %6 = arith.cmpi %4, 0 {slt} : i1
  %7 = arith.andi %5, %6 : i1
  %8 = arith.addi %4, 3 : i32
  %9 = arith.select %7, %8, %4 : i32
  neso.store %0, 0, %9
]])
  end)

  it("// of a program id needs no correction", function()
    check("tl.store(x, tl.program_id(0) // 3)", "x:*i32", [[
  %1 = neso.program_id {axis = 0 : i32} : i32
  %2 = arith.divui %1, 3 : i32
  neso.store %0, 0, %2
]])
  end)

  it("unsigned types pick unsigned operations", function()
    check("tl.store(x, u // 3)  tl.store(x, u >> 2)  tl.store(x, (u < 5):to(tl.u32))",
      "x:*u32 u:u32", [[
  %2 = arith.divui %1, 3 : i32
  neso.store %0, 0, %2
  %3 = arith.shrui %1, 2 : i32
  neso.store %0, 0, %3
  %4 = arith.cmpi %1, 5 {ult} : i1
  %5 = arith.extui %4 : i32
  neso.store %0, 0, %5
]])
  end)

  it("^ with a small exponent multiplies", function()
    check("tl.store(x, f ^ 2)  tl.store(x, f ^ 0.5)  tl.store(x, f ^ f)", "x:*f32 f:f32", [[
  %2 = arith.mulf %1, %1 : f32
  neso.store %0, 0, %2
  %3 = math.sqrt %1 : f32
  neso.store %0, 0, %3
  %4 = math.powf %1, %1 : f32
  neso.store %0, 0, %4
]])
  end)

  it("fp = 'contract' fuses a product with its sum", function()
    check("tl.store(x, f * g + 1)", "x:*f32 f:f32 g:f32", [[
  %3 = arith.mulf %1, %2 : f32
  %4 = math.fma %1, %2, 1 : f32
  neso.store %0, 0, %4
]], { fp = "contract" })
  end)

  it("and/or on blocks work by element; c and x or y chooses", function()
    check([[local m = tl.arange(0, 8) < 4
      tl.store(x + tl.arange(0, 8), m and 1.5 or 0)
      tl.store(x, (m and not m):any())]], "x:*f32", [[
  %1 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %2 = arith.cmpi %1, 4 {slt} : <8xi1>
  %3 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %4 = arith.select %2, 1.5, 0 : <8xf32>
  neso.store %0, %3, %4
  %5 = arith.xori %2, 1 : <8xi1>
  %6 = arith.andi %2, %5 : <8xi1>
  %7 = neso.reduce %6 {axis = 0 : i32, kind = "or"} : i1
  %8 = arith.uitofp %7 : f32
  neso.store %0, 0, %8
]])
  end)

  it("'or' loads its right side only where it is asked", function()
    check("if tl.load(x) > 1 or tl.load(x + 1) > 2 then tl.store(x, 0) end", "x:*f32", [[
  %1 = neso.load %0, 0 : f32
  %2 = arith.cmpf %1, 1 {ogt} : i1
  %3 = arith.xori %2, 1 : i1
  %6 = scf.if %3 : i1
  {
    %4 = neso.load %0, 1 : f32
    %5 = arith.cmpf %4, 2 {ogt} : i1
    scf.yield %5
  }
  {
    scf.yield 1
  }
  scf.if %6
  {
    neso.store %0, 0, 0
    scf.yield
  }
  {
    scf.yield
  }
]])
  end)
end)

describe("pointers", function()
  it("offsets into a large buffer are computed in 64 bits from their factors on", function()
    check("local off = i * n + tl.arange(0, 16)  tl.store(y + off, 1)", "y:@f32 i:i32 n:i32", [[
  %3 = arith.extsi %2 : i64
  %4 = arith.extsi %1 : i64
  %5 = arith.muli %1, %2 : i32
  %6 = arith.muli %4, %3 : i64
  %7 = neso.arange {start = 0 : i32, end = 16 : i32} : <16xi32>
  %8 = arith.extsi %7 : <16xi64>
  %9 = tensor.splat %5 : <16xi32>
  %10 = tensor.splat %6 : <16xi64>
  %11 = arith.addi %9, %7 : <16xi32>
  %12 = arith.addi %10, %8 : <16xi64>
  neso.store %0, %12, 1
]])
  end)

  it("offsets into a small buffer stay in 32 bits", function()
    check("tl.store(y + (i * n + tl.arange(0, 16)), 1)", "y:*f32 i:i32 n:i32", [[
  %3 = arith.muli %1, %2 : i32
  %4 = neso.arange {start = 0 : i32, end = 16 : i32} : <16xi32>
  %5 = tensor.splat %3 : <16xi32>
  %6 = arith.addi %5, %4 : <16xi32>
  neso.store %0, %6, 1
]])
  end)

  it("a masked load has zeros where the mask is false", function()
    check("local i = tl.arange(0, 4)  tl.store(x + i, tl.load(x + i, i < n), i < n)",
      "x:*f32 n:i32", [[
  %2 = neso.arange {start = 0 : i32, end = 4 : i32} : <4xi32>
  %3 = tensor.splat %1 : <4xi32>
  %4 = arith.cmpi %2, %3 {slt} : <4xi1>
  %5 = neso.masked_load %0, %2, %4, 0 : <4xf32>
  %6 = tensor.splat %1 : <4xi32>
  %7 = arith.cmpi %2, %6 {slt} : <4xi1>
  neso.masked_store %0, %2, %5, %7
]])
  end)

  it("hints are arguments by name", function()
    check("tl.store(x, tl.load{x, cache = '.cg', evict = 'evict_first'})", "x:*f32", [[
  %1 = neso.load %0, 0 {cache = ".cg", evict = "evict_first"} : f32
  neso.store %0, 0, %1
]])
  end)
end)

describe("functions", function()
  it("16-bit floats are computed in f32 and rounded once", function()
    check("tl.store(x, tl.exp(tl.load(x)))", "x:*f16", [[
  %1 = neso.load %0, 0 : f16
  %2 = arith.extf %1 : f32
  %3 = math.exp %2 : f32
  %4 = arith.truncf %3 : f16
  neso.store %0, 0, %4
]])
  end)

  it("math.* and bit.* of Lua mean the tile operation on run-time values", function()
    check("tl.store(x, math.max(math.sqrt(f), math.floor(3.5)))  tl.store(x, bit.band(i, 7))",
      "x:*f32 f:f32 i:i32", [[
  %3 = math.sqrt %1 : f32
  %4 = arith.maximumf %3, 3 : f32
  neso.store %0, 0, %4
  %5 = arith.andi %2, 7 : i32
  %6 = arith.sitofp %5 : f32
  neso.store %0, 0, %6
]])
  end)

  it("max with indices, argmin of unsigned", function()
    check([[local v = tl.load(x + tl.arange(0, 8))
      local m, i = v:max(0, {return_indices = true})
      tl.store(x, m)  tl.store(x + i, v:argmin())]], "x:*u32", [[
  %1 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %2 = neso.load %0, %1 : <8xi32>
  %3 = neso.reduce %2 {axis = 0 : i32, kind = "umax"} : i32
  %4 = arith.xori %2, -2147483648 : <8xi32>
  %5, %6 = neso.arg_reduce %4 {axis = 0 : i32, kind = "max", propagate_nan = true} : i32, i32
  neso.store %0, 0, %3
  %7 = arith.xori %2, -2147483648 : <8xi32>
  %8, %9 = neso.arg_reduce %7 {axis = 0 : i32, kind = "min", propagate_nan = true} : i32, i32
  neso.store %0, %6, %9
]])
  end)

  it("reductions of everything and with kept axes", function()
    check([[local v = tl.full({2, 4}, n)
      tl.store(x, v:sum())  tl.store(x + v:min(1, true):ravel(), 1)]], "x:*i32 n:i32", [[
  %2 = tensor.splat %1 : <2x4xi32>
  %3 = neso.reshape %2 : <8xi32>
  %4 = neso.reduce %3 {axis = 0 : i32, kind = "sum"} : i32
  neso.store %0, 0, %4
  %5 = neso.reduce %2 {axis = 1 : i32, kind = "min"} : <2xi32>
  %6 = neso.reshape %5 : <2x1xi32>
  %7 = neso.reshape %6 : <2xi32>
  neso.store %0, %7, 1
]])
  end)

  it("dot accumulates f16 in f32 and keeps a loop's accumulator", function()
    check([[local a = tl.load(x + tl.arange(0, 16):col() * 8 + tl.arange(0, 8):row())
      local acc = tl.zeros{16, 16}
      for i = 1, n do acc = tl.dot(a, a:T(), acc) end
      tl.store(y + tl.arange(0, 16):col() * 16 + tl.arange(0, 16):row(), acc)]],
      "x:*f16 y:*f32 n:i32", [[
  %3 = neso.arange {start = 0 : i32, end = 16 : i32} : <16xi32>
  %4 = neso.expand_dims %3 {axis = 1 : i32} : <16x1xi32>
  %5 = arith.muli %4, 8 : <16x1xi32>
  %6 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %7 = neso.expand_dims %6 {axis = 0 : i32} : <1x8xi32>
  %8 = neso.broadcast %5 : <16x8xi32>
  %9 = neso.broadcast %7 : <16x8xi32>
  %10 = arith.addi %8, %9 : <16x8xi32>
  %11 = neso.load %0, %10 : <16x8xf16>
  %12 = arith.addi %2, 1 : i32
  %17 = scf.for 1, %12, 1, 0 : <16x16xf32>
  {%13: i32, %14: <16x16xf32>
    %15 = neso.trans %11 {order = [1, 0]} : <8x16xf16>
    %16 = neso.dot %11, %15, %14 {precision = "ieee"} : <16x16xf32>
    scf.yield %16
  }
  %18 = neso.arange {start = 0 : i32, end = 16 : i32} : <16xi32>
  %19 = neso.expand_dims %18 {axis = 1 : i32} : <16x1xi32>
  %20 = arith.muli %19, 16 : <16x1xi32>
  %21 = neso.arange {start = 0 : i32, end = 16 : i32} : <16xi32>
  %22 = neso.expand_dims %21 {axis = 0 : i32} : <1x16xi32>
  %23 = neso.broadcast %20 : <16x16xi32>
  %24 = neso.broadcast %22 : <16x16xi32>
  %25 = arith.addi %23, %24 : <16x16xi32>
  neso.store %1, %25, %17
]])
  end)

  it("conversions take the rounding of the table", function()
    check([[tl.store(x, f:to(tl.f16))  tl.store(x, tl.cast(f, "u8"))  tl.store(x, f:to(tl.i1))
      tl.store(x, tl.bitcast(f, tl.i32))]], "x:*f64 f:f32", [[
  %2 = arith.truncf %1 : f16
  %3 = arith.extf %2 : f64
  neso.store %0, 0, %3
  %4 = arith.fptoui %1 : i8
  %5 = arith.uitofp %4 : f64
  neso.store %0, 0, %5
  %6 = arith.cmpf %1, 0 {une} : i1
  %7 = arith.uitofp %6 : f64
  neso.store %0, 0, %7
  %8 = arith.bitcast %1 : i32
  %9 = arith.sitofp %8 : f64
  neso.store %0, 0, %9
]])
  end)

  it("the library is written in the language", function()
    check("tl.store(x + tl.arange(0, 8), tl.softmax(tl.load(x + tl.arange(0, 8))))", "x:*f32", [[
  %1 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %2 = neso.arange {start = 0 : i32, end = 8 : i32} : <8xi32>
  %3 = neso.load %0, %2 : <8xf32>
  %4 = neso.reduce %3 {axis = 0 : i32, kind = "max"} : f32
  %5 = tensor.splat %4 : <1xf32>
  %6 = tensor.splat %4 : <8xf32>
  %7 = arith.subf %3, %6 : <8xf32>
  %8 = math.exp %7 : <8xf32>
  %9 = neso.reduce %8 {axis = 0 : i32, kind = "sum"} : f32
  %10 = tensor.splat %9 : <1xf32>
  %11 = tensor.splat %9 : <8xf32>
  %12 = arith.divf %8, %11 : <8xf32>
  neso.store %0, %1, %12
]])
  end)
end)
