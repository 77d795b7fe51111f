// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-atomic-order.mlir:4: kernel 'test': atomic_cas knows no order 'seq'
func.func @k(%p: !llvm.ptr, %i: i32, %x: i32) {
  %0 = "neso.atomic_cas"(%p, %i, %x, %x) {sem = "seq", scope = "gpu"} : (!llvm.ptr, i32, i32, i32) -> i32
  return
}
