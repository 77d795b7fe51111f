/* CPU lowering of the tile IR: state shared by its files. spec/cpu.md says how
 * it works; each section below names the file that implements it. */
#ifndef NESO_CPU_LOWER_H
#define NESO_CPU_LOWER_H

#include "build.h"
#include "pass.h"
#include "program.h"

#define CPU_MAX_RANK NESO_MAX_RANK

typedef struct cpu_lower cpu_lower;

/* Pointers to pointers; lives in the arena. */
typedef struct cpu_map {
  const void **keys;
  void **values;
  size_t capacity, count;
} cpu_map;
typedef struct cpu_value cpu_value;
typedef struct cpu_nest cpu_nest;

/* Which loop of a nest walks each dimension of a value; CPU_FIXED: the value
 * is wanted at index 0 (extents of 1, and lane 0 of a vector). */
#define CPU_FIXED (-1)
typedef struct cpu_coords {
  int8_t dim[CPU_MAX_RANK];
} cpu_coords;

/* A block in scratch memory. `panel` > 0: the layout of a packed right operand
 * of dot, [columns / panel][rows][panel]. */
typedef struct cpu_buffer {
  MlirType element; /* as stored */
  int rank;
  int64_t shape[CPU_MAX_RANK], stride[CPU_MAX_RANK], panel, bytes;
  int64_t first, last;  /* sequence numbers between which it is needed */
  MlirOperation offset; /* constant patched with the planned offset */
  MlirValue address;
  struct cpu_buffer *next;
} cpu_buffer;

/* One SSA value of the tile IR. */
struct cpu_value {
  MlirValue tile;
  MlirOperation def; /* null for block arguments */
  neso_op op;
  MlirType element;
  int rank; /* 0: scalar or pointer */
  int64_t shape[CPU_MAX_RANK];
  MlirBlock block; /* where it is defined */
  int64_t seq;     /* place in program order */
  int64_t cost;    /* of computing one element again */
  uint64_t *pulls; /* bit set of the places that compute it */
  bool marked;     /* computed once, into a buffer */
  bool early;      /* and before the place that uses it */
  bool has_load;
  bool ready; /* lies in `buffer` (blocks) or `scalar` */
  cpu_buffer *buffer;
  MlirValue scalar;
  struct cpu_lanes_memo *memo;
  int64_t memo_epoch;
  int64_t loaded_in; /* epoch of the first nest that loads it; -1: asked for */
  cpu_value *next_pending, *next_taken;
};

struct cpu_lower {
  neso_pass_env *env;
  neso_arena *arena;
  neso_status error; /* the first one; NULL so far */
  cpu_builder b;
  MlirOperation tile_func;
  cpu_map values, seqs; /* MlirValue -> cpu_value, MlirOperation -> seq */
  cpu_value **order;    /* every value in program order */
  size_t order_count;
  MlirOperation *ops; /* by sequence number */
  int64_t *op_end;    /* last sequence number inside each operation */
  int64_t op_count;
  cpu_value *pending; /* marked values of the block that is being lowered */
  cpu_value *taken;   /* by cpu_take though not marked, the last first */
  cpu_buffer *buffers;
  MlirValue at, scratch; /* arguments of the kernel */
  MlirBlock entry;
  MlirOperation prologue; /* what is set up once is inserted before it */
  int64_t epoch;
  int vector_bits;
  int site_count; /* constants that describe reports */
  bool reports;   /* the kernel calls libneso */
};

static inline bool cpu_is_load(neso_op op) {
  return op == NESO_OP_NESO_LOAD || op == NESO_OP_NESO_MASKED_LOAD;
}
static inline bool cpu_is_store(neso_op op) {
  return op == NESO_OP_NESO_STORE || op == NESO_OP_NESO_MASKED_STORE;
}

/* lower.c */
/* Records the first failure, at `op`. Later work goes on harmlessly: every
 * function that can fail afterwards returns something valid or NULL. */
