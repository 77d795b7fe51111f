-- Printing and checks at run time: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "device_print", "text ... hex?", group = "debug", method = false,
    doc = "Prints the text and the values: scalars on one line, blocks a line an element with its"
      .. " index. The lines of a launch come when it ends, in the order of the programs.",
    example = 'tl.device_print("v =", v, n)' },
  { "device_assert", "condition message? mask?", group = "debug", method = false,
    doc = "Ends the launch with an error that names file, line, program and element unless the"
      .. " condition holds wherever the mask is true. Always compiled in.",
    example = 'tl.device_assert(v == v, "a NaN")' },
}
