// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-gather-index.mlir:4: kernel 'test': gather: an index is i32 or i64, not
func.func @k(%a: tensor<4xf32>, %i: tensor<3xf32>) {
  %0 = "neso.gather"(%a, %i) {axis = 0 : i32} : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}
