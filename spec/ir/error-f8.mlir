// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-f8.mlir:4: kernel 'test': from_f8 knows no format 'e3m4'
func.func @k(%a: tensor<4xi8>) {
  %0 = "neso.from_f8"(%a) {format = "e3m4"} : (tensor<4xi8>) -> tensor<4xf32>
  return
}
