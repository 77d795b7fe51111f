/* scf.for, scf.if and scf.while: scalars stay values, blocks that cross a
 * region's border live in scratch buffers. */
#include "lower.h"

#define MAX_CARRIED 60

/* Rows of matrices are padded as dot wants its accumulator. */
static cpu_buffer *shared_buffer(cpu_lower *l, cpu_value *v, int64_t from,
                                 int64_t to) {
  int64_t multiple =
      v->rank >= 2 ? 2 * l->vector_bits / cpu_bits(v->element) : 1;
  cpu_buffer *buffer =
      cpu_buffer_new(l, v->element, v->rank, v->shape, multiple, 0);
  cpu_buffer_keep(buffer, from);
  cpu_buffer_keep(buffer, to);
  return buffer;
}

static void bind(cpu_value *v, cpu_buffer *buffer) {
  v->buffer = buffer;
  v->ready = true;
}

static void bind_scalar(cpu_value *v, MlirValue scalar) {
  v->scalar = scalar;
  v->ready = true;
}

/* ------------------------------------------------- writing into buffers -- */

typedef struct transfer {
  cpu_value *value;
  cpu_buffer *to;
} transfer;

typedef struct hazard_scan {
  cpu_lower *l;
  const transfer *all;
  int count;
  const transfer *self;
  int budget;
  bool found;
} hazard_scan;

static void scan_hazard(hazard_scan *s, cpu_value *v, cpu_coords c) {
  if (v->rank == 0 || s->found)
    return;
  if (--s->budget < 0) {
    s->found = true;
    return;
  }
  if (v->ready) {
    for (int i = 0; i < s->count; i++)
      if (v->buffer == s->all[i].to &&
          (&s->all[i] != s->self ||
           !cpu_same_coords(c, cpu_identity(v), v->rank) ||
           v->rank != s->self->value->rank))
        s->found = true;
    return;
  }
  if (mlirOperationIsNull(v->def))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    scan_hazard(s, cpu_operand(s->l, v, i), cpu_operand_coords(s->l, v, i, c));
}

/* Whether writing `self` in place could change what it or another transfer
 * still reads. */
static bool has_hazard(cpu_lower *l, const transfer *all, int count,
                       const transfer *self) {
  hazard_scan s = {l, all, count, self, 2000, false};
  for (int i = 0; i < count && !s.found; i++) {
    if (all[i].value->ready && all[i].value->buffer == all[i].to)
      continue;
    s.self = &all[i];
    scan_hazard(&s, all[i].value, cpu_identity(all[i].value));
  }
  return s.found;
}

/* Computes every value into its buffer as if at once. */
static void transfer_all(cpu_lower *l, const transfer *all, int count,
                         int64_t seq) {
  cpu_flush(l, seq);
  bool hazard = has_hazard(l, all, count, all);
  cpu_buffer *temporary[MAX_CARRIED];
  for (int i = 0; i < count; i++) {
    cpu_value *v = all[i].value;
    temporary[i] = NULL;
    if (v->ready && v->buffer == all[i].to)
      continue;
    if (hazard)
      temporary[i] = shared_buffer(l, v, seq, seq);
    cpu_materialize(l, v, hazard ? temporary[i] : all[i].to, seq);
  }
  for (int i = 0; i < count; i++) {
    if (!temporary[i])
      continue;
    cpu_value copy = *all[i].value;
    copy.memo = NULL;
    copy.memo_epoch = 0;
    bind(&copy, temporary[i]);
    cpu_materialize(l, &copy, all[i].to, seq);
  }
}

static MlirOperation terminator(MlirBlock block) {
  return mlirBlockGetTerminator(block);
}

/* Splits operands [from, ...) of `op`: blocks go to the buffers of `targets`,
 * scalars to `scalars`; gives the number of scalars. */
static int yield_values(cpu_lower *l, MlirOperation op, intptr_t from,
                        cpu_value **targets, MlirValue *scalars) {
  transfer all[MAX_CARRIED];
  int count = 0, scalar_count = 0;
  intptr_t total = mlirOperationGetNumOperands(op) - from;
  for (intptr_t i = 0; i < total; i++) {
    cpu_value *v = cpu_op_operand(l, op, from + i);
    if (v->rank == 0)
      scalars[scalar_count++] = v->scalar;
    else
      all[count++] = (transfer){v, targets[i]->buffer};
  }
  transfer_all(l, all, count, cpu_seq(l, op));
  return scalar_count;
}

