/* neso.dot: both operands are packed into scratch (converted once), then a
 * register-tiled kernel adds outer products to the accumulator block. */
#include "lower.h"

typedef struct dot_state {
  cpu_lower *l;
  int64_t m, n, k, rows, columns; /* columns of one step of the kernel */
  cpu_buffer *a, *b, *c;
  MlirValue a_at, b_at, c_at; /* of the matrices of the current batch */
  int rank;
  MlirType element;
} dot_state;

/* Rows of the kernel: all registers but those of B and one spare. Fewer when
 * that leaves no ragged rest. */
static int64_t choose_rows(int64_t m, int64_t most) {
  int64_t best = most < m ? most : m, least = (most + 1) / 2;
  if (m <= most)
    return m;
  for (int64_t rows = most; rows >= least; rows--)
    if (m % rows == 0)
      return rows;
  return best;
}

static MlirValue vector_at(dot_state *s, MlirValue base, MlirValue offset) {
  cpu_builder *b = &s->l->b;
  int64_t half = s->columns / 2;
  return cpu_load(b, cpu_vector(s->element, half),
                  cpu_gep(b, base, offset, s->element), cpu_bytes(s->element));
}

static MlirValue plus(cpu_builder *b, MlirValue x, int64_t y) {
  return y == 0 ? x : cpu_binary(b, "arith.addi", x, cpu_index(b, y));
}

static MlirValue times(cpu_builder *b, MlirValue x, int64_t y) {
  return cpu_binary(b, "arith.muli", x, cpu_index(b, y));
}

static MlirValue multiply_add(dot_state *s, MlirValue x, MlirValue y,
                              MlirValue z) {
  cpu_builder *b = &s->l->b;
  if (!cpu_is_float(s->element))
    return cpu_binary(b, "arith.addi", cpu_binary(b, "arith.muli", x, y), z);
  if (neso__target_has(s->l->env->target, "fma"))
    return cpu_fma(b, x, y, z);
  return cpu_binary(b, "arith.addf", cpu_binary(b, "arith.mulf", x, y), z);
}

static MlirValue loop_index(MlirOperation loop) {
  return mlirBlockGetArgument(cpu_body(loop, 0), 0);
}

static int64_t row_stride(const dot_state *s, const cpu_buffer *buffer) {
  return buffer->stride[s->rank - 2];
}

/* One k: rows broadcasts of A against two vectors of B. */
static void kernel_step(dot_state *s, MlirValue a_base, MlirValue b_base,
                        MlirValue k, int64_t rows, const MlirValue *in,
                        MlirValue *out) {
  cpu_builder *b = &s->l->b;
  int64_t half = s->columns / 2;
  MlirValue at = times(b, k, s->columns);
  MlirValue left = vector_at(s, b_base, at);
  MlirValue right = vector_at(s, b_base, plus(b, at, half));
  MlirValue a_at = cpu_gep(b, a_base, k, s->element);
  for (int64_t r = 0; r < rows; r++) {
    MlirValue address =
        cpu_gep(b, a_at, cpu_index(b, r * row_stride(s, s->a)), s->element);
    MlirValue x = cpu_load(b, s->element, address, cpu_bytes(s->element));
    MlirValue lanes = cpu_splat(b, x, half);
    out[2 * r] = multiply_add(s, lanes, left, in[2 * r]);
    out[2 * r + 1] = multiply_add(s, lanes, right, in[2 * r + 1]);
  }
}

/* rows x columns of C at (row, column), over the whole of K. */
static void kernel(dot_state *s, MlirValue row, MlirValue column,
                   int64_t rows) {
  cpu_lower *l = s->l;
  cpu_builder *b = &l->b;
  int64_t half = s->columns / 2;
  MlirValue acc[64], next[64];
  MlirValue c_at =
      cpu_binary(b, "arith.addi", times(b, row, row_stride(s, s->c)), column);
  MlirValue c_base = cpu_gep(b, s->c_at, c_at, s->element);
  MlirValue a_base =
      cpu_gep(b, s->a_at, times(b, row, row_stride(s, s->a)), s->element);
  MlirValue b_base = cpu_gep(b, s->b_at, times(b, column, s->k), s->element);
  for (int64_t i = 0; i < 2 * rows; i++) {
    int64_t offset = i / 2 * row_stride(s, s->c) + i % 2 * half;
    acc[i] = vector_at(s, c_base, cpu_index(b, offset));
  }
  MlirOperation loop = cpu_for(b, cpu_index(b, 0), cpu_index(b, s->k),
                               cpu_index(b, 1), 2 * rows, acc);
  cpu_builder outer = *b;
  cpu_enter(&l->b, cpu_body(loop, 0));
  for (int64_t i = 0; i < 2 * rows; i++)
    acc[i] = mlirBlockGetArgument(cpu_body(loop, 0), 1 + i);
  kernel_step(s, a_base, b_base, loop_index(loop), rows, acc, next);
  *b = outer;
  cpu_yield(b, cpu_body(loop, 0), 2 * rows, next);
  for (int64_t i = 0; i < 2 * rows; i++) {
    int64_t offset = i / 2 * row_stride(s, s->c) + i % 2 * half;
    cpu_store(b, mlirOperationGetResult(loop, i),
              cpu_gep(b, c_base, cpu_index(b, offset), s->element),
              cpu_bytes(s->element));
  }
}

