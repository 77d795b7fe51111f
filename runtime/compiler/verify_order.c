/* Rules of the operations that put elements into another order. */
#include "verify.h"

#include "dtype.h"
#include "program.h"
#include "shape.h"

/* `a` and `b` have the same extents beside `axis`. */
static bool same_beside(MlirType a, MlirType b, int64_t axis) {
  bool same = neso__rank(a) == neso__rank(b);
  for (int64_t i = 0; same && i < neso__rank(a); i++)
    same = i == axis || neso__extent(a, i) == neso__extent(b, i);
  return same;
}

void neso__check_cat(verifier *c) {
  MlirType a = verify_operand(c, 0), b = verify_operand(c, 1),
           to = verify_result(c, 0);
  int64_t axis;
  if (!verify_block(c, a) || !verify_block(c, b) ||
      !verify_same_element(c, a, to) || !verify_same_element(c, b, to) ||
      !verify_axis(c, neso__rank(a), a, &axis))
    return;
  if (!same_beside(a, b, axis) || !same_beside(a, to, axis) ||
      neso__extent(to, axis) != neso__extent(a, axis) + neso__extent(b, axis))
    VERIFY_FAIL(c, "cat of %s and %s along axis %lld cannot give %s",
                verify_shape(c, a), verify_shape(c, b), (long long)axis,
                verify_shape(c, to));
}

static bool is_array(MlirAttribute a, int64_t count) {
  return !mlirAttributeIsNull(a) && mlirAttributeIsADenseI64Array(a) &&
         mlirDenseArrayGetNumElements(a) == count;
}

void neso__check_slice(verifier *c) {
  MlirType from = verify_operand(c, 0), to = verify_result(c, 0);
  if (!verify_block(c, from) || !verify_same_element(c, from, to))
    return;
  int64_t rank = neso__rank(from);
  MlirAttribute start = verify_attribute(c, "start"),
                step = verify_attribute(c, "step");
  bool fits =
      neso__rank(to) == rank && is_array(start, rank) && is_array(step, rank);
  for (int64_t i = 0; fits && i < rank; i++) {
    int64_t extent = neso__extent(from, i);
    int64_t first = mlirDenseI64ArrayGetElement(start, i);
    int64_t by = mlirDenseI64ArrayGetElement(step, i);
    fits = first >= 0 && first < extent && by >= -NESO_MAX_BLOCK_ELEMENTS &&
           by <= NESO_MAX_BLOCK_ELEMENTS;
    int64_t last = fits ? first + (neso__extent(to, i) - 1) * by : -1;
    fits = fits && last >= 0 && last < extent;
  }
  if (!fits)
    VERIFY_FAIL(c, "slice of %s to %s leaves the block", verify_shape(c, from),
                verify_shape(c, to));
}

void neso__check_gather(verifier *c) {
  MlirType from = verify_operand(c, 0), index = verify_operand(c, 1),
           to = verify_result(c, 0);
  int64_t axis;
  if (!verify_block(c, from) || !verify_block(c, index) ||
      !verify_same_element(c, from, to) ||
      !verify_axis(c, neso__rank(from), from, &axis))
    return;
  if (!neso__is_int(neso__element(index), 32) &&
      !neso__is_int(neso__element(index), 64))
    VERIFY_FAIL(c, "gather: an index is i32 or i64, not %s",
                verify_type(c, index));
  else if (!same_beside(from, index, axis) || !neso__same_shape(index, to))
    VERIFY_FAIL(c, "gather of %s at %s along axis %lld cannot give %s",
                verify_shape(c, from), verify_shape(c, index), (long long)axis,
                verify_shape(c, to));
}

void neso__check_sort(verifier *c) {
  MlirType keys = verify_operand(c, 0);
  int64_t axis;
  if (!verify_block(c, keys) || !verify_bool(c, "descending") ||
      !verify_axis(c, neso__rank(keys), keys, &axis))
    return;
  intptr_t count = mlirOperationGetNumOperands(c->op);
  bool fits = count == mlirOperationGetNumResults(c->op);
  for (intptr_t i = 0; fits && i < count; i++)
    fits = mlirTypeEqual(verify_operand(c, i), verify_result(c, i)) &&
           neso__same_shape(verify_operand(c, i), keys);
  if (!fits)
    VERIFY_FAIL(c, "sort gives blocks like those it takes, all of %s",
                verify_shape(c, keys));
}

void neso__check_histogram(verifier *c) {
  MlirType x = verify_operand(c, 0), to = verify_result(c, 0);
  bool masked = mlirOperationGetNumOperands(c->op) > 1;
  MlirType mask = masked ? verify_operand(c, 1) : x;
  if (neso__rank(x) != 1 || (!neso__is_int(neso__element(x), 32) &&
                             !neso__is_int(neso__element(x), 64)))
    VERIFY_FAIL(c, "histogram takes a block {n} of i32 or i64, not %s",
                verify_type(c, x));
  else if (masked && (!neso__is_int(neso__element(mask), 1) ||
                      !neso__same_shape(mask, x)))
    VERIFY_FAIL(c, "histogram: the mask of %s is a block of i1 like it, not %s",
                verify_shape(c, x), verify_type(c, mask));
  else if (neso__rank(to) != 1 || !neso__is_int(neso__element(to), 32))
    VERIFY_FAIL(c, "histogram gives a block {bins} of i32, not %s",
                verify_type(c, to));
}