static bool too_many(cpu_lower *l, MlirOperation op, intptr_t count) {
  if (count > MAX_CARRIED)
    cpu_fail(l, op, "more than %d values carried by one statement",
             MAX_CARRIED);
  return count > MAX_CARRIED;
}

/* ----------------------------------------------------------------- for -- */

static int64_t last_of(cpu_lower *l, cpu_value *result, MlirOperation op) {
  int64_t end = l->op_end[cpu_seq(l, op)], last = cpu_last_use(l, result);
  return last > end ? last : end;
}

static void lower_for(cpu_lower *l, MlirOperation op) {
  int64_t seq = cpu_seq(l, op);
  intptr_t count = mlirOperationGetNumResults(op);
  MlirBlock body = cpu_body(op, 0);
  MlirValue inits[MAX_CARRIED];
  cpu_value *carried[MAX_CARRIED];
  transfer start[MAX_CARRIED];
  int scalars = 0, blocks = 0;
  if (too_many(l, op, count))
    return;
  for (intptr_t i = 0; i < count; i++) {
    cpu_value *init = cpu_op_operand(l, op, 3 + i);
    cpu_value *result = cpu_value_of(l, mlirOperationGetResult(op, i));
    carried[i] = cpu_value_of(l, mlirBlockGetArgument(body, 1 + i));
    if (init->rank == 0) {
      inits[scalars++] = init->scalar;
      continue;
    }
    carried[i]->buffer = shared_buffer(l, init, seq, last_of(l, result, op));
    start[blocks++] = (transfer){init, carried[i]->buffer};
  }
  transfer_all(l, start, blocks, seq);
  MlirOperation loop = cpu_for(
      &l->b, cpu_op_operand(l, op, 0)->scalar, cpu_op_operand(l, op, 1)->scalar,
      cpu_op_operand(l, op, 2)->scalar, scalars, inits);
  cpu_builder outer = l->b;
  MlirBlock inside = cpu_body(loop, 0);
  cpu_enter(&l->b, inside);
  bind_scalar(cpu_value_of(l, mlirBlockGetArgument(body, 0)),
              mlirBlockGetArgument(inside, 0));
  for (intptr_t i = 0, k = 0; i < count; i++) {
    if (carried[i]->rank == 0)
      bind_scalar(carried[i], mlirBlockGetArgument(inside, 1 + k++));
    carried[i]->ready = true;
  }
  cpu_lower_block(l, body);
  int yielded = 0;
  MlirValue values[MAX_CARRIED];
  if (!l->error)
    yielded = yield_values(l, terminator(body), 0, carried, values);
  cpu_yield(&l->b, inside, yielded, values);
  l->b = outer;
  for (intptr_t i = 0, k = 0; i < count; i++) {
    cpu_value *result = cpu_value_of(l, mlirOperationGetResult(op, i));
    if (result->rank == 0)
      bind_scalar(result, mlirOperationGetResult(loop, k++));
    else
      bind(result, carried[i]->buffer);
  }
}

/* ------------------------------------------------------------------ if -- */

static void lower_branch(cpu_lower *l, MlirOperation op, intptr_t region,
                         MlirOperation branch, cpu_value **results) {
  MlirValue values[MAX_CARRIED];
  int yielded = 0;
  MlirRegion from = mlirOperationGetRegion(op, region);
  MlirBlock block = mlirRegionGetFirstBlock(from);
  cpu_builder outer = l->b;
  cpu_enter(&l->b, cpu_body(branch, region));
  if (!mlirBlockIsNull(block)) {
    cpu_lower_block(l, block);
    if (!l->error)
      yielded = yield_values(l, terminator(block), 0, results, values);
  }
  l->b = outer;
  cpu_yield(&l->b, cpu_body(branch, region), yielded, values);
}

