/* A nest that writes a block to scratch is followed by a store that reads it
 * and writes memory for the first time. The lines of that store are asked for
 * here, where there is work to hide their latency. */
#include "lower.h"

#define LINE 64

static bool is_index_only(cpu_lower *l, cpu_value *v, int *budget) {
  if (v->rank == 0)
    return v->ready;
  if (v->ready || v->marked || v->has_load || mlirOperationIsNull(v->def) ||
      --*budget < 0)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    if (!is_index_only(l, cpu_operand(l, v, i), budget))
      return false;
  return true;
}

static bool fits(cpu_lower *l, cpu_nest *n, MlirOperation op,
                 const cpu_value *written) {
  int budget = 200;
  int64_t step;
  if (!cpu_is_store(neso__op_of(op)))
    return false;
  cpu_value *value = cpu_op_operand(l, op, 2);
  cpu_value *offset = cpu_op_operand(l, op, 1);
  return mlirBlockEqual(mlirOperationGetBlock(op), written->block) &&
         cpu_same_shape(value, written) && cpu_op_operand(l, op, 0)->ready &&
         is_index_only(l, offset, &budget) &&
         cpu_step(l, n, offset, cpu_identity(offset), &step) && step == 1;
}

static void ask(cpu_lower *l, MlirValue address) {
  cpu_builder *b = &l->b;
  MlirNamedAttribute attributes[] = {cpu_named(b, "rw", cpu_i32_attr(b, 1)),
                                     cpu_named(b, "hint", cpu_i32_attr(b, 3)),
                                     cpu_named(b, "cache", cpu_i32_attr(b, 1))};
  cpu_op(b, "llvm.intr.prefetch", 1, &address, 0, NULL, 3, attributes);
}

void cpu_ask_ahead(cpu_lower *l, cpu_nest *n, const cpu_value *written) {
  for (int64_t s = written->seq; s < l->op_count; s++) {
    MlirOperation op = l->ops[s];
    if (!cpu_pulled_at(written, s) || !fits(l, n, op, written))
      continue;
    cpu_value *value = cpu_op_operand(l, op, 2);
    MlirValue address = cpu_contiguous_address(
        l, n, cpu_op_operand(l, op, 0)->scalar, cpu_op_operand(l, op, 1),
        cpu_identity(value), value->element, n->vec_level);
    int64_t bytes = n->lanes * cpu_bytes(value->element);
    for (int64_t at = 0; at < bytes; at += LINE)
      ask(l, cpu_gep_bytes(&l->b, address, at));
    return;
  }
}
