// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-asm-constraints.mlir:4: kernel 'test': assembly: '=m' in the constraints '=m,r' is none
func.func @k(%a: i32) {
  %0 = "neso.asm"(%a) {text = "nop", constraints = "=m,r", pack = 1 : i32} : (i32) -> i32
  return
}
