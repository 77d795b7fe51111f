// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-narrow.mlir:4: kernel 'test': truncf from {4} of f64 to {4} of f16 would round twice
func.func @k(%a: tensor<4xf64>) {
  %0 = arith.truncf %a : tensor<4xf64> to tensor<4xf16>
  return
}
