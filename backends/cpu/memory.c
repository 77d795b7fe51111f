/* Loads and stores: of the kernel's memory and of scratch buffers. */
#include "lower.h"

/* i1 is a byte in memory. */
static MlirType stored_type(cpu_lower *l, MlirType element) {
  return cpu_bits(element) == 1 ? l->b.i8 : element;
}

static MlirValue to_stored(cpu_lower *l, MlirValue x) {
  MlirType type = cpu_type(x);
  if (cpu_bits(cpu_element(type)) != 1)
    return x;
  return cpu_unary(&l->b, "arith.extui", cpu_vector(l->b.i8, cpu_lanes(type)),
                   x);
}

static MlirValue from_stored(cpu_lower *l, MlirValue x, MlirType element) {
  if (cpu_bits(element) != 1)
    return x;
  return cpu_cmpi(&l->b, CPU_NE, x, cpu_int(&l->b, cpu_type(x), 0));
}

static MlirNamedAttribute align_attr(cpu_lower *l, MlirType element) {
  return cpu_named(&l->b, "alignment", cpu_i32_attr(&l->b, cpu_bytes(element)));
}

static MlirValue all_true(cpu_lower *l, int64_t lanes) {
  return cpu_int(&l->b, cpu_vector(l->b.i1, lanes), 1);
}

static int max_int(int a, int b) { return a > b ? a : b; }

/* ------------------------------------------------------------- scalars -- */

MlirValue cpu_load_element(cpu_lower *l, MlirType element, MlirValue address,
                           int64_t lanes) {
  MlirType type = cpu_vector(stored_type(l, element), lanes);
  MlirValue x = cpu_load(&l->b, type, address, cpu_bytes(element));
  return from_stored(l, x, element);
}

void cpu_store_element(cpu_lower *l, MlirValue value, MlirValue address) {
  int64_t align = cpu_bytes(cpu_element(cpu_type(value)));
  cpu_store(&l->b, to_stored(l, value), address, align);
}

static MlirValue load_scalar(cpu_lower *l, MlirType element,
                             MlirValue address) {
  return cpu_load_element(l, element, address, 0);
}

/* mask ? load : other */
static MlirValue load_if(cpu_lower *l, MlirType element, MlirValue address,
                         MlirValue mask, MlirValue other) {
  if (mlirValueIsNull(mask))
    return load_scalar(l, element, address);
  MlirOperation branch = cpu_if(&l->b, mask, 1, &element);
  cpu_builder outer = l->b;
  cpu_enter(&l->b, cpu_body(branch, 0));
  MlirValue loaded = load_scalar(l, element, address);
  l->b = outer;
  cpu_yield(&l->b, cpu_body(branch, 0), 1, &loaded);
  cpu_yield(&l->b, cpu_body(branch, 1), 1, &other);
  return mlirOperationGetResult(branch, 0);
}

static void store_if(cpu_lower *l, MlirValue value, MlirValue address,
                     MlirValue mask) {
  if (mlirValueIsNull(mask)) {
    cpu_store_element(l, value, address);
    return;
  }
  MlirOperation branch = cpu_if(&l->b, mask, 0, NULL);
  cpu_builder outer = l->b;
  cpu_enter(&l->b, cpu_body(branch, 0));
  cpu_store_element(l, value, address);
  l->b = outer;
  cpu_yield(&l->b, cpu_body(branch, 0), 0, NULL);
  cpu_yield(&l->b, cpu_body(branch, 1), 0, NULL);
}

