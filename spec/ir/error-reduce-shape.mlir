// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-reduce-shape.mlir:4: kernel 'test': reduce of {8, 4} along axis 0 cannot give {8}
func.func @k(%a: tensor<8x4xf32>) {
  %0 = "neso.reduce"(%a) {axis = 0 : i32, kind = "sum"} : (tensor<8x4xf32>) -> tensor<8xf32>
  return
}
