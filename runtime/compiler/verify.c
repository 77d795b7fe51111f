/* Rules of the neso operations, told in the words of the tile language: what
 * the checks share, and which operation has which check. */
#include "verify.h"

#include <string.h>

#include "dtype.h"
#include "mlir-c/BuiltinAttributes.h"
#include "shape.h"

MlirType verify_operand(verifier *c, intptr_t i) {
  return mlirValueGetType(mlirOperationGetOperand(c->op, i));
}

MlirType verify_result(verifier *c, intptr_t i) {
  return mlirValueGetType(mlirOperationGetResult(c->op, i));
}

const char *verify_shape(verifier *c, MlirType type) {
  return neso__shape_text(c->env->arena, type);
}

const char *verify_type(verifier *c, MlirType type) {
  return neso__type_text(c->env->arena, type);
}

const char *verify_name(verifier *c) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(c->op));
  const char *text = neso__arena_copy(c->env->arena, name.data, name.length);
  const char *dot = strchr(text, '.');
  return dot ? dot + 1 : text;
}

MlirAttribute verify_attribute(verifier *c, const char *name) {
  return mlirOperationGetAttributeByName(c->op,
                                         mlirStringRefCreateFromCString(name));
}

bool verify_i32(verifier *c, const char *name, int64_t *out) {
  MlirAttribute a = verify_attribute(c, name);
  if (mlirAttributeIsNull(a) || !mlirAttributeIsAInteger(a) ||
      !neso__is_int(mlirAttributeGetType(a), 32)) {
    VERIFY_FAIL(c, "%s needs an i32 attribute '%s'", verify_name(c), name);
    return false;
  }
  *out = mlirIntegerAttrGetValueInt(a);
  return true;
}

bool verify_word(verifier *c, const char *name, MlirStringRef *out) {
  MlirAttribute a = verify_attribute(c, name);
  if (mlirAttributeIsNull(a) || !mlirAttributeIsAString(a)) {
    VERIFY_FAIL(c, "%s needs a string attribute '%s'", verify_name(c), name);
    return false;
  }
  *out = mlirStringAttrGetValue(a);
  return true;
}

bool verify_bool(verifier *c, const char *name) {
  MlirAttribute a = verify_attribute(c, name);
  if (!mlirAttributeIsNull(a) && mlirAttributeIsABool(a))
    return true;
  VERIFY_FAIL(c, "%s needs a boolean attribute '%s'", verify_name(c), name);
  return false;
}

/* Whether `word` stands in a space separated list. */
bool verify_listed(MlirStringRef word, const char *list) {
  for (const char *at = list; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    if (length == word.length && !memcmp(at, word.data, length))
      return true;
    at += length;
  }
  return false;
}

bool verify_block(verifier *c, MlirType type) {
  if (neso__rank(type))
    return true;
  VERIFY_FAIL(c, "%s takes a block, this is a scalar (%s)", verify_name(c),
              verify_type(c, type));
  return false;
}

bool verify_same_element(verifier *c, MlirType a, MlirType b) {
  if (mlirTypeEqual(neso__element(a), neso__element(b)))
    return true;
  VERIFY_FAIL(c, "%s cannot turn %s into %s", verify_name(c), verify_type(c, a),
              verify_type(c, b));
  return false;
}

bool verify_axis(verifier *c, int64_t limit, MlirType type, int64_t *out_axis) {
  if (!verify_i32(c, "axis", out_axis))
    return false;
  if (*out_axis >= 0 && *out_axis < limit)
    return true;
  VERIFY_FAIL(c, "%s: no axis %lld in %s (axes count from 0)", verify_name(c),
              (long long)*out_axis, verify_shape(c, type));
  return false;
}

typedef void (*check_fn)(verifier *c);

static const check_fn checks[NESO_OP_COUNT] = {
    [NESO_OP_NESO_PROGRAM_ID] = neso__check_program,
    [NESO_OP_NESO_NUM_PROGRAMS] = neso__check_program,
    [NESO_OP_NESO_ARANGE] = neso__check_arange,
    [NESO_OP_NESO_BROADCAST] = neso__check_broadcast,
    [NESO_OP_NESO_EXPAND_DIMS] = neso__check_expand_dims,
    [NESO_OP_NESO_RESHAPE] = neso__check_reshape,
    [NESO_OP_NESO_TRANS] = neso__check_trans,
    [NESO_OP_NESO_FROM_F8] = neso__check_from_f8,
    [NESO_OP_NESO_TO_F8] = neso__check_to_f8,
    [NESO_OP_ARITH_TRUNCF] = neso__check_narrowed,
    [NESO_OP_ARITH_SITOFP] = neso__check_narrowed,
    [NESO_OP_ARITH_UITOFP] = neso__check_narrowed,
    [NESO_OP_NESO_LOAD] = neso__check_load,
    [NESO_OP_NESO_MASKED_LOAD] = neso__check_masked_load,
    [NESO_OP_NESO_STORE] = neso__check_store,
    [NESO_OP_NESO_MASKED_STORE] = neso__check_masked_store,
    [NESO_OP_NESO_ADDRESS] = neso__check_address,
    [NESO_OP_NESO_POINTER] = neso__check_pointer,
    [NESO_OP_NESO_REDUCE] = neso__check_reduce,
    [NESO_OP_NESO_ARG_REDUCE] = neso__check_arg_reduce,
    [NESO_OP_NESO_DOT] = neso__check_dot,
    [NESO_OP_NESO_FOLD] = neso__check_fold,
    [NESO_OP_NESO_SCAN] = neso__check_scan,
    [NESO_OP_NESO_MAP] = neso__check_map,
    [NESO_OP_NESO_ATOMIC_RMW] = neso__check_atomic_rmw,
    [NESO_OP_NESO_ATOMIC_CAS] = neso__check_atomic_cas,
    [NESO_OP_NESO_CAT] = neso__check_cat,
    [NESO_OP_NESO_SLICE] = neso__check_slice,
    [NESO_OP_NESO_GATHER] = neso__check_gather,
    [NESO_OP_NESO_SORT] = neso__check_sort,
    [NESO_OP_NESO_HISTOGRAM] = neso__check_histogram,
    [NESO_OP_NESO_PRINT] = neso__check_print,
    [NESO_OP_NESO_ASSERT] = neso__check_assert,
    [NESO_OP_NESO_CHECK_ACCESS] = neso__check_check_access,
    [NESO_OP_NESO_ASM] = neso__check_asm,
    [NESO_OP_NESO_ASM_PURE] = neso__check_asm,
    [NESO_OP_NESO_EXTERN] = neso__check_extern,
    [NESO_OP_NESO_EXTERN_PURE] = neso__check_extern,
};

static MlirWalkResult visit(MlirOperation op, void *user) {
  verifier *c = user;
  check_fn check = checks[neso__op_of(op)];
  c->op = op;
  if (check)
    check(c);
  return c->status ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

neso_status neso__verify(neso_pass_env *env, MlirModule module) {
  verifier c = {.env = env};
  mlirOperationWalk(mlirModuleGetOperation(module), visit, &c,
                    MlirWalkPreOrder);
  return c.status;
}
