// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-load-base.mlir:4: kernel 'test': load takes a pointer, this is f32
func.func @k(%p: f32, %o: i32) {
  %0 = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (f32, i32) -> f32
  return
}
