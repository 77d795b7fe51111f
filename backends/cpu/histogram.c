/* histogram: one pass over the block, a counter a value. */
#include "lower.h"

static MlirValue element_at(cpu_lower *l, const cpu_value *v, MlirValue index) {
  cpu_builder *b = &l->b;
  index =
      cpu_binary(b, "arith.muli", index, cpu_index(b, v->buffer->stride[0]));
  MlirType element = v->buffer->element;
  return cpu_load(b, element, cpu_gep(b, v->buffer->address, index, element),
                  cpu_bytes(element));
}

static void clear(cpu_lower *l, const cpu_buffer *counts) {
  cpu_builder *b = &l->b;
  MlirOperation loop =
      cpu_for(b, cpu_index(b, 0), cpu_index(b, counts->shape[0]),
              cpu_index(b, 1), 0, NULL);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(loop, 0));
  MlirValue i = mlirBlockGetArgument(cpu_body(loop, 0), 0);
  cpu_store(b, cpu_int(b, b->i32, 0), cpu_gep(b, counts->address, i, b->i32),
            4);
  *b = outer;
  cpu_yield(b, cpu_body(loop, 0), 0, NULL);
}

static void count(cpu_lower *l, const cpu_value *x, const cpu_value *mask,
                  const cpu_buffer *counts, MlirValue i) {
  cpu_builder *b = &l->b;
  MlirValue value = element_at(l, x, i);
  MlirValue bins = cpu_int(b, cpu_type(value), counts->shape[0]);
  MlirValue counted = cpu_cmpi(b, CPU_ULT, value, bins);
  if (mask) {
    MlirValue on = element_at(l, mask, i);
    on = cpu_cmpi(b, CPU_NE, on, cpu_int(b, cpu_type(on), 0));
    counted = cpu_binary(b, "arith.andi", counted, on);
  }
  MlirOperation branch = cpu_if(b, counted, 0, NULL);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(branch, 0));
  value = cpu_resize(b, value, b->i64, true);
  MlirValue place = cpu_gep(b, counts->address, value, b->i32);
  MlirValue sum = cpu_binary(b, "arith.addi", cpu_load(b, b->i32, place, 4),
                             cpu_int(b, b->i32, 1));
  cpu_store(b, sum, place, 4);
  *b = outer;
  cpu_yield(b, cpu_body(branch, 0), 0, NULL);
  cpu_yield(b, cpu_body(branch, 1), 0, NULL);
}

void cpu_lower_histogram(cpu_lower *l, MlirOperation op) {
  cpu_builder *b = &l->b;
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  cpu_value *x = cpu_op_operand(l, op, 0), *mask = NULL;
  cpu_take(l, x, v->seq);
  if (mlirOperationGetNumOperands(op) > 1) {
    mask = cpu_op_operand(l, op, 1);
    cpu_take(l, mask, v->seq);
  }
  if (l->error)
    return;
  cpu_buffer *counts = cpu_result_buffer(l, v);
  clear(l, counts);
  MlirOperation loop = cpu_for(b, cpu_index(b, 0), cpu_index(b, x->shape[0]),
                               cpu_index(b, 1), 0, NULL);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(loop, 0));
  count(l, x, mask, counts, mlirBlockGetArgument(cpu_body(loop, 0), 0));
  *b = outer;
  cpu_yield(b, cpu_body(loop, 0), 0, NULL);
  v->ready = true;
}