void cpu_scalar_memory(cpu_lower *l, MlirOperation op) {
  MlirValue none = {NULL};
  neso_op kind = neso__op_of(op);
  MlirValue base = cpu_op_operand(l, op, 0)->scalar;
  MlirValue offset = cpu_op_operand(l, op, 1)->scalar;
  if (cpu_is_store(kind)) {
    MlirValue value = cpu_op_operand(l, op, 2)->scalar;
    MlirValue mask =
        kind == NESO_OP_NESO_STORE ? none : cpu_op_operand(l, op, 3)->scalar;
    cpu_flush(l, cpu_seq(l, op));
    store_if(l, value, cpu_gep(&l->b, base, offset, cpu_type(value)), mask);
    return;
  }
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  bool masked = kind == NESO_OP_NESO_MASKED_LOAD;
  v->scalar = load_if(l, v->element, cpu_gep(&l->b, base, offset, v->element),
                      masked ? cpu_op_operand(l, op, 2)->scalar : none,
                      masked ? cpu_op_operand(l, op, 3)->scalar : none);
  v->ready = true;
}

/* --------------------------------------------------------------- masks -- */

/* Mask of a memory operation of the current chunk. `vector` is null when no
 * lane is masked off; `uniform` is set instead when all lanes agree. */
typedef struct chunk_mask {
  MlirValue vector, uniform;
  int level;
  bool assumed; /* true only inside the vector loop */
} chunk_mask;

static chunk_mask eval_mask(cpu_lower *l, cpu_nest *n, cpu_value *mask,
                            cpu_coords c, bool along) {
  chunk_mask out = {.level = 0};
  if (along && !mlirValueIsNull(n->pad)) {
    out.vector = n->pad;
    out.level = n->vec_level;
  }
  if (!mask)
    return out;
  cpu_lv *x = cpu_eval_mask(l, n, mask, c);
  if (!x) {
    out.assumed = true;
    return out;
  }
  out.level = max_int(out.level, x->level);
  if (x->kind == CPU_UNIFORM) {
    out.uniform = x->scalar;
    return out;
  }
  MlirValue vector = cpu_as_vector(l, n, x);
  cpu_at(l, n, out.level);
  out.vector = mlirValueIsNull(out.vector)
                   ? vector
                   : cpu_binary(&l->b, "arith.andi", vector, out.vector);
  return out;
}

/* The mask as a vector, null when all lanes are on. */
static MlirValue full_mask(cpu_lower *l, cpu_nest *n, chunk_mask *m) {
  if (mlirValueIsNull(m->uniform))
    return m->vector;
  cpu_at(l, n, m->level);
  MlirValue splat = cpu_splat(&l->b, m->uniform, n->lanes);
  return mlirValueIsNull(m->vector)
             ? splat
             : cpu_binary(&l->b, "arith.andi", splat, m->vector);
}

MlirValue cpu_contiguous_address(cpu_lower *l, cpu_nest *n, MlirValue base,
                                 cpu_value *offsets, cpu_coords c,
                                 MlirType element, int level) {
  for (int d = 0; d < CPU_MAX_RANK; d++)
    if (c.dim[d] == n->vec)
      c.dim[d] = CPU_FIXED;
  cpu_lv *first = cpu_eval(l, n, offsets, c);
  cpu_at(l, n, first->level);
  MlirValue start = cpu_gep(&l->b, base, first->scalar, element);
  cpu_at(l, n, level);
  return cpu_gep(&l->b, start, n->index[n->vec], element);
}

/* --------------------------------------------------------------- loads -- */

static MlirValue masked_load(cpu_lower *l, MlirType element, MlirValue address,
                             MlirValue mask, MlirValue other) {
  MlirType type =
      cpu_vector(stored_type(l, element), cpu_lanes(cpu_type(mask)));
  MlirNamedAttribute align = align_attr(l, element);
  MlirValue operands[] = {address, mask, to_stored(l, other)};
  return from_stored(
      l,
      mlirOperationGetResult(cpu_op(&l->b, "llvm.intr.masked.load", 3, operands,
                                    1, &type, 1, &align),
                             0),
      element);
}

