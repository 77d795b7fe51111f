-- Shows the tile IR and generates no code.
return {
  stages = {
    { name = "tile", passes = "canonicalize,cse" },
  },
}
