/* Rules of the operations with a function on scalars as region. */
#include "verify.h"

#include "dtype.h"
#include "shape.h"

/* Inside, only what computes: no memory, no report, no block. */
static bool check_inside(verifier *c, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    const neso_op_row *row = neso__op_row(neso__op_of(op));
    bool scalars = true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      scalars &=
          neso__rank(mlirValueGetType(mlirOperationGetOperand(op, i))) == 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      scalars &=
          neso__rank(mlirValueGetType(mlirOperationGetResult(op, i))) == 0;
    if (!row || row->effect != NESO_EFFECT_NONE || !scalars) {
      VERIFY_FAIL(c, "%s: the function works on scalars and touches no memory",
                  verify_name(c));
      return false;
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      MlirRegion region = mlirOperationGetRegion(op, r);
      MlirBlock inner = mlirRegionGetFirstBlock(region);
      if (!mlirBlockIsNull(inner) && !check_inside(c, inner))
        return false;
    }
  }
  return true;
}

/* The region takes `rounds` times one scalar a block and yields one scalar a
 * result. */
static bool check_function(verifier *c, intptr_t rounds) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(c->op, 0));
  intptr_t count = mlirOperationGetNumOperands(c->op),
           results = mlirOperationGetNumResults(c->op);
  bool fits = !mlirBlockIsNull(block) && results > 0 &&
              mlirBlockGetNumArguments(block) == rounds * count;
  for (intptr_t i = 0; fits && i < rounds * count; i++)
    fits = mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)),
                         neso__element(verify_operand(c, i % count)));
  MlirOperation yield = fits ? mlirBlockGetTerminator(block) : c->op;
  fits = fits && neso__op_of(yield) == NESO_OP_NESO_YIELD &&
         mlirOperationGetNumOperands(yield) == results;
  for (intptr_t i = 0; fits && i < results; i++)
    fits = mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(yield, i)),
                         neso__element(verify_result(c, i)));
  if (!fits)
    VERIFY_FAIL(c, "%s: the function has not the types of the blocks",
                verify_name(c));
  return fits && check_inside(c, block);
}

static bool same_shapes(verifier *c) {
  MlirType first = verify_operand(c, 0);
  if (!verify_block(c, first))
    return false;
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(c->op); i++)
    if (!neso__same_shape(verify_operand(c, i), first)) {
      VERIFY_FAIL(c, "%s takes blocks of one shape, not %s and %s",
                  verify_name(c), verify_shape(c, first),
                  verify_shape(c, verify_operand(c, i)));
      return false;
    }
  return true;
}

static bool same_count(verifier *c) {
  if (mlirOperationGetNumOperands(c->op) == mlirOperationGetNumResults(c->op))
    return true;
  VERIFY_FAIL(c, "%s gives as many blocks as it takes", verify_name(c));
  return false;
}

void neso__check_fold(verifier *c) {
  int64_t axis;
  MlirType first = verify_operand(c, 0);
  if (!same_shapes(c) || !same_count(c) ||
      !verify_axis(c, neso__rank(first), first, &axis))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); i++)
    if (!verify_without_axis(first, verify_result(c, i), axis)) {
      VERIFY_FAIL(c, "fold of %s along axis %lld cannot give %s",
                  verify_shape(c, first), (long long)axis,
                  verify_shape(c, verify_result(c, i)));
      return;
    }
  check_function(c, 2);
}

static bool like_operands(verifier *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); i++)
    if (!neso__same_shape(verify_operand(c, 0), verify_result(c, i))) {
      VERIFY_FAIL(c, "%s of %s cannot give %s", verify_name(c),
                  verify_shape(c, verify_operand(c, 0)),
                  verify_shape(c, verify_result(c, i)));
      return false;
    }
  return true;
}

void neso__check_scan(verifier *c) {
  int64_t axis;
  MlirType first = verify_operand(c, 0);
  if (same_shapes(c) && same_count(c) && verify_bool(c, "reverse") &&
      verify_axis(c, neso__rank(first), first, &axis) && like_operands(c))
    check_function(c, 2);
}

void neso__check_map(verifier *c) {
  if (same_shapes(c) && like_operands(c))
    check_function(c, 1);
}
