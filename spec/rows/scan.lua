-- Scans: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "cumsum", "x axis? reverse? dtype?", group = "scan", op = "neso.scan",
    doc = "Sums of each element and those before it (reverse: after it) along an axis (default 0)."
      .. " f16 and bf16 accumulate in f32, each prefix is rounded once; integers below 32 bits give"
      .. " 32 bits." },
  { "cumprod", "x axis? reverse? dtype?", group = "scan", op = "neso.scan",
    doc = "Products, likewise." },
  { "cummax", "x axis? reverse? propagate_nan?", group = "scan", op = "neso.scan",
    doc = "Largest so far." },
  { "cummin", "x axis? reverse? propagate_nan?", group = "scan", op = "neso.scan",
    doc = "Smallest so far." },
  { "associative_scan", "x axis? fn? reverse?", group = "scan", op = "neso.scan",
    example = "tl.associative_scan(v, 0, function(a, b) return a + b end)",
    doc = "Prefixes combined by fn(accumulator, element), an associative function on scalars. Of a"
      .. " list of n blocks fn takes n accumulators and n elements and gives n results." },
  { "map_elementwise", "fn ...", group = "scan", op = "neso.map", method = false,
    example = "tl.map_elementwise(function(a) return a + 1 end, v)",
    doc = "fn, a function on scalars with branches and loops of its own, on each element of the"
      .. " blocks; as many blocks as it gives results." },
}
