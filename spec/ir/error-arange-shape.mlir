// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-arange-shape.mlir:4: kernel 'test': arange(0, 8) is {8} of i32, not {4} of i32
func.func @k() {
  %0 = "neso.arange"() {start = 0 : i32, end = 8 : i32} : () -> tensor<4xi32>
  return
}
