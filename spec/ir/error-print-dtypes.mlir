// RUN: neso-opt --expect-error --passes neso-verify %s | FileCheck %s
// CHECK: error-print-dtypes.mlir:4: kernel 'test': print has 1 values and the dtypes 'i32 f32'
func.func @k(%a: i32) {
  "neso.print"(%a) {text = "", dtypes = "i32 f32", hex = false} : (i32) -> ()
  return
}
