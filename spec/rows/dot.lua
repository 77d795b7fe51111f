-- Matrix products: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "dot", "a b acc? precision? out_dtype?", group = "dot", op = "neso.dot", method = true,
    example = "tl.dot(w, w:T())",
    doc = "acc + a b for blocks {M, K} and {K, N}, or batches {..., M, K} and {..., K, N}. f16,"
      .. " bf16 and 8-bit floats (any two formats) accumulate in f32, integers up to 32 bits in 32."
      .. " The result has the dtype of `acc`, if that is narrower, rounded once; integers wrap."
      .. " f32 is IEEE unless `precision` is \"tf32\", \"tf32x3\", \"bf16\", \"bf16x3\" or"
      .. " \"bf16x6\"." },
  { "dot_scaled", "lhs lhs_scale? lhs_format? rhs? rhs_scale? rhs_format? acc? lhs_k_pack?"
      .. " rhs_k_pack? out_dtype?", group = "dot", library = true, method = false,
    example = "tl.dot_scaled(tl.zeros({ 4, 32 }, tl.f8e5m2), tl.zeros({ 4, 1 }, tl.u8), 'e5m2',"
      .. " tl.zeros({ 16, 8 }, tl.u8), nil, 'e2m1')",
    doc = "Product of microscaled matrices: formats \"e2m1\" (two in a u8, the first low),"
      .. " \"e4m3\", \"e5m2\", \"bf16\", \"fp16\"; scales {M, K / g} and {N, K / g} of u8 (e8m0) or"
      .. " f8e4m3fn for groups of 32 or 16, or nil. Products and sums are f32." },
}
