// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-histogram.mlir:4: kernel 'test': histogram takes a block {n} of i32 or i64, not
func.func @k(%a: tensor<4xf32>) {
  %0 = "neso.histogram"(%a) : (tensor<4xf32>) -> tensor<9xi32>
  return
}
