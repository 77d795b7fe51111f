// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// Straight functions run on lanes: along the axis of a fold with accumulators a lane, beside the axis of a scan.
// Control flow runs by element.

// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NOT: vector<16xf32>, vector<16xi1>
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>) -> tensor<4096xf32>
  %f = "neso.fold"(%a) ({
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    "neso.yield"(%r) : (f32) -> ()
  }) {axis = 0 : i32} : (tensor<4096xf32>) -> f32
  %b = "neso.reshape"(%a) : (tensor<4096xf32>) -> tensor<64x64xf32>
  %s = "neso.scan"(%b) ({
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    "neso.yield"(%r) : (f32) -> ()
  }) {axis = 0 : i32, reverse = false} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = "neso.reshape"(%s) : (tensor<64x64xf32>) -> tensor<4096xf32>
  %m = "neso.map"(%c) ({
  ^bb0(%p: f32):
    %t = arith.cmpf ogt, %p, %f : f32
    %r = scf.if %t -> f32 {
      %u = arith.addf %p, %p : f32
      scf.yield %u : f32
    } else {
      %u = arith.divf %f, %p : f32
      scf.yield %u : f32
    }
    "neso.yield"(%r) : (f32) -> ()
  }) : (tensor<4096xf32>) -> tensor<4096xf32>
  "neso.store"(%o, %i, %m) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xf32>) -> ()
  return
}
