// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-scan-shape.mlir:4: kernel 'test': scan of {4} cannot give {5}
func.func @k(%a: tensor<4xf32>) {
  %0 = "neso.scan"(%a) ({
  ^bb0(%x: f32, %y: f32):
    "neso.yield"(%x) : (f32) -> ()
  }) {axis = 0 : i32, reverse = false} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
