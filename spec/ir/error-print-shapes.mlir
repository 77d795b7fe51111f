// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-print-shapes.mlir:4: kernel 'test': print takes blocks of one shape, these are {4} and {2, 2}
func.func @k(%a: tensor<4xi32>, %b: tensor<2x2xi32>) {
  "neso.print"(%a, %b) {text = "", dtypes = "i32 i32", hex = false} : (tensor<4xi32>, tensor<2x2xi32>) -> ()
  return
}
