// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-trans.mlir:4: kernel 'test': trans of {8, 8}: the order names each axis once
func.func @k(%a: tensor<8x8xf32>) {
  %0 = "neso.trans"(%a) {order = array<i64: 0, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
