// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-extern.mlir:4: kernel 'test': extern: values of one shape, not {4} and a scalar
func.func @k(%a: f32) {
  %0 = "neso.extern"(%a) {symbol = "f", library = ""} : (f32) -> tensor<4xf32>
  return
}
