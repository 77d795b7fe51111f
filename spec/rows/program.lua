-- The program and its grid: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "swizzle2d", "i j size_i size_j size_g", group = "program", library = true, method = false,
    example = "tl.swizzle2d(n, n, 8, 8, 4)",
    doc = "Tile {i, j} of {size_i, size_j} in the order of groups of size_g rows, for the cache." },
  { "program_id", "axis?", group = "program", op = "neso.program_id",
    doc = "Index of this program along a grid axis (0, 1 or 2; default 0), i32." },
  { "num_programs", "axis?", group = "program", op = "neso.num_programs",
    doc = "Extent of the grid along an axis (default 0), i32." },
}
