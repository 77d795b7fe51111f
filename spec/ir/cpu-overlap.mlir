// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize,cse" %s | FileCheck %s
// Without the fact that %o or %x lies apart, every load comes before the first store: two loops, through scratch.

// CHECK: neso.scratch = {{[1-9][0-9]*}} : i64
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %r = "neso.arange"() {start = 0 : i32, end = 1024 : i32} : () -> tensor<1024xi32>
  %a = "neso.load"(%x, %r) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>) -> tensor<1024xf32>
  %s = arith.addf %a, %a : tensor<1024xf32>
  "neso.store"(%o, %r, %s) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>, tensor<1024xf32>) -> ()
  return
}
