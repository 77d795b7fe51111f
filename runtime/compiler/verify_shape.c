/* Rules of the program, creation and shape operations. */
#include "verify.h"

#include "dtype.h"
#include "shape.h"

void neso__check_program(verifier *c) {
  int64_t axis;
  if (!verify_i32(c, "axis", &axis))
    return;
  if (axis < 0 || axis > 2)
    VERIFY_FAIL(c, "%s(%lld): a grid has the axes 0, 1 and 2", verify_name(c),
                (long long)axis);
  else if (!neso__is_int(verify_result(c, 0), 32))
    VERIFY_FAIL(c, "%s is an i32", verify_name(c));
}

void neso__check_arange(verifier *c) {
  int64_t start, end;
  MlirType type = verify_result(c, 0);
  if (!verify_i32(c, "start", &start) || !verify_i32(c, "end", &end))
    return;
  if (start >= end)
    VERIFY_FAIL(c, "arange(%lld, %lld) is empty", (long long)start,
                (long long)end);
  else if (neso__rank(type) != 1 || neso__extent(type, 0) != end - start ||
           !neso__is_int(neso__element(type), 32))
    VERIFY_FAIL(c, "arange(%lld, %lld) is {%lld} of i32, not %s",
                (long long)start, (long long)end, (long long)(end - start),
                verify_type(c, type));
}

void neso__check_broadcast(verifier *c) {
  MlirType from = verify_operand(c, 0), to = verify_result(c, 0);
  if (!verify_block(c, from) || !verify_same_element(c, from, to))
    return;
  bool fits = neso__rank(from) == neso__rank(to);
  for (int64_t i = 0; fits && i < neso__rank(from); i++)
    fits = neso__extent(from, i) == 1 ||
           neso__extent(from, i) == neso__extent(to, i);
  if (!fits)
    VERIFY_FAIL(c, "cannot broadcast a block of shape %s to %s",
                verify_shape(c, from), verify_shape(c, to));
}

void neso__check_expand_dims(verifier *c) {
  MlirType from = verify_operand(c, 0), to = verify_result(c, 0);
  int64_t axis, rank = neso__rank(from);
  if (!verify_block(c, from) || !verify_same_element(c, from, to) ||
      !verify_axis(c, rank + 1, from, &axis))
    return;
  bool fits = neso__rank(to) == rank + 1 && neso__extent(to, axis) == 1;
  for (int64_t i = 0; fits && i < rank; i++)
    fits = neso__extent(from, i) == neso__extent(to, i + (i >= axis));
  if (!fits)
    VERIFY_FAIL(c, "expand_dims of %s at axis %lld cannot give %s",
                verify_shape(c, from), (long long)axis, verify_shape(c, to));
}

void neso__check_reshape(verifier *c) {
  MlirType from = verify_operand(c, 0), to = verify_result(c, 0);
  if (verify_same_element(c, from, to) &&
      neso__element_count(from) != neso__element_count(to))
    VERIFY_FAIL(c, "cannot reshape %s (%lld elements) to %s (%lld elements)",
                verify_shape(c, from), (long long)neso__element_count(from),
                verify_shape(c, to), (long long)neso__element_count(to));
}

void neso__check_trans(verifier *c) {
  MlirType from = verify_operand(c, 0), to = verify_result(c, 0);
  MlirAttribute order = verify_attribute(c, "order");
  if (!verify_block(c, from) || !verify_same_element(c, from, to))
    return;
  int64_t rank = neso__rank(from);
  uint64_t seen = 0;
  bool fits = !mlirAttributeIsNull(order) &&
              mlirAttributeIsADenseI64Array(order) && rank < 64 &&
              mlirDenseArrayGetNumElements(order) == rank &&
              neso__rank(to) == rank;
  for (int64_t i = 0; fits && i < rank; i++) {
    int64_t axis = mlirDenseI64ArrayGetElement(order, i);
    fits = axis >= 0 && axis < rank && !(seen >> axis & 1) &&
           neso__extent(to, i) == neso__extent(from, axis);
    seen |= fits ? (uint64_t)1 << axis : 0;
  }
  if (!fits)
    VERIFY_FAIL(
        c, "trans of %s: the order names each axis once and cannot give %s",
        verify_shape(c, from), verify_shape(c, to));
}
