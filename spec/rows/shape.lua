-- Shape: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "broadcast_to", "x shape", group = "shape", op = "neso.broadcast",
    doc = "x stretched to a shape: extents of 1 grow, missing ones on the left are added." },
  { "expand_dims", "x axis", group = "shape", op = "neso.expand_dims",
    doc = "An extent of 1 put in at `axis`, counted in the result." },
  { "col", "x", group = "shape", doc = "A block {n} as a column {n, 1}." },
  { "row", "x", group = "shape", doc = "A block {n} as a row {1, n}." },
  { "reshape", "x shape", group = "shape", op = "neso.reshape",
    doc = "The same elements in row-major order under another shape; {} gives a scalar." },
  { "ravel", "x", group = "shape", doc = "All elements in one axis." },
  { "trans", "x order?", group = "shape", op = "neso.trans",
    doc = "Axes in another order; by default the last two change places." },
  { "permute", "x order", group = "shape", op = "neso.trans",
    doc = "Axes in the order given: extent k of the result is extent order[k] of x." },
  { "T", "x", group = "shape", doc = "The two axes of a block change places." },
}
