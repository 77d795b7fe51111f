// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-gather.mlir:4: kernel 'test': gather of {4, 5} at {3, 6} along axis 0 cannot give {3, 6}
func.func @k(%a: tensor<4x5xf32>, %i: tensor<3x6xi32>) {
  %0 = "neso.gather"(%a, %i) {axis = 0 : i32} : (tensor<4x5xf32>, tensor<3x6xi32>) -> tensor<3x6xf32>
  return
}
