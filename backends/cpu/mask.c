/* Masks along the vector dimension. A mask is a conjunction; its parts that
 * are `offset < bound` (prefix), `offset >= bound` (suffix) or the same for
 * all lanes (uniform) are leaves: they bound the loop instead of being computed
 * lane by lane. */
#include "lower.h"

typedef struct scan_state {
  cpu_lower *l;
  cpu_nest *n;
  int budget;
} scan_state;

static bool depends_inside(scan_state *s, cpu_value *v, cpu_coords c) {
  cpu_nest *n = s->n;
  for (int d = 0; d < n->rank; d++)
    if (d != n->vec && n->extent[d] > 1 && n->level_of[d] >= n->vec_level &&
        cpu_depends(s->l, v, c, d))
      return true;
  return false;
}

/* Operands of a comparison "moving < bound": which one moves. */
static int moving_operand(scan_state *s, cpu_value *v, cpu_coords c) {
  int64_t x, y;
  if (!cpu_step(s->l, s->n, cpu_operand(s->l, v, 0), c, &x) ||
      !cpu_step(s->l, s->n, cpu_operand(s->l, v, 1), c, &y))
    return -1;
  if (x == 1 && y == 0)
    return 0;
  return x == 0 && y == 1 ? 1 : -1;
}

static int predicate_of(const cpu_value *v) {
  return (int)cpu_attr_int(v->def, "predicate");
}

/* The predicate as seen with the moving operand on the left. */
static int turned(int predicate, int moving) {
  static const int mirror[] = {
      [CPU_EQ] = CPU_EQ,   [CPU_NE] = CPU_NE,   [CPU_SLT] = CPU_SGT,
      [CPU_SLE] = CPU_SGE, [CPU_SGT] = CPU_SLT, [CPU_SGE] = CPU_SLE,
      [CPU_ULT] = CPU_UGT, [CPU_ULE] = CPU_UGE, [CPU_UGT] = CPU_ULT,
      [CPU_UGE] = CPU_ULE};
  return moving == 0 ? predicate : mirror[predicate];
}

static bool classify(scan_state *s, cpu_value *v, cpu_coords c,
                     cpu_leaf *leaf) {
  int64_t step;
  leaf->value = v;
  leaf->coords = c;
  if (cpu_step(s->l, s->n, v, c, &step) && step == 0) {
    leaf->kind = CPU_LEAF_UNIFORM;
    return true;
  }
  if (v->ready || v->marked || v->op != NESO_OP_ARITH_CMPI)
    return false;
  int moving = moving_operand(s, v, c);
  if (moving < 0)
    return false;
  switch (turned(predicate_of(v), moving)) {
  case CPU_SLT:
  case CPU_SLE:
  case CPU_ULT:
  case CPU_ULE:
    leaf->kind = CPU_LEAF_PREFIX;
    return true;
  case CPU_SGT:
  case CPU_SGE:
    leaf->kind = CPU_LEAF_SUFFIX;
    return true;
  default:
    return false;
  }
}

static bool has_leaf(const cpu_nest *n, const cpu_value *v, cpu_coords c) {
  for (int i = 0; i < n->leaf_count; i++)
    if (n->leaves[i].value == v &&
        cpu_same_coords(n->leaves[i].coords, c, v->rank))
      return true;
  return false;
}

static bool passes_through(const cpu_value *v) {
  return !v->ready && !v->marked && v->rank > 0 &&
         (v->op == NESO_OP_ARITH_ANDI || v->op == NESO_OP_NESO_BROADCAST ||
          v->op == NESO_OP_NESO_EXPAND_DIMS || v->op == NESO_OP_NESO_TRANS);
}

static void scan_mask(scan_state *s, cpu_value *v, cpu_coords c) {
  cpu_nest *n = s->n;
  cpu_leaf leaf;
  if (has_leaf(n, v, c) || n->leaf_count == CPU_MAX_LEAVES)
    return;
  if (v->rank > 0 && classify(s, v, c, &leaf) &&
      v->op != NESO_OP_ARITH_CONSTANT && !depends_inside(s, v, c))
    n->leaves[n->leaf_count++] = leaf;
  else if (passes_through(v))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
      scan_mask(s, cpu_operand(s->l, v, i), cpu_operand_coords(s->l, v, i, c));
}

