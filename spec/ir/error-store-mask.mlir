// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-store-mask.mlir:4: kernel 'test': masked_store: the pointer has shape {8}, the mask {4}
func.func @k(%p: !llvm.ptr, %o: tensor<8xi32>, %m: tensor<4xi1>, %v: tensor<8xf32>) {
  "neso.masked_store"(%p, %o, %v, %m) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<8xi32>, tensor<8xf32>, tensor<4xi1>) -> ()
  return
}
