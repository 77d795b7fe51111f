/* gather: elements of a block in scratch at computed places. */
#include "lower.h"

void cpu_lower_gather(cpu_lower *l, MlirOperation op) {
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  cpu_take(l, cpu_op_operand(l, op, 0), v->seq);
  cpu_take(l, v, v->seq);
}

/* Where the element for index 0 along the axis lies: lane 0, and the distance
 * of the lanes in *step. */
static MlirValue origin(cpu_lower *l, cpu_nest *n, const cpu_value *v,
                        const cpu_buffer *from, cpu_coords c, int64_t *step) {
  cpu_builder *b = &l->b;
  int axis = (int)cpu_attr_int(v->def, "axis");
  MlirValue sum = cpu_index(b, 0);
  *step = 0;
  for (int d = 0; d < v->rank; d++) {
    if (c.dim[d] < 0 || d == axis)
      continue;
    MlirValue term = cpu_binary(b, "arith.muli", n->index[c.dim[d]],
                                cpu_index(b, from->stride[d]));
    sum = cpu_binary(b, "arith.addi", sum, term);
    if (c.dim[d] == n->vec)
      *step = from->stride[d];
  }
  return sum;
}

cpu_lv *cpu_eval_gather(cpu_lower *l, cpu_nest *n, cpu_value *v, cpu_coords c) {
  cpu_builder *b = &l->b;
  cpu_value *from = cpu_operand(l, v, 0), *index = cpu_operand(l, v, 1);
  int axis = (int)cpu_attr_int(v->def, "axis");
  int level = n->level_count - 1;
  int64_t step, stride = from->buffer->stride[axis];
  int64_t lanes = cpu_uses_vec(n, v, c) ? n->lanes : 0;
  cpu_lv *at = cpu_eval(l, n, index, c);
  MlirValue place = lanes > 0 ? cpu_as_vector(l, n, at) : at->scalar;
  cpu_at(l, n, level);
  MlirValue start = origin(l, n, v, from->buffer, c, &step);
  MlirValue extent = cpu_int(b, cpu_type(place), from->shape[axis]);
  MlirValue inside = cpu_cmpi(b, CPU_ULT, place, extent);
  place = cpu_resize(b, place, b->i64, true);
  MlirType type = cpu_type(place);
  place = cpu_binary(b, "arith.muli", place, cpu_int(b, type, stride));
  place = cpu_binary(b, "arith.addi", place, cpu_splat(b, start, lanes));
  if (lanes > 0 && step != 0)
    place = cpu_binary(b, "arith.addi", place,
                       cpu_binary(b, "arith.muli", cpu_iota(b, b->i64, lanes),
                                  cpu_int(b, type, step)));
  if (lanes > 0 && !mlirValueIsNull(n->pad))
    inside = cpu_binary(b, "arith.andi", inside, n->pad);
  MlirValue x = cpu_load_inside(
      l, v->element, cpu_gep(b, from->buffer->address, place, v->element),
      inside);
  return lanes > 0 ? cpu_lv_vector(l, x, level) : cpu_lv_uniform(l, x, level);
}
