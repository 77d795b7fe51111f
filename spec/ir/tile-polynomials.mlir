// Transcendental functions of f32 become polynomials, in lanes as in scalars.
// RUN: neso-opt --passes neso-math-polynomials %s | FileCheck %s

// CHECK-LABEL: func.func @tanh
// CHECK-NOT: math.tanh
// CHECK: math.fma
func.func @tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.tanh %x : vector<16xf32>
  return %y : vector<16xf32>
}