static void scan_value(scan_state *s, cpu_value *v, cpu_coords c) {
  if (v->rank == 0 || v->ready || mlirOperationIsNull(v->def) ||
      --s->budget < 0 || !cpu_uses_vec(s->n, v, c))
    return;
  if (v->op == NESO_OP_NESO_MASKED_LOAD)
    scan_mask(s, cpu_operand(s->l, v, 2), c);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    scan_value(s, cpu_operand(s->l, v, i), cpu_operand_coords(s->l, v, i, c));
}

/* A part of the mask bounds it from above. */
static bool has_end(cpu_lower *l, const cpu_nest *n, cpu_value *v,
                    cpu_coords c) {
  for (int i = 0; i < n->leaf_count; i++)
    if (n->leaves[i].value == v &&
        cpu_same_coords(n->leaves[i].coords, c, v->rank))
      return n->leaves[i].kind != CPU_LEAF_SUFFIX;
  bool found = false;
  for (intptr_t i = 0;
       passes_through(v) && i < mlirOperationGetNumOperands(v->def); i++)
    found |=
        has_end(l, n, cpu_operand(l, v, i), cpu_operand_coords(l, v, i, c));
  return found;
}

static bool add_limit(scan_state *s, cpu_value *v, cpu_coords c) {
  cpu_nest *n = s->n;
  if (!has_end(s->l, n, v, c))
    return false;
  for (int i = 0; i < n->limit_count; i++)
    if (n->limits[i].value == v &&
        cpu_same_coords(n->limits[i].coords, c, v->rank))
      return true;
  if (n->limit_count == CPU_MAX_OUTPUTS)
    return false;
  n->limits[n->limit_count++] = (cpu_leaf){.value = v, .coords = c};
  return true;
}

/* The operand that `v` is where masks are false, -1 for all of them. */
static int off_operand(const cpu_value *v) {
  return v->op == NESO_OP_NESO_MASKED_LOAD ? 3 : -1;
}

/* All lanes after the end of every mask hold the same value. */
static bool alike_when_off(scan_state *s, cpu_value *v, cpu_coords c) {
  if (!cpu_uses_vec(s->n, v, c))
    return true;
  if (v->ready || mlirOperationIsNull(v->def) || --s->budget < 0 ||
      v->op == NESO_OP_NESO_ARANGE || v->op == NESO_OP_NESO_LOAD ||
      v->op == NESO_OP_ARITH_SELECT || v->op == NESO_OP_NESO_RESHAPE)
    return false;
  int only = off_operand(v);
  if (only >= 0)
    return add_limit(s, cpu_operand(s->l, v, 2), c) &&
           alike_when_off(s, cpu_operand(s->l, v, only),
                          cpu_operand_coords(s->l, v, only, c));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    if (!alike_when_off(s, cpu_operand(s->l, v, i),
                        cpu_operand_coords(s->l, v, i, c)))
      return false;
  return true;
}

cpu_lv *cpu_eval_off(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  MlirValue operands[4];
  int level = 0, only = off_operand(v);
  if (!cpu_uses_vec(n, v, c) || v->op == NESO_OP_ARITH_CONSTANT)
    return cpu_eval(l, n, v, c);
  switch (v->op) {
  case NESO_OP_TENSOR_SPLAT:
  case NESO_OP_NESO_BROADCAST:
  case NESO_OP_NESO_EXPAND_DIMS:
  case NESO_OP_NESO_TRANS:
    only = 0;
    break;
  default:
    break;
  }
  if (only >= 0)
    return cpu_eval_off(l, n, cpu_operand(l, v, only),
                        cpu_operand_coords(l, v, only, c));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def) && i < 4; i++) {
    cpu_lv *x = cpu_eval_off(l, n, cpu_operand(l, v, i),
                             cpu_operand_coords(l, v, i, c));
    operands[i] = x->scalar;
    level = x->level > level ? x->level : level;
  }
  cpu_at(l, n, level);
  return cpu_lv_uniform(l, cpu_elementwise(l, v, operands, 0), level);
}

