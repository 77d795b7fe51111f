// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// A volatile load stays in its loop, behind a fence of the compiler; a block is read once, whatever uses it.

// CHECK: scf.while
// CHECK-NEXT: llvm.fence syncscope("singlethread") seq_cst
// CHECK-NEXT: llvm.load %{{.*}} {{.*}} -> i32
// CHECK: llvm.fence syncscope("singlethread") seq_cst
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} -> vector<32xf32>
// CHECK: llvm.store
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %z = arith.constant 0 : i32
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  scf.while : () -> () {
    %f = "neso.load"(%x, %z) {cache = "", evict = "", volatile = true} : (!llvm.ptr, i32) -> i32
    %c = arith.cmpi eq, %f, %z : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = true} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xf32>
  "neso.store"(%o, %i, %a) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xf32>) -> ()
  return
}
