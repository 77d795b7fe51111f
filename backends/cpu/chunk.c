/* Values of one chunk: a block is evaluated where a nest wants it, lane by
 * lane along the vector dimension, as cheaply as its form allows: one scalar,
 * a scalar with a constant step, or a vector. */
#include "lower.h"

#include <string.h>

struct cpu_lanes_memo {
  cpu_coords coords;
  int body;
  cpu_lv *value;
  struct cpu_lanes_memo *next;
};

bool cpu_same_coords(cpu_coords a, cpu_coords b, int rank) {
  return memcmp(a.dim, b.dim, (size_t)rank) == 0;
}

static cpu_coords fixed_coords(void) {
  cpu_coords c;
  memset(c.dim, CPU_FIXED, sizeof c.dim);
  return c;
}

cpu_coords cpu_identity(const cpu_value *v) {
  cpu_coords c = fixed_coords();
  for (int d = 0; d < v->rank; d++)
    if (v->shape[d] > 1)
      c.dim[d] = (int8_t)d;
  return c;
}

bool cpu_uses_vec(const cpu_nest *n, const cpu_value *v, cpu_coords c) {
  for (int d = 0; n->vec >= 0 && d < v->rank; d++)
    if (c.dim[d] == n->vec)
      return true;
  return false;
}

static int level_of(const cpu_nest *n, const cpu_value *v, cpu_coords c) {
  int level = 0;
  for (int d = 0; d < v->rank; d++)
    if (c.dim[d] >= 0 && n->level_of[c.dim[d]] > level)
      level = n->level_of[c.dim[d]];
  return level;
}

static cpu_coords reshape_coords(const cpu_value *from, const cpu_value *to,
                                 cpu_coords c) {
  cpu_coords out = fixed_coords();
  for (int i = 0, j = 0; i < from->rank; i++) {
    if (from->shape[i] == 1)
      continue;
    while (to->shape[j] == 1)
      j++;
    out.dim[i] = c.dim[j++];
  }
  return out;
}

cpu_coords cpu_operand_coords(cpu_lower *l, const cpu_value *v, intptr_t i,
                              cpu_coords c) {
  cpu_value *from = cpu_operand(l, v, i);
  cpu_coords out = fixed_coords();
  if (from->rank == 0)
    return out;
  switch (v->op) {
  case NESO_OP_NESO_BROADCAST:
    for (int d = 0; d < v->rank; d++)
      out.dim[d] = from->shape[d] == 1 ? CPU_FIXED : c.dim[d];
    return out;
  case NESO_OP_NESO_EXPAND_DIMS: {
    int axis = (int)cpu_attr_int(v->def, "axis");
    for (int d = 0; d < from->rank; d++)
      out.dim[d] = c.dim[d < axis ? d : d + 1];
    return out;
  }
  case NESO_OP_NESO_TRANS: {
    MlirAttribute order = cpu_attr(v->def, "order");
    for (int d = 0; d < v->rank; d++)
      out.dim[mlirDenseI64ArrayGetElement(order, d)] = c.dim[d];
    return out;
  }
  case NESO_OP_NESO_RESHAPE:
    return reshape_coords(from, v, c);
  default:
    return c;
  }
}

/* ------------------------------------------------------------ analysis -- */

bool cpu_constant(cpu_lower *l, cpu_value *v, int64_t *out) {
  if (mlirOperationIsNull(v->def))
    return false;
  switch (v->op) {
  case NESO_OP_ARITH_CONSTANT: {
    MlirAttribute value = cpu_attr(v->def, "value");
    if (mlirAttributeIsADenseElements(value)) {
      if (!mlirDenseElementsAttrIsSplat(value))
        return false;
      value = mlirDenseElementsAttrGetSplatValue(value);
    }
    if (!mlirAttributeIsAInteger(value))
      return false;
    *out = mlirIntegerAttrGetValueInt(value);
    return true;
  }
  case NESO_OP_TENSOR_SPLAT:
  case NESO_OP_NESO_BROADCAST:
  case NESO_OP_NESO_EXPAND_DIMS:
  case NESO_OP_NESO_TRANS:
  case NESO_OP_NESO_RESHAPE:
  case NESO_OP_ARITH_EXTSI:
    return cpu_constant(l, cpu_operand(l, v, 0), out);
  default:
    return false;
  }
}

static bool step_binary(cpu_lower *l, const cpu_nest *n, cpu_value *v,
                        cpu_coords c, int64_t *x, int64_t *y) {
  return cpu_step(l, n, cpu_operand(l, v, 0), c, x) &&
         cpu_step(l, n, cpu_operand(l, v, 1), c, y);
}

