// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-cat.mlir:4: kernel 'test': cat of {4} and {3} along axis 0 cannot give {8}
func.func @k(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  %0 = "neso.cat"(%a, %b) {axis = 0 : i32} : (tensor<4xf32>, tensor<3xf32>) -> tensor<8xf32>
  return
}
