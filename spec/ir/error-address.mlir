// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-address.mlir:4: kernel 'test': an address is the i64 of a pointer, not i32 of pointer
func.func @k(%p: !llvm.ptr) {
  %0 = "neso.address"(%p) : (!llvm.ptr) -> i32
  return
}
