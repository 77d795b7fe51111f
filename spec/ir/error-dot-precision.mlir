// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-dot-precision.mlir:4: kernel 'test': dot knows no precision 'best'
func.func @k(%a: tensor<8x8xf32>) {
  %0 = "neso.dot"(%a, %a, %a) {precision = "best"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