static void lower_if(cpu_lower *l, MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op);
  cpu_value *results[MAX_CARRIED];
  MlirType types[MAX_CARRIED];
  int scalars = 0;
  if (too_many(l, op, count))
    return;
  for (intptr_t i = 0; i < count; i++) {
    results[i] = cpu_value_of(l, mlirOperationGetResult(op, i));
    if (results[i]->rank == 0)
      types[scalars++] = results[i]->element;
    else
      results[i]->buffer = shared_buffer(l, results[i], cpu_seq(l, op),
                                         last_of(l, results[i], op));
  }
  MlirOperation branch =
      cpu_if(&l->b, cpu_op_operand(l, op, 0)->scalar, scalars, types);
  lower_branch(l, op, 0, branch, results);
  lower_branch(l, op, 1, branch, results);
  for (intptr_t i = 0, k = 0; i < count; i++) {
    results[i]->ready = true;
    if (results[i]->rank == 0)
      results[i]->scalar = mlirOperationGetResult(branch, k++);
  }
}

/* --------------------------------------------------------------- while -- */

/* Gives each block argument of `body` its scalar of `inside` or marks its
 * buffer as filled. */
static void bind_arguments(cpu_lower *l, MlirBlock body, MlirBlock inside) {
  for (intptr_t i = 0, k = 0; i < mlirBlockGetNumArguments(body); i++) {
    cpu_value *v = cpu_value_of(l, mlirBlockGetArgument(body, i));
    v->ready = true;
    if (v->rank == 0)
      v->scalar = mlirBlockGetArgument(inside, k++);
  }
}

static void lower_while(cpu_lower *l, MlirOperation op) {
  int64_t seq = cpu_seq(l, op);
  MlirBlock before = cpu_body(op, 0), after = cpu_body(op, 1);
  intptr_t in = mlirOperationGetNumOperands(op);
  intptr_t out = mlirOperationGetNumResults(op);
  cpu_value *first[MAX_CARRIED], *second[MAX_CARRIED];
  MlirValue inits[MAX_CARRIED], values[MAX_CARRIED + 1];
  MlirType types[MAX_CARRIED];
  transfer start[MAX_CARRIED];
  int scalars = 0, blocks = 0, after_scalars = 0;
  if (too_many(l, op, in) || too_many(l, op, out))
    return;
  for (intptr_t i = 0; i < in; i++) {
    cpu_value *init = cpu_op_operand(l, op, i);
    first[i] = cpu_value_of(l, mlirBlockGetArgument(before, i));
    if (init->rank == 0) {
      inits[scalars++] = init->scalar;
      continue;
    }
    first[i]->buffer = shared_buffer(l, init, seq, l->op_end[seq]);
    start[blocks++] = (transfer){init, first[i]->buffer};
  }
  for (intptr_t i = 0; i < out; i++) {
    cpu_value *result = cpu_value_of(l, mlirOperationGetResult(op, i));
    second[i] = cpu_value_of(l, mlirBlockGetArgument(after, i));
    if (result->rank == 0)
      types[after_scalars++] = result->element;
    else
      result->buffer = second[i]->buffer =
          shared_buffer(l, result, seq, last_of(l, result, op));
  }
  transfer_all(l, start, blocks, seq);
  MlirOperation loop = cpu_while(&l->b, scalars, inits, after_scalars, types);
  cpu_builder outer = l->b;
  cpu_enter(&l->b, cpu_body(loop, 0));
  bind_arguments(l, before, cpu_body(loop, 0));
  cpu_lower_block(l, before);
  int count = 0;
  if (!l->error)
    count = yield_values(l, terminator(before), 1, second, values + 1);
  values[0] = cpu_op_operand(l, terminator(before), 0)->scalar;
  cpu_enter(&l->b, cpu_body(loop, 0));
  cpu_op(&l->b, "scf.condition", 1 + count, values, 0, NULL, 0, NULL);

  cpu_enter(&l->b, cpu_body(loop, 1));
  bind_arguments(l, after, cpu_body(loop, 1));
  cpu_lower_block(l, after);
  count = 0;
  if (!l->error)
    count = yield_values(l, terminator(after), 0, first, values);
  cpu_yield(&l->b, cpu_body(loop, 1), count, values);
  l->b = outer;
  for (intptr_t i = 0, k = 0; i < out; i++) {
    cpu_value *result = cpu_value_of(l, mlirOperationGetResult(op, i));
    result->ready = true;
    if (result->rank == 0)
      result->scalar = mlirOperationGetResult(loop, k++);
  }
}

void cpu_lower_control(cpu_lower *l, MlirOperation op) {
  cpu_flush(l, cpu_seq(l, op));
  if (cpu_op_is(op, "scf.for"))
    lower_for(l, op);
  else if (cpu_op_is(op, "scf.if"))
    lower_if(l, op);
  else
    lower_while(l, op);
}
