// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-reduce-kind.mlir:4: kernel 'test': reduce: no reduction 'xor' of f32
func.func @k(%a: tensor<8xf32>) {
  %0 = "neso.reduce"(%a) {axis = 0 : i32, kind = "xor"} : (tensor<8xf32>) -> f32
  return
}
