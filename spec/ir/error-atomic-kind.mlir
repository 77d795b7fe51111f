// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-atomic-kind.mlir:4: kernel 'test': no atomic 'add' of f32
func.func @k(%p: !llvm.ptr, %i: i32, %x: f32) {
  %0 = "neso.atomic_rmw"(%p, %i, %x) {kind = "add", sem = "relaxed", scope = "gpu"} : (!llvm.ptr, i32, f32) -> f32
  return
}
