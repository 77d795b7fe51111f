// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-store-counts.mlir:4: kernel 'test': {{.*}}does not take 2 operands
func.func @k(%p: !llvm.ptr, %o: i32) {
  "neso.store"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, i32) -> ()
  return
}
