-- Random numbers: rows of tl functions; spec/ops_language.lua says
-- what the columns are. All are Philox4x32: the same seed and offset give the same numbers.

return {
  { "rand", "seed offset rounds?", group = "random", library = true, method = false,
    example = "tl.rand(n, tl.arange(8))",
    doc = "Uniform on [0, 1), f32, one for each offset. Seed and offsets are integers." },
  { "randn", "seed offset rounds?", group = "random", library = true, method = false,
    example = "tl.randn(n, tl.arange(8))", doc = "Normal with mean 0 and deviation 1, f32." },
  { "randint", "seed offset rounds?", group = "random", library = true, method = false,
    example = "tl.randint(n, tl.arange(8))", doc = "32 random bits, u32." },
  { "randint4x", "seed offset rounds?", group = "random", library = true, method = false,
    example = "tl.randint4x(n, tl.arange(8))",
    doc = "Four blocks of 32 random bits, at the price of one." },
  { "rand4x", "seed offset rounds?", group = "random", library = true, method = false,
    example = "tl.rand4x(n, tl.arange(8))", doc = "Four blocks of uniform numbers." },
  { "randn4x", "seed offset rounds?", group = "random", library = true, method = false,
    example = "tl.randn4x(n, tl.arange(8))", doc = "Four blocks of normal numbers." },
  { "philox", "seed c0 c1 c2 c3 rounds?", group = "random", library = true, method = false,
    example = "tl.philox(n, tl.arange(8), 0, 0, 0)",
    doc = "The four words of Philox4x32 for a counter of four words and a key of 64 bits." },
  { "philox_impl", "c0 c1 c2 c3 k0 k1 rounds?", group = "random", library = true, method = false,
    example = "tl.philox_impl(n:to(tl.u32), n:to(tl.u32), n:to(tl.u32), n:to(tl.u32), n:to(tl.u32),"
      .. " n:to(tl.u32))",
    doc = "The same for words of u32, the key as two of them." },
  { "uint_to_uniform_float", "x", group = "random", library = true,
    example = "tl.uint_to_uniform_float(n:to(tl.u32))", doc = "32 bits as a number of [0, 1)." },
  { "pair_uniform_to_normal", "u1 u2", group = "random", library = true, method = false,
    example = "tl.pair_uniform_to_normal(v, v)",
    doc = "Two uniform numbers as two normal ones (Box and Muller)." },
}
