// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-axis.mlir:4: kernel 'test': program_id(3): a grid has the axes 0, 1 and 2
func.func @k() {
  %0 = "neso.program_id"() {axis = 3 : i32} : () -> i32
  return
}