static void find_limits(scan_state *s) {
  cpu_nest *n = s->n;
  for (int i = 0; i < n->output_count; i++) {
    cpu_output *out = &n->outputs[i];
    cpu_coords c = cpu_identity(out->value);
    bool store = out->kind == CPU_STORE;
    bool limited = store
                       ? neso__op_of(out->op) == NESO_OP_NESO_MASKED_STORE &&
                             add_limit(s, cpu_op_operand(s->l, out->op, 3), c)
                       : n->axis == n->vec && alike_when_off(s, out->value, c);
    if (!limited) {
      n->limit_count = 0;
      n->off = false;
      return;
    }
    n->off |= !store;
  }
}

void cpu_mask_scan(cpu_lower *l, cpu_nest *n) {
  scan_state s = {l, n, 2000};
  for (int i = 0; n->vec >= 0 && i < n->output_count; i++) {
    cpu_output *out = &n->outputs[i];
    cpu_coords c = cpu_identity(out->value);
    if (out->kind == CPU_STORE &&
        neso__op_of(out->op) == NESO_OP_NESO_MASKED_STORE)
      scan_mask(&s, cpu_op_operand(l, out->op, 3), c);
    if (out->kind == CPU_STORE)
      scan_value(&s, cpu_op_operand(l, out->op, 1), c);
    scan_value(&s, out->value, c);
  }
  s.budget = 2000;
  if (n->leaf_count > 0)
    find_limits(&s);
}

cpu_lv *cpu_eval_mask(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  if (!n->assume || v->rank == 0 || !cpu_uses_vec(n, v, c))
    return cpu_eval(l, n, v, c);
  if (has_leaf(n, v, c))
    return NULL;
  if (!passes_through(v))
    return cpu_eval(l, n, v, c);
  cpu_lv *parts[2] = {NULL, NULL};
  intptr_t count = mlirOperationGetNumOperands(v->def);
  for (intptr_t i = 0; i < count; i++) {
    cpu_value *operand = cpu_operand(l, v, i);
    cpu_coords at = cpu_operand_coords(l, v, i, c);
    parts[i] =
        has_leaf(n, operand, at) ? NULL : cpu_eval_mask(l, n, operand, at);
  }
  if (!parts[0] || !parts[1])
    return parts[0] ? parts[0] : parts[1];
  return cpu_eval(l, n, v, c);
}

/* -------------------------------------------------------------- bounds -- */

static cpu_coords at_lane_zero(const cpu_nest *n, cpu_coords c) {
  for (int d = 0; d < CPU_MAX_RANK; d++)
    if (c.dim[d] == n->vec)
      c.dim[d] = CPU_FIXED;
  return c;
}

static MlirValue operand_at_zero(cpu_lower *l, cpu_nest *n, cpu_leaf *leaf,
                                 int operand) {
  cpu_value *v = cpu_operand(l, leaf->value, operand);
  cpu_coords c = at_lane_zero(n, leaf->coords);
  return cpu_eval(l, n, v, v->rank ? c : leaf->coords)->scalar;
}

