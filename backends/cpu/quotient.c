/* Division of many lanes by one number. The quotient comes from the rounded
 * reciprocal and two exact residuals (Markstein: the last step rounds
 * correctly), which is three times as fast as the divider and gives the same
 * bits. Chunks with a lane outside [2^-60, 2^60] and not 0 are divided. */
#include "lower.h"

#define LOW 0x1p-60
#define HIGH 0x1p60
#define LOW_BITS 0x21800000
#define HIGH_BITS 0x5d800000

bool cpu_quotient_fits(cpu_lower *l, const cpu_nest *n, const cpu_value *v) {
  return v->op == NESO_OP_ARITH_DIVF && n->lanes >= 8 &&
         cpu_is_float(v->element) && cpu_bits(v->element) == 32 &&
         neso__target_has(l->env->target, "fma");
}

static MlirValue scalar_out_of_range(cpu_builder *b, MlirValue s) {
  MlirValue size = cpu_unary(b, "math.absf", b->f32, s);
  MlirValue low = cpu_cmpf(b, CPU_OGE, size, cpu_float(b, b->f32, LOW));
  MlirValue high = cpu_cmpf(b, CPU_OLE, size, cpu_float(b, b->f32, HIGH));
  return cpu_binary(b, "arith.xori", cpu_binary(b, "arith.andi", low, high),
                    cpu_int(b, b->i1, 1));
}

static MlirValue lanes_out_of_range(cpu_builder *b, MlirValue x,
                                    MlirValue nonzero) {
  MlirType bits = cpu_vector(b->i32, cpu_lanes(cpu_type(x)));
  MlirValue size =
      cpu_binary(b, "arith.andi", cpu_unary(b, "arith.bitcast", bits, x),
                 cpu_int(b, bits, 0x7fffffff));
  size = cpu_binary(b, "arith.subi", size, cpu_int(b, bits, LOW_BITS));
  MlirValue over =
      cpu_cmpi(b, CPU_UGT, size, cpu_int(b, bits, HIGH_BITS - LOW_BITS));
  return cpu_any_lane(b, cpu_binary(b, "arith.andi", over, nonzero));
}

static MlirValue residual(cpu_builder *b, MlirValue q, MlirValue s,
                          MlirValue x) {
  return cpu_fma(b, cpu_unary(b, "arith.negf", cpu_type(q), q), s, x);
}

static MlirValue refined(cpu_builder *b, MlirValue x, MlirValue s, MlirValue r,
                         MlirValue nonzero) {
  MlirValue first = cpu_binary(b, "arith.mulf", x, r);
  MlirValue q = cpu_fma(b, residual(b, first, s, x), r, first);
  q = cpu_fma(b, residual(b, q, s, x), r, q);
  return cpu_select(b, nonzero, q, first); /* keeps the sign of 0 */
}

cpu_lv *cpu_quotient(cpu_lower *l, cpu_nest *n, cpu_lv *x, cpu_lv *by) {
  cpu_builder *b = &l->b;
  cpu_at(l, n, by->level);
  MlirValue one = cpu_float(b, b->f32, 1);
  cpu_lv *reciprocal = cpu_lv_uniform(
      l, cpu_binary(b, "arith.divf", one, by->scalar), by->level);
  MlirValue odd = scalar_out_of_range(b, by->scalar);
  MlirValue r = cpu_as_vector(l, n, reciprocal), s = cpu_as_vector(l, n, by);
  MlirValue value = cpu_as_vector(l, n, x);
  int level = x->level > by->level ? x->level : by->level;
  cpu_at(l, n, level);
  MlirType type = cpu_type(value);
  MlirValue nonzero = cpu_cmpf(b, CPU_UNE, value, cpu_zero(b, type));
  odd = cpu_binary(b, "arith.ori", odd, lanes_out_of_range(b, value, nonzero));
  MlirOperation branch = cpu_if(b, odd, 1, &type);
  cpu_builder outer = *b;
  for (int i = 0; i < 2; i++) {
    cpu_enter(b, cpu_body(branch, i));
    MlirValue q = i == 0 ? cpu_binary(b, "arith.divf", value, s)
                         : refined(b, value, s, r, nonzero);
    *b = outer;
    cpu_yield(b, cpu_body(branch, i), 1, &q);
  }
  return cpu_lv_vector(l, mlirOperationGetResult(branch, 0), level);
}
