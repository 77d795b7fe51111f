// Dead operations without effects vanish, dead loads too; stores stay.
// RUN: neso-opt --passes canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @dead
// CHECK-NEXT: "neso.store"
// CHECK-NEXT: return
func.func @dead(%p: !llvm.ptr, %o: tensor<16xi32>, %v: tensor<16xf32>) {
  %0 = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %1 = "neso.arange"() {start = 0 : i32, end = 16 : i32} : () -> tensor<16xi32>
  %2 = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>) -> tensor<16xf32>
  %3 = "neso.reduce"(%2) {axis = 0 : i32, kind = "sum"} : (tensor<16xf32>) -> f32
  "neso.store"(%p, %o, %v) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>, tensor<16xf32>) -> ()
  return
}
