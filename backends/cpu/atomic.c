/* Atomic operations: one after another, the elements of a block in order. */
#include "lower.h"

#include <string.h>

#include "mlir-c/Dialect/LLVM.h"

typedef struct atomic_state {
  cpu_lower *l;
  MlirOperation op;
  neso_op kind;
  MlirType element;
  MlirValue base;
  int operands; /* beside the base: offsets, values, mask */
  bool masked;
} atomic_state;

static MlirStringRef word(MlirOperation op, const char *name) {
  return mlirStringAttrGetValue(cpu_attr(op, name));
}

static bool is(MlirStringRef word, const char *text) {
  return word.length == strlen(text) && !memcmp(word.data, text, word.length);
}

static MlirNamedAttribute i64_attr(cpu_builder *b, const char *name,
                                   int64_t value) {
  return cpu_named(b, name, mlirIntegerAttrGet(b->i64, value));
}

/* Numbers of the llvm dialect's enumerations. */
static int64_t ordering(MlirOperation op, bool failure) {
  MlirStringRef sem = word(op, "sem");
  if (is(sem, "relaxed") || (failure && is(sem, "release")))
    return 2;
  if (is(sem, "acquire") || failure)
    return 4;
  return is(sem, "release") ? 5 : 6;
}

static int64_t operation(MlirOperation op) {
  static const struct {
    const char *name;
    int64_t number;
  } kinds[] = {{"xchg", 0},  {"add", 1},   {"and", 3},   {"or", 5},
               {"xor", 6},   {"max", 7},   {"min", 8},   {"umax", 9},
               {"umin", 10}, {"fadd", 11}, {"fmax", 19}, {"fmin", 20}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (is(word(op, "kind"), kinds[i].name))
      return kinds[i].number;
  return 0;
}

static MlirType bits_type(cpu_builder *b, MlirType element) {
  return mlirIntegerTypeGet(b->ctx, cpu_bits(element));
}

static MlirValue compare_exchange(atomic_state *s, MlirValue address,
                                  const MlirValue *x) {
  cpu_builder *b = &s->l->b;
  MlirType bits = bits_type(b, s->element), pair[] = {bits, b->i1};
  bool is_float = cpu_is_float(s->element);
  MlirValue operands[] = {address, x[0], x[1]};
  for (int i = 1; is_float && i < 3; i++)
    operands[i] = cpu_unary(b, "arith.bitcast", bits, operands[i]);
  MlirType type = mlirLLVMStructTypeLiteralGet(b->ctx, 2, pair, false);
  MlirNamedAttribute attributes[] = {
      i64_attr(b, "success_ordering", ordering(s->op, false)),
      i64_attr(b, "failure_ordering", ordering(s->op, true))};
  MlirValue both = mlirOperationGetResult(
      cpu_op(b, "llvm.cmpxchg", 3, operands, 1, &type, 2, attributes), 0);
  int64_t zero = 0;
  MlirNamedAttribute position =
      cpu_named(b, "position", mlirDenseI64ArrayGet(b->ctx, 1, &zero));
  MlirValue old = mlirOperationGetResult(
      cpu_op(b, "llvm.extractvalue", 1, &both, 1, &bits, 1, &position), 0);
  return is_float ? cpu_unary(b, "arith.bitcast", s->element, old) : old;
}

static MlirValue exchange(atomic_state *s, MlirValue address,
                          const MlirValue *x) {
  cpu_builder *b = &s->l->b;
  if (s->kind == NESO_OP_NESO_ATOMIC_CAS)
    return compare_exchange(s, address, x);
  MlirValue operands[] = {address, x[0]};
  MlirNamedAttribute attributes[] = {
      i64_attr(b, "bin_op", operation(s->op)),
      i64_attr(b, "ordering", ordering(s->op, false))};
  return mlirOperationGetResult(
      cpu_op(b, "llvm.atomicrmw", 2, operands, 1, &s->element, 2, attributes),
      0);
}

/* One element: x holds the offset, the values and the mask. */
static MlirValue one(atomic_state *s, const MlirValue *x) {
  cpu_builder *b = &s->l->b;
  MlirValue address = cpu_gep(b, s->base, x[0], s->element);
  if (!s->masked)
    return exchange(s, address, x + 1);
  MlirOperation branch = cpu_if(b, x[s->operands - 1], 1, &s->element);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(branch, 0));
  MlirValue old = exchange(s, address, x + 1);
  *b = outer;
  cpu_yield(b, cpu_body(branch, 0), 1, &old);
  cpu_enter(b, cpu_body(branch, 1));
  MlirValue none = cpu_zero(b, s->element);
  *b = outer;
  cpu_yield(b, cpu_body(branch, 1), 1, &none);
  return mlirOperationGetResult(branch, 0);
}

static void body(cpu_walk *w, const MlirValue *at, int64_t lanes) {
  atomic_state *s = w->user;
  MlirValue x[4];
  for (int i = 0; i < s->operands; i++) {
    cpu_value *v = cpu_op_operand(s->l, s->op, 1 + i);
    x[i] = cpu_load_element(s->l, v->element, at[i], lanes);
  }
  MlirValue old = one(s, x);
  if (w->count > s->operands)
    cpu_store_element(s->l, old, at[s->operands]);
}

static void blocks(atomic_state *s, cpu_value *v) {
  cpu_lower *l = s->l;
  cpu_walk w = {.l = l,
                .rank = v->rank,
                .shape = v->shape,
                .axis = -1,
                .body = body,
                .user = s};
  for (int i = 0; i < s->operands; i++) {
    cpu_value *x = cpu_op_operand(l, s->op, 1 + i);
    cpu_take(l, x, v->seq);
    cpu_walk_add(&w, x->buffer, false);
  }
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(v->tile)))
    cpu_walk_add(&w, cpu_result_buffer(l, v), false);
  if (!l->error)
    cpu_walk_run(&w);
}

void cpu_lower_atomic(cpu_lower *l, MlirOperation op) {
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  int plain = v->op == NESO_OP_NESO_ATOMIC_CAS ? 3 : 2;
  atomic_state s = {.l = l,
                    .op = op,
                    .kind = v->op,
                    .element = v->element,
                    .base = cpu_op_operand(l, op, 0)->scalar,
                    .operands = (int)mlirOperationGetNumOperands(op) - 1};
  s.masked = s.operands > plain;
  cpu_flush(l, v->seq);
  if (v->rank > 0) {
    blocks(&s, v);
  } else {
    MlirValue x[4];
    for (int i = 0; i < s.operands; i++)
      x[i] = cpu_op_operand(l, op, 1 + i)->scalar;
    v->scalar = one(&s, x);
  }
  v->ready = true;
}
