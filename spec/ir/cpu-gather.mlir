// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// The block goes to scratch, indices outside of it are masked off; counters are cleared, then counted in one pass.

// CHECK: arith.cmpi ult
// CHECK: llvm.intr.masked.gather
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: arith.addi
// CHECK: llvm.store
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xi32>
  %g = "neso.gather"(%a, %a) {axis = 0 : i32} : (tensor<4096xi32>, tensor<4096xi32>) -> tensor<4096xi32>
  %h = "neso.histogram"(%g) : (tensor<4096xi32>) -> tensor<4096xi32>
  "neso.store"(%o, %i, %h) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xi32>) -> ()
  return
}