static MlirValue gather(cpu_lower *l, MlirType element, MlirValue pointers,
                        MlirValue mask, MlirValue other) {
  int64_t lanes = cpu_lanes(cpu_type(pointers));
  MlirType type = cpu_vector(stored_type(l, element), lanes);
  MlirNamedAttribute align = align_attr(l, element);
  MlirValue operands[] = {pointers,
                          mlirValueIsNull(mask) ? all_true(l, lanes) : mask,
                          to_stored(l, other)};
  return from_stored(
      l,
      mlirOperationGetResult(cpu_op(&l->b, "llvm.intr.masked.gather", 3,
                                    operands, 1, &type, 1, &align),
                             0),
      element);
}

MlirValue cpu_load_inside(cpu_lower *l, MlirType element, MlirValue address,
                          MlirValue inside) {
  int64_t lanes = cpu_lanes(cpu_type(address));
  MlirValue zero = cpu_zero(&l->b, cpu_vector(element, lanes));
  return lanes > 0 ? gather(l, element, address, inside, zero)
                   : load_if(l, element, address, inside, zero);
}

static MlirValue zero_vector(cpu_lower *l, MlirType element, int64_t lanes) {
  return cpu_zero(&l->b, cpu_vector(element, lanes));
}

static cpu_lv *load_one(cpu_lower *l, cpu_nest *n, cpu_value *v, MlirValue base,
                        cpu_lv *offset, chunk_mask *mask, cpu_lv *other) {
  int level = max_int(offset->level, mask->level);
  if (mask->assumed)
    level = max_int(level, n->vec_level);
  bool simple = !other || other->kind == CPU_UNIFORM;
  if (other && simple)
    level = max_int(level, other->level);
  cpu_at(l, n, level);
  MlirValue address = cpu_gep(&l->b, base, offset->scalar, v->element);
  MlirValue fallback =
      other && simple ? other->scalar : cpu_zero(&l->b, v->element);
  MlirValue x = load_if(l, v->element, address, mask->uniform, fallback);
  cpu_lv *loaded = cpu_lv_uniform(l, x, level);
  if (simple || mlirValueIsNull(mask->uniform))
    return loaded;
  MlirValue otherwise = cpu_as_vector(l, n, other);
  MlirValue lanes = cpu_as_vector(l, n, loaded);
  level = max_int(level, other->level);
  cpu_at(l, n, level);
  MlirValue on = cpu_splat(&l->b, mask->uniform, n->lanes);
  return cpu_lv_vector(l, cpu_select(&l->b, on, lanes, otherwise), level);
}

cpu_lv *cpu_eval_load(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  bool masked = v->op == NESO_OP_NESO_MASKED_LOAD;
  bool along = cpu_uses_vec(n, v, c);
  MlirValue base = cpu_operand(l, v, 0)->scalar;
  cpu_lv *offset =
      cpu_eval(l, n, cpu_operand(l, v, 1), cpu_operand_coords(l, v, 1, c));
  chunk_mask mask =
      eval_mask(l, n, masked ? cpu_operand(l, v, 2) : NULL, c, along);
  cpu_lv *other = masked ? cpu_eval(l, n, cpu_operand(l, v, 3),
                                    cpu_operand_coords(l, v, 3, c))
                         : NULL;
  bool by_lane = !mlirValueIsNull(mask.vector) && mask.vector.ptr != n->pad.ptr;
  if (offset->kind == CPU_UNIFORM && (!along || !by_lane))
    return load_one(l, n, v, base, offset, &mask, other);

  MlirValue on = full_mask(l, n, &mask);
  int level = max_int(n->vec_level, max_int(offset->level, mask.level));
  bool need_other = !mlirValueIsNull(on) && other;
  MlirValue otherwise = {NULL};
  if (need_other) {
    otherwise = cpu_as_vector(l, n, other);
    level = max_int(level, other->level);
  }
  if (offset->kind == CPU_LINEAR && offset->step == 1) {
    MlirValue address = cpu_contiguous_address(l, n, base, cpu_operand(l, v, 1),
                                               c, v->element, level);
    if (mlirValueIsNull(on)) {
      if (n->assume)
        cpu_ask_next(l, n, v, address, level);
      cpu_at(l, n, level);
      MlirType type = cpu_vector(stored_type(l, v->element), n->lanes);
      MlirValue x = cpu_load(&l->b, type, address, cpu_bytes(v->element));
      return cpu_lv_vector(l, from_stored(l, x, v->element), level);
    }
    if (!need_other)
      otherwise = zero_vector(l, v->element, n->lanes);
    return cpu_lv_vector(l, masked_load(l, v->element, address, on, otherwise),
                         level);
  }
  cpu_lv *wanted = offset->narrow ? offset->narrow : offset;
  MlirValue offsets = cpu_as_vector(l, n, wanted);
  cpu_at(l, n, level);
  if (!need_other)
    otherwise = zero_vector(l, v->element, n->lanes);
  MlirValue pointers = cpu_gep(&l->b, base, offsets, v->element);
  return cpu_lv_vector(l, gather(l, v->element, pointers, on, otherwise),
                       level);
}