void cpu_fail(cpu_lower *l, MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
cpu_value *cpu_value_of(cpu_lower *l, MlirValue tile);
cpu_value *cpu_operand(cpu_lower *l, const cpu_value *v, intptr_t i);
cpu_value *cpu_op_operand(cpu_lower *l, MlirOperation op, intptr_t i);
void cpu_lower_block(cpu_lower *l, MlirBlock block);
int64_t cpu_seq(cpu_lower *l, MlirOperation op);
/* An operation whose block results are computed where they are used. */
bool cpu_is_lazy(neso_op op);

/* layout.c */
neso_status neso__cpu_layout(neso_pass_env *env, MlirModule module);
neso_status neso__cpu_lower(neso_pass_env *env, MlirModule module);
/* The dimension that vectors run along and their lanes, from the encoding of
 * `type`; dimension -1 when every extent is 1. */
int cpu_layout_read(MlirType type, int64_t *out_lanes);

/* plan.c: what is computed once and what again. */
/* A load that reads memory once, where it stands. */
bool cpu_is_volatile(MlirOperation op);
void cpu_plan(cpu_lower *l);
/* `v` is pulled at a place after `seq`. */
bool cpu_pulled_after(const cpu_lower *l, const cpu_value *v, int64_t seq);
/* Sequence number up to which a buffer of `v` is needed. */
int64_t cpu_last_use(const cpu_lower *l, const cpu_value *v);
/* A reshape that only adds or drops extents of 1. */
bool cpu_reshape_is_trivial(const cpu_value *from, const cpu_value *to);

/* `v` is computed or read at `seq`. */
bool cpu_pulled_at(const cpu_value *v, int64_t seq);
bool cpu_same_shape(const cpu_value *a, const cpu_value *b);

/* ahead.c: asks for the memory of the store that will read `written`. */
void cpu_ask_ahead(cpu_lower *l, cpu_nest *n, const cpu_value *written);
/* Asks for what the next program loads where `load` loads a whole chunk from
 * `address`, once, in the second nest that does. */
void cpu_ask_next(cpu_lower *l, cpu_nest *n, cpu_value *load, MlirValue address,
                  int level);

/* scratch.c */
cpu_buffer *cpu_buffer_new(cpu_lower *l, MlirType element, int rank,
                           const int64_t *shape, int64_t row_multiple,
                           int64_t panel);
/* Keeps the buffer's memory at least until sequence number `seq`. */
void cpu_buffer_keep(cpu_buffer *buffer, int64_t seq);
/* Assigns offsets, patches their constants, returns the bytes in all. */
int64_t cpu_scratch_plan(cpu_lower *l);

/* nest.c: one loop nest over a shape. */
typedef enum cpu_output_kind {
  CPU_STORE,  /* neso.store and masked_store */
  CPU_BUFFER, /* into scratch */
  CPU_REDUCE,
  CPU_ARG_REDUCE
} cpu_output_kind;

typedef struct cpu_output {
  cpu_output_kind kind;
  MlirOperation op;   /* STORE, REDUCE, ARG_REDUCE */
  cpu_value *value;   /* what is computed for each element */
  cpu_buffer *buffer; /* BUFFER: where to */
  cpu_value *result;  /* BUFFER: becomes ready; may be NULL */
} cpu_output;

/* Runs one nest; all values have the shape of outputs[0].value. A reduction
 * stands alone. */
void cpu_nest_run(cpu_lower *l, cpu_output *outputs, int count);
/* As above after adding what is marked and can be written along, and computing
 * before it what cannot. */
void cpu_nest_root(cpu_lower *l, cpu_output output, int64_t seq);
/* Computes `v` into `buffer` (any value; copies when it lies in another). */
void cpu_materialize(cpu_lower *l, cpu_value *v, cpu_buffer *buffer,
                     int64_t seq);
/* `v` lies in a buffer afterwards, until its last use and at least `seq`; what
 * is defined outside of the block that is being lowered, to the block's end. */
void cpu_take(cpu_lower *l, cpu_value *v, int64_t seq);
/* The same of a value that was put into its buffer by other means. */
void cpu_taken(cpu_lower *l, cpu_value *v);
/* The end of a block: what was taken since `before` and is defined outside lies
 * in no buffer after it, as the block may not have run. */
void cpu_let_go(cpu_lower *l, MlirBlock block, cpu_value *before);
/* A buffer for the result `v` of the operation that defines it, which the
 * caller fills; `v->buffer` is set, `v->ready` left to the caller. */
cpu_buffer *cpu_result_buffer(cpu_lower *l, cpu_value *v);
/* Computes every pending marked value of the block. */
void cpu_flush(cpu_lower *l, int64_t seq);

#define CPU_MAX_OUTPUTS 16
#define CPU_MAX_LEAVES 32

/* A comparison that decides a mask along the vector dimension. */
typedef struct cpu_leaf {
  cpu_value *value;
  cpu_coords coords;
  enum { CPU_LEAF_UNIFORM, CPU_LEAF_PREFIX, CPU_LEAF_SUFFIX } kind;
} cpu_leaf;

/* Code of a level is inserted before `before`, which is the loop that is being
 * filled, or `last`, the end of the block (null: appended). */
typedef struct cpu_level {
  MlirBlock block;
  MlirOperation before, last;
} cpu_level;

struct cpu_nest {
  int rank, vec, axis; /* axis: reduced dimension or -1 */
  int64_t extent[CPU_MAX_RANK], lanes;
  MlirValue index[CPU_MAX_RANK]; /* i64 */
  int level_of[CPU_MAX_RANK];
  cpu_level levels[CPU_MAX_RANK + 2];
  int level_count;
  cpu_output *outputs;
  int output_count;
  cpu_leaf leaves[CPU_MAX_LEAVES];
  int leaf_count;
  cpu_leaf limits[CPU_MAX_OUTPUTS]; /* masks after whose end nothing is done */
  int limit_count;                  /* 0: the whole extent counts */
  bool off;      /* lanes after the end are alike: cpu_eval_off */
  int vec_level; /* level inside the vector loop */
  int body;      /* tells the copies of the vector loop's body apart */
  bool assume;   /* in this body every leaf is true */
  MlirValue pad; /* mask of lanes inside the extent, null when all are */
};
cpu_coords cpu_identity(const cpu_value *v);
bool cpu_same_coords(cpu_coords a, cpu_coords b, int rank);
bool cpu_uses_vec(const cpu_nest *n, const cpu_value *v, cpu_coords c);
/* Points the builder at the end of a level. */
void cpu_at(cpu_lower *l, cpu_nest *n, int level);

/* mask.c: finds the leaves, and the bounds that follow. */
void cpu_mask_scan(cpu_lower *l, cpu_nest *n);
/* At the level around the vector loop: lanes below *full have every leaf
 * true; at and after *end every mask of `limits` is false. */
void cpu_mask_bounds(cpu_lower *l, cpu_nest *n, MlirValue *full,
                     MlirValue *end);

/* What `v` is in the lanes after the end (of a nest with `off`). */
struct cpu_lanes_value *cpu_eval_off(cpu_lower *l, cpu_nest *n, cpu_value *v,
                                     cpu_coords c);

/* chunk.c: values of one chunk. */
typedef struct cpu_lanes_value {
  enum { CPU_UNIFORM, CPU_LINEAR, CPU_VECTOR } kind;
  int level;        /* where `scalar` or `vector` is available */
  MlirValue scalar; /* UNIFORM; LINEAR: lane 0 */
  int64_t step;     /* LINEAR: from lane to lane */
  bool known;       /* UNIFORM: the integer constant `constant` */
  int64_t constant;
  MlirValue vector; /* VECTOR; else a cache */
  int vector_level;
  /* LINEAR by way of an extension: what was extended may wrap within the chunk,
   * which addresses cannot tell. Its lanes are `exact` of these parts. */
  cpu_value *exact;
  struct cpu_lanes_value *parts[2];
  struct cpu_lanes_value *narrow; /* an extension: what was extended */
} cpu_lv;

cpu_lv *cpu_eval(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c);
/* NULL: true in every lane. */
cpu_lv *cpu_eval_mask(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c);
/* The lanes as a vector (a scalar when the nest has none), usable at
 * *out_level and deeper. */
MlirValue cpu_as_vector(cpu_lower *l, cpu_nest *n, cpu_lv *x);
cpu_lv *cpu_lv_vector(cpu_lower *l, MlirValue vector, int level);
cpu_lv *cpu_lv_uniform(cpu_lower *l, MlirValue scalar, int level);
/* Where operand i of v is wanted when v is wanted at c. */
cpu_coords cpu_operand_coords(cpu_lower *l, const cpu_value *v, intptr_t i,
                              cpu_coords c);
/* v changes by the constant *step from lane to lane (0: not at all). */
bool cpu_step(cpu_lower *l, const cpu_nest *n, cpu_value *v, cpu_coords c,
              int64_t *step);
bool cpu_constant(cpu_lower *l, cpu_value *v, int64_t *out);
/* Whether v changes with loop `dim`. */
bool cpu_depends(cpu_lower *l, cpu_value *v, cpu_coords c, int dim);

/* elementwise.c: one operation on lowered operands of one lane count. */
MlirValue cpu_elementwise(cpu_lower *l, const cpu_value *v,
                          const MlirValue *operands, int64_t lanes);
/* f8.c: neso.from_f8 and neso.to_f8. */
MlirValue cpu_from_f8(cpu_lower *l, MlirOperation op, MlirValue x);
MlirValue cpu_to_f8(cpu_lower *l, MlirOperation op, MlirValue x);
/* narrow.c: to a narrower float, correctly rounded. */
MlirValue cpu_truncf(cpu_lower *l, MlirValue x, MlirType element);
MlirValue cpu_constant_scalar(cpu_lower *l, MlirOperation op);

/* quotient.c: division of lanes by one f32. */
bool cpu_quotient_fits(cpu_lower *l, const cpu_nest *n, const cpu_value *v);
cpu_lv *cpu_quotient(cpu_lower *l, cpu_nest *n, cpu_lv *x, cpu_lv *by);

/* memory.c */
cpu_lv *cpu_eval_load(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c);
void cpu_emit_store(cpu_lower *l, cpu_nest *n, MlirOperation op, cpu_lv *value);
cpu_lv *cpu_eval_buffer(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c);
void cpu_emit_buffer(cpu_lower *l, cpu_nest *n, cpu_buffer *buffer,
                     cpu_coords c, cpu_lv *value, bool padded);
/* Address of lane 0 where offsets run contiguously: the part that does not
 * move with the vector loop is left outside it. */
MlirValue cpu_contiguous_address(cpu_lower *l, cpu_nest *n, MlirValue base,
                                 cpu_value *offsets, cpu_coords c,
                                 MlirType element, int level);
/* The element at `address` (scalar or vector) where `inside`, else 0. */
MlirValue cpu_load_inside(cpu_lower *l, MlirType element, MlirValue address,
                          MlirValue inside);
/* `lanes` elements (0: a scalar) that lie one after another. */
MlirValue cpu_load_element(cpu_lower *l, MlirType element, MlirValue address,
                           int64_t lanes);
void cpu_store_element(cpu_lower *l, MlirValue value, MlirValue address);
void cpu_scalar_memory(cpu_lower *l, MlirOperation op);

/* reduce.c */
typedef struct cpu_reducer {
  MlirOperation op;
  const char *kind;
  MlirType element, accumulator; /* element types */
  bool arg, propagate, is_float;
  int parts; /* SSA values an accumulator has */
} cpu_reducer;
void cpu_reducer_init(cpu_lower *l, cpu_reducer *r, MlirOperation op);
/* Initial accumulators for `lanes` lanes, which lie `along` the axis or not. */
void cpu_reducer_start(cpu_lower *l, const cpu_reducer *r, int64_t lanes,
                       bool along, MlirValue *acc);
/* acc with `x` taken in; `index`: of lane 0 (arg), `step` 1 when the lanes run
 * along the axis, else 0; `keep`: mask of lanes that count, null for all. */
void cpu_reducer_step(cpu_lower *l, const cpu_reducer *r, MlirValue *acc,
                      MlirValue x, MlirValue index, int step, MlirValue keep);
/* The lanes of acc as one. */
void cpu_reducer_across(cpu_lower *l, const cpu_reducer *r, MlirValue *acc);
/* Scalar accumulators with `count` times x taken in. */
void cpu_reducer_repeat(cpu_lower *l, const cpu_reducer *r, MlirValue *acc,
                        MlirValue x, MlirValue count);
bool cpu_reducer_repeats(const cpu_reducer *r);
/* Results from accumulators (of any lane count). */
void cpu_reducer_finish(cpu_lower *l, const cpu_reducer *r,
                        const MlirValue *acc, MlirValue *results);

/* libm.c: `name` of the C library on each f64 lane of x; compiler.h lists what
 * kernels may call. */
MlirValue cpu_call_lanes(cpu_lower *l, const char *name, MlirValue x);

/* dot.c, control.c, math.c */
void cpu_lower_dot(cpu_lower *l, MlirOperation op);
void cpu_lower_control(cpu_lower *l, MlirOperation op);
/* Null when `op` is no math operation that needs own code. */
MlirValue cpu_math(cpu_lower *l, const cpu_value *v, const MlirValue *operands);

/* views.c, gather.c, sort.c, histogram.c */
void cpu_lower_cat(cpu_lower *l, MlirOperation op);
void cpu_lower_slice(cpu_lower *l, MlirOperation op);
void cpu_lower_gather(cpu_lower *l, MlirOperation op);
cpu_lv *cpu_eval_gather(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c);
void cpu_lower_sort(cpu_lower *l, MlirOperation op);
void cpu_lower_histogram(cpu_lower *l, MlirOperation op);

/* walk.c: loops over the elements of `shape`, but not along `axis` (-1: all),
 * `lanes` at a time along the last dimension where that is wanted (> 0) and
 * fits. `body` gets the addresses of the current element in the buffers. */
#define CPU_MAX_WALKED 32
typedef struct cpu_walk {
  cpu_lower *l;
  int rank, axis, count;
  const int64_t *shape;
  int64_t lanes;
  const cpu_buffer *buffers[CPU_MAX_WALKED];
  bool lacks_axis[CPU_MAX_WALKED]; /* has the shape without the axis */
  void (*body)(struct cpu_walk *w, const MlirValue *at, int64_t lanes);
  void *user;
} cpu_walk;
void cpu_walk_add(cpu_walk *w, const cpu_buffer *buffer, bool lacks_axis);
void cpu_walk_run(cpu_walk *w);

/* region.c, atomic.c */
void cpu_lower_fold(cpu_lower *l, MlirOperation op);
void cpu_lower_scan(cpu_lower *l, MlirOperation op);
void cpu_lower_map(cpu_lower *l, MlirOperation op);
void cpu_lower_atomic(cpu_lower *l, MlirOperation op);

/* report.c: neso.print, neso.assert, neso.check_access; neso.breakpoint. */
void cpu_lower_report(cpu_lower *l, MlirOperation op);
void cpu_lower_breakpoint(cpu_lower *l, MlirOperation op);

/* foreign.c */
void cpu_lower_asm(cpu_lower *l, MlirOperation op);
void cpu_lower_extern(cpu_lower *l, MlirOperation op);

#endif
