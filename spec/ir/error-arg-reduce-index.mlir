// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-arg-reduce-index.mlir:4: kernel 'test': arg_reduce: the index is of i32
func.func @k(%a: tensor<8xf32>) {
  %0:2 = "neso.arg_reduce"(%a) {axis = 0 : i32, kind = "max", propagate_nan = true} : (tensor<8xf32>) -> (f32, i64)
  return
}
