/* Rules of what is reported to the host. */
#include "verify.h"

#include "dtype.h"
#include "shape.h"

static size_t count_words(MlirStringRef text) {
  size_t count = text.length > 0;
  for (size_t i = 0; i < text.length; i++)
    count += text.data[i] == ' ';
  return count;
}

/* The values of a print are scalars and blocks of one shape. */
static void check_shapes(verifier *c) {
  MlirType shaped = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); i++) {
    MlirType type = verify_operand(c, i);
    if (!neso__dtype_bits(neso__element(type))) {
      VERIFY_FAIL(c, "%s takes numbers, this is %s", verify_name(c),
                  verify_type(c, type));
      return;
    }
    if (!neso__rank(type))
      continue;
    if (mlirTypeIsNull(shaped))
      shaped = type;
    else if (!neso__same_shape(shaped, type)) {
      VERIFY_FAIL(c, "%s takes blocks of one shape, these are %s and %s",
                  verify_name(c), verify_shape(c, shaped),
                  verify_shape(c, type));
      return;
    }
  }
}

void neso__check_print(verifier *c) {
  MlirStringRef text, dtypes;
  if (!verify_word(c, "text", &text) || !verify_word(c, "dtypes", &dtypes) ||
      !verify_bool(c, "hex"))
    return;
  size_t count = (size_t)mlirOperationGetNumOperands(c->op);
  if (count_words(dtypes) != count)
    VERIFY_FAIL(c, "%s has %zu values and the dtypes '%.*s'", verify_name(c),
                count, (int)dtypes.length, dtypes.data);
  else
    check_shapes(c);
}

void neso__check_assert(verifier *c) {
  MlirStringRef message;
  MlirAttribute shape = verify_attribute(c, "shape");
  if (!verify_word(c, "message", &message))
    return;
  if (mlirAttributeIsNull(shape) || !mlirAttributeIsADenseI64Array(shape))
    VERIFY_FAIL(c, "%s needs an array 'shape'", verify_name(c));
  else if (!neso__is_int(verify_operand(c, 0), 1))
    VERIFY_FAIL(c, "%s takes a condition, this is %s", verify_name(c),
                verify_type(c, verify_operand(c, 0)));
  else if (mlirOperationGetNumOperands(c->op) > 1 &&
           !neso__is_int(verify_operand(c, 1), 32))
    VERIFY_FAIL(c, "%s: the index of the element is i32, not %s",
                verify_name(c), verify_type(c, verify_operand(c, 1)));
}

void neso__check_check_access(verifier *c) {
  MlirStringRef dtype, name, access;
  MlirType offsets = verify_operand(c, 1);
  if (!verify_word(c, "dtype", &dtype) || !verify_word(c, "name", &name) ||
      !verify_word(c, "access", &access))
    return;
  bool masked = mlirOperationGetNumOperands(c->op) > 2;
  MlirType mask = masked ? verify_operand(c, 2) : offsets;
  if (!verify_listed(access, "load store atomic"))
    VERIFY_FAIL(c, "%s knows no access '%.*s'", verify_name(c),
                (int)access.length, access.data);
  else if (!neso__is_pointer(verify_operand(c, 0)) ||
           !(neso__is_int(neso__element(offsets), 32) ||
             neso__is_int(neso__element(offsets), 64)) ||
           (masked && !neso__is_int(neso__element(mask), 1)) ||
           !neso__same_shape(offsets, mask))
    VERIFY_FAIL(c, "%s takes a pointer, offsets and a mask of their shape",
                verify_name(c));
}
