--- What a person who knows Triton looks for and neso has not: name = what to write meanwhile.
--- spec/language.md lists the same.
return {
  floordiv = "tl.div_floor",
}
