// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-dot-types.mlir:4: kernel 'test': cannot multiply matrices of f32 and f16 and add to f32
func.func @k(%a: tensor<8x8xf32>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
  %0 = "neso.dot"(%a, %b, %c) {precision = "ieee"} : (tensor<8x8xf32>, tensor<8x8xf16>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
