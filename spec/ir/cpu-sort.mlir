// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// Rounds of two merge passes, from the rows aside and back, each from both ends of its runs; the
// comparison puts NaN last.

// CHECK: scf.for {{.*}} iter_args(%[[WIDTH:.*]] = %c1_i64)
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.cmpf ord
// CHECK: arith.cmpf ult
// CHECK: arith.select
// CHECK: arith.subi
// CHECK: arith.maxsi
// CHECK: arith.cmpf ult
// CHECK: arith.select
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.yield
// CHECK-NOT: iter_args
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xf32>
  %s:2 = "neso.sort"(%a, %i) {axis = 0 : i32, descending = false} : (tensor<4096xf32>, tensor<4096xi32>) -> (tensor<4096xf32>, tensor<4096xi32>)
  "neso.store"(%o, %i, %s#1) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xi32>) -> ()
  return
}
