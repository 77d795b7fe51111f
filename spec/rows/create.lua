-- Creation: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "arange", "first last?", group = "create", op = "neso.arange",
    doc = "Block of i32 from `first` to before `last`; with one argument from 0." },
  { "full", "shape value dtype?", group = "create",
    doc = "Block with `value` everywhere; the dtype defaults to that of the value (1.0 is the"
      .. " integer 1)." },
  { "zeros", "shape dtype?", group = "create",
    doc = "Block of zeros, f32 unless a dtype is given." },
  { "full_like", "x value", group = "create", library = true, example = "tl.full_like(v, 2)",
    doc = "Block of the shape and dtype of x with `value` everywhere." },
  { "zeros_like", "x", group = "create", doc = "Zeros of the shape and dtype of x." },
}