static bool step_product(cpu_lower *l, cpu_value *v, int64_t x, int64_t y,
                         int64_t *step) {
  int64_t factor;
  *step = 0;
  if (x == 0 && y == 0)
    return true;
  if (y == 0 && cpu_constant(l, cpu_operand(l, v, 1), &factor))
    *step = x * factor;
  else if (x == 0 && cpu_constant(l, cpu_operand(l, v, 0), &factor))
    *step = y * factor;
  else
    return false;
  return true;
}

bool cpu_step(cpu_lower *l, const cpu_nest *n, cpu_value *v, cpu_coords c,
              int64_t *step) {
  int64_t x = 0, y = 0;
  *step = 0;
  if (v->rank == 0 || !cpu_uses_vec(n, v, c))
    return true;
  if (v->ready || v->marked || mlirOperationIsNull(v->def))
    return false;
  switch (v->op) {
  case NESO_OP_ARITH_CONSTANT:
  case NESO_OP_TENSOR_SPLAT:
    return true;
  case NESO_OP_NESO_ARANGE:
    *step = 1;
    return true;
  case NESO_OP_NESO_RESHAPE:
    if (!cpu_reshape_is_trivial(cpu_operand(l, v, 0), v))
      return false;
    return cpu_step(l, n, cpu_operand(l, v, 0), cpu_operand_coords(l, v, 0, c),
                    step);
  case NESO_OP_NESO_BROADCAST:
  case NESO_OP_NESO_EXPAND_DIMS:
  case NESO_OP_NESO_TRANS:
    return cpu_step(l, n, cpu_operand(l, v, 0), cpu_operand_coords(l, v, 0, c),
                    step);
  case NESO_OP_ARITH_EXTSI:
  case NESO_OP_ARITH_EXTUI:
  case NESO_OP_ARITH_TRUNCI:
    return cpu_step(l, n, cpu_operand(l, v, 0), c, step);
  case NESO_OP_ARITH_ADDI:
    if (!step_binary(l, n, v, c, &x, &y))
      return false;
    *step = x + y;
    return true;
  case NESO_OP_ARITH_SUBI:
    if (!step_binary(l, n, v, c, &x, &y))
      return false;
    *step = x - y;
    return true;
  case NESO_OP_ARITH_MULI:
    return step_binary(l, n, v, c, &x, &y) && step_product(l, v, x, y, step);
  case NESO_OP_NESO_LOAD:
  case NESO_OP_NESO_MASKED_LOAD:
    return false;
  default:
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
      if (!cpu_step(l, n, cpu_operand(l, v, i), cpu_operand_coords(l, v, i, c),
                    &x) ||
          x != 0)
        return false;
    return true;
  }
}

static bool depends(cpu_lower *l, cpu_value *v, cpu_coords c, int dim,
                    int *budget) {
  if (--*budget < 0)
    return true;
  bool wanted = false;
  for (int d = 0; d < v->rank; d++)
    wanted |= c.dim[d] == dim;
  if (!wanted)
    return false;
  if (v->ready || v->marked || v->op == NESO_OP_NESO_ARANGE ||
      mlirOperationIsNull(v->def) || v->op == NESO_OP_NESO_RESHAPE)
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    if (depends(l, cpu_operand(l, v, i), cpu_operand_coords(l, v, i, c), dim,
                budget))
      return true;
  return false;
}

bool cpu_depends(cpu_lower *l, cpu_value *v, cpu_coords c, int dim) {
  int budget = 1000;
  return depends(l, v, c, dim, &budget);
}

/* --------------------------------------------------------------- forms -- */

static cpu_lv *new_lv(cpu_lower *l, int kind, int level) {
  cpu_lv *x = NESO_ARENA_NEW(l->arena, cpu_lv, 1);
  x->kind = kind;
  x->level = level;
  return x;
}

cpu_lv *cpu_lv_vector(cpu_lower *l, MlirValue vector, int level) {
  cpu_lv *x = new_lv(l, CPU_VECTOR, level);
  x->vector = vector;
  return x;
}

cpu_lv *cpu_lv_uniform(cpu_lower *l, MlirValue scalar, int level) {
  cpu_lv *x = new_lv(l, CPU_UNIFORM, level);
  x->scalar = scalar;
  return x;
}

