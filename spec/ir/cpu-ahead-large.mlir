// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize,cse" %s | FileCheck %s
// A block of more than 256 KB is not asked for.

// CHECK-LABEL: func.func @neso_kernel
// CHECK-NOT: llvm.intr.prefetch
// CHECK: return
func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, %x: !llvm.ptr, %stride: i32) {
  %p = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %row = arith.muli %p, %stride : i32
  %start = tensor.splat %row : tensor<131072xi32>
  %r = "neso.arange"() {start = 0 : i32, end = 131072 : i32} : () -> tensor<131072xi32>
  %at = arith.addi %start, %r : tensor<131072xi32>
  %a = "neso.load"(%x, %at) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<131072xi32>) -> tensor<131072xf32>
  %m = "neso.reduce"(%a) {axis = 0 : i32, kind = "max"} : (tensor<131072xf32>) -> f32
  %ms = tensor.splat %m : tensor<131072xf32>
  %d = arith.subf %a, %ms : tensor<131072xf32>
  %s = "neso.reduce"(%d) {axis = 0 : i32, kind = "sum"} : (tensor<131072xf32>) -> f32
  %ss = tensor.splat %s : tensor<131072xf32>
  %q = arith.subf %a, %ss : tensor<131072xf32>
  "neso.store"(%o, %at, %q) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<131072xi32>, tensor<131072xf32>) -> ()
  return
}
