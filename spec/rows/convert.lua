-- Conversion: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "cast", "x dtype saturate? rounding?", group = "convert",
    doc = "x as another dtype: rounded to nearest even; float to integer is cut toward zero and"
      .. " saturates, NaN gives 0. `saturate = true` gives the largest or least number of the dtype"
      .. " for what is beyond it; `rounding = \"rtz\"` cuts toward zero when a float becomes a"
      .. " narrower float." },
  { "pointer_type", "dtype const?", group = "convert", method = false, host = true,
    example = "x:to(tl.pointer_type(tl.i32))",
    reference = function(element, const)
      local dtype = require "neso.dtype"
      element = dtype.find(element) or error("expected a dtype such as tl.f32", 2)
      return dtype.pointer(element, const)
    end,
    doc = "The type of pointers to elements of a dtype, for declarations and x:to: an i64 becomes a"
      .. " pointer to that address; a pointer becomes its address or points to another dtype." },
  { "to", "x dtype saturate? rounding?", group = "convert", doc = "The same as tl.cast." },
  { "bitcast", "x dtype", group = "convert", op = "arith.bitcast",
    doc = "The bits of x under another dtype of the same width." },
}