static cpu_lv *linear(cpu_lower *l, MlirValue scalar, int64_t step, int level) {
  cpu_lv *x = cpu_lv_uniform(l, scalar, level);
  if (step != 0) {
    x->kind = CPU_LINEAR;
    x->step = step;
  }
  return x;
}

MlirValue cpu_as_vector(cpu_lower *l, cpu_nest *n, cpu_lv *x) {
  if (n->lanes == 0)
    return x->scalar;
  if (!mlirValueIsNull(x->vector))
    return x->vector;
  cpu_builder *b = &l->b;
  if (x->kind == CPU_UNIFORM) {
    cpu_at(l, n, x->level);
    x->vector = cpu_splat(b, x->scalar, n->lanes);
  } else if (x->exact) {
    MlirValue parts[2];
    for (int i = 0; i < 2 && x->parts[i]; i++)
      parts[i] = cpu_as_vector(l, n, x->parts[i]);
    cpu_at(l, n, x->level);
    x->vector = cpu_elementwise(l, x->exact, parts, n->lanes);
  } else {
    MlirType element = cpu_type(x->scalar);
    cpu_at(l, n, 0);
    MlirValue lane = cpu_iota(b, element, n->lanes);
    if (x->step != 1)
      lane = cpu_binary(b, "arith.muli", lane,
                        cpu_int(b, cpu_type(lane), x->step));
    cpu_at(l, n, x->level);
    x->vector =
        cpu_binary(b, "arith.addi", cpu_splat(b, x->scalar, n->lanes), lane);
  }
  return x->vector;
}

/* ---------------------------------------------------------- operations -- */

static cpu_lv *eval_constant(cpu_lower *l, cpu_nest *n, cpu_value *v) {
  cpu_at(l, n, 0);
  cpu_lv *x = cpu_lv_uniform(l, cpu_constant_scalar(l, v->def), 0);
  x->known = cpu_constant(l, v, &x->constant);
  return x;
}

static cpu_lv *eval_scalar(cpu_lower *l, cpu_value *v) {
  cpu_lv *x = cpu_lv_uniform(l, v->scalar, 0);
  x->known = cpu_constant(l, v, &x->constant);
  return x;
}

static cpu_lv *eval_arange(cpu_lower *l, cpu_nest *n, cpu_value *v,
                           cpu_coords c) {
  cpu_builder *b = &l->b;
  int64_t start = cpu_attr_int(v->def, "start");
  int dim = c.dim[0];
  int level = dim < 0 ? 0 : n->level_of[dim];
  cpu_at(l, n, level);
  MlirValue base = cpu_int(b, b->i32, start);
  if (dim < 0) {
    cpu_lv *x = cpu_lv_uniform(l, base, 0);
    x->known = true;
    x->constant = start;
    return x;
  }
  MlirValue index = cpu_resize(b, n->index[dim], b->i32, true);
  if (start != 0)
    index = cpu_binary(b, "arith.addi", index, base);
  return linear(l, index, dim == n->vec, level);
}

static MlirValue emit(cpu_lower *l, cpu_nest *n, cpu_value *v,
                      cpu_lv **operands, int count, bool as_scalar, int level) {
  MlirValue values[4];
  for (int i = 0; i < count; i++)
    values[i] =
        as_scalar ? operands[i]->scalar : cpu_as_vector(l, n, operands[i]);
  cpu_at(l, n, level);
  return cpu_elementwise(l, v, values, as_scalar ? 0 : n->lanes);
}

/* The step of the result from those of the operands, when it is constant. */
static bool linear_step(cpu_value *v, cpu_lv **x, int64_t *step) {
  switch (v->op) {
  case NESO_OP_ARITH_ADDI:
    *step = x[0]->step + x[1]->step;
    return true;
  case NESO_OP_ARITH_SUBI:
    *step = x[0]->step - x[1]->step;
    return true;
  case NESO_OP_ARITH_MULI:
    if (x[1]->known)
      *step = x[0]->step * x[1]->constant;
    else if (x[0]->known)
      *step = x[1]->step * x[0]->constant;
    else
      return false;
    return true;
  case NESO_OP_ARITH_EXTSI:
  case NESO_OP_ARITH_EXTUI:
  case NESO_OP_ARITH_TRUNCI:
    *step = x[0]->step;
    return true;
  default:
    return false;
  }
}

