/* One elementwise operation, on scalars or on vectors. */
#include "lower.h"

#include <string.h>

MlirValue cpu_constant_scalar(cpu_lower *l, MlirOperation op) {
  MlirAttribute value = cpu_attr(op, "value");
  MlirType element = cpu_element(cpu_type(mlirOperationGetResult(op, 0)));
  if (mlirAttributeIsADenseElements(value)) {
    if (!mlirDenseElementsAttrIsSplat(value)) {
      cpu_fail(l, op, "a constant block must hold one value");
      return cpu_zero(&l->b, element);
    }
    value = mlirDenseElementsAttrGetSplatValue(value);
  }
  MlirNamedAttribute attribute = cpu_named(&l->b, "value", value);
  return mlirOperationGetResult(
      cpu_op(&l->b, "arith.constant", 0, NULL, 1, &element, 1, &attribute), 0);
}

/* x / 0 is 0, x % 0 is x; the smallest integer by -1 wraps: nothing traps. */
static MlirValue emit_division(cpu_lower *l, const cpu_value *v,
                               const MlirValue *operands) {
  cpu_builder *b = &l->b;
  MlirValue x = operands[0], y = operands[1];
  MlirType type = cpu_type(x);
  MlirValue zero = cpu_int(b, type, 0), one = cpu_int(b, type, 1);
  bool is_signed = v->op == NESO_OP_ARITH_DIVSI || v->op == NESO_OP_ARITH_REMSI;
  bool quotient = v->op == NESO_OP_ARITH_DIVSI || v->op == NESO_OP_ARITH_DIVUI;
  const char *name = mlirIdentifierStr(mlirOperationGetName(v->def)).data;
  int64_t constant;
  if (cpu_constant(l, cpu_operand(l, v, 1), &constant) && constant != 0 &&
      constant != -1)
    return cpu_binary(b, name, x, y);
  MlirValue is_zero = cpu_cmpi(b, CPU_EQ, y, zero), bad = is_zero;
  MlirValue minus = bad;
  if (is_signed) {
    minus = cpu_cmpi(b, CPU_EQ, y, cpu_int(b, type, -1));
    bad = cpu_binary(b, "arith.ori", bad, minus);
  }
  MlirValue safe = cpu_binary(b, name, x, cpu_select(b, bad, one, y));
  if (quotient) {
    if (is_signed)
      safe = cpu_select(b, minus, cpu_binary(b, "arith.subi", zero, x), safe);
    return cpu_select(b, is_zero, zero, safe);
  }
  return cpu_select(b, is_zero, x, safe);
}

/* Saturates; NaN gives 0. */
static MlirValue emit_to_integer(cpu_lower *l, const cpu_value *v, MlirValue x,
                                 int64_t lanes) {
  const char *name =
      v->op == NESO_OP_ARITH_FPTOSI ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  cpu_builder *b = &l->b;
  MlirType wide = cpu_vector(b->f32, lanes);
  if (cpu_bits(cpu_element(cpu_type(x))) == 16)
    x = cpu_unary(b, "arith.extf", wide, x);
  return cpu_intrinsic(b, name, cpu_vector(v->element, lanes), 1, &x);
}

/* Shifts by the width or more give 0 (or the sign). */
static MlirValue emit_shift(cpu_lower *l, const cpu_value *v,
                            const MlirValue *operands) {
  cpu_builder *b = &l->b;
  MlirType type = cpu_type(operands[0]);
  int64_t bits = cpu_bits(v->element), constant;
  const char *name = mlirIdentifierStr(mlirOperationGetName(v->def)).data;
  if (cpu_constant(l, cpu_operand(l, v, 1), &constant) && constant >= 0 &&
      constant < bits)
    return cpu_binary(b, name, operands[0], operands[1]);
  MlirValue most = cpu_int(b, type, bits - 1);
  MlirValue over = cpu_cmpi(b, CPU_UGT, operands[1], most);
  MlirValue by = cpu_select(b, over, most, operands[1]);
  MlirValue shifted = cpu_binary(b, name, operands[0], by);
  if (v->op == NESO_OP_ARITH_SHRSI)
    return shifted;
  return cpu_select(b, over, cpu_int(b, type, 0), shifted);
}

static MlirValue emit_as(cpu_lower *l, const cpu_value *v,
                         const MlirValue *operands, MlirType type) {
  MlirNamedAttribute attributes[8];
  intptr_t count = mlirOperationGetNumAttributes(v->def);
  for (intptr_t i = 0; i < count && i < 8; i++)
    attributes[i] = mlirOperationGetAttribute(v->def, i);
  const char *name = mlirIdentifierStr(mlirOperationGetName(v->def)).data;
  MlirOperation op =
      cpu_op(&l->b, name, mlirOperationGetNumOperands(v->def), operands, 1,
             &type, count < 8 ? count : 8, attributes);
  return mlirOperationGetResult(op, 0);
}

