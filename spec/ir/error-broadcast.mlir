// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-broadcast.mlir:4: kernel 'test': cannot broadcast a block of shape {8, 2} to {8, 4}
func.func @k(%a: tensor<8x2xf32>) {
  %0 = "neso.broadcast"(%a) : (tensor<8x2xf32>) -> tensor<8x4xf32>
  return
}