/* -------------------------------------------------------------- stores -- */

static void store_lanes(cpu_lower *l, MlirValue value, MlirValue address,
                        MlirValue mask) {
  MlirType element = cpu_element(cpu_type(value));
  value = to_stored(l, value);
  bool scattered = cpu_lanes(cpu_type(address)) > 0;
  if (!scattered && mlirValueIsNull(mask)) {
    cpu_store(&l->b, value, address, cpu_bytes(element));
    return;
  }
  if (mlirValueIsNull(mask))
    mask = all_true(l, cpu_lanes(cpu_type(value)));
  MlirNamedAttribute align = align_attr(l, element);
  MlirValue operands[] = {value, address, mask};
  cpu_op(&l->b,
         scattered ? "llvm.intr.masked.scatter" : "llvm.intr.masked.store", 3,
         operands, 0, NULL, 1, &align);
}

void cpu_emit_store(cpu_lower *l, cpu_nest *n, MlirOperation op,
                    cpu_lv *value) {
  bool masked = neso__op_of(op) == NESO_OP_NESO_MASKED_STORE;
  int level = n->level_count - 1;
  cpu_value *stored = cpu_op_operand(l, op, 2);
  cpu_coords c = cpu_identity(stored);
  MlirValue base = cpu_op_operand(l, op, 0)->scalar;
  cpu_lv *offset = cpu_eval(l, n, cpu_op_operand(l, op, 1), c);
  cpu_value *condition = masked ? cpu_op_operand(l, op, 3) : NULL;
  chunk_mask mask = eval_mask(l, n, condition, c, n->vec >= 0);
  if (n->vec < 0) {
    cpu_at(l, n, level);
    store_if(l, value->scalar,
             cpu_gep(&l->b, base, offset->scalar, stored->element),
             mask.uniform);
    return;
  }
  MlirValue on = full_mask(l, n, &mask);
  MlirValue lanes = cpu_as_vector(l, n, value);
  bool contiguous = offset->kind == CPU_LINEAR && offset->step == 1;
  MlirValue address;
  if (contiguous) {
    address = cpu_contiguous_address(l, n, base, cpu_op_operand(l, op, 1), c,
                                     stored->element, level);
  } else {
    MlirValue offsets =
        cpu_as_vector(l, n, offset->narrow ? offset->narrow : offset);
    cpu_at(l, n, level);
    address = cpu_gep(&l->b, base, offsets, stored->element);
  }
  store_lanes(l, lanes, address, on);
}

/* ------------------------------------------------------------- buffers -- */

static MlirValue add_scaled(cpu_lower *l, MlirValue sum, MlirValue index,
                            int64_t factor) {
  cpu_builder *b = &l->b;
  MlirValue term =
      factor == 1 ? index
                  : cpu_binary(b, "arith.muli", index, cpu_index(b, factor));
  return mlirValueIsNull(sum) ? term : cpu_binary(b, "arith.addi", sum, term);
}

