/* Reductions: accumulators of one lane count, combined step by step, then
 * across lanes. */
#include "lower.h"

#include <math.h>
#include <string.h>

static bool is_kind(const cpu_reducer *r, const char *kind) {
  return strcmp(r->kind, kind) == 0;
}

static bool is_max(const cpu_reducer *r) {
  return is_kind(r, "max") || is_kind(r, "maxnum") || is_kind(r, "umax");
}

static bool is_extreme(const cpu_reducer *r) {
  return is_max(r) || is_kind(r, "min") || is_kind(r, "minnum") ||
         is_kind(r, "umin");
}

void cpu_reducer_init(cpu_lower *l, cpu_reducer *r, MlirOperation op) {
  MlirStringRef kind = mlirStringAttrGetValue(cpu_attr(op, "kind"));
  memset(r, 0, sizeof *r);
  r->op = op;
  r->kind = neso__arena_copy(l->arena, kind.data, kind.length);
  r->element = cpu_element(cpu_type(mlirOperationGetOperand(op, 0)));
  r->accumulator = r->element;
  r->is_float = cpu_is_float(r->element);
  r->arg = neso__op_of(op) == NESO_OP_NESO_ARG_REDUCE;
  r->parts = r->arg ? 2 : 1;
  r->propagate = r->arg ? mlirBoolAttrGetValue(cpu_attr(op, "propagate_nan"))
                        : is_kind(r, "max") || is_kind(r, "min");
  /* The best number, and the last NaN met: one chain of x86's max, and one
   * of moves, where maximumf would be a chain of both. */
  if (r->is_float && r->propagate && !r->arg)
    r->parts = 2;
  if (r->is_float && cpu_bits(r->element) == 16)
    r->accumulator = l->b.f32;
}

static MlirValue neutral(cpu_lower *l, const cpu_reducer *r, MlirType type) {
  cpu_builder *b = &l->b;
  unsigned bits = cpu_bits(r->accumulator);
  if (r->is_float) {
    if (is_extreme(r) && !r->propagate)
      return cpu_float(b, type, NAN);
    if (is_extreme(r))
      return cpu_float(b, type, is_max(r) ? -INFINITY : INFINITY);
    return cpu_float(b, type, is_kind(r, "prod") ? 1.0 : -0.0);
  }
  int64_t lowest = bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
  if (is_kind(r, "max"))
    return cpu_int(b, type, lowest);
  if (is_kind(r, "min"))
    return cpu_int(b, type, -(lowest + 1));
  if (is_kind(r, "and") || is_kind(r, "umin"))
    return cpu_int(b, type, -1);
  return cpu_int(b, type, is_kind(r, "prod"));
}

void cpu_reducer_start(cpu_lower *l, const cpu_reducer *r, int64_t lanes,
                       bool along, MlirValue *acc) {
  cpu_builder *b = &l->b;
  acc[0] = neutral(l, r, cpu_vector(r->accumulator, lanes));
  if (r->parts == 2 && !r->arg)
    acc[1] = cpu_zero(b, cpu_vector(r->accumulator, lanes));
  if (r->arg)
    acc[1] = along && lanes > 0 ? cpu_iota(b, b->i32, lanes)
                                : cpu_int(b, cpu_vector(b->i32, lanes), 0);
}

static MlirValue float_extreme(cpu_lower *l, const cpu_reducer *r,
                               MlirValue acc, MlirValue x) {
  cpu_builder *b = &l->b;
  bool max = is_max(r);
  if (r->propagate)
    return cpu_select(b, cpu_cmpf(b, max ? CPU_OGT : CPU_OLT, x, acc), x, acc);
  MlirValue keep = cpu_cmpf(b, max ? CPU_OGE : CPU_OLE, acc, x);
  MlirValue nan = cpu_cmpf(b, CPU_UNO, x, x);
  return cpu_select(b, cpu_binary(b, "arith.ori", keep, nan), acc, x);
}

static MlirValue keep_nan(cpu_lower *l, MlirValue acc, MlirValue x) {
  return cpu_select(&l->b, cpu_cmpf(&l->b, CPU_UNO, x, x), x, acc);
}

