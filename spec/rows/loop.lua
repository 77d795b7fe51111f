-- Loops: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "range", "first last? step? num_stages? unroll? flatten? warp_specialize? disable_licm?"
      .. " disallow_acc_multi_buffer?", group = "loop", method = false,
    doc = "For `for`: first, first + step, ... before last, at run time. The rest are hints, which"
      .. " change no result." },
  { "static_range", "first last? step?", group = "loop", method = false,
    doc = "For `for`: the same, unrolled; the variable is known when compiling." },
}
