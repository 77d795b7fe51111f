// A volatile load is neither merged nor dropped.
// RUN: neso-opt --passes cse,canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @volatile
// CHECK-COUNT-2: "neso.load"
func.func @volatile(%p: !llvm.ptr, %o: i32) {
  %a = "neso.load"(%p, %o) {cache = "", evict = "", volatile = true} : (!llvm.ptr, i32) -> f32
  %b = "neso.load"(%p, %o) {cache = "", evict = "", volatile = true} : (!llvm.ptr, i32) -> f32
  return
}
