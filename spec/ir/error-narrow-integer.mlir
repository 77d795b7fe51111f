// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-narrow-integer.mlir:4: kernel 'test': uitofp from i64 to bf16 would round twice
func.func @k(%a: i64) {
  %0 = arith.uitofp %a : i64 to bf16
  return
}
