// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-load-mask.mlir:4: kernel 'test': masked_load: a mask is of i1 (a comparison), this is {8} of i32
func.func @k(%p: !llvm.ptr, %o: tensor<8xi32>, %m: tensor<8xi32>, %z: tensor<8xf32>) {
  %0 = "neso.masked_load"(%p, %o, %m, %z) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>) -> tensor<8xf32>
  return
}
