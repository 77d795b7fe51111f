/* What is computed once, into scratch, and what again at each use. */
#include "lower.h"

#include <string.h>

/* Computing an element again must not cost more than this, in units of a
 * vector addition; a store and a load of it cost about 3. */
#define RECOMPUTE_LIMIT 10
#define COST_CAP 1000000

bool cpu_reshape_is_trivial(const cpu_value *from, const cpu_value *to) {
  int i = 0, j = 0;
  for (;;) {
    while (i < from->rank && from->shape[i] == 1)
      i++;
    while (j < to->rank && to->shape[j] == 1)
      j++;
    if (i == from->rank || j == to->rank)
      return i == from->rank && j == to->rank;
    if (from->shape[i++] != to->shape[j++])
      return false;
  }
}

static int64_t own_cost(neso_op op) {
  switch (op) {
  case NESO_OP_ARITH_CONSTANT:
  case NESO_OP_TENSOR_SPLAT:
  case NESO_OP_NESO_ARANGE:
  case NESO_OP_NESO_BROADCAST:
  case NESO_OP_NESO_EXPAND_DIMS:
  case NESO_OP_NESO_RESHAPE:
  case NESO_OP_NESO_TRANS:
    return 0;
  case NESO_OP_NESO_LOAD:
  case NESO_OP_NESO_MASKED_LOAD:
    return 2;
  case NESO_OP_NESO_TO_F8:
    return 15;
  case NESO_OP_NESO_FROM_F8:
  case NESO_OP_ARITH_DIVF:
  case NESO_OP_MATH_SQRT:
    return 6;
  case NESO_OP_ARITH_DIVSI:
  case NESO_OP_ARITH_DIVUI:
  case NESO_OP_ARITH_REMSI:
  case NESO_OP_ARITH_REMUI:
    return 20;
  case NESO_OP_MATH_ABSF:
  case NESO_OP_MATH_ABSI:
  case NESO_OP_MATH_CEIL:
  case NESO_OP_MATH_FLOOR:
  case NESO_OP_MATH_ROUND:
  case NESO_OP_MATH_ROUNDEVEN:
  case NESO_OP_MATH_TRUNC:
  case NESO_OP_MATH_COPYSIGN:
  case NESO_OP_MATH_FMA:
    return 1;
  default:
    return op >= NESO_OP_MATH_ABSF &&
                   strncmp(neso__op_row(op)->name, "math.", 5) == 0
               ? 15
               : 1;
  }
}

static void compute_cost(cpu_lower *l, cpu_value *v) {
  v->cost = 1;
  if (v->rank == 0 || mlirOperationIsNull(v->def) || !cpu_is_lazy(v->op))
    return;
  v->cost = own_cost(v->op);
  v->has_load = cpu_is_load(v->op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++) {
    cpu_value *operand = cpu_operand(l, v, i);
    if (operand->rank == 0)
      continue;
    v->cost += operand->cost;
    v->has_load |= operand->has_load;
  }
  if (v->cost > COST_CAP)
    v->cost = COST_CAP;
}

static int64_t words(const cpu_lower *l) { return l->op_count / 64 + 1; }

bool cpu_pulled_at(const cpu_value *v, int64_t seq) {
  return v->pulls[seq / 64] >> (seq % 64) & 1;
}

static MlirOperation ancestor_in(MlirOperation op, MlirBlock block) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static bool crosses_loop(MlirOperation root, MlirBlock block) {
  while (!mlirBlockEqual(mlirOperationGetBlock(root), block)) {
    root = mlirOperationGetParentOperation(root);
    if (!cpu_op_is(root, "scf.if"))
      return true;
  }
  return false;
}

static int64_t first_pull(cpu_lower *l, const cpu_value *v) {
  for (int64_t s = 0; s < l->op_count; s++)
    if (cpu_pulled_at(v, s))
      return cpu_seq(l, ancestor_in(l->ops[s], v->block));
  return v->seq;
}

static bool stretches(cpu_lower *l, MlirOperation user) {
  if (!cpu_op_is(user, "neso.broadcast"))
    return false;
  cpu_value *from = cpu_op_operand(l, user, 0);
  cpu_value *to = cpu_value_of(l, mlirOperationGetResult(user, 0));
  return from->cost > 0 &&
         memcmp(from->shape, to->shape, sizeof from->shape) != 0;
}

