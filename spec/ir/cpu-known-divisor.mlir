// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// A constant that a buffer holds (the scan runs along its rows) divides as a constant: the lanes
// past the end of the buffer's rows may be 0.

// CHECK: %[[THREE:.*]] = arith.constant dense<3> : vector<8xi32>
// CHECK: arith.divsi %{{.*}}, %[[THREE]] : vector<8xi32>
func.func @k(%o: !llvm.ptr) {
  %c = arith.constant dense<3> : tensor<3x7xi32>
  %i = "neso.arange"() {start = 0 : i32, end = 21 : i32} : () -> tensor<21xi32>
  %j = "neso.reshape"(%i) : (tensor<21xi32>) -> tensor<3x7xi32>
  %s = "neso.scan"(%c) ({
  ^bb0(%a: i32, %b: i32):
    %m = arith.minsi %a, %b : i32
    "neso.yield"(%m) : (i32) -> ()
  }) {axis = 1 : i32, reverse = false} : (tensor<3x7xi32>) -> tensor<3x7xi32>
  %q = arith.divsi %s, %c : tensor<3x7xi32>
  "neso.store"(%o, %j, %q) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<3x7xi32>, tensor<3x7xi32>) -> ()
  return
}
