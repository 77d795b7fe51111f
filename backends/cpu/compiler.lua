-- How a kernel becomes machine code on the CPU: the stages and, in order, the passes of each.
-- Names that begin with `neso-` are passes of ours, others MLIR's; the stage `opt` lists LLVM's.
return {
  stages = {
    {
      name = "tile",
      passes = "neso-verify,canonicalize,cse,loop-invariant-code-motion,"
        .. "int-range-optimizations,canonicalize",
    },
    {
      name = "cpu",
      passes = "neso-cpu-layout,neso-cpu-lower,neso-math-polynomials,"
        .. "canonicalize,cse,loop-invariant-code-motion",
    },
    {
      name = "llvm",
      passes = "convert-scf-to-cf,convert-vector-to-llvm,convert-math-to-llvm,"
        .. "convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
        .. "reconcile-unrealized-casts",
    },
    -- No loop passes: the loops are as they should be; loop-rotate halves the dot kernel.
    {
      name = "opt",
      passes = "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,gvn)",
    },
    { name = "asm", passes = "" },
  },
}