static void collect_pulls(cpu_lower *l, cpu_value *v, bool *stretched,
                          bool *reshaped) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v->tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    neso_op kind = neso__op_of(user);
    /* What gives a scalar is computed where it stands. */
    if (!cpu_is_lazy(kind) ||
        cpu_value_of(l, mlirOperationGetResult(user, 0))->rank == 0) {
      int64_t seq = cpu_seq(l, user);
      v->pulls[seq / 64] |= (uint64_t)1 << (seq % 64);
      continue;
    }
    cpu_value *result = cpu_value_of(l, mlirOperationGetResult(user, 0));
    *stretched |= stretches(l, user);
    if (kind == NESO_OP_NESO_RESHAPE && !cpu_reshape_is_trivial(v, result))
      *reshaped = true;
    if (result->marked) {
      int64_t seq = first_pull(l, result);
      v->pulls[seq / 64] |= (uint64_t)1 << (seq % 64);
      continue;
    }
    for (int64_t w = 0; w < words(l); w++)
      v->pulls[w] |= result->pulls[w];
  }
}

bool cpu_is_volatile(MlirOperation op) {
  return cpu_is_load(neso__op_of(op)) &&
         mlirBoolAttrGetValue(cpu_attr(op, "volatile"));
}

static bool is_write(MlirOperation op) {
  const neso_op_row *row = neso__op_row(neso__op_of(op));
  return (row && row->effect == NESO_EFFECT_WRITE) || cpu_is_volatile(op);
}

/* A write or a volatile load after the load and before a place that wants it:
 * the loaded values must be kept. The store at the place itself may overwrite
 * what it reads element by element, not at other offsets. */
static void mark_before_stores(cpu_lower *l, cpu_value *v) {
  bool written = false;
  for (int64_t s = v->seq + 1; s < l->op_count; s++) {
    if (cpu_pulled_at(v, s)) {
      v->marked |= written;
      if (cpu_is_store(neso__op_of(l->ops[s])) &&
          mlirValueEqual(mlirOperationGetOperand(l->ops[s], 0),
                         mlirOperationGetOperand(v->def, 0)) &&
          !mlirValueEqual(mlirOperationGetOperand(l->ops[s], 1),
                          mlirOperationGetOperand(v->def, 1)))
        v->marked = v->early = true;
    }
    written |= is_write(l->ops[s]);
  }
}

static void decide(cpu_lower *l, cpu_value *v) {
  bool stretched = false, reshaped = false;
  v->pulls = NESO_ARENA_NEW(l->arena, uint64_t, words(l));
  collect_pulls(l, v, &stretched, &reshaped);
  if (mlirOperationIsNull(v->def) || !cpu_is_lazy(v->op))
    return;
  int64_t count = 0;
  bool looped = false;
  for (int64_t s = 0; s < l->op_count; s++)
    if (cpu_pulled_at(v, s)) {
      count++;
      looped |= crosses_loop(l->ops[s], v->block);
    }
  bool dear = v->cost > RECOMPUTE_LIMIT;
  v->marked = reshaped || (dear && (count > 1 || stretched)) ||
              (looped && (dear || v->has_load));
  if (cpu_is_load(v->op))
    mark_before_stores(l, v);
  if (count == 0)
    v->marked = false;
}

bool cpu_same_shape(const cpu_value *a, const cpu_value *b) {
  return a->rank == b->rank && !memcmp(a->shape, b->shape, sizeof a->shape);
}

void cpu_plan(cpu_lower *l) {
  for (size_t i = 0; i < l->order_count; i++)
    compute_cost(l, l->order[i]);
  for (size_t i = l->order_count; i-- > 0;)
    if (l->order[i]->rank > 0)
      decide(l, l->order[i]);
}

bool cpu_pulled_after(const cpu_lower *l, const cpu_value *v, int64_t seq) {
  for (int64_t s = seq + 1; s < l->op_count; s++)
    if (cpu_pulled_at(v, s))
      return true;
  return false;
}

int64_t cpu_last_use(const cpu_lower *l, const cpu_value *v) {
  for (int64_t s = l->op_count; s-- > 0;)
    if (cpu_pulled_at(v, s)) {
      MlirOperation op = ancestor_in(l->ops[s], v->block);
      return l->op_end[cpu_seq((cpu_lower *)l, op)];
    }
  return v->seq;
}