/* As comparisons: LLVM would do the maximum of widened bf16 in bf16, and x86
 * takes denormals for 0 there. */
static MlirValue extreme(cpu_lower *l, neso_op op, MlirValue x, MlirValue y) {
  cpu_builder *b = &l->b;
  bool max = op == NESO_OP_ARITH_MAXNUMF || op == NESO_OP_ARITH_MAXIMUMF;
  bool skip = op == NESO_OP_ARITH_MAXNUMF || op == NESO_OP_ARITH_MINNUMF;
  MlirValue nan = cpu_cmpf(b, CPU_UNO, skip ? y : x, skip ? y : x);
  MlirValue keep = cpu_binary(b, "arith.ori",
                              cpu_cmpf(b, max ? CPU_OGT : CPU_OLT, x, y), nan);
  return cpu_select(b, keep, x, y);
}

static bool is_extreme(neso_op op) {
  return op == NESO_OP_ARITH_MAXNUMF || op == NESO_OP_ARITH_MINNUMF ||
         op == NESO_OP_ARITH_MAXIMUMF || op == NESO_OP_ARITH_MINIMUMF;
}

/* bf16 is computed in f32 and rounded; integers reach it by way of f64. */
static MlirValue emit_bf16(cpu_lower *l, const cpu_value *v,
                           const MlirValue *operands, int64_t lanes) {
  cpu_builder *b = &l->b;
  MlirValue wide[4];
  bool from_integer =
      v->op == NESO_OP_ARITH_SITOFP || v->op == NESO_OP_ARITH_UITOFP;
  MlirType single = cpu_vector(from_integer ? b->f64 : b->f32, lanes);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    wide[i] = mlirTypeIsABF16(cpu_element(cpu_type(operands[i])))
                  ? cpu_unary(b, "arith.extf", single, operands[i])
                  : operands[i];
  if (!mlirTypeIsABF16(v->element))
    return emit_as(l, v, wide, cpu_vector(v->element, lanes));
  if (is_extreme(v->op))
    return cpu_truncf(l, extreme(l, v->op, wide[0], wide[1]), v->element);
  return cpu_truncf(l, emit_as(l, v, wide, single), v->element);
}

static bool moves_only(neso_op op) {
  return op == NESO_OP_ARITH_SELECT || op == NESO_OP_ARITH_BITCAST ||
         op == NESO_OP_ARITH_EXTF;
}

static MlirValue emit_generic(cpu_lower *l, const cpu_value *v,
                              const MlirValue *operands, int64_t lanes) {
  bool bf16 = mlirTypeIsABF16(v->element);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    bf16 |= mlirTypeIsABF16(cpu_element(cpu_type(operands[i])));
  if (bf16 && !moves_only(v->op))
    return emit_bf16(l, v, operands, lanes);
  return emit_as(l, v, operands, cpu_vector(v->element, lanes));
}

MlirValue cpu_elementwise(cpu_lower *l, const cpu_value *v,
                          const MlirValue *operands, int64_t lanes) {
  switch (v->op) {
  case NESO_OP_TENSOR_SPLAT:
    return operands[0];
  case NESO_OP_ARITH_DIVSI:
  case NESO_OP_ARITH_DIVUI:
  case NESO_OP_ARITH_REMSI:
  case NESO_OP_ARITH_REMUI:
    return emit_division(l, v, operands);
  case NESO_OP_ARITH_SHLI:
  case NESO_OP_ARITH_SHRSI:
  case NESO_OP_ARITH_SHRUI:
    return emit_shift(l, v, operands);
  case NESO_OP_NESO_FROM_F8:
    return cpu_from_f8(l, v->def, operands[0]);
  case NESO_OP_NESO_TO_F8:
    return cpu_to_f8(l, v->def, operands[0]);
  case NESO_OP_ARITH_TRUNCF:
    return cpu_truncf(l, operands[0], v->element);
  case NESO_OP_ARITH_FPTOSI:
  case NESO_OP_ARITH_FPTOUI:
    return emit_to_integer(l, v, operands[0], lanes);
  default:
    break;
  }
  MlirValue math = cpu_math(l, v, operands);
  return mlirValueIsNull(math) ? emit_generic(l, v, operands, lanes) : math;
}
