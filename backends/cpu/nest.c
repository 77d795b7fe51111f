/* One loop nest: outer loops over indices, a loop over chunks of the vector
 * dimension (a copy without masks, then one with), and for reductions along
 * another dimension a loop inside it. */
#include "lower.h"

#include <string.h>

#define NO_LEVEL 1000

void cpu_at(cpu_lower *l, cpu_nest *n, int level) {
  l->b.block = n->levels[level].block;
  l->b.before = n->levels[level].before;
}

static void at_end(cpu_lower *l, cpu_nest *n, int level) {
  n->levels[level].before = n->levels[level].last;
  cpu_at(l, n, level);
}

static void nest_init(cpu_lower *l, cpu_nest *n, cpu_output *outputs,
                      int count) {
  cpu_value *v = outputs[0].value;
  memset(n, 0, sizeof *n);
  n->rank = v->rank;
  n->vec = cpu_layout_read(cpu_type(v->tile), &n->lanes);
  n->axis = -1;
  n->outputs = outputs;
  n->output_count = count;
  n->vec_level = NO_LEVEL;
  n->levels[0] = (cpu_level){l->b.block, l->b.before, l->b.before};
  n->level_count = 1;
  for (int d = 0; d < v->rank; d++) {
    n->extent[d] = v->shape[d];
    n->level_of[d] = 0;
    if (n->vec < 0 && v->shape[d] > 1)
      cpu_fail(l, v->def, "a block without a layout: run neso-cpu-layout");
  }
  if (outputs[0].kind == CPU_REDUCE || outputs[0].kind == CPU_ARG_REDUCE)
    n->axis = (int)cpu_attr_int(outputs[0].op, "axis");
}

/* A loop at the innermost level so far; later code of that level goes before
 * it. */
static MlirOperation open_loop(cpu_lower *l, cpu_nest *n, MlirValue low,
                               MlirValue high, int64_t step, intptr_t count,
                               const MlirValue *inits) {
  int level = n->level_count - 1;
  at_end(l, n, level);
  MlirOperation loop =
      cpu_for(&l->b, low, high, cpu_index(&l->b, step), count, inits);
  n->levels[level].before = loop;
  n->levels[level + 1] = (cpu_level){.block = cpu_body(loop, 0)};
  n->level_count++;
  return loop;
}

static void close_loop(cpu_lower *l, cpu_nest *n, intptr_t count,
                       const MlirValue *values) {
  cpu_yield(&l->b, n->levels[n->level_count - 1].block, count, values);
  n->level_count--;
  at_end(l, n, n->level_count - 1);
}

static void open_outer_loops(cpu_lower *l, cpu_nest *n) {
  for (int d = 0; d < n->rank; d++) {
    if (n->extent[d] == 1 || d == n->vec || d == n->axis)
      continue;
    at_end(l, n, n->level_count - 1);
    MlirOperation loop = open_loop(l, n, cpu_index(&l->b, 0),
                                   cpu_index(&l->b, n->extent[d]), 1, 0, NULL);
    n->index[d] = mlirBlockGetArgument(cpu_body(loop, 0), 0);
    n->level_of[d] = n->level_count - 1;
  }
}

static void close_outer_loops(cpu_lower *l, cpu_nest *n) {
  while (n->level_count > 1)
    close_loop(l, n, 0, NULL);
  l->b.block = n->levels[0].block;
  l->b.before = n->levels[0].last;
}

/* -------------------------------------------------------------- bodies -- */

typedef struct reduction {
  cpu_reducer r;
  bool active;
  MlirValue acc[4];
  MlirValue off, off_count; /* what the lanes after the end add, if not null */
} reduction;

static void evaluate_all(cpu_lower *l, cpu_nest *n, cpu_lv **values) {
  for (int i = 0; i < n->output_count; i++) {
    cpu_output *out = &n->outputs[i];
    cpu_coords c = cpu_identity(out->value);
    values[i] = cpu_eval(l, n, out->value, c);
    if (out->kind != CPU_STORE)
      continue;
    cpu_value *offset = cpu_op_operand(l, out->op, 1);
    cpu_eval(l, n, offset, c);
    if (neso__op_of(out->op) == NESO_OP_NESO_MASKED_STORE)
      cpu_eval_mask(l, n, cpu_op_operand(l, out->op, 3), c);
  }
}

static void write_all(cpu_lower *l, cpu_nest *n, cpu_lv **values) {
  for (int i = 0; i < n->output_count; i++) {
    cpu_output *out = &n->outputs[i];
    if (out->kind == CPU_STORE)
      cpu_emit_store(l, n, out->op, values[i]);
    else if (out->kind == CPU_BUFFER)
      cpu_emit_buffer(l, n, out->buffer, cpu_identity(out->value), values[i],
                      true);
  }
}

