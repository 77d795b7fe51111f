-- Hints and static checks: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "static_assert", "condition message?", group = "hint", method = false,
    doc = "Ends the compilation with the message unless the condition holds." },
  { "static_print", "...", group = "hint", method = false, doc = "Prints while compiling." },
  { "multiple_of", "x values", group = "hint", doc = "x; a promise about divisibility." },
  { "max_contiguous", "x values", group = "hint", doc = "x; a promise about runs of successors." },
  { "max_constancy", "x values", group = "hint", doc = "x; a promise about runs of equal values." },
  { "assume", "condition", group = "hint", method = false,
    doc = "A promise that the condition holds." },
}
