/* Rules of the conversions between numbers. */
#include "dtype.h"
#include "shape.h"
#include "verify.h"

static void check_f8(verifier *c, MlirType codes, MlirType floats) {
  MlirStringRef format;
  if (!verify_word(c, "format", &format))
    return;
  if (!verify_listed(format, "e5m2 e4m3fn e4b15 e4m3fnuz e5m2fnuz"))
    VERIFY_FAIL(c, "%s knows no format '%.*s'", verify_name(c),
                (int)format.length, format.data);
  else if (!neso__is_int(neso__element(codes), 8) ||
           neso__dtype_bits(neso__element(floats)) != 32 ||
           !mlirTypeIsAFloat(neso__element(floats)) ||
           !neso__same_shape(codes, floats))
    VERIFY_FAIL(c, "%s goes between i8 and f32 of one shape, not %s and %s",
                verify_name(c), verify_type(c, codes), verify_type(c, floats));
}

void neso__check_from_f8(verifier *c) {
  check_f8(c, verify_operand(c, 0), verify_result(c, 0));
}

void neso__check_to_f8(verifier *c) {
  check_f8(c, verify_result(c, 0), verify_operand(c, 0));
}

/* What one operation would round twice on some machines is written out. */
void neso__check_narrowed(verifier *c) {
  MlirType from = verify_operand(c, 0), to = verify_result(c, 0);
  unsigned bits = neso__dtype_bits(neso__element(from));
  bool is_float = mlirTypeIsAFloat(neso__element(from));
  bool twice = is_float
                   ? bits == 64 && neso__dtype_bits(neso__element(to)) == 16
                   : bits >= 32 && mlirTypeIsABF16(neso__element(to));
  if (twice)
    VERIFY_FAIL(c, "%s from %s to %s would round twice", verify_name(c),
                verify_type(c, from), verify_type(c, to));
}
