// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize,cse" %s | FileCheck %s
// exp is dear and wanted twice: the loop of the sum writes it to scratch, and
// the store reads it there. The sum keeps one vector of accumulators.

// CHECK-LABEL: func.func @neso_kernel
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.fma
// CHECK: llvm.store {{.*}} : vector<32xf32>
// CHECK: arith.addf
// CHECK: vector.extract_strided_slice
// CHECK: scf.for
// CHECK-NOT: math.fma
// CHECK: arith.subf
// CHECK: return
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %r = "neso.arange"() {start = 0 : i32, end = 1024 : i32} : () -> tensor<1024xi32>
  %a = "neso.load"(%x, %r) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>) -> tensor<1024xf32>
  %e = math.exp %a : tensor<1024xf32>
  %s = "neso.reduce"(%e) {axis = 0 : i32, kind = "sum"} : (tensor<1024xf32>) -> f32
  %ss = tensor.splat %s : tensor<1024xf32>
  %q = arith.subf %e, %ss : tensor<1024xf32>
  "neso.store"(%o, %r, %q) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>, tensor<1024xf32>) -> ()
  return
}
