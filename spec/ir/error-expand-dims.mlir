// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-expand-dims.mlir:4: kernel 'test': expand_dims: no axis 2 in {8} (axes count from 0)
func.func @k(%a: tensor<8xf32>) {
  %0 = "neso.expand_dims"(%a) {axis = 2 : i32} : (tensor<8xf32>) -> tensor<8x1xf32>
  return
}
