/* Rules of reductions and of dot. */
#include "verify.h"

#include "dtype.h"
#include "shape.h"

bool verify_without_axis(MlirType from, MlirType to, int64_t axis) {
  if (neso__rank(to) != neso__rank(from) - 1)
    return false;
  for (int64_t i = 0; i < neso__rank(to); i++)
    if (neso__extent(to, i) != neso__extent(from, i + (i >= axis)))
      return false;
  return true;
}

static bool check_reduced(verifier *c, MlirType to, int64_t *out_axis) {
  MlirType from = verify_operand(c, 0);
  if (!verify_block(c, from) ||
      !verify_axis(c, neso__rank(from), from, out_axis))
    return false;
  if (!verify_without_axis(from, to, *out_axis))
    VERIFY_FAIL(c, "%s of %s along axis %lld cannot give %s", verify_name(c),
                verify_shape(c, from), (long long)*out_axis,
                verify_shape(c, to));
  return !c->status;
}

static void check_kind(verifier *c, const char *floats, const char *ints) {
  MlirStringRef kind;
  MlirType element = neso__element(verify_operand(c, 0));
  if (verify_word(c, "kind", &kind) &&
      !verify_listed(kind, mlirTypeIsAFloat(element) ? floats : ints))
    VERIFY_FAIL(c, "%s: no reduction '%.*s' of %s", verify_name(c),
                (int)kind.length, kind.data, verify_type(c, element));
}

void neso__check_reduce(verifier *c) {
  int64_t axis;
  if (check_reduced(c, verify_result(c, 0), &axis) &&
      verify_same_element(c, verify_operand(c, 0), verify_result(c, 0)))
    check_kind(c, "sum prod max min maxnum minnum",
               "sum prod max min umax umin and or xor");
}

void neso__check_arg_reduce(verifier *c) {
  int64_t axis;
  if (!check_reduced(c, verify_result(c, 0), &axis) ||
      !check_reduced(c, verify_result(c, 1), &axis) ||
      !verify_same_element(c, verify_operand(c, 0), verify_result(c, 0)) ||
      !verify_bool(c, "propagate_nan"))
    return;
  if (!neso__is_int(neso__element(verify_result(c, 1)), 32))
    VERIFY_FAIL(c, "%s: the index is of i32", verify_name(c));
  else
    check_kind(c, "max min", "max min umax umin");
}

static bool dot_elements_fit(MlirType a, MlirType b, MlirType acc) {
  unsigned a_bits = neso__dtype_bits(a), acc_bits = neso__dtype_bits(acc);
  bool floats = mlirTypeIsAFloat(a) && mlirTypeIsAFloat(b);
  bool ints = mlirTypeIsAInteger(a) && mlirTypeIsAInteger(b);
  if (!mlirTypeEqual(a, b))
    return false;
  return acc_bits >= a_bits && ((floats && mlirTypeIsAFloat(acc)) ||
                                (ints && mlirTypeIsAInteger(acc)));
}

void neso__check_dot(verifier *c) {
  MlirType a = verify_operand(c, 0), b = verify_operand(c, 1),
           acc = verify_operand(c, 2);
  MlirStringRef precision;
  int64_t rank = neso__rank(a);
  if (rank < 2 || rank > 3 || neso__rank(b) != rank ||
      neso__extent(a, rank - 1) != neso__extent(b, rank - 2) ||
      (rank == 3 && neso__extent(a, 0) != neso__extent(b, 0)))
    VERIFY_FAIL(c, "cannot multiply matrices of shapes %s and %s",
                verify_shape(c, a), verify_shape(c, b));
  else if (neso__rank(acc) != rank ||
           neso__extent(acc, rank - 2) != neso__extent(a, rank - 2) ||
           neso__extent(acc, rank - 1) != neso__extent(b, rank - 1) ||
           (rank == 3 && neso__extent(acc, 0) != neso__extent(a, 0)))
    VERIFY_FAIL(c, "dot of %s and %s cannot add to %s", verify_shape(c, a),
                verify_shape(c, b), verify_shape(c, acc));
  else if (!mlirTypeEqual(acc, verify_result(c, 0)))
    VERIFY_FAIL(c, "dot gives %s, not %s", verify_type(c, acc),
                verify_type(c, verify_result(c, 0)));
  else if (!dot_elements_fit(neso__element(a), neso__element(b),
                             neso__element(acc)))
    VERIFY_FAIL(c, "cannot multiply matrices of %s and %s and add to %s",
                verify_type(c, neso__element(a)),
                verify_type(c, neso__element(b)),
                verify_type(c, neso__element(acc)));
  else if (verify_word(c, "precision", &precision) &&
           !verify_listed(precision, "ieee tf32 tf32x3 bf16 bf16x3 bf16x6"))
    VERIFY_FAIL(c, "dot knows no precision '%.*s'", (int)precision.length,
                precision.data);
}
