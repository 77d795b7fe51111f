-- Sorting, gathering and counting: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "sort", "x axis? descending? return_indices?", group = "order", op = "neso.sort",
    doc = "Sorted along an axis (default: the last), equal elements in their order; NaN counts as"
      .. " greatest. With return_indices = true also where the elements were (i32)." },
  { "argsort", "x axis? descending?", group = "order", op = "neso.sort",
    doc = "Where the elements of tl.sort were, i32." },
  { "topk", "x k axis? largest?", group = "order", op = "neso.sort",
    example = "v:topk(3)",
    doc = "The k largest (largest = false: least) along an axis in their order, and where they"
      .. " were (i32)." },
  { "gather", "x index axis", group = "order", op = "neso.gather",
    example = "v:gather(tl.arange(4), 0)",
    doc = "Elements of x at `index` along an axis; 0 where an index is outside." },
  { "histogram", "x bins mask?", group = "order", op = "neso.histogram",
    example = "tl.histogram(tl.arange(8), 4)",
    doc = "How often 0, 1, ... bins - 1 occur in integers x, i32; others are not counted." },
}
