-- Memory: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "load", "pointer mask? other? cache? evict? volatile? boundary_check? padding?",
    group = "memory", op = "neso.load",
    doc = "Elements at a pointer; where the mask is false, `other` (default 0), and no memory is"
      .. " touched." },
  { "store", "pointer value mask? cache? evict? boundary_check?", group = "memory",
    op = "neso.store",
    doc = "Writes the value, cast to the element type, where the mask is true." },
}
