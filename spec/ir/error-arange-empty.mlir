// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-arange-empty.mlir:4: kernel 'test': arange(8, 8) is empty
func.func @k() {
  %0 = "neso.arange"() {start = 8 : i32, end = 8 : i32} : () -> tensor<1xi32>
  return
}
