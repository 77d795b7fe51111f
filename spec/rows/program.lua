-- The program and its grid: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "program_id", "axis?", group = "program", op = "neso.program_id",
    doc = "Index of this program along a grid axis (0, 1 or 2; default 0), i32." },
  { "num_programs", "axis?", group = "program", op = "neso.num_programs",
    doc = "Extent of the grid along an axis (default 0), i32." },
}
