-- Bits of integers: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "band", "x y", group = "bits", op = "arith.andi", example = "tl.band(n, 3)",
    doc = "Bitwise and: `x & y` for every Lua." },
  { "bor", "x y", group = "bits", op = "arith.ori", example = "tl.bor(n, 3)",
    doc = "Bitwise or." },
  { "bxor", "x y", group = "bits", op = "arith.xori", example = "tl.bxor(n, 3)",
    doc = "Bitwise exclusive or." },
  { "bnot", "x", group = "bits", op = "arith.xori", example = "tl.bnot(n)",
    doc = "All bits inverted." },
  { "lshift", "x y", group = "bits", op = "arith.shli", example = "tl.lshift(n, 3)",
    doc = "Bits moved up by y; 0 for y of the width or more." },
  { "rshift", "x y", group = "bits", op = "arith.shrui", example = "tl.rshift(n, 3)",
    doc = "Bits moved down by y, zeros shifted in." },
  { "arshift", "x y", group = "bits", op = "arith.shrsi", example = "tl.arshift(n, 3)",
    doc = "Bits moved down by y, copies of the sign shifted in (zeros for unsigned x)." },
  { "popcount", "x", group = "bits", op = "math.ctpop", example = "tl.popcount(n)",
    doc = "Number of bits that are 1, i32." },
  { "clz", "x", group = "bits", op = "math.ctlz", example = "tl.clz(n)",
    doc = "Number of zeros above the highest 1, i32; the width for 0." },
  { "ffs", "x", group = "bits", op = "math.cttz", example = "tl.ffs(n)",
    doc = "Place of the lowest 1 counted from 1, i32; 0 for 0." },
  { "brev", "x", group = "bits", library = true, example = "tl.brev(n:to(tl.u32))",
    doc = "Bits of a u32 or i32 in reverse." },
}
