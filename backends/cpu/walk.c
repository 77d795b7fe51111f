/* Loops over the elements of a shape, for operations that take them one after
 * another instead of in a nest. */
#include "lower.h"

#include <string.h>

static void at_dim(cpu_walk *w, int dim, MlirValue *at, int64_t lanes);

/* `at` moved by `index` along dimension `dim` of the shape. */
static void move(cpu_walk *w, int dim, MlirValue index, const MlirValue *at,
                 MlirValue *out) {
  cpu_builder *b = &w->l->b;
  for (int i = 0; i < w->count; i++) {
    const cpu_buffer *buffer = w->buffers[i];
    int own = w->lacks_axis[i] && dim > w->axis ? dim - 1 : dim;
    MlirValue offset =
        cpu_binary(b, "arith.muli", index, cpu_index(b, buffer->stride[own]));
    out[i] = cpu_gep(b, at[i], offset, buffer->element);
  }
}

static void loop(cpu_walk *w, int dim, const MlirValue *at, int64_t from,
                 int64_t to, int64_t lanes) {
  cpu_builder *b = &w->l->b;
  MlirValue inner[CPU_MAX_WALKED];
  if (from == to)
    return;
  MlirOperation op = cpu_for(b, cpu_index(b, from), cpu_index(b, to),
                             cpu_index(b, lanes > 0 ? lanes : 1), 0, NULL);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(op, 0));
  move(w, dim, mlirBlockGetArgument(cpu_body(op, 0), 0), at, inner);
  at_dim(w, dim + 1, inner, lanes);
  cpu_yield(b, cpu_body(op, 0), 0, NULL);
  *b = outer;
}

static void at_dim(cpu_walk *w, int dim, MlirValue *at, int64_t lanes) {
  if (dim == w->rank) {
    w->body(w, at, lanes);
    return;
  }
  if (dim == w->axis || w->shape[dim] == 1) {
    at_dim(w, dim + 1, at, lanes);
    return;
  }
  bool vector = dim == w->rank - 1 && w->lanes > 0;
  int64_t whole = vector ? w->shape[dim] / w->lanes * w->lanes : 0;
  if (vector)
    loop(w, dim, at, 0, whole, w->lanes);
  loop(w, dim, at, whole, w->shape[dim], 0);
}

void cpu_walk_run(cpu_walk *w) {
  MlirValue at[CPU_MAX_WALKED];
  for (int i = 0; i < w->count; i++)
    at[i] = w->buffers[i]->address;
  at_dim(w, 0, at, 0);
}

void cpu_walk_add(cpu_walk *w, const cpu_buffer *buffer, bool lacks_axis) {
  w->buffers[w->count] = buffer;
  w->lacks_axis[w->count++] = lacks_axis;
}
