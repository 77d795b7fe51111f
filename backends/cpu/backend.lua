-- The processor that the host runs on, through LLVM ORC.
return {
  name = "cpu",
  driver = "cpu",
  priority = 10,
  options = {
    num_warps = 4, -- accepted for kernels that also run elsewhere; means nothing here
    num_stages = 1, -- likewise
    fp = "strict", -- "contract": a*b+c may become one fused operation
    checked = false, -- true: accesses, overflows, shifts, divisions are checked
  },
}
