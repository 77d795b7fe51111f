// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// A shift and a product by 2^120 from e4m3fn; integer rounding to e5m2: no call, no table.

// CHECK: arith.extui {{.*}} vector<{{[0-9]+}}xi8> to vector<{{[0-9]+}}xi32>
// CHECK: arith.shli
// CHECK: arith.mulf
// CHECK: arith.shrui
// CHECK: arith.trunci {{.*}} to vector<{{[0-9]+}}xi8>
// CHECK-NOT: call
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xi8>
  %f = "neso.from_f8"(%a) {format = "e4m3fn"} : (tensor<4096xi8>) -> tensor<4096xf32>
  %g = "neso.to_f8"(%f) {format = "e5m2"} : (tensor<4096xf32>) -> tensor<4096xi8>
  "neso.store"(%o, %i, %g) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xi8>) -> ()
  return
}
