/* Rounding to narrower floats, ties to even. x86's own conversion to bf16
 * takes denormals for 0. */
#include "lower.h"

static MlirValue to_bf16(cpu_lower *l, MlirValue x) {
  cpu_builder *b = &l->b;
  int64_t lanes = cpu_lanes(cpu_type(x));
  MlirType type = cpu_vector(b->i32, lanes);
  MlirValue bits = cpu_unary(b, "arith.bitcast", type, x);
  MlirValue half = cpu_int(b, type, 16);
  MlirValue high = cpu_binary(b, "arith.shrui", bits, half);
  MlirValue odd = cpu_binary(b, "arith.andi", high, cpu_int(b, type, 1));
  MlirValue up = cpu_binary(b, "arith.addi", odd, cpu_int(b, type, 0x7fff));
  MlirValue near =
      cpu_binary(b, "arith.shrui", cpu_binary(b, "arith.addi", bits, up), half);
  MlirValue quiet = cpu_binary(b, "arith.ori", high, cpu_int(b, type, 0x40));
  near = cpu_select(b, cpu_cmpf(b, CPU_UNO, x, x), quiet, near);
  MlirValue word =
      cpu_unary(b, "arith.trunci", cpu_vector(b->i16, lanes), near);
  return cpu_unary(b, "arith.bitcast", cpu_vector(b->bf16, lanes), word);
}

MlirValue cpu_truncf(cpu_lower *l, MlirValue x, MlirType element) {
  cpu_builder *b = &l->b;
  unsigned from = cpu_bits(cpu_element(cpu_type(x)));
  if (from == 32 && mlirTypeIsABF16(element))
    return to_bf16(l, x);
  return cpu_unary(b, "arith.truncf",
                   cpu_vector(element, cpu_lanes(cpu_type(x))), x);
}
