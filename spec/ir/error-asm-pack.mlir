// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-asm-pack.mlir:4: kernel 'test': asm: pack is 1, 2 or 4 and divides the last extent, not 4 in {6}
func.func @k(%a: tensor<6xi8>) {
  %0 = "neso.asm"(%a) {text = "nop", constraints = "=r,r", pack = 4 : i32} : (tensor<6xi8>) -> tensor<6xi8>
  return
}
