// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes neso-cpu-layout %s | FileCheck %s
// One vector step covers two registers of the widest data; the encoding says
// along which dimension.

// CHECK: func.func @k
// CHECK: dense<1.000000e+00> : tensor<4x100xf32, {chunk = array<i64: 1, 32>}>
// CHECK: tensor<1024x4xf32, {chunk = array<i64: 32, 1>}>
// CHECK: tensor<3xi32, {chunk = array<i64: 4>}>
// CHECK: tensor<1x1xf32, {chunk = array<i64: 1, 1>}>
func.func @k(%x: f32) {
  %a = arith.constant dense<1.0> : tensor<4x100xf32>
  %b = tensor.splat %x : tensor<1024x4xf32>
  %c = "neso.arange"() {start = 0 : i32, end = 3 : i32} : () -> tensor<3xi32>
  %d = tensor.splat %x : tensor<1x1xf32>
  return
}
