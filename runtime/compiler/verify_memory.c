/* Rules of loads and stores. */
#include "verify.h"

#include "dtype.h"
#include "shape.h"

static bool check_address(verifier *c, MlirType value, const char *what) {
  MlirType base = verify_operand(c, 0), offsets = verify_operand(c, 1);
  MlirStringRef word;
  if (!verify_word(c, "cache", &word) || !verify_word(c, "evict", &word) ||
      !verify_bool(c, "volatile"))
    return false;
  if (!neso__is_pointer(base))
    VERIFY_FAIL(c, "%s takes a pointer, this is %s", verify_name(c),
                verify_type(c, base));
  else if (!neso__is_int(neso__element(offsets), 32) &&
           !neso__is_int(neso__element(offsets), 64))
    VERIFY_FAIL(c, "%s: offsets are i32 or i64, not %s", verify_name(c),
                verify_type(c, offsets));
  else if (!neso__dtype_bits(neso__element(value)))
    VERIFY_FAIL(c, "%s: memory holds numbers, not %s", verify_name(c),
                verify_type(c, value));
  else if (!neso__same_shape(offsets, value))
    VERIFY_FAIL(c, "%s: the pointer has shape %s, the %s %s", verify_name(c),
                verify_shape(c, offsets), what, verify_shape(c, value));
  return !c->status;
}

static void check_mask(verifier *c, MlirType mask) {
  MlirType offsets = verify_operand(c, 1);
  if (!neso__is_int(neso__element(mask), 1))
    VERIFY_FAIL(c, "%s: a mask is of i1 (a comparison), this is %s",
                verify_name(c), verify_type(c, mask));
  else if (!neso__same_shape(offsets, mask))
    VERIFY_FAIL(c, "%s: the pointer has shape %s, the mask %s", verify_name(c),
                verify_shape(c, offsets), verify_shape(c, mask));
}

void neso__check_load(verifier *c) {
  check_address(c, verify_result(c, 0), "result");
}

void neso__check_masked_load(verifier *c) {
  MlirType other = verify_operand(c, 3);
  if (!check_address(c, verify_result(c, 0), "result"))
    return;
  check_mask(c, verify_operand(c, 2));
  if (!c->status && !mlirTypeEqual(other, verify_result(c, 0)))
    VERIFY_FAIL(c, "load: 'other' is %s, the result %s", verify_type(c, other),
                verify_type(c, verify_result(c, 0)));
}

void neso__check_store(verifier *c) {
  check_address(c, verify_operand(c, 2), "value");
}

void neso__check_masked_store(verifier *c) {
  if (check_address(c, verify_operand(c, 2), "value"))
    check_mask(c, verify_operand(c, 3));
}

void neso__check_address(verifier *c) {
  if (!neso__is_pointer(verify_operand(c, 0)) ||
      !neso__is_int(verify_result(c, 0), 64))
    VERIFY_FAIL(c, "an address is the i64 of a pointer, not %s of %s",
                verify_type(c, verify_result(c, 0)),
                verify_type(c, verify_operand(c, 0)));
}

void neso__check_pointer(verifier *c) {
  if (!neso__is_int(verify_operand(c, 0), 64) ||
      !neso__is_pointer(verify_result(c, 0)))
    VERIFY_FAIL(c, "a pointer is made of an i64, not %s of %s",
                verify_type(c, verify_result(c, 0)),
                verify_type(c, verify_operand(c, 0)));
}
