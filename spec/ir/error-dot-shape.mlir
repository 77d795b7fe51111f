// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-dot-shape.mlir:4: kernel 'test': cannot multiply matrices of shapes {8, 4} and {8, 4}
func.func @k(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>) {
  %0 = "neso.dot"(%a, %b, %c) {precision = "ieee"} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
