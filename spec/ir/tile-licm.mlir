// What does not change in a loop and has no effect leaves it; loads do not.
// RUN: neso-opt --passes loop-invariant-code-motion %s | FileCheck %s

// CHECK-LABEL: func.func @hoist
// CHECK: "neso.arange"
// CHECK: "neso.expand_dims"
// CHECK: scf.for
// CHECK-NEXT: "neso.load"
// CHECK: "neso.dot"
func.func @hoist(%p: !llvm.ptr, %n: i32, %b: tensor<16x16xf32>, %z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<16x16xf32>) : i32 {
    %k = "neso.arange"() {start = 0 : i32, end = 16 : i32} : () -> tensor<16xi32>
    %row = "neso.expand_dims"(%k) {axis = 0 : i32} : (tensor<16xi32>) -> tensor<1x16xi32>
    %o = "neso.broadcast"(%row) : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %a = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16x16xi32>) -> tensor<16x16xf32>
    %d = "neso.dot"(%a, %b, %acc) {precision = "ieee"} : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}