static cpu_lv *eval_elementwise(cpu_lower *l, cpu_nest *n, cpu_value *v,
                                cpu_coords c) {
  cpu_lv *x[4];
  int count = (int)mlirOperationGetNumOperands(v->def), level = 0;
  bool uniform = true, vector = false;
  if (count > 4) {
    cpu_fail(l, v->def, "operation with %d operands", count);
    count = 4;
  }
  for (int i = 0; i < count; i++) {
    cpu_value *operand = cpu_operand(l, v, i);
    x[i] = NULL;
    if (i == 0 && v->op == NESO_OP_ARITH_SELECT && operand->rank > 0) {
      x[0] = cpu_eval_mask(l, n, operand, c);
      if (!x[0])
        return cpu_eval(l, n, cpu_operand(l, v, 1), c);
    }
    if (!x[i])
      x[i] = cpu_eval(l, n, operand, cpu_operand_coords(l, v, i, c));
    if (x[i]->level > level)
      level = x[i]->level;
    uniform &= x[i]->kind == CPU_UNIFORM;
    vector |= x[i]->kind == CPU_VECTOR;
  }
  if (uniform)
    return cpu_lv_uniform(l, emit(l, n, v, x, count, true, level), level);
  int64_t step;
  if (!vector && linear_step(v, x, &step)) {
    cpu_lv *out = linear(l, emit(l, n, v, x, count, true, level), step, level);
    bool extends = v->op == NESO_OP_ARITH_EXTSI || v->op == NESO_OP_ARITH_EXTUI;
    if (extends)
      out->narrow = x[0];
    if (extends || x[0]->exact || (count == 2 && x[1]->exact)) {
      out->exact = v;
      out->parts[0] = x[0];
      out->parts[1] = count == 2 ? x[1] : NULL;
    }
    return out;
  }
  if (count == 2 && x[1]->kind == CPU_UNIFORM && cpu_quotient_fits(l, n, v))
    return cpu_quotient(l, n, x[0], x[1]);
  return cpu_lv_vector(l, emit(l, n, v, x, count, false, level), level);
}

/* A known integer is written down even where a buffer holds it: what divides by
 * it relies on every lane, and lanes past the end of a buffer's rows hold
 * anything. */
static cpu_lv *evaluate(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  int64_t known;
  if (v->ready && !cpu_constant(l, v, &known))
    return cpu_eval_buffer(l, n, v, c);
  switch (v->op) {
  case NESO_OP_UNKNOWN:
  case NESO_OP_COUNT:
    cpu_fail(l, v->def, "a block is used before it is computed");
    cpu_at(l, n, 0);
    return cpu_lv_uniform(l, cpu_zero(&l->b, v->element), 0);
  case NESO_OP_ARITH_CONSTANT:
    return eval_constant(l, n, v);
  case NESO_OP_NESO_ARANGE:
    return eval_arange(l, n, v, c);
  case NESO_OP_NESO_RESHAPE:
    if (cpu_operand(l, v, 0)->rank > 0 &&
        !cpu_reshape_is_trivial(cpu_operand(l, v, 0), v))
      return cpu_eval_buffer(l, n, v, c);
    /* fallthrough */
  case NESO_OP_TENSOR_SPLAT:
  case NESO_OP_NESO_BROADCAST:
  case NESO_OP_NESO_EXPAND_DIMS:
  case NESO_OP_NESO_TRANS:
    return cpu_eval(l, n, cpu_operand(l, v, 0), cpu_operand_coords(l, v, 0, c));
  case NESO_OP_NESO_LOAD:
  case NESO_OP_NESO_MASKED_LOAD:
    return cpu_eval_load(l, n, v, c);
  case NESO_OP_NESO_GATHER:
    return cpu_eval_gather(l, n, v, c);
  default:
    return eval_elementwise(l, n, v, c);
  }
}

cpu_lv *cpu_eval(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  if (v->rank == 0)
    return eval_scalar(l, v);
  if (v->memo_epoch != l->epoch) {
    v->memo_epoch = l->epoch;
    v->memo = NULL;
  }
  int body = level_of(n, v, c) >= n->vec_level ? n->body : 0;
  for (struct cpu_lanes_memo *m = v->memo; m; m = m->next)
    if (m->body == body && cpu_same_coords(m->coords, c, v->rank))
      return m->value;
  MlirLocation outer = l->b.loc;
  if (!mlirOperationIsNull(v->def))
    l->b.loc = mlirOperationGetLocation(v->def);
  struct cpu_lanes_memo *memo =
      NESO_ARENA_NEW(l->arena, struct cpu_lanes_memo, 1);
  memo->value = evaluate(l, n, v, c);
  memo->coords = c;
  memo->body = body;
  memo->next = v->memo;
  v->memo = memo;
  l->b.loc = outer;
  return memo->value;
}
