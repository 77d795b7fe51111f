/* Lines of memory asked for where there is work to hide their latency: of a
 * store that will read the block which a nest writes to scratch, and of the
 * block that the next program loads, where this one loads its own again. */
#include "lower.h"

#define LINE 64
/* Larger blocks would push out of the cache what is still wanted. */
#define MOST_BYTES ((int64_t)1 << 18)

static bool is_small(const cpu_value *v) {
  int64_t bytes = cpu_bytes(v->element);
  for (int d = 0; d < v->rank; d++)
    bytes *= v->shape[d];
  return bytes <= MOST_BYTES;
}

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

static void ask(cpu_lower *l, MlirValue address, bool to_write) {
  cpu_builder *b = &l->b;
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "rw", cpu_i32_attr(b, to_write)),
      cpu_named(b, "hint", cpu_i32_attr(b, 3)),
      cpu_named(b, "cache", cpu_i32_attr(b, 1))};
  cpu_op(b, "llvm.intr.prefetch", 1, &address, 0, NULL, 3, attributes);
}

void cpu_ask_ahead(cpu_lower *l, cpu_nest *n, const cpu_value *written) {
  if (!is_small(written))
    return;
  for (int64_t s = written->seq; s < l->op_count; s++) {
    MlirOperation op = l->ops[s];
    if (!cpu_pulled_at(written, s) || !fits(l, n, op, written))
      continue;
    cpu_value *value = cpu_op_operand(l, op, 2);
    cpu_value *offset = cpu_op_operand(l, op, 1);
    /* The reduced dimension may be walked inside the loop over vectors. */
    int level = cpu_eval(l, n, offset, cpu_identity(offset))->level;
    MlirValue address = cpu_contiguous_address(
        l, n, cpu_op_operand(l, op, 0)->scalar, offset, cpu_identity(value),
        value->element, level > n->vec_level ? level : n->vec_level);
    int64_t bytes = n->lanes * cpu_bytes(value->element);
    for (int64_t at = 0; at < bytes; at += LINE)
      ask(l, cpu_gep_bytes(&l->b, address, at), true);
    return;
  }
}

/* ------------------------------------------------------- next program -- */

typedef struct step_state {
  cpu_lower *l;
  int budget;
} step_state;

/* By how much `v` grows from a program to the next, the same for all lanes;
 * null: not at all. Code goes where the builder stands. */
static bool program_step(step_state *s, cpu_value *v, MlirValue *step) {
  cpu_builder *b = &s->l->b;
  MlirValue steps[4] = {{NULL}};
  bool any = false;
  *step = (MlirValue){NULL};
  if (mlirOperationIsNull(v->def))
    return v->rank == 0 && v->ready;
  if (v->op == NESO_OP_NESO_PROGRAM_ID) {
    if (cpu_attr_int(v->def, "axis") == 0)
      *step = cpu_index(b, 1);
    return true;
  }
  intptr_t count = mlirOperationGetNumOperands(v->def);
  if (cpu_is_load(v->op) || !cpu_is_lazy(v->op) || count > 4 || --s->budget < 0)
    return false;
  for (intptr_t i = 0; i < count; i++) {
    if (!program_step(s, cpu_operand(s->l, v, i), &steps[i]))
      return false;
    any |= !mlirValueIsNull(steps[i]);
  }
  if (!any)
    return true;
  switch (v->op) {
  case NESO_OP_TENSOR_SPLAT:
  case NESO_OP_NESO_BROADCAST:
  case NESO_OP_NESO_EXPAND_DIMS:
  case NESO_OP_ARITH_EXTSI:
    *step = steps[0];
    return true;
  case NESO_OP_ARITH_ADDI:
    *step = mlirValueIsNull(steps[0]) ? steps[1]
            : mlirValueIsNull(steps[1])
                ? steps[0]
                : cpu_binary(b, "arith.addi", steps[0], steps[1]);
    return true;
  case NESO_OP_ARITH_MULI: {
    int moving = mlirValueIsNull(steps[0]);
    cpu_value *factor = cpu_operand(s->l, v, 1 - moving);
    if (v->rank > 0 || !mlirValueIsNull(steps[1 - moving]))
      return false;
    *step = cpu_binary(b, "arith.muli", steps[moving],
                       cpu_resize(b, factor->scalar, b->i64, true));
    return true;
  }
  default:
    return false;
  }
}

void cpu_ask_next(cpu_lower *l, cpu_nest *n, cpu_value *load, MlirValue address,
                  int level) {
  step_state s = {l, 50};
  MlirValue step;
  bool again = load->loaded_in != 0 && load->loaded_in != l->epoch;
  if (load->loaded_in < 0)
    return;
  load->loaded_in = again ? -1 : l->epoch;
  cpu_at(l, n, 0);
  if (!again || !is_small(load) ||
      !mlirBlockEqual(load->block, cpu_body(l->tile_func, 0)) ||
      !program_step(&s, cpu_operand(l, load, 1), &step) ||
      mlirValueIsNull(step))
    return;
  cpu_at(l, n, level);
  MlirValue next = cpu_gep(&l->b, address, step, load->element);
  int64_t bytes = n->lanes * cpu_bytes(load->element);
  for (int64_t at = 0; at < bytes; at += LINE)
    ask(l, cpu_gep_bytes(&l->b, next, at), false);
}