static void element_body(cpu_lower *l, cpu_nest *n, reduction *red) {
  cpu_lv *values[CPU_MAX_OUTPUTS];
  evaluate_all(l, n, values);
  write_all(l, n, values);
  for (int i = 0; n->assume && i < n->output_count; i++)
    if (n->outputs[i].kind == CPU_BUFFER && n->outputs[i].result)
      cpu_ask_ahead(l, n, n->outputs[i].result);
  if (!red->active)
    return;
  bool across = n->axis == n->vec;
  MlirValue x = n->vec < 0 ? values[0]->scalar : cpu_as_vector(l, n, values[0]);
  cpu_at(l, n, n->level_count - 1);
  MlirValue index = n->index[n->axis];
  if (mlirValueIsNull(index))
    index = cpu_index(&l->b, 0);
  MlirValue none = {NULL};
  cpu_reducer_step(l, &red->r, red->acc, x, index, across && n->vec >= 0,
                   across ? n->pad : none);
}

static cpu_coords result_coords(const cpu_nest *n) {
  cpu_coords c;
  memset(c.dim, CPU_FIXED, sizeof c.dim);
  for (int d = 0, k = 0; d < n->rank; d++)
    if (d != n->axis)
      c.dim[k++] = (int8_t)(n->extent[d] > 1 ? d : CPU_FIXED);
  return c;
}

static void write_reduction(cpu_lower *l, cpu_nest *n, reduction *red) {
  MlirValue results[2];
  int level = n->level_count - 1;
  cpu_at(l, n, level);
  cpu_reducer_finish(l, &red->r, red->acc, results);
  for (int i = 0; i < (red->r.arg ? 2 : 1); i++) {
    cpu_value *v = cpu_value_of(l, mlirOperationGetResult(n->outputs[0].op, i));
    if (v->rank == 0) {
      v->scalar = results[i];
      continue;
    }
    cpu_lv *lv = cpu_lanes(cpu_type(results[i])) > 0
                     ? cpu_lv_vector(l, results[i], level)
                     : cpu_lv_uniform(l, results[i], level);
    cpu_emit_buffer(l, n, v->buffer, result_coords(n), lv, true);
  }
}

/* Reduction along a dimension that is not the vector's, inside one chunk. */
static void axis_loop(cpu_lower *l, cpu_nest *n, reduction *red) {
  cpu_at(l, n, n->level_count - 1);
  cpu_reducer_start(l, &red->r, n->lanes, false, red->acc);
  if (n->extent[n->axis] == 1) {
    element_body(l, n, red);
  } else {
    MlirValue zero = cpu_index(&l->b, 0);
    MlirValue extent = cpu_index(&l->b, n->extent[n->axis]);
    MlirOperation loop =
        open_loop(l, n, zero, extent, 1, red->r.parts, red->acc);
    n->index[n->axis] = mlirBlockGetArgument(cpu_body(loop, 0), 0);
    n->level_of[n->axis] = n->level_count - 1;
    for (int i = 0; i < red->r.parts; i++)
      red->acc[i] = mlirBlockGetArgument(cpu_body(loop, 0), 1 + i);
    element_body(l, n, red);
    close_loop(l, n, red->r.parts, red->acc);
    for (int i = 0; i < red->r.parts; i++)
      red->acc[i] = mlirOperationGetResult(loop, i);
  }
  write_reduction(l, n, red);
}

static void set_pad(cpu_lower *l, cpu_nest *n, bool padded) {
  cpu_builder *b = &l->b;
  n->pad = (MlirValue){NULL};
  if (!padded)
    return;
  cpu_at(l, n, n->vec_level);
  MlirValue left = cpu_binary(b, "arith.subi", cpu_index(b, n->extent[n->vec]),
                              n->index[n->vec]);
  left = cpu_splat(b, cpu_resize(b, left, b->i32, true), n->lanes);
  n->pad = cpu_cmpi(b, CPU_SLT, cpu_iota(b, b->i32, n->lanes), left);
}

/* One copy of the vector loop over [low, high). */
static void vector_loop(cpu_lower *l, cpu_nest *n, MlirValue low,
                        MlirValue high, bool assume, bool padded,
                        reduction *red) {
  bool carries = red->active && n->axis == n->vec;
  intptr_t count = carries ? red->r.parts : 0;
  MlirOperation loop = open_loop(l, n, low, high, n->lanes, count, red->acc);
  n->index[n->vec] = mlirBlockGetArgument(cpu_body(loop, 0), 0);
  n->level_of[n->vec] = n->vec_level = n->level_count - 1;
  n->body++;
  n->assume = assume;
  set_pad(l, n, padded);
  for (intptr_t i = 0; i < count; i++)
    red->acc[i] = mlirBlockGetArgument(cpu_body(loop, 0), 1 + i);
  if (red->active && !carries)
    axis_loop(l, n, red);
  else
    element_body(l, n, red);
  close_loop(l, n, count, red->acc);
  for (intptr_t i = 0; i < count; i++)
    red->acc[i] = mlirOperationGetResult(loop, i);
  n->pad = (MlirValue){NULL};
  n->assume = false;
}

