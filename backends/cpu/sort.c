/* sort: every row by itself, merging runs of 1, 2, 4, ... elements from one
 * buffer into another and back. Stable; n log n steps of a dozen instructions
 * without a branch, from both ends of a run at once. */
#include "lower.h"

#define MAX_SORTED 16

/* One block in sorting: its rows in the result, and one row aside. */
typedef struct column {
  MlirType element;
  cpu_buffer *rows, *aside;
} column;

typedef struct sort_state {
  cpu_lower *l;
  column columns[MAX_SORTED];
  int count;
  bool is_float, descending;
  int64_t extent; /* of the axis */
} sort_state;

/* A row in one of the two places. */
typedef struct place {
  MlirValue start[MAX_SORTED];
  int64_t stride;
} place;

static MlirValue loop_index(MlirOperation loop) {
  return mlirBlockGetArgument(cpu_body(loop, 0), 0);
}

static MlirValue address(sort_state *s, const place *p, int column,
                         MlirValue i) {
  cpu_builder *b = &s->l->b;
  i = cpu_binary(b, "arith.muli", i, cpu_index(b, p->stride));
  return cpu_gep(b, p->start[column], i, s->columns[column].element);
}

static MlirValue load(sort_state *s, const place *p, int column, MlirValue i) {
  MlirType element = s->columns[column].element;
  return cpu_load(&s->l->b, element, address(s, p, column, i),
                  cpu_bytes(element));
}

/* x stands before y whatever their order was; NaN is greater than all. */
static MlirValue before(sort_state *s, MlirValue x, MlirValue y) {
  cpu_builder *b = &s->l->b;
  if (!s->is_float)
    return cpu_cmpi(b, s->descending ? CPU_SGT : CPU_SLT, x, y);
  MlirValue number = s->descending ? y : x;
  return cpu_binary(b, "arith.andi",
                    cpu_cmpf(b, s->descending ? CPU_FUGT : CPU_FULT, x, y),
                    cpu_cmpf(b, CPU_ORD, number, number));
}

/* Two runs side by side: elements low .. middle - 1 and middle .. end - 1. */
typedef struct runs {
  const place *from, *to;
  MlirValue low, middle, end;
} runs;

/* Writes the next element of the merged run to k: the lesser of those at i and
 * j from the front, the greater from the back. at[0] and at[1] are i and j, and
 * become the next ones. */
static void merge_step(sort_state *s, const runs *r, MlirValue k,
                       MlirValue at[2], bool back) {
  cpu_builder *b = &s->l->b;
  MlirValue i = at[0], j = at[1], one = cpu_index(b, 1);
  const char *clamp = back ? "arith.maxsi" : "arith.minsi";
  MlirValue bound = cpu_index(b, back ? 0 : s->extent - 1);
  MlirValue left = load(s, r->from, 0, cpu_binary(b, clamp, i, bound));
  MlirValue right = load(s, r->from, 0, cpu_binary(b, clamp, j, bound));
  MlirValue none = back ? cpu_cmpi(b, CPU_SLT, j, r->middle)
                        : cpu_cmpi(b, CPU_SGE, i, r->middle);
  MlirValue some =
      back ? cpu_cmpi(b, CPU_SGE, i, r->low) : cpu_cmpi(b, CPU_SLT, j, r->end);
  MlirValue cross = cpu_binary(b, "arith.ori", none, before(s, right, left));
  cross = cpu_binary(b, "arith.andi", cross, some);
  MlirValue is_left =
      back ? cross
           : cpu_binary(b, "arith.xori", cross, cpu_int(b, cpu_type(cross), 1));
  MlirValue source = cpu_select(b, is_left, i, j);
  for (int c = 0; c < s->count; c++) {
    MlirValue x = c == 0 ? cpu_select(b, is_left, left, right)
                         : load(s, r->from, c, source);
    cpu_store(b, x, address(s, r->to, c, k), cpu_bytes(s->columns[c].element));
  }
  const char *go = back ? "arith.subi" : "arith.addi";
  at[0] = cpu_select(b, is_left, cpu_binary(b, go, i, one), i);
  at[1] = cpu_select(b, is_left, j, cpu_binary(b, go, j, one));
}

/* From both ends at once, which are chains of loads that need not wait for
 * each other. A middle element is written twice. */
