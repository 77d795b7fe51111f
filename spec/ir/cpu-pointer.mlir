// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// A pointer made of an address may point anywhere: what is loaded through it
// is taken before the store of the same nest.
// CHECK: llvm.ptrtoint
// CHECK: llvm.inttoptr
// CHECK: llvm.load {{.*}} vector<32xf32>
// CHECK: llvm.store {{.*}} vector<32xf32>
// CHECK: llvm.load {{.*}} vector<32xf32>
// CHECK: llvm.store {{.*}} vector<32xf32>
func.func @k(%p: !llvm.ptr {neso.facts = 4 : i32, neso.name = "p"}, %o: !llvm.ptr {neso.facts = 4 : i32, neso.name = "o"}) {
  %i = "neso.arange"() {start = 0 : i32, end = 32 : i32} : () -> tensor<32xi32>
  %a = "neso.address"(%p) : (!llvm.ptr) -> i64
  %c = arith.constant 4 : i64
  %b = arith.addi %a, %c : i64
  %q = "neso.pointer"(%b) : (i64) -> !llvm.ptr
  %x = "neso.load"(%q, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<32xi32>) -> tensor<32xf32>
  "neso.store"(%p, %i, %x) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<32xi32>, tensor<32xf32>) -> ()
  return
}