/* Index of lane 0, and the distance of the lanes in *step. */
static MlirValue buffer_index(cpu_lower *l, cpu_nest *n, const int64_t *stride,
                              int rank, cpu_coords c, int64_t *step) {
  MlirValue sum = {NULL};
  *step = 0;
  for (int d = 0; d < rank; d++) {
    if (c.dim[d] < 0)
      continue;
    sum = add_scaled(l, sum, n->index[c.dim[d]], stride[d]);
    if (c.dim[d] == n->vec)
      *step = stride[d];
  }
  return mlirValueIsNull(sum) ? cpu_index(&l->b, 0) : sum;
}

static MlirValue panel_index(cpu_lower *l, cpu_nest *n,
                             const cpu_buffer *buffer, cpu_coords c,
                             int64_t *step) {
  cpu_builder *b = &l->b;
  int across = buffer->rank - 1, down = across - 1;
  int64_t panel = buffer->panel, rows = buffer->shape[down];
  MlirValue zero = cpu_index(b, 0), width = cpu_index(b, panel);
  MlirValue row = c.dim[down] < 0 ? zero : n->index[c.dim[down]];
  MlirValue column = c.dim[across] < 0 ? zero : n->index[c.dim[across]];
  MlirValue which = cpu_binary(b, "arith.divui", column, width);
  MlirValue inside = cpu_binary(b, "arith.remui", column, width);
  MlirValue sum = add_scaled(l, inside, which, rows * panel);
  *step = c.dim[across] == n->vec ? 1
          : c.dim[down] == n->vec ? panel
                                  : buffer->stride[0];
  if (down > 0 && c.dim[0] >= 0)
    sum = add_scaled(l, sum, n->index[c.dim[0]], buffer->stride[0]);
  return add_scaled(l, sum, row, panel);
}

static int coords_level(const cpu_nest *n, int rank, cpu_coords c) {
  int level = 0;
  for (int d = 0; d < rank; d++)
    if (c.dim[d] >= 0)
      level = max_int(level, n->level_of[c.dim[d]]);
  return level;
}

static MlirValue lane_indices(cpu_lower *l, cpu_nest *n, MlirValue index,
                              int64_t step) {
  cpu_builder *b = &l->b;
  MlirValue lane = cpu_iota(b, b->i64, n->lanes);
  lane = cpu_binary(b, "arith.muli", lane, cpu_int(b, cpu_type(lane), step));
  return cpu_binary(b, "arith.addi", cpu_splat(b, index, n->lanes), lane);
}

/* Elements between rows that are not the block's, when `v` is a reshape of a
 * buffer whose rows have such (dot and loops pad them). */
static int64_t row_gap(const cpu_value *v, const cpu_buffer *buffer) {
  int last = buffer->rank - 1;
  return v->ready || last < 1 ? 0
                              : buffer->stride[last - 1] - buffer->shape[last];
}

/* The place in `buffer` of an element counted without the gaps. */
static MlirValue skip_gaps(cpu_lower *l, const cpu_buffer *buffer, int64_t gap,
                           MlirValue index) {
  cpu_builder *b = &l->b;
  MlirType type = cpu_type(index);
  MlirValue columns = cpu_int(b, type, buffer->shape[buffer->rank - 1]);
  MlirValue row = cpu_binary(b, "arith.divui", index, columns);
  row = cpu_binary(b, "arith.muli", row, cpu_int(b, type, gap));
  return cpu_binary(b, "arith.addi", index, row);
}

/* A chunk of `v` lies in one row of `buffer`. */
static bool within_row(const cpu_nest *n, const cpu_value *v, cpu_coords c,
                       const cpu_buffer *buffer) {
  for (int d = 0; d < v->rank; d++)
    if (c.dim[d] == n->vec)
      return buffer->shape[buffer->rank - 1] % v->shape[d] == 0;
  return true;
}

