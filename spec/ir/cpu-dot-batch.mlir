// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f,+fma" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// A batch is a loop around the kernel of one product.

// CHECK: scf.for
// CHECK: scf.for {{.*}} to %c5_i64
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.fma {{.*}} vector<16xf32>
// CHECK-NOT: tensor.
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 1280 : i32} : () -> tensor<1280xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1280xi32>) -> tensor<1280xf32>
  %b = "neso.reshape"(%a) : (tensor<1280xf32>) -> tensor<5x16x16xf32>
  %z = arith.constant dense<0.0> : tensor<5x16x16xf32>
  %d = "neso.dot"(%b, %b, %z) {precision = "ieee"} : (tensor<5x16x16xf32>, tensor<5x16x16xf32>, tensor<5x16x16xf32>) -> tensor<5x16x16xf32>
  %r = "neso.reshape"(%d) : (tensor<5x16x16xf32>) -> tensor<1280xf32>
  "neso.store"(%o, %i, %r) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1280xi32>, tensor<1280xf32>) -> ()
  return
}
