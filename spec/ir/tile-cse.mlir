// Equal pure operations and equal loads merge; not across a store.
// RUN: neso-opt --passes cse %s | FileCheck %s

// CHECK-LABEL: func.func @pure
// CHECK: %[[ID:.*]] = "neso.program_id"
// CHECK-NOT: neso.program_id
// CHECK: arith.addi %[[ID]], %[[ID]]
func.func @pure() -> i32 {
  %0 = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %1 = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}

// CHECK-LABEL: func.func @axes_differ
// CHECK: axis = 0
// CHECK: axis = 1
func.func @axes_differ() -> i32 {
  %0 = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %1 = "neso.program_id"() {axis = 1 : i32} : () -> i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}

// CHECK-LABEL: func.func @loads
// CHECK: %[[A:.*]] = "neso.load"
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[A]]
// CHECK-NEXT: "neso.store"(%{{.*}}, %{{.*}}, %[[S]])
// CHECK-NEXT: %[[B:.*]] = "neso.load"
// CHECK-NEXT: "neso.store"(%{{.*}}, %{{.*}}, %[[B]])
func.func @loads(%p: !llvm.ptr, %o: tensor<16xi32>) {
  %a = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>) -> tensor<16xf32>
  %b = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>) -> tensor<16xf32>
  %s = arith.addf %a, %b : tensor<16xf32>
  "neso.store"(%p, %o, %s) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>, tensor<16xf32>) -> ()
  %c = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>) -> tensor<16xf32>
  "neso.store"(%p, %o, %c) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>, tensor<16xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @masked_store_is_a_write
// CHECK-COUNT-2: "neso.masked_load"
func.func @masked_store_is_a_write(%p: !llvm.ptr, %o: tensor<16xi32>, %m: tensor<16xi1>, %z: tensor<16xf32>) -> tensor<16xf32> {
  %a = "neso.masked_load"(%p, %o, %m, %z) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>, tensor<16xi1>, tensor<16xf32>) -> tensor<16xf32>
  "neso.masked_store"(%p, %o, %z, %m) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>, tensor<16xf32>, tensor<16xi1>) -> ()
  %b = "neso.masked_load"(%p, %o, %m, %z) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<16xi32>, tensor<16xi1>, tensor<16xf32>) -> tensor<16xf32>
  %s = arith.addf %a, %b : tensor<16xf32>
  return %s : tensor<16xf32>
}
