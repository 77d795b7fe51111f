// Program ids are not negative, an arange stays within its ends: floor
// divisions, sign tests and masks that these decide are folded.
// RUN: neso-opt --passes int-range-optimizations,canonicalize,arith-unsigned-when-equivalent %s | FileCheck %s

// CHECK-LABEL: func.func @ids
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK: return %[[FALSE]], %[[TRUE]]
func.func @ids() -> (i1, i1) {
  %zero = arith.constant 0 : i32
  %id = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %n = "neso.num_programs"() {axis = 0 : i32} : () -> i32
  %negative = arith.cmpi slt, %id, %zero : i32
  %some = arith.cmpi sgt, %n, %zero : i32
  return %negative, %some : i1, i1
}

// CHECK-LABEL: func.func @division
// CHECK: arith.divui
func.func @division() -> i32 {
  %c = arith.constant 24 : i32
  %id = "neso.program_id"() {axis = 0 : i32} : () -> i32
  %q = arith.divsi %id, %c : i32
  return %q : i32
}

// CHECK-LABEL: func.func @mask_is_true
// CHECK: %[[MASK:.*]] = arith.constant dense<true> : tensor<4x64xi1>
// CHECK: return %[[MASK]]
func.func @mask_is_true() -> tensor<4x64xi1> {
  %limit = arith.constant dense<64> : tensor<4x64xi32>
  %r = "neso.arange"() {start = 0 : i32, end = 64 : i32} : () -> tensor<64xi32>
  %row = "neso.expand_dims"(%r) {axis = 0 : i32} : (tensor<64xi32>) -> tensor<1x64xi32>
  %b = "neso.broadcast"(%row) : (tensor<1x64xi32>) -> tensor<4x64xi32>
  %mask = arith.cmpi slt, %b, %limit : tensor<4x64xi32>
  return %mask : tensor<4x64xi1>
}
