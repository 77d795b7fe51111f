// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-fold-types.mlir:4: kernel 'test': fold: the function has not the types of the blocks
func.func @k(%a: tensor<4xf32>) {
  %0 = "neso.fold"(%a) ({
  ^bb0(%x: f32, %y: i32):
    "neso.yield"(%x) : (f32) -> ()
  }) {axis = 0 : i32} : (tensor<4xf32>) -> f32
  return
}
