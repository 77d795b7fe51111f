// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-slice.mlir:4: kernel 'test': slice of {4} to {3} leaves the block
func.func @k(%a: tensor<4xf32>) {
  %0 = "neso.slice"(%a) {start = array<i64: 1>, step = array<i64: 2>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}
