/* Rules of the atomic operations. */
#include "verify.h"

#include "dtype.h"
#include "shape.h"

static bool check_words(verifier *c) {
  MlirStringRef sem, scope;
  if (!verify_word(c, "sem", &sem) || !verify_word(c, "scope", &scope))
    return false;
  if (!verify_listed(sem, "relaxed acquire release acq_rel"))
    VERIFY_FAIL(c, "%s knows no order '%.*s'", verify_name(c), (int)sem.length,
                sem.data);
  else if (!verify_listed(scope, "cta gpu sys"))
    VERIFY_FAIL(c, "%s knows no scope '%.*s'", verify_name(c),
                (int)scope.length, scope.data);
  return !c->status;
}

/* Base, offsets, `values` values like the result, a mask or none. */
static bool check_operands(verifier *c, intptr_t values) {
  MlirType offsets = verify_operand(c, 1), to = verify_result(c, 0);
  MlirType element = neso__element(to);
  unsigned bits = neso__dtype_bits(element);
  bool fits = neso__is_pointer(verify_operand(c, 0)) &&
              (neso__is_int(neso__element(offsets), 32) ||
               neso__is_int(neso__element(offsets), 64)) &&
              neso__same_shape(offsets, to);
  for (intptr_t i = 0; fits && i < values; i++)
    fits = mlirTypeEqual(verify_operand(c, 2 + i), to);
  if (fits && mlirOperationGetNumOperands(c->op) > 2 + values) {
    MlirType mask = verify_operand(c, 2 + values);
    fits = neso__is_int(neso__element(mask), 1) && neso__same_shape(mask, to);
  }
  if (!fits)
    VERIFY_FAIL(c,
                "%s: pointer, values and mask are of one shape, not as for "
                "%s",
                verify_name(c), verify_type(c, to));
  else if (bits < 8 || (mlirTypeIsAFloat(element) && bits < 16))
    VERIFY_FAIL(c, "%s does not work on %s", verify_name(c),
                verify_type(c, element));
  return !c->status;
}

void neso__check_atomic_rmw(verifier *c) {
  MlirStringRef kind;
  if (!check_words(c) || !check_operands(c, 1) ||
      !verify_word(c, "kind", &kind))
    return;
  bool is_float = mlirTypeIsAFloat(neso__element(verify_result(c, 0)));
  if (!verify_listed(kind, is_float ? "fadd fmax fmin xchg"
                                    : "add and or xor xchg max min umax umin"))
    VERIFY_FAIL(c, "no atomic '%.*s' of %s", (int)kind.length, kind.data,
                verify_type(c, verify_result(c, 0)));
}

void neso__check_atomic_cas(verifier *c) {
  if (check_words(c))
    check_operands(c, 2);
}
