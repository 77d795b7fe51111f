// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-check-access.mlir:4: kernel 'test': check_access takes a pointer, offsets and a mask of their shape
func.func @k(%p: !llvm.ptr, %i: tensor<4xi32>, %m: tensor<2xi1>) {
  "neso.check_access"(%p, %i, %m) {dtype = "f32", name = "p", access = "load"} : (!llvm.ptr, tensor<4xi32>, tensor<2xi1>) -> ()
  return
}