static MlirValue combine(cpu_lower *l, const cpu_reducer *r, MlirValue acc,
                         MlirValue x) {
  static const struct {
    const char *kind, *integer, *floating;
  } names[] = {
      {"sum", "arith.addi", "arith.addf"}, {"prod", "arith.muli", "arith.mulf"},
      {"max", "arith.maxsi", NULL},        {"min", "arith.minsi", NULL},
      {"maxnum", "arith.maxsi", NULL},     {"minnum", "arith.minsi", NULL},
      {"umax", "arith.maxui", NULL},       {"umin", "arith.minui", NULL},
      {"and", "arith.andi", NULL},         {"or", "arith.ori", NULL},
      {"xor", "arith.xori", NULL}};
  if (r->is_float && is_extreme(r))
    return float_extreme(l, r, acc, x);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_kind(r, names[i].kind) && (!r->is_float || names[i].floating))
      return cpu_binary(
          &l->b, r->is_float ? names[i].floating : names[i].integer, acc, x);
  cpu_fail(l, r->op, "reduction '%s' is not defined for this dtype", r->kind);
  return acc;
}

/* x is taken when it is better; the first NaN wins when they propagate. */
static MlirValue arg_takes(cpu_lower *l, const cpu_reducer *r, MlirValue acc,
                           MlirValue x) {
  cpu_builder *b = &l->b;
  bool max = is_max(r);
  if (!r->is_float)
    return cpu_cmpi(b, max ? CPU_SGT : CPU_SLT, x, acc);
  if (!r->propagate)
    return cpu_binary(b, "arith.andi",
                      cpu_cmpf(b, max ? CPU_FULT : CPU_FUGT, acc, x),
                      cpu_cmpf(b, CPU_ORD, x, x));
  MlirValue nan = cpu_binary(b, "arith.andi", cpu_cmpf(b, CPU_UNO, x, x),
                             cpu_cmpf(b, CPU_ORD, acc, acc));
  return cpu_binary(b, "arith.ori", nan,
                    cpu_cmpf(b, max ? CPU_OGT : CPU_OLT, x, acc));
}

static MlirValue widen(cpu_lower *l, const cpu_reducer *r, MlirValue x) {
  MlirType type = cpu_type(x);
  if (!r->is_float || cpu_bits(cpu_element(type)) == cpu_bits(r->accumulator))
    return x;
  return cpu_unary(&l->b, "arith.extf",
                   cpu_vector(r->accumulator, cpu_lanes(type)), x);
}

void cpu_reducer_step(cpu_lower *l, const cpu_reducer *r, MlirValue *acc,
                      MlirValue x, MlirValue index, int step, MlirValue keep) {
  cpu_builder *b = &l->b;
  x = widen(l, r, x);
  int64_t lanes = cpu_lanes(cpu_type(x));
  if (!r->arg) {
    MlirValue next = combine(l, r, acc[0], x);
    acc[0] = mlirValueIsNull(keep) ? next : cpu_select(b, keep, next, acc[0]);
    if (r->parts == 1)
      return;
    next = keep_nan(l, acc[1], x);
    acc[1] = mlirValueIsNull(keep) ? next : cpu_select(b, keep, next, acc[1]);
    return;
  }
  MlirValue at = cpu_splat(b, cpu_resize(b, index, b->i32, true), lanes);
  if (step)
    at = cpu_binary(b, "arith.addi", at, cpu_iota(b, b->i32, lanes));
  MlirValue takes = arg_takes(l, r, acc[0], x);
  if (!mlirValueIsNull(keep))
    takes = cpu_binary(b, "arith.andi", takes, keep);
  acc[0] = cpu_select(b, takes, x, acc[0]);
  acc[1] = cpu_select(b, takes, at, acc[1]);
}

