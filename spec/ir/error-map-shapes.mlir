// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-map-shapes.mlir:4: kernel 'test': map takes blocks of one shape, not {4} and {5}
func.func @k(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  %0 = "neso.map"(%a, %b) ({
  ^bb0(%x: f32, %y: f32):
    "neso.yield"(%x) : (f32) -> ()
  }) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}
