// RUN: neso-opt --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f" --passes "neso-verify,neso-cpu-layout,neso-cpu-lower,canonicalize" %s | FileCheck %s
// A loop over the elements: four bytes share a register; outside functions are numbered, equal ones once, bitcode keeps its name.

// CHECK: neso.bitcode = {{\[\[}}"own", "bc:x"]]
// CHECK-SAME: neso.externs = ["cbrtf libm.so.6"]
// CHECK-SAME: neso.foreign
// CHECK: scf.for
// CHECK: llvm.bitcast {{.*}} : vector<4xi8> to i32
// CHECK: llvm.inline_asm {{.*}}"bswap $0", "=r,0" {{.*}} : (i32) -> i32
// CHECK: llvm.bitcast {{.*}} : i32 to vector<4xi8>
// CHECK: scf.for
// CHECK: call @neso_extern0({{.*}}) : (f32) -> f32
// CHECK: call @neso_extern0
// CHECK: call @own
// CHECK: func.func private @neso_extern0(f32) -> f32
func.func @k(%o: !llvm.ptr, %v: f32) {
  %i = "neso.arange"() {start = 0 : i32, end = 4096 : i32} : () -> tensor<4096xi32>
  %b = arith.trunci %i : tensor<4096xi32> to tensor<4096xi8>
  %f = arith.sitofp %i : tensor<4096xi32> to tensor<4096xf32>
  %z = arith.constant 0 : i32
  %s = "neso.asm_pure"(%b) {text = "\01nvidia\02prmt\01x86_64\02bswap $0", constraints = "=r,0", pack = 4 : i32} : (tensor<4096xi8>) -> tensor<4096xi8>
  "neso.store"(%o, %i, %s) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xi8>) -> ()
  %c = "neso.extern_pure"(%f) {symbol = "cbrtf", library = "libm.so.6"} : (tensor<4096xf32>) -> tensor<4096xf32>
  "neso.store"(%o, %i, %c) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<4096xi32>, tensor<4096xf32>) -> ()
  %d = "neso.extern"(%v) {symbol = "cbrtf", library = "libm.so.6"} : (f32) -> f32
  %e = "neso.extern"(%d) {symbol = "own", library = "bc:x"} : (f32) -> f32
  "neso.store"(%o, %z, %e) {cache = "", evict = "", volatile = false} : (!llvm.ptr, i32, f32) -> ()
  return
}