static void merge(sort_state *s, const runs *r) {
  cpu_builder *b = &s->l->b;
  MlirValue one = cpu_index(b, 1);
  MlirValue last = cpu_binary(b, "arith.subi", r->end, one);
  MlirValue count = cpu_binary(b, "arith.subi", r->end, r->low);
  MlirValue half = cpu_binary(b, "arith.shrui",
                              cpu_binary(b, "arith.addi", count, one), one);
  MlirValue inits[] = {r->low, r->middle,
                       cpu_binary(b, "arith.subi", r->middle, one), last};
  MlirOperation loop = cpu_for(b, cpu_index(b, 0), half, one, 4, inits);
  cpu_builder outer = *b;
  MlirBlock body = cpu_body(loop, 0);
  cpu_enter(b, body);
  MlirValue at[4], k = loop_index(loop);
  for (int i = 0; i < 4; i++)
    at[i] = mlirBlockGetArgument(body, i + 1);
  merge_step(s, r, cpu_binary(b, "arith.addi", r->low, k), at, false);
  merge_step(s, r, cpu_binary(b, "arith.subi", last, k), at + 2, true);
  *b = outer;
  cpu_yield(b, body, 4, at);
}

/* Runs of `width` elements become runs of twice as many. */
static void merge_pass(sort_state *s, const place *from, const place *to,
                       MlirValue width) {
  cpu_builder *b = &s->l->b;
  MlirValue extent = cpu_index(b, s->extent);
  MlirValue both = cpu_binary(b, "arith.addi", width, width);
  MlirOperation loop = cpu_for(b, cpu_index(b, 0), extent, both, 0, NULL);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(loop, 0));
  runs r = {.from = from, .to = to, .low = loop_index(loop)};
  r.middle = cpu_binary(b, "arith.minsi",
                        cpu_binary(b, "arith.addi", r.low, width), extent);
  r.end = cpu_binary(b, "arith.minsi", cpu_binary(b, "arith.addi", r.low, both),
                     extent);
  merge(s, &r);
  *b = outer;
  cpu_yield(b, cpu_body(loop, 0), 0, NULL);
}

/* Two passes, there and back: the row ends where it began. */
static void sort_row(sort_state *s, const place *row) {
  cpu_builder *b = &s->l->b;
  place aside = {.stride = 1};
  for (int c = 0; c < s->count; c++)
    aside.start[c] = s->columns[c].aside->address;
  int64_t rounds = 0;
  for (int64_t width = 1; width < s->extent; width *= 4)
    rounds++;
  MlirValue width = cpu_index(b, 1);
  MlirOperation loop = cpu_for(b, cpu_index(b, 0), cpu_index(b, rounds),
                               cpu_index(b, 1), 1, &width);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(loop, 0));
  MlirValue once = mlirBlockGetArgument(cpu_body(loop, 0), 1);
  MlirValue twice = cpu_binary(b, "arith.addi", once, once);
  merge_pass(s, row, &aside, once);
  merge_pass(s, &aside, row, twice);
  MlirValue next = cpu_binary(b, "arith.addi", twice, twice);
  *b = outer;
  cpu_yield(b, cpu_body(loop, 0), 1, &next);
}

static void sort_body(cpu_walk *w, const MlirValue *at, int64_t lanes) {
  sort_state *s = w->user;
  place row = {.stride = w->buffers[0]->stride[w->axis]};
  (void)lanes;
  for (int c = 0; c < s->count; c++)
    row.start[c] = at[c];
  sort_row(s, &row);
}

void cpu_lower_sort(cpu_lower *l, MlirOperation op) {
  int axis = (int)cpu_attr_int(op, "axis");
  int64_t seq = cpu_seq(l, op);
  cpu_value *keys = cpu_op_operand(l, op, 0);
  sort_state s = {.l = l,
                  .count = (int)mlirOperationGetNumOperands(op),
                  .is_float = cpu_is_float(keys->element),
                  .descending =
                      mlirBoolAttrGetValue(cpu_attr(op, "descending")),
                  .extent = keys->shape[axis]};
  if (s.count > MAX_SORTED) {
    cpu_fail(l, op, "sort moves at most %d blocks along", MAX_SORTED);
    return;
  }
  cpu_walk w = {.l = l,
                .rank = keys->rank,
                .shape = keys->shape,
                .axis = axis,
                .body = sort_body,
                .user = &s};
  cpu_flush(l, seq);
  for (int c = 0; c < s.count; c++) {
    cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, c));
    column *column = &s.columns[c];
    column->rows = cpu_result_buffer(l, v);
    column->element = column->rows->element;
    column->aside = cpu_buffer_new(l, v->element, 1, &s.extent, 1, 0);
    cpu_buffer_keep(column->rows, seq);
    cpu_buffer_keep(column->aside, seq);
    cpu_walk_add(&w, column->rows, false);
  }
  for (int c = 0; c < s.count; c++)
    cpu_materialize(l, cpu_op_operand(l, op, c), s.columns[c].rows, seq);
  cpu_walk_run(&w);
  for (int c = 0; c < s.count; c++)
    cpu_value_of(l, mlirOperationGetResult(op, c))->ready = true;
}
