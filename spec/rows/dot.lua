-- Matrix products: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "dot", "a b acc? precision? out_dtype?", group = "dot", op = "neso.dot", method = true,
    doc = "acc + a b for blocks {M, K} and {K, N}. f16 and bf16 accumulate in f32, f32 is IEEE"
      .. " unless `precision` names another mode; i8 gives i32." },
}