/* Two candidates with indices: the better, or of equals the lower index. */
static void arg_merge(cpu_lower *l, const cpu_reducer *r, MlirValue *acc,
                      const MlirValue *x) {
  cpu_builder *b = &l->b;
  MlirValue takes = arg_takes(l, r, acc[0], x[0]);
  MlirValue back = arg_takes(l, r, x[0], acc[0]);
  MlirValue one = cpu_int(b, cpu_type(takes), 1);
  MlirValue tie =
      cpu_binary(b, "arith.andi", cpu_binary(b, "arith.xori", takes, one),
                 cpu_binary(b, "arith.xori", back, one));
  MlirValue lower = cpu_cmpi(b, CPU_SLT, x[1], acc[1]);
  takes = cpu_binary(b, "arith.ori", takes,
                     cpu_binary(b, "arith.andi", tie, lower));
  acc[0] = cpu_select(b, takes, x[0], acc[0]);
  acc[1] = cpu_select(b, takes, x[1], acc[1]);
}

bool cpu_reducer_repeats(const cpu_reducer *r) {
  return !r->arg && (is_extreme(r) || is_kind(r, "sum") || is_kind(r, "and") ||
                     is_kind(r, "or"));
}

void cpu_reducer_repeat(cpu_lower *l, const cpu_reducer *r, MlirValue *acc,
                        MlirValue x, MlirValue count) {
  cpu_builder *b = &l->b;
  MlirValue next[2] = {acc[0], acc[1]}, none = {NULL};
  MlirValue any = cpu_cmpi(b, CPU_SGT, count, cpu_index(b, 0));
  x = widen(l, r, x);
  if (is_kind(r, "sum") && r->is_float)
    x = cpu_binary(b, "arith.mulf", x,
                   cpu_unary(b, "arith.sitofp", r->accumulator, count));
  else if (is_kind(r, "sum"))
    x = cpu_binary(b, "arith.muli", x,
                   cpu_resize(b, count, r->accumulator, true));
  cpu_reducer_step(l, r, next, x, count, 0, none);
  for (int i = 0; i < r->parts; i++)
    acc[i] = cpu_select(b, any, next[i], acc[i]);
}

static MlirValue first_lane(cpu_lower *l, MlirValue x) {
  cpu_builder *b = &l->b;
  int64_t position = 0;
  MlirNamedAttribute attribute = cpu_named(
      b, "static_position", mlirDenseI64ArrayGet(b->ctx, 1, &position));
  MlirType type = cpu_element(cpu_type(x));
  return mlirOperationGetResult(
      cpu_op(b, "vector.extract", 1, &x, 1, &type, 1, &attribute), 0);
}

static void halve(cpu_lower *l, const cpu_reducer *r, int parts,
                  MlirValue *acc) {
  int64_t lanes = cpu_lanes(cpu_type(acc[0])) / 2;
  MlirValue high[2] = {{NULL}};
  for (int i = 0; i < parts; i++) {
    high[i] = cpu_slice(&l->b, acc[i], lanes, lanes);
    acc[i] = cpu_slice(&l->b, acc[i], 0, lanes);
  }
  if (r->arg)
    arg_merge(l, r, acc, high);
  else
    acc[0] = combine(l, r, acc[0], high[0]);
}

void cpu_reducer_across(cpu_lower *l, const cpu_reducer *r, MlirValue *acc) {
  cpu_builder *b = &l->b;
  int parts = r->arg ? 2 : 1;
  while (cpu_lanes(cpu_type(acc[0])) > 1)
    halve(l, r, parts, acc);
  for (int i = 0; i < parts; i++)
    acc[i] = first_lane(l, acc[i]);
  if (r->parts == parts)
    return;
  MlirValue nan = cpu_any_lane(b, cpu_cmpf(b, CPU_UNO, acc[1], acc[1]));
  acc[1] = cpu_select(b, nan, cpu_float(b, r->accumulator, NAN),
                      cpu_zero(b, r->accumulator));
}

void cpu_reducer_finish(cpu_lower *l, const cpu_reducer *r,
                        const MlirValue *acc, MlirValue *results) {
  results[0] = acc[0];
  if (r->parts == 2 && !r->arg)
    results[0] = keep_nan(l, acc[0], acc[1]);
  if (r->is_float && cpu_bits(r->element) < cpu_bits(r->accumulator))
    results[0] = cpu_truncf(l, results[0], r->element);
  if (r->arg)
    results[1] = acc[1];
}
