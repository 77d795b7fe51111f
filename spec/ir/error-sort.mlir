// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-sort.mlir:4: kernel 'test': sort gives blocks like those it takes, all of {4}
func.func @k(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  %0:2 = "neso.sort"(%a, %b) {axis = 0 : i32, descending = false} : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}
