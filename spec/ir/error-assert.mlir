// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-assert.mlir:4: kernel 'test': assert takes a condition, this is i32
func.func @k(%a: i32) {
  "neso.assert"(%a) {message = "m", shape = array<i64>} : (i32) -> ()
  return
}
