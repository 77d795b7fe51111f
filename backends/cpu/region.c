/* fold, scan and map: a function on scalars, given as a region. Operands lie
 * in scratch. The region is put out for the lanes of a vector where it is
 * straight arithmetic, else for one element. */
#include "lower.h"

#include <string.h>

#define MAX_BLOCKS 16

typedef struct region_state {
  cpu_lower *l;
  MlirOperation op;
  MlirBlock block;
  int count, results;
  cpu_value *x[MAX_BLOCKS], *out[MAX_BLOCKS];
  cpu_buffer *aside[MAX_BLOCKS]; /* fold along the vector: its lanes */
  int axis;
  int64_t extent;     /* of the axis */
  int64_t fold_lanes; /* of accumulators along the axis; 0: none */
  bool reverse;
} region_state;

/* ------------------------------------------------------------- region -- */

static bool is_straight(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    neso_op kind = neso__op_of(op);
    const neso_op_row *row = neso__op_row(kind);
    bool plain = row && (strncmp(row->name, "arith.", 6) == 0 ||
                         strncmp(row->name, "math.", 5) == 0);
    if (!plain && kind != NESO_OP_NESO_YIELD)
      return false;
  }
  return true;
}

static MlirValue lanes_of(region_state *s, MlirValue tile, int64_t lanes) {
  cpu_value *v = cpu_value_of(s->l, tile);
  bool inside = mlirBlockEqual(v->block, s->block);
  return inside ? v->scalar : cpu_splat(&s->l->b, v->scalar, lanes);
}

static void emit_lanes(region_state *s, int64_t lanes) {
  cpu_lower *l = s->l;
  for (MlirOperation op = mlirBlockGetFirstOperation(s->block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (mlirOperationGetNumResults(op) == 0)
      continue;
    cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
    MlirValue operands[4];
    if (v->op == NESO_OP_ARITH_CONSTANT) {
      v->scalar = cpu_splat(&l->b, cpu_constant_scalar(l, op), lanes);
      continue;
    }
    intptr_t count = mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < count && i < 4; i++)
      operands[i] = lanes_of(s, mlirOperationGetOperand(op, i), lanes);
    v->scalar = cpu_elementwise(l, v, operands, lanes);
  }
}

/* The region on `args`; what it yields in `out`. */
static void apply(region_state *s, const MlirValue *args, int64_t lanes,
                  MlirValue *out) {
  cpu_lower *l = s->l;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(s->block); i++) {
    cpu_value *v = cpu_value_of(l, mlirBlockGetArgument(s->block, i));
    v->scalar = args[i];
    v->ready = true;
  }
  if (lanes > 0)
    emit_lanes(s, lanes);
  else
    cpu_lower_block(l, s->block);
  MlirOperation yield = mlirBlockGetTerminator(s->block);
  for (int i = 0; i < s->results; i++) {
    MlirValue result = mlirOperationGetOperand(yield, i);
    out[i] = lanes > 0 ? lanes_of(s, result, lanes)
                       : cpu_value_of(l, result)->scalar;
  }
}

/* ------------------------------------------------------------ elements -- */

static MlirValue along(cpu_lower *l, const cpu_buffer *buffer, int axis,
                       MlirValue start, MlirValue index) {
  cpu_builder *b = &l->b;
  index =
      cpu_binary(b, "arith.muli", index, cpu_index(b, buffer->stride[axis]));
  return cpu_gep(b, start, index, buffer->element);
}

static MlirValue read(region_state *s, int i, const MlirValue *at,
                      MlirValue index, int64_t lanes) {
  cpu_value *x = s->x[i];
  MlirValue address = along(s->l, x->buffer, s->axis, at[i], index);
  return cpu_load_element(s->l, x->element, address, lanes);
}

/* acc combined with elements [from, to) of the axis. */
static void fold_range(region_state *s, const MlirValue *at, MlirValue *acc,
                       int64_t from, int64_t to, int64_t step, int64_t lanes) {
  cpu_builder *b = &s->l->b;
  if (from >= to)
    return;
  MlirOperation loop = cpu_for(b, cpu_index(b, from), cpu_index(b, to),
                               cpu_index(b, step), s->count, acc);
  cpu_builder outer = *b;
  MlirBlock body = cpu_body(loop, 0);
  MlirValue args[2 * MAX_BLOCKS], next[MAX_BLOCKS];
  cpu_enter(b, body);
  for (int i = 0; i < s->count; i++) {
    args[i] = mlirBlockGetArgument(body, 1 + i);
    args[s->count + i] = read(s, i, at, mlirBlockGetArgument(body, 0), lanes);
  }
  apply(s, args, lanes, next);
  cpu_yield(b, body, s->count, next);
  *b = outer;
  for (int i = 0; i < s->count; i++)
    acc[i] = mlirOperationGetResult(loop, i);
}

