// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-pointer.mlir:4: kernel 'test': a pointer is made of an i64, not pointer of i32
func.func @k(%a: i32) {
  %0 = "neso.pointer"(%a) : (i32) -> !llvm.ptr
  return
}
