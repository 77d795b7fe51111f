// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-store-offsets.mlir:4: kernel 'test': store: offsets are i32 or i64, not f32
func.func @k(%p: !llvm.ptr, %o: f32, %v: f32) {
  "neso.store"(%p, %o, %v) {cache = "", evict = "", volatile = false} : (!llvm.ptr, f32, f32) -> ()
  return
}
