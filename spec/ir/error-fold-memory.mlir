// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-fold-memory.mlir:4: kernel 'test': fold: the function works on scalars and touches no memory
func.func @k(%a: tensor<4xf32>, %p: !llvm.ptr, %i: i32) {
  %0 = "neso.fold"(%a) ({
  ^bb0(%x: f32, %y: f32):
    %z = "neso.load"(%p, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, i32) -> f32
    "neso.yield"(%z) : (f32) -> ()
  }) {axis = 0 : i32} : (tensor<4xf32>) -> f32
  return
}
