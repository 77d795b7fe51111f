-- Loops: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "range", "first last? step? num_stages? unroll?", group = "loop", method = false,
    doc = "For `for`: first, first + step, ... before last, at run time." },
  { "static_range", "first last? step?", group = "loop", method = false,
    doc = "For `for`: the same, unrolled; the variable is known when compiling." },
}
