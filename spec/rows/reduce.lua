-- Reductions: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "sum", "x axis? keep_dims? dtype?", group = "reduce", op = "neso.reduce",
    doc = "Sum along an axis, or of everything. f16 and bf16 accumulate in f32 and round once;"
      .. " integers below 32 bits and booleans give 32 bits." },
  { "prod", "x axis? keep_dims? dtype?", group = "reduce", op = "neso.reduce", doc = "Product." },
  { "max", "x axis? keep_dims? propagate_nan? return_indices?", group = "reduce",
    op = "neso.reduce", doc = "Largest; with return_indices = true its lowest index as well." },
  { "min", "x axis? keep_dims? propagate_nan? return_indices?", group = "reduce",
    op = "neso.reduce", doc = "Smallest; with return_indices = true its lowest index as well." },
  { "argmax", "x axis? keep_dims? propagate_nan?", group = "reduce", op = "neso.arg_reduce",
    doc = "Lowest index of the largest, i32; the first NaN counts as largest." },
  { "argmin", "x axis? keep_dims? propagate_nan?", group = "reduce", op = "neso.arg_reduce",
    doc = "Lowest index of the smallest, i32; the first NaN counts as smallest." },
  { "any", "x axis? keep_dims?", group = "reduce", op = "neso.reduce",
    doc = "True where any element is not zero." },
  { "all", "x axis? keep_dims?", group = "reduce", op = "neso.reduce",
    doc = "True where no element is zero." },
  { "xor_sum", "x axis? keep_dims?", group = "reduce", op = "neso.reduce",
    doc = "Exclusive or of integers." },
  { "reduce", "x axis? fn? keep_dims?", group = "reduce", op = "neso.fold",
    example = "tl.reduce(v, 0, function(a, b) return a + b end)",
    doc = "Elements along an axis (nil: all) combined by fn(accumulator, element), an associative"
      .. " and commutative function on scalars. Of a list of n blocks fn takes n accumulators and n"
      .. " elements and gives n results." },
  { "softmax", "x axis?", group = "reduce", library = true,
    doc = "exp(x - max) / sum along an axis (default: the last)." },
}