/* ---------------------------------------------------------------- fold -- */

/* Lanes of accumulators over whole vectors of the axis, then one by one. */
static void fold_across(region_state *s, const MlirValue *at, MlirValue *acc) {
  cpu_lower *l = s->l;
  cpu_builder *b = &l->b;
  int64_t lanes = s->fold_lanes, whole = s->extent / lanes * lanes;
  MlirValue wide[MAX_BLOCKS], rows[MAX_BLOCKS];
  for (int i = 0; i < s->count; i++)
    wide[i] = read(s, i, at, cpu_index(b, 0), lanes);
  fold_range(s, at, wide, lanes, whole, lanes, lanes);
  region_state part = *s;
  cpu_value columns[MAX_BLOCKS];
  for (int i = 0; i < s->count; i++) {
    cpu_store_element(l, wide[i], s->aside[i]->address);
    columns[i] = *s->x[i];
    columns[i].buffer = s->aside[i];
    part.x[i] = &columns[i];
    rows[i] = s->aside[i]->address;
  }
  part.axis = 0;
  for (int i = 0; i < s->count; i++)
    acc[i] = read(&part, i, rows, cpu_index(b, 0), 0);
  fold_range(&part, rows, acc, 1, lanes, 1, 0);
  fold_range(s, at, acc, whole, s->extent, 1, 0);
}

static void fold_body(cpu_walk *w, const MlirValue *at, int64_t lanes) {
  region_state *s = w->user;
  MlirValue acc[MAX_BLOCKS];
  if (s->fold_lanes > 0) {
    fold_across(s, at, acc);
  } else {
    for (int i = 0; i < s->count; i++)
      acc[i] = read(s, i, at, cpu_index(&s->l->b, 0), lanes);
    fold_range(s, at, acc, 1, s->extent, 1, lanes);
  }
  for (int i = 0; i < s->count; i++)
    if (s->out[i]->rank == 0)
      s->out[i]->scalar = acc[i];
    else
      cpu_store_element(s->l, acc[i], at[s->count + i]);
}

/* ---------------------------------------------------------------- scan -- */

static MlirValue place(region_state *s, MlirValue index) {
  cpu_builder *b = &s->l->b;
  return s->reverse
             ? cpu_binary(b, "arith.subi", cpu_index(b, s->extent - 1), index)
             : index;
}

static void write_prefix(region_state *s, const MlirValue *at, MlirValue index,
                         const MlirValue *acc) {
  for (int i = 0; i < s->count; i++)
    cpu_store_element(
        s->l, acc[i],
        along(s->l, s->out[i]->buffer, s->axis, at[s->count + i], index));
}

static void scan_body(cpu_walk *w, const MlirValue *at, int64_t lanes) {
  region_state *s = w->user;
  cpu_builder *b = &s->l->b;
  MlirValue acc[MAX_BLOCKS], args[2 * MAX_BLOCKS];
  MlirValue first = place(s, cpu_index(b, 0));
  for (int i = 0; i < s->count; i++)
    acc[i] = read(s, i, at, first, lanes);
  write_prefix(s, at, first, acc);
  MlirOperation loop = cpu_for(b, cpu_index(b, 1), cpu_index(b, s->extent),
                               cpu_index(b, 1), s->count, acc);
  cpu_builder outer = *b;
  MlirBlock body = cpu_body(loop, 0);
  cpu_enter(b, body);
  MlirValue index = place(s, mlirBlockGetArgument(body, 0));
  for (int i = 0; i < s->count; i++) {
    args[i] = mlirBlockGetArgument(body, 1 + i);
    args[s->count + i] = read(s, i, at, index, lanes);
  }
  apply(s, args, lanes, acc);
  write_prefix(s, at, index, acc);
  cpu_yield(b, body, s->count, acc);
  *b = outer;
}

/* ----------------------------------------------------------------- map -- */

