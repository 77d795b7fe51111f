-- Atomic operations: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "atomic_add", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_add(x, 1)",
    doc = "Adds the value; gives what was there before." },
  { "atomic_max", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_max(x, 1)",
    doc = "Keeps the larger; NaN wins; gives what was there before." },
  { "atomic_min", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_min(x, 1)",
    doc = "Keeps the smaller; NaN wins; gives what was there before." },
  { "atomic_and", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_and(x:to(tl.pointer_type(tl.i32)), 1)",
    doc = "Bitwise and; gives what was there before." },
  { "atomic_or", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_or(x:to(tl.pointer_type(tl.i32)), 1)",
    doc = "Bitwise or; gives what was there before." },
  { "atomic_xor", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_xor(x:to(tl.pointer_type(tl.i32)), 1)",
    doc = "Bitwise exclusive or; gives what was there before." },
  { "atomic_xchg", "pointer value mask? sem? scope?", group = "atomic", op = "neso.atomic_rmw",
    example = "tl.atomic_xchg(x, 1)",
    doc = "Puts the value there; gives what was there before." },
  { "atomic_cas", "pointer compare value mask? sem? scope?", group = "atomic",
    example = "tl.atomic_cas(x, 0, 1)",
    op = "neso.atomic_cas",
    doc = "Puts the value there where memory has the bits of `compare`; gives what was there"
      .. " before." },
  { "debug_barrier", "", group = "atomic", op = "neso.barrier", method = false,
    example = "tl.debug_barrier()",
    doc = "All threads of the program meet; memory operations are in program order without it." },
}
