// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize,cse" %s | FileCheck %s
// The second nest that loads a row asks for the same row of the next program,
// `stride` elements on; the first and the third do not.

// CHECK-LABEL: func.func @neso_kernel
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NOT: llvm.intr.prefetch
// CHECK: scf.for
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
// CHECK: llvm.intr.prefetch{{.*}}rw = 0
// CHECK: scf.for
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return
func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, %x: !llvm.ptr, %stride: i32) {
  %p = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %row = arith.muli %p, %stride : i32
  %start = tensor.splat %row : tensor<1024xi32>
  %r = "neso.arange"() {start = 0 : i32, end = 1024 : i32} : () -> tensor<1024xi32>
  %at = arith.addi %start, %r : tensor<1024xi32>
  %a = "neso.load"(%x, %at) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>) -> tensor<1024xf32>
  %m = "neso.reduce"(%a) {axis = 0 : i32, kind = "max"} : (tensor<1024xf32>) -> f32
  %ms = tensor.splat %m : tensor<1024xf32>
  %d = arith.subf %a, %ms : tensor<1024xf32>
  %s = "neso.reduce"(%d) {axis = 0 : i32, kind = "sum"} : (tensor<1024xf32>) -> f32
  %ss = tensor.splat %s : tensor<1024xf32>
  %q = arith.subf %a, %ss : tensor<1024xf32>
  "neso.store"(%o, %at, %q) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>, tensor<1024xf32>) -> ()
  return
}
