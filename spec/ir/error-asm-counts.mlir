// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-asm-counts.mlir:4: kernel 'test': assembly: the constraints '=r,r' have 1 outputs and 1 inputs, the values take 1 and 2
func.func @k(%a: i32) {
  %0 = "neso.asm"(%a, %a) {text = "nop", constraints = "=r,r", pack = 1 : i32} : (i32, i32) -> i32
  return
}
