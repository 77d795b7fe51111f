// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// One atomic operation an element, in a loop; floats are compared by their bits; stores before and after stay there.

// CHECK: llvm.store
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.atomicrmw fadd {{.*}} monotonic
// CHECK: llvm.cmpxchg {{.*}} acq_rel acquire {{.*}} i32
// CHECK: llvm.store
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %v: f32) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %z = arith.constant 0 : i32
  %m = arith.cmpi ne, %i, %i : tensor<4096xi32>
  %a = tensor.splat %v : tensor<4096xf32>
  "neso.store"(%x, %i, %a) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xf32>) -> ()
  %n = "neso.load"(%o, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xi1>
  %r = "neso.atomic_rmw"(%x, %i, %a, %n) {kind = "fadd", sem = "relaxed", scope = "gpu"} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xf32>, tensor<4096xi1>) -> tensor<4096xf32>
  %c = "neso.atomic_cas"(%x, %z, %v, %v) {sem = "acq_rel", scope = "gpu"} : (!llvm.ptr, i32, f32, f32) -> f32
  "neso.store"(%x, %z, %c) {cache = "", evict = "", volatile = false} : (!llvm.ptr, i32, f32) -> ()
  return
}