static void all_rows(dot_state *s, MlirValue column) {
  cpu_lower *l = s->l;
  int64_t whole = s->m / s->rows * s->rows;
  MlirOperation loop =
      cpu_for(&l->b, cpu_index(&l->b, 0), cpu_index(&l->b, whole),
              cpu_index(&l->b, s->rows), 0, NULL);
  cpu_builder outer = l->b;
  cpu_enter(&l->b, cpu_body(loop, 0));
  kernel(s, loop_index(loop), column, s->rows);
  l->b = outer;
  cpu_yield(&l->b, cpu_body(loop, 0), 0, NULL);
  if (whole < s->m)
    kernel(s, cpu_index(&l->b, whole), column, s->m - whole);
}

static void multiply(dot_state *s) {
  cpu_lower *l = s->l;
  MlirOperation loop =
      cpu_for(&l->b, cpu_index(&l->b, 0), cpu_index(&l->b, s->n),
              cpu_index(&l->b, s->columns), 0, NULL);
  cpu_builder outer = l->b;
  cpu_enter(&l->b, cpu_body(loop, 0));
  all_rows(s, loop_index(loop));
  l->b = outer;
  cpu_yield(&l->b, cpu_body(loop, 0), 0, NULL);
}

static void multiply_all(dot_state *s) {
  cpu_builder *b = &s->l->b;
  s->a_at = s->a->address;
  s->b_at = s->b->address;
  s->c_at = s->c->address;
  if (s->rank == 2) {
    multiply(s);
    return;
  }
  MlirOperation loop = cpu_for(b, cpu_index(b, 0), cpu_index(b, s->c->shape[0]),
                               cpu_index(b, 1), 0, NULL);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(loop, 0));
  MlirValue i = loop_index(loop);
  s->a_at = cpu_gep(b, s->a_at, times(b, i, s->a->stride[0]), s->element);
  s->b_at = cpu_gep(b, s->b_at, times(b, i, s->b->stride[0]), s->element);
  s->c_at = cpu_gep(b, s->c_at, times(b, i, s->c->stride[0]), s->element);
  multiply(s);
  *b = outer;
  cpu_yield(b, cpu_body(loop, 0), 0, NULL);
}

/* ----------------------------------------------------------- in place -- */

/* The carried block that the result of `op` becomes in the next iteration of
 * the loop around it, when nothing reads its old value after the dot. */
static cpu_buffer *carried_buffer(cpu_lower *l, const cpu_value *result) {
  MlirOpOperand use = mlirValueGetFirstUse(result->tile);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return NULL;
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (!cpu_op_is(user, "scf.yield") ||
      !cpu_op_is(mlirOperationGetParentOperation(user), "scf.for"))
    return NULL;
  MlirValue argument = mlirBlockGetArgument(
      mlirOperationGetBlock(user), 1 + mlirOpOperandGetOperandNumber(use));
  cpu_value *carried = cpu_value_of(l, argument);
  if (!carried->ready || !carried->buffer ||
      cpu_pulled_after(l, carried, result->seq))
    return NULL;
  return carried->buffer;
}

static void place_accumulator(dot_state *s, cpu_value *acc, cpu_value *result) {
  cpu_lower *l = s->l;
  int64_t padded = (s->n + s->columns - 1) / s->columns * s->columns;
  s->c = carried_buffer(l, result);
  if (s->c && row_stride(s, s->c) != padded)
    s->c = NULL;
  if (!s->c) {
    s->c = cpu_buffer_new(l, result->element, s->rank, result->shape,
                          s->columns, 0);
    cpu_buffer_keep(s->c, result->seq);
    cpu_buffer_keep(s->c, cpu_last_use(l, result));
  }
  if (!(acc->ready && acc->buffer == s->c))
    cpu_materialize(l, acc, s->c, result->seq);
}

/* Other precisions come as sums of IEEE products from the frontend. */
static bool computes(cpu_lower *l, MlirOperation op) {
  MlirStringRef name = mlirStringAttrGetValue(cpu_attr(op, "precision"));
  if (mlirStringRefEqual(name, cpu_str("ieee")))
    return true;
  cpu_fail(l, op, "the cpu multiplies with precision 'ieee', not '%.*s'",
           (int)name.length, name.data);
  return false;
}

void cpu_lower_dot(cpu_lower *l, MlirOperation op) {
  cpu_value *a = cpu_op_operand(l, op, 0), *b = cpu_op_operand(l, op, 1);
  cpu_value *acc = cpu_op_operand(l, op, 2);
  cpu_value *result = cpu_value_of(l, mlirOperationGetResult(op, 0));
  int64_t lanes = l->vector_bits / cpu_bits(result->element);
  dot_state s = {.l = l,
                 .rank = a->rank,
                 .m = a->shape[a->rank - 2],
                 .k = a->shape[a->rank - 1],
                 .n = b->shape[a->rank - 1],
                 .element = result->element,
                 .columns = 2 * lanes};
  if (cpu_is_float(s.element) && cpu_bits(s.element) < 32) {
    cpu_fail(l, op, "dot accumulates in f32 or f64 on the cpu");
    return;
  }
  if (!computes(l, op))
    return;
  s.rows = choose_rows(s.m, l->vector_bits == 512 ? 14 : 6);
  s.a = cpu_buffer_new(l, s.element, s.rank, a->shape, 1, 0);
  s.b = cpu_buffer_new(l, s.element, s.rank, b->shape, s.columns, s.columns);
  cpu_flush(l, result->seq);
  place_accumulator(&s, acc, result);
  cpu_materialize(l, a, s.a, result->seq);
  cpu_materialize(l, b, s.b, result->seq);
  multiply_all(&s);
  result->buffer = s.c;
  result->ready = true;
}
