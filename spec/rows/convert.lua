-- Conversion: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "cast", "x dtype", group = "convert",
    doc = "x as another dtype: rounded to nearest even; float to integer is cut toward zero and"
      .. " saturates, NaN gives 0." },
  { "to", "x dtype", group = "convert", doc = "The same as tl.cast." },
  { "bitcast", "x dtype", group = "convert", op = "arith.bitcast",
    doc = "The bits of x under another dtype of the same width." },
}
