// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f,+fma" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize,cse" %s | FileCheck %s
// The carried accumulator is updated in place; the kernel keeps rows x 2
// vectors in registers over the whole of K.

// CHECK-LABEL: func.func @neso_kernel
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-16: math.fma {{.*}} : vector<16xf32>
// CHECK: scf.yield
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %n: i32) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = "neso.arange"() {start = 0 : i32, end = 1024 : i32} : () -> tensor<1024xi32>
  %i = "neso.reshape"(%r) : (tensor<1024xi32>) -> tensor<32x32xi32>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %acc = scf.for %p = %0 to %n step %1 iter_args(%s = %z) -> (tensor<32x32xf32>) : i32 {
    %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<32x32xi32>) -> tensor<32x32xf32>
    %t = "neso.dot"(%a, %a, %s) {precision = "ieee"} : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %t : tensor<32x32xf32>
  }
  "neso.store"(%o, %i, %acc) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<32x32xi32>, tensor<32x32xf32>) -> ()
  return
}
