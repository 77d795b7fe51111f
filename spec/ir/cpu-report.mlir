// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-verify,neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// Texts are constants; blocks are handed over in scratch with their strides; asserts call in a branch; an access is checked before it happens.

// CHECK: neso.reports = 1
// CHECK-DAG: llvm.mlir.global internal constant @neso_site0("print i32 f32:3/5,5/1\0Ax = \01, \01\00")
// CHECK-DAG: @neso_site1("assert 4,8\0Atoo large\00")
// CHECK-DAG: @neso_site2("check load f32 i32:3/5,5/1 i1:3/5,5/1\0Ap\00")
// CHECK: func.func @neso_kernel
// CHECK-DAG: %[[S0:.*]] = llvm.mlir.addressof @neso_site0
// CHECK-DAG: %[[S1:.*]] = llvm.mlir.addressof @neso_site1
// CHECK-DAG: %[[S2:.*]] = llvm.mlir.addressof @neso_site2
// CHECK: llvm.call %{{.*}}(%arg1, %[[S0]], {{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
// CHECK: scf.if
// CHECK: llvm.call %{{.*}}(%arg1, %[[S1]],
// CHECK: llvm.call %{{.*}}(%arg1, %[[S2]],
// CHECK: llvm.intr.masked.gather
func.func @k(%o: !llvm.ptr, %p: !llvm.ptr, %v: f32, %n: i32, %c: i1) {
  %r = "neso.arange"() {start = 0 : i32, end = 15 : i32} : () -> tensor<15xi32>
  %i = "neso.reshape"(%r) : (tensor<15xi32>) -> tensor<3x5xi32>
  %s = tensor.splat %v : tensor<3x5xf32>
  %b = tensor.splat %n : tensor<3x5xi32>
  %m = arith.cmpi slt, %i, %b : tensor<3x5xi32>
  "neso.print"(%n, %s) {text = "x = \01, \01", dtypes = "i32 f32", hex = false} : (i32, tensor<3x5xf32>) -> ()
  "neso.assert"(%c, %n) {message = "too large", shape = array<i64: 4, 8>} : (i1, i32) -> ()
  "neso.check_access"(%p, %i, %m) {dtype = "f32", name = "p", access = "load"} : (!llvm.ptr, tensor<3x5xi32>, tensor<3x5xi1>) -> ()
  %x = "neso.masked_load"(%p, %i, %m, %s) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<3x5xi32>, tensor<3x5xi1>, tensor<3x5xf32>) -> tensor<3x5xf32>
  "neso.store"(%o, %i, %x) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<3x5xi32>, tensor<3x5xf32>) -> ()
  return
}
