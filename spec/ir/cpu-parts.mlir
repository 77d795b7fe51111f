// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// cat writes each operand to its part of the result; slice reads the buffer with other steps; the code does not
// grow with the block.

// CHECK: %[[STEP:.*]] = arith.constant dense<[0, -2,
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: arith.addi %{{.*}}, %[[STEP]]
// CHECK: llvm.intr.masked.gather
// CHECK-NOT: llvm.intr.masked.gather
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xf32>
  %b = arith.addf %a, %a : tensor<4096xf32>
  %c = "neso.cat"(%a, %b) {axis = 0 : i32} : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<8192xf32>
  %s = "neso.slice"(%c) {start = array<i64: 8191>, step = array<i64: -2>} : (tensor<8192xf32>) -> tensor<4096xf32>
  "neso.store"(%o, %i, %s) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xf32>) -> ()
  return
}
