/* cat and slice: parts of a scratch buffer as buffers of their own. */
#include "lower.h"

#include "mlir-c/BuiltinAttributes.h"

/* The elements first + i * step of `of`, with the extents of `shape`. Shares
 * the memory of `of`, which must be kept as long as the view is used. */
static cpu_buffer *view(cpu_lower *l, const cpu_buffer *of,
                        const int64_t *shape, const int64_t *first,
                        const int64_t *step) {
  cpu_buffer *out = NESO_ARENA_NEW(l->arena, cpu_buffer, 1);
  int64_t start = 0;
  *out = *of;
  out->next = NULL;
  for (int d = 0; d < of->rank; d++) {
    start += first[d] * of->stride[d];
    out->shape[d] = shape[d];
    out->stride[d] = step[d] * of->stride[d];
  }
  out->address =
      cpu_gep(&l->b, of->address, cpu_index(&l->b, start), of->element);
  return out;
}

void cpu_lower_cat(cpu_lower *l, MlirOperation op) {
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  int axis = (int)cpu_attr_int(op, "axis");
  int64_t first[CPU_MAX_RANK] = {0}, step[CPU_MAX_RANK];
  for (int d = 0; d < CPU_MAX_RANK; d++)
    step[d] = 1;
  cpu_flush(l, v->seq);
  cpu_buffer *whole = cpu_result_buffer(l, v);
  for (intptr_t i = 0; i < 2; i++) {
    cpu_value *part = cpu_op_operand(l, op, i);
    cpu_buffer *place = view(l, whole, part->shape, first, step);
    cpu_materialize(l, part, place, v->seq);
    first[axis] += part->shape[axis];
  }
  v->ready = true;
}

/* A copy: what the operand's buffer holds may change before the last use. */
void cpu_lower_slice(cpu_lower *l, MlirOperation op) {
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  cpu_value *x = cpu_op_operand(l, op, 0);
  MlirAttribute start = cpu_attr(op, "start"), step = cpu_attr(op, "step");
  int64_t first[CPU_MAX_RANK], steps[CPU_MAX_RANK];
  for (int d = 0; d < v->rank; d++) {
    first[d] = mlirDenseI64ArrayGetElement(start, d);
    steps[d] = mlirDenseI64ArrayGetElement(step, d);
  }
  cpu_take(l, x, v->seq);
  if (l->error)
    return;
  cpu_value part = *v;
  part.buffer = view(l, x->buffer, v->shape, first, steps);
  part.ready = true;
  part.memo = NULL;
  part.memo_epoch = 0;
  cpu_buffer *out = cpu_result_buffer(l, v);
  cpu_materialize(l, &part, out, v->seq);
  v->ready = true;
}
