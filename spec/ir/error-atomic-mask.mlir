// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-atomic-mask.mlir:4: kernel 'test': atomic_rmw: pointer, values and mask are of one shape
func.func @k(%p: !llvm.ptr, %i: tensor<4xi32>, %x: tensor<4xi32>, %m: i1) {
  %0 = "neso.atomic_rmw"(%p, %i, %x, %m) {kind = "add", sem = "relaxed", scope = "gpu"} : (!llvm.ptr, tensor<4xi32>, tensor<4xi32>, i1) -> tensor<4xi32>
  return
}
