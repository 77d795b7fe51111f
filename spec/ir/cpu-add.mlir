// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize,cse" %s | FileCheck %s
// One loop without masks over whole chunks, one with a mask; no scratch.

// CHECK: neso.args = 20 : i64, neso.scratch = 0 : i64
// CHECK-LABEL: func.func @neso_kernel(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: scf.for
// CHECK-NOT: masked
// CHECK: llvm.load {{.*}} -> vector<32xf32>
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: llvm.store {{.*}} : vector<32xf32>
// CHECK: scf.for
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: scf.for
func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, %x: !llvm.ptr, %n: i32) {
  %r = "neso.arange"() {start = 0 : i32, end = 1024 : i32} : () -> tensor<1024xi32>
  %ns = tensor.splat %n : tensor<1024xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %z = arith.constant dense<0.0> : tensor<1024xf32>
  %a = "neso.masked_load"(%x, %r, %m, %z) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>, tensor<1024xi1>, tensor<1024xf32>) -> tensor<1024xf32>
  %s = arith.addf %a, %a : tensor<1024xf32>
  "neso.masked_store"(%o, %r, %s, %m) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<1024xi32>, tensor<1024xf32>, tensor<1024xi1>) -> ()
  return
}
