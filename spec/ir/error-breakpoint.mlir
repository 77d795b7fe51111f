// RUN: neso-opt --expect-error --passes neso-cpu-layout,neso-cpu-lower %s | FileCheck %s
// CHECK: error-breakpoint.mlir:4: kernel 'test': a breakpoint works in the interpreter only
func.func @k(%a: i32) {
  "neso.breakpoint"(%a) {names = "a"} : (i32) -> ()
  return
}