/* How many lanes from 0 on have moving + lane < bound. */
static MlirValue prefix_count(cpu_lower *l, cpu_nest *n, cpu_leaf *leaf,
                              int level) {
  cpu_builder *b = &l->b;
  scan_state s = {l, n, 0};
  int moving = moving_operand(&s, leaf->value, leaf->coords);
  int predicate = turned(predicate_of(leaf->value), moving);
  bool is_signed = predicate == CPU_SLT || predicate == CPU_SLE ||
                   predicate == CPU_SGT || predicate == CPU_SGE;
  MlirValue from = operand_at_zero(l, n, leaf, moving);
  MlirValue to = operand_at_zero(l, n, leaf, 1 - moving);
  cpu_at(l, n, level);
  if (leaf->kind == CPU_LEAF_SUFFIX) {
    MlirValue from_start =
        cpu_cmpi(b, predicate == CPU_SGT ? CPU_SGT : CPU_SGE, from, to);
    return cpu_select(b, from_start, cpu_index(b, n->extent[n->vec]),
                      cpu_index(b, 0));
  }
  MlirValue zero = cpu_index(b, 0), extent = cpu_index(b, n->extent[n->vec]);
  MlirValue begins = cpu_cmpi(b, is_signed ? CPU_SLT : CPU_ULT, from, to);
  MlirValue count =
      cpu_binary(b, "arith.subi", cpu_resize(b, to, b->i64, is_signed),
                 cpu_resize(b, from, b->i64, is_signed));
  /* A 64-bit difference past 2^63 is more than any extent. */
  MlirValue wide = cpu_binary(b, "arith.minui", count, extent);
  count = cpu_select(b, begins, wide, zero);
  if (predicate == CPU_SLE || predicate == CPU_ULE) {
    MlirValue more = cpu_binary(b, "arith.addi", wide, cpu_index(b, 1));
    MlirValue equal_or = cpu_cmpi(b, is_signed ? CPU_SLE : CPU_ULE, from, to);
    count = cpu_select(b, equal_or, more, zero);
    count = cpu_binary(b, "arith.minui", count, extent);
  }
  return count;
}

static MlirValue leaf_bound(cpu_lower *l, cpu_nest *n, cpu_leaf *leaf,
                            int level) {
  cpu_builder *b = &l->b;
  if (leaf->kind != CPU_LEAF_UNIFORM)
    return prefix_count(l, n, leaf, level);
  cpu_coords c = at_lane_zero(n, leaf->coords);
  MlirValue on = cpu_eval(l, n, leaf->value, c)->scalar;
  cpu_at(l, n, level);
  return cpu_select(b, on, cpu_index(b, n->extent[n->vec]), cpu_index(b, 0));
}

/* Where the mask ends for good; null when it has no such part. */
static MlirValue mask_end(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c,
                          const MlirValue *bounds) {
  MlirValue none = {NULL};
  for (int i = 0; i < n->leaf_count; i++)
    if (n->leaves[i].value == v &&
        cpu_same_coords(n->leaves[i].coords, c, v->rank))
      return n->leaves[i].kind == CPU_LEAF_SUFFIX ? none : bounds[i];
  if (!passes_through(v))
    return none;
  MlirValue end = none;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++) {
    MlirValue part = mask_end(l, n, cpu_operand(l, v, i),
                              cpu_operand_coords(l, v, i, c), bounds);
    if (mlirValueIsNull(end))
      end = part;
    else if (!mlirValueIsNull(part))
      end = cpu_binary(&l->b, "arith.minsi", end, part);
  }
  return end;
}

void cpu_mask_bounds(cpu_lower *l, cpu_nest *n, MlirValue *full,
                     MlirValue *end) {
  cpu_builder *b = &l->b;
  int level = n->vec_level - 1;
  MlirValue bounds[CPU_MAX_LEAVES];
  cpu_at(l, n, level);
  *full = *end = cpu_index(b, n->extent[n->vec]);
  for (int i = 0; i < n->leaf_count; i++)
    bounds[i] = leaf_bound(l, n, &n->leaves[i], level);
  cpu_at(l, n, level);
  for (int i = 0; i < n->leaf_count; i++)
    *full = i == 0 ? bounds[0] : cpu_binary(b, "arith.minsi", *full, bounds[i]);
  for (int i = 0; i < n->limit_count; i++) {
    MlirValue part =
        mask_end(l, n, n->limits[i].value, n->limits[i].coords, bounds);
    *end = i == 0 ? part : cpu_binary(b, "arith.maxsi", *end, part);
  }
}