/* The lanes from `from` on, which are alike: written, and counted. */
static void off_lanes(cpu_lower *l, cpu_nest *n, MlirValue from, bool padded,
                      reduction *red) {
  MlirValue extent = cpu_index(&l->b, n->extent[n->vec]);
  int level = n->level_count - 1;
  cpu_lv *values[CPU_MAX_OUTPUTS];
  for (int i = 0; i < n->output_count; i++)
    values[i] = cpu_eval_off(l, n, n->outputs[i].value,
                             cpu_identity(n->outputs[i].value));
  cpu_at(l, n, level);
  if (red->active) {
    red->off = values[0]->scalar;
    red->off_count = cpu_binary(&l->b, "arith.subi", extent, from);
  }
  if (n->output_count == red->active)
    return;
  MlirOperation loop = open_loop(l, n, from, extent, n->lanes, 0, NULL);
  n->index[n->vec] = mlirBlockGetArgument(cpu_body(loop, 0), 0);
  n->body++;
  set_pad(l, n, padded);
  for (int i = 0; i < n->output_count; i++)
    if (n->outputs[i].kind == CPU_BUFFER)
      cpu_emit_buffer(l, n, n->outputs[i].buffer,
                      cpu_identity(n->outputs[i].value), values[i], true);
  close_loop(l, n, 0, NULL);
  n->pad = (MlirValue){NULL};
}

static MlirValue whole_chunks(cpu_lower *l, cpu_nest *n, MlirValue count) {
  return cpu_binary(&l->b, "arith.andi", count, cpu_index(&l->b, -n->lanes));
}

static void vector_loops(cpu_lower *l, cpu_nest *n, reduction *red) {
  int64_t extent = n->extent[n->vec];
  bool ragged = extent % n->lanes != 0;
  int level = n->level_count - 1;
  n->vec_level = level + 1;
  n->level_of[n->vec] = level + 1;
  if (n->axis >= 0 && n->axis != n->vec && n->extent[n->axis] > 1)
    n->level_of[n->axis] = level + 2;
  cpu_mask_scan(l, n);
  at_end(l, n, level);
  MlirValue zero = cpu_index(&l->b, 0), full, end;
  if (n->leaf_count == 0) {
    full = cpu_index(&l->b, extent / n->lanes * n->lanes);
    end = cpu_index(&l->b, extent);
    if (extent >= n->lanes)
      vector_loop(l, n, zero, full, true, false, red);
    if (ragged)
      vector_loop(l, n, full, end, false, true, red);
    return;
  }
  if (n->off && !(red->active && cpu_reducer_repeats(&red->r))) {
    n->off = false;
    n->limit_count = 0;
  }
  cpu_mask_bounds(l, n, &full, &end);
  cpu_at(l, n, level);
  full = whole_chunks(l, n, full);
  MlirValue done =
      cpu_binary(&l->b, "arith.addi", end, cpu_index(&l->b, n->lanes - 1));
  done = cpu_binary(&l->b, "arith.minsi", whole_chunks(l, n, done),
                    cpu_index(&l->b, extent));
  vector_loop(l, n, zero, full, true, false, red);
  vector_loop(l, n, full, end, false, ragged, red);
  if (n->off)
    off_lanes(l, n, done, ragged, red);
}

static void prepare_results(cpu_lower *l, cpu_nest *n) {
  MlirOperation op = n->outputs[0].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, i));
    if (v->rank == 0)
      continue;
    v->buffer = cpu_buffer_new(l, v->element, v->rank, v->shape, 1, 0);
    cpu_buffer_keep(v->buffer, v->seq);
    cpu_buffer_keep(v->buffer, cpu_last_use(l, v));
  }
}

static void finish_results(cpu_lower *l, cpu_nest *n) {
  MlirOperation op = n->outputs[0].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cpu_value_of(l, mlirOperationGetResult(op, i))->ready = true;
}

void cpu_nest_run(cpu_lower *l, cpu_output *outputs, int count) {
  cpu_nest nest, *n = &nest;
  reduction red = {.active = false};
  nest_init(l, n, outputs, count);
  if (l->error)
    return;
  l->epoch++;
  if (n->axis >= 0) {
    red.active = true;
    cpu_reducer_init(l, &red.r, outputs[0].op);
    prepare_results(l, n);
  }
  open_outer_loops(l, n);
  bool carries = red.active && n->axis == n->vec;
  at_end(l, n, n->level_count - 1);
  if (red.active && (carries || n->vec < 0))
    cpu_reducer_start(l, &red.r, carries ? n->lanes : 0, true, red.acc);
  if (n->vec >= 0)
    vector_loops(l, n, &red);
  else
    element_body(l, n, &red);
  at_end(l, n, n->level_count - 1);
  if (carries)
    cpu_reducer_across(l, &red.r, red.acc);
  if (carries && !mlirValueIsNull(red.off))
    cpu_reducer_repeat(l, &red.r, red.acc, red.off, red.off_count);
  if (red.active && (carries || n->vec < 0))
    write_reduction(l, n, &red);
  close_outer_loops(l, n);
  if (red.active)
    finish_results(l, n);
  for (int i = 0; i < count; i++)
    if (outputs[i].kind == CPU_BUFFER && outputs[i].result) {
      outputs[i].result->buffer = outputs[i].buffer;
      outputs[i].result->ready = true;
    }
}
