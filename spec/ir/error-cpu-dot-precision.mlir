// RUN: neso-opt --expect-error --target "x86_64-unknown-linux-gnu skylake-avx512 +avx512f,+fma" --passes "neso-cpu-layout,neso-cpu-lower" %s | FileCheck %s
// CHECK: kernel 'test': the cpu multiplies with precision 'ieee', not 'tf32'
func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {
  %i = "neso.arange"() {start = 0 : i32, end = 64 : i32} : () -> tensor<64xi32>
  %a = "neso.load"(%x, %i) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<64xi32>) -> tensor<64xf32>
  %b = "neso.reshape"(%a) : (tensor<64xf32>) -> tensor<8x8xf32>
  %c = "neso.dot"(%b, %b, %b) {precision = "tf32"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = "neso.reshape"(%c) : (tensor<8x8xf32>) -> tensor<64xf32>
  "neso.store"(%o, %i, %d) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<64xi32>, tensor<64xf32>) -> ()
  return
}
