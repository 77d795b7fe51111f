/* Scratch memory: buffers with a time of use, placed so that those that are
 * needed at the same time do not overlap. */
#include "lower.h"

#include <string.h>

#define ALIGN 64

cpu_buffer *cpu_buffer_new(cpu_lower *l, MlirType element, int rank,
                           const int64_t *shape, int64_t row_multiple,
                           int64_t panel) {
  cpu_buffer *buffer = NESO_ARENA_NEW(l->arena, cpu_buffer, 1);
  buffer->element = cpu_bits(element) == 1 ? l->b.i8 : element;
  buffer->rank = rank;
  buffer->panel = panel;
  buffer->last = -1;
  buffer->first = INT64_MAX;
  int64_t size = 1;
  for (int d = rank - 1; d >= 0; d--) {
    buffer->shape[d] = shape[d];
    buffer->stride[d] = size;
    int64_t extent = shape[d];
    if (d == rank - 1)
      extent = (extent + row_multiple - 1) / row_multiple * row_multiple;
    size *= extent;
  }
  buffer->bytes = size * cpu_bytes(element);
  buffer->next = l->buffers;
  l->buffers = buffer;

  cpu_builder at = l->b;
  at.block = l->entry;
  at.before = l->prologue;
  MlirValue offset = cpu_index(&at, 0);
  buffer->offset = mlirOpResultGetOwner(offset);
  buffer->address = cpu_gep(&at, l->scratch, offset, l->b.i8);
  return buffer;
}

void cpu_buffer_keep(cpu_buffer *buffer, int64_t seq) {
  if (seq < buffer->first)
    buffer->first = seq;
  if (seq > buffer->last)
    buffer->last = seq;
}

static bool clash(const cpu_buffer *a, const cpu_buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

static int64_t offset_of(const cpu_buffer *buffer) {
  return mlirIntegerAttrGetValueInt(cpu_attr(buffer->offset, "value"));
}

static int64_t padded(cpu_lower *l, const cpu_buffer *buffer) {
  int64_t slack = 2 * l->vector_bits; /* a whole chunk past the last row */
  return (buffer->bytes + slack + ALIGN - 1) / ALIGN * ALIGN;
}

int64_t cpu_scratch_plan(cpu_lower *l) {
  int64_t total = 0;
  for (cpu_buffer *buffer = l->buffers; buffer; buffer = buffer->next) {
    int64_t offset = 0;
    bool moved = true;
    while (moved) {
      moved = false;
      for (cpu_buffer *other = l->buffers; other != buffer;
           other = other->next) {
        int64_t start = offset_of(other), end = start + padded(l, other);
        if (clash(buffer, other) && offset < end &&
            start < offset + padded(l, buffer)) {
          offset = end;
          moved = true;
        }
      }
    }
    mlirOperationSetInherentAttributeByName(
        buffer->offset, cpu_str("value"), mlirIntegerAttrGet(l->b.i64, offset));
    if (offset + padded(l, buffer) > total)
      total = offset + padded(l, buffer);
  }
  return total;
}
