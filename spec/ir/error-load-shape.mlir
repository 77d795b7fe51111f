// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-load-shape.mlir:4: kernel 'test': load: the pointer has shape {8}, the result {4}
func.func @k(%p: !llvm.ptr, %o: tensor<8xi32>) {
  %0 = "neso.load"(%p, %o) {cache = "", evict = "", volatile = false} : (!llvm.ptr, tensor<8xi32>) -> tensor<4xf32>
  return
}
