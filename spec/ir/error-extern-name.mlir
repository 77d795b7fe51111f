// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-extern-name.mlir:4: kernel 'test': 'a b' cannot be the name of a function
func.func @k(%a: f32) {
  %0 = "neso.extern"(%a) {symbol = "a b", library = ""} : (f32) -> f32
  return
}