static void map_body(cpu_walk *w, const MlirValue *at, int64_t lanes) {
  region_state *s = w->user;
  MlirValue args[MAX_BLOCKS], out[MAX_BLOCKS];
  for (int i = 0; i < s->count; i++)
    args[i] = cpu_load_element(s->l, s->x[i]->element, at[i], lanes);
  apply(s, args, lanes, out);
  for (int i = 0; i < s->results; i++)
    cpu_store_element(s->l, out[i], at[s->count + i]);
}

/* ------------------------------------------------------------- drivers -- */

static int64_t lanes_for(const region_state *s) {
  unsigned widest = 8;
  for (int i = 0; i < s->count; i++)
    if (cpu_bits(s->x[i]->element) > widest)
      widest = cpu_bits(s->x[i]->element);
  for (int i = 0; i < s->results; i++)
    if (cpu_bits(s->out[i]->element) > widest)
      widest = cpu_bits(s->out[i]->element);
  return s->l->vector_bits / widest;
}

static bool begin(cpu_lower *l, MlirOperation op, region_state *s) {
  int64_t seq = cpu_seq(l, op);
  memset(s, 0, sizeof *s);
  s->l = l;
  s->op = op;
  s->block = cpu_body(op, 0);
  s->count = (int)mlirOperationGetNumOperands(op);
  s->results = (int)mlirOperationGetNumResults(op);
  s->axis = -1;
  if (s->count > MAX_BLOCKS || s->results > MAX_BLOCKS) {
    cpu_fail(l, op, "a function works on at most %d blocks", MAX_BLOCKS);
    return false;
  }
  for (int i = 0; i < s->count; i++) {
    s->x[i] = cpu_op_operand(l, op, i);
    cpu_take(l, s->x[i], seq);
  }
  for (int i = 0; i < s->results; i++) {
    s->out[i] = cpu_value_of(l, mlirOperationGetResult(op, i));
    if (s->out[i]->rank > 0)
      cpu_result_buffer(l, s->out[i]);
  }
  return !l->error;
}

static void run(region_state *s, int64_t lanes, bool lacks_axis,
                void (*body)(cpu_walk *, const MlirValue *, int64_t)) {
  cpu_walk w = {.l = s->l,
                .rank = s->x[0]->rank,
                .shape = s->x[0]->shape,
                .axis = s->axis,
                .lanes = lanes,
                .body = body,
                .user = s};
  for (int i = 0; i < s->count; i++)
    cpu_walk_add(&w, s->x[i]->buffer, false);
  for (int i = 0; i < s->results; i++)
    if (s->out[i]->rank > 0)
      cpu_walk_add(&w, s->out[i]->buffer, lacks_axis);
  cpu_walk_run(&w);
  for (int i = 0; i < s->results; i++)
    s->out[i]->ready = true;
}

static void read_axis(region_state *s) {
  s->axis = (int)cpu_attr_int(s->op, "axis");
  s->extent = s->x[0]->shape[s->axis];
}

void cpu_lower_fold(cpu_lower *l, MlirOperation op) {
  region_state s;
  if (!begin(l, op, &s))
    return;
  read_axis(&s);
  int64_t lanes = is_straight(s.block) ? lanes_for(&s) : 0;
  bool across = s.axis == s.x[0]->rank - 1;
  if (across && lanes > 0 && s.extent >= 4 * lanes) {
    s.fold_lanes = lanes;
    for (int i = 0; i < s.count; i++) {
      s.aside[i] = cpu_buffer_new(l, s.x[i]->element, 1, &lanes, 1, 0);
      cpu_buffer_keep(s.aside[i], cpu_seq(l, op));
    }
  }
  run(&s, across ? 0 : lanes, true, fold_body);
}

void cpu_lower_scan(cpu_lower *l, MlirOperation op) {
  region_state s;
  if (!begin(l, op, &s))
    return;
  read_axis(&s);
  s.reverse = mlirBoolAttrGetValue(cpu_attr(op, "reverse"));
  bool across = s.axis == s.x[0]->rank - 1;
  run(&s, !across && is_straight(s.block) ? lanes_for(&s) : 0, false,
      scan_body);
}

void cpu_lower_map(cpu_lower *l, MlirOperation op) {
  region_state s;
  if (begin(l, op, &s))
    run(&s, is_straight(s.block) ? lanes_for(&s) : 0, false, map_body);
}