static const cpu_buffer *read_from(cpu_lower *l, cpu_value *v,
                                   int64_t *stride) {
  cpu_value *source = v->ready ? v : cpu_operand(l, v, 0);
  int64_t size = 1;
  if (!source->buffer) {
    cpu_fail(l, v->def, "a block is used before it is computed");
    return NULL;
  }
  for (int d = v->rank - 1; d >= 0; d--) {
    stride[d] = v->ready ? source->buffer->stride[d] : size;
    size *= v->shape[d];
  }
  return source->buffer;
}

cpu_lv *cpu_eval_buffer(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  int64_t stride[CPU_MAX_RANK], step;
  int level = coords_level(n, v->rank, c);
  const cpu_buffer *buffer = read_from(l, v, stride);
  cpu_at(l, n, level);
  if (!buffer)
    return cpu_lv_uniform(l, cpu_zero(&l->b, v->element), level);
  MlirValue index = buffer_index(l, n, stride, v->rank, c, &step);
  int64_t align = cpu_bytes(v->element), gap = row_gap(v, buffer);
  bool chunk = step == 1 && (gap == 0 || within_row(n, v, c, buffer));
  if (gap != 0 && (step == 0 || chunk))
    index = skip_gaps(l, buffer, gap, index);
  if (step == 0) {
    MlirValue address = cpu_gep(&l->b, buffer->address, index, v->element);
    return cpu_lv_uniform(l, load_scalar(l, v->element, address), level);
  }
  if (chunk) {
    MlirType type = cpu_vector(stored_type(l, v->element), n->lanes);
    MlirValue address = cpu_gep(&l->b, buffer->address, index, v->element);
    MlirValue x = cpu_load(&l->b, type, address, align);
    return cpu_lv_vector(l, from_stored(l, x, v->element), level);
  }
  index = lane_indices(l, n, index, step);
  if (gap != 0)
    index = skip_gaps(l, buffer, gap, index);
  MlirValue pointers = cpu_gep(&l->b, buffer->address, index, v->element);
  MlirValue none = zero_vector(l, v->element, n->lanes);
  return cpu_lv_vector(l, gather(l, v->element, pointers, n->pad, none), level);
}

static MlirValue to_element(cpu_lower *l, MlirValue x, MlirType element) {
  MlirType from = cpu_element(cpu_type(x));
  int64_t lanes = cpu_lanes(cpu_type(x));
  if (cpu_bits(from) == cpu_bits(element) || cpu_bits(from) == 1)
    return x;
  if (cpu_is_float(from))
    return cpu_unary(&l->b, "arith.extf", cpu_vector(element, lanes), x);
  return cpu_resize(&l->b, x, element, true);
}

void cpu_emit_buffer(cpu_lower *l, cpu_nest *n, cpu_buffer *buffer,
                     cpu_coords c, cpu_lv *value, bool padded) {
  int64_t step;
  int level = coords_level(n, buffer->rank, c);
  bool along = false;
  for (int d = 0; d < buffer->rank; d++)
    along |= n->vec >= 0 && c.dim[d] == n->vec;
  MlirValue x = along ? cpu_as_vector(l, n, value) : value->scalar;
  cpu_at(l, n, level);
  x = to_element(l, x, buffer->element);
  MlirValue index = buffer->panel > 0 ? panel_index(l, n, buffer, c, &step)
                                      : buffer_index(l, n, buffer->stride,
                                                     buffer->rank, c, &step);
  if (!along) {
    cpu_store_element(l, x,
                      cpu_gep(&l->b, buffer->address, index, buffer->element));
    return;
  }
  if (step != 1)
    index = lane_indices(l, n, index, step);
  MlirValue mask = {NULL};
  if (padded && !(buffer->panel > 0 && step == 1))
    mask = n->pad;
  store_lanes(l, x, cpu_gep(&l->b, buffer->address, index, buffer->element),
              mask);
}
