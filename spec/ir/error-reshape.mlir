// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-reshape.mlir:4: kernel 'test': cannot reshape {8, 2} (16 elements) to {4, 2} (8 elements)
func.func @k(%a: tensor<8x2xf32>) {
  %0 = "neso.reshape"(%a) : (tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}
