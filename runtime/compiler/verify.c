/* Rules of the neso operations, told in the words of the tile language. */
#include <string.h>

#include "dtype.h"
#include "mlir-c/BuiltinAttributes.h"
#include "pass.h"
#include "shape.h"

typedef struct checker {
  neso_pass_env *env;
  MlirOperation op;
  neso_status status; /* the first error */
} checker;

typedef void (*check_fn)(checker *c);

#define FAIL(c, ...)                                                           \
  ((c)->status =                                                               \
       neso__pass_fail((c)->env, NESO_COMPILE_ERROR, (c)->op, __VA_ARGS__))

static MlirType operand(checker *c, intptr_t i) {
  return mlirValueGetType(mlirOperationGetOperand(c->op, i));
}

static MlirType result(checker *c, intptr_t i) {
  return mlirValueGetType(mlirOperationGetResult(c->op, i));
}

static const char *shape(checker *c, MlirType type) {
  return neso__shape_text(c->env->arena, type);
}

static const char *type_text(checker *c, MlirType type) {
  return neso__type_text(c->env->arena, type);
}

static const char *op_name(checker *c) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(c->op));
  const char *text = neso__arena_copy(c->env->arena, name.data, name.length);
  const char *dot = strchr(text, '.');
  return dot ? dot + 1 : text;
}

static MlirAttribute attribute(checker *c, const char *name) {
  return mlirOperationGetAttributeByName(c->op,
                                         mlirStringRefCreateFromCString(name));
}

static bool read_i32(checker *c, const char *name, int64_t *out) {
  MlirAttribute a = attribute(c, name);
  if (mlirAttributeIsNull(a) || !mlirAttributeIsAInteger(a) ||
      !neso__is_int(mlirAttributeGetType(a), 32)) {
    FAIL(c, "%s needs an i32 attribute '%s'", op_name(c), name);
    return false;
  }
  *out = mlirIntegerAttrGetValueInt(a);
  return true;
}

static bool read_word(checker *c, const char *name, MlirStringRef *out) {
  MlirAttribute a = attribute(c, name);
  if (mlirAttributeIsNull(a) || !mlirAttributeIsAString(a)) {
    FAIL(c, "%s needs a string attribute '%s'", op_name(c), name);
    return false;
  }
  *out = mlirStringAttrGetValue(a);
  return true;
}

static bool needs_bool(checker *c, const char *name) {
  MlirAttribute a = attribute(c, name);
  if (!mlirAttributeIsNull(a) && mlirAttributeIsABool(a))
    return true;
  FAIL(c, "%s needs a boolean attribute '%s'", op_name(c), name);
  return false;
}

/* Whether `word` stands in a space separated list. */
static bool listed(MlirStringRef word, const char *list) {
  for (const char *at = list; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    if (length == word.length && !memcmp(at, word.data, length))
      return true;
    at += length;
  }
  return false;
}

static bool needs_block(checker *c, MlirType type) {
  if (neso__rank(type))
    return true;
  FAIL(c, "%s takes a block, this is a scalar (%s)", op_name(c),
       type_text(c, type));
  return false;
}

static bool same_element(checker *c, MlirType a, MlirType b) {
  if (mlirTypeEqual(neso__element(a), neso__element(b)))
    return true;
  FAIL(c, "%s cannot turn %s into %s", op_name(c), type_text(c, a),
       type_text(c, b));
  return false;
}

static bool axis_below(checker *c, int64_t limit, MlirType type,
                       int64_t *out_axis) {
  if (!read_i32(c, "axis", out_axis))
    return false;
  if (*out_axis >= 0 && *out_axis < limit)
    return true;
  FAIL(c, "%s: no axis %lld in %s (axes count from 0)", op_name(c),
       (long long)*out_axis, shape(c, type));
  return false;
}

/* ------------------------------------------------------------- shapes -- */

static void check_program(checker *c) {
  int64_t axis;
  if (!read_i32(c, "axis", &axis))
    return;
  if (axis < 0 || axis > 2)
    FAIL(c, "%s(%lld): a grid has the axes 0, 1 and 2", op_name(c),
         (long long)axis);
  else if (!neso__is_int(result(c, 0), 32))
    FAIL(c, "%s is an i32", op_name(c));
}

static void check_arange(checker *c) {
  int64_t start, end;
  MlirType type = result(c, 0);
  if (!read_i32(c, "start", &start) || !read_i32(c, "end", &end))
    return;
  if (start >= end)
    FAIL(c, "arange(%lld, %lld) is empty", (long long)start, (long long)end);
  else if (neso__rank(type) != 1 || neso__extent(type, 0) != end - start ||
           !neso__is_int(neso__element(type), 32))
    FAIL(c, "arange(%lld, %lld) is {%lld} of i32, not %s", (long long)start,
         (long long)end, (long long)(end - start), type_text(c, type));
}

static void check_broadcast(checker *c) {
  MlirType from = operand(c, 0), to = result(c, 0);
  if (!needs_block(c, from) || !same_element(c, from, to))
    return;
  bool fits = neso__rank(from) == neso__rank(to);
  for (int64_t i = 0; fits && i < neso__rank(from); i++)
    fits = neso__extent(from, i) == 1 ||
           neso__extent(from, i) == neso__extent(to, i);
  if (!fits)
    FAIL(c, "cannot broadcast a block of shape %s to %s", shape(c, from),
         shape(c, to));
}

static void check_expand_dims(checker *c) {
  MlirType from = operand(c, 0), to = result(c, 0);
  int64_t axis, rank = neso__rank(from);
  if (!needs_block(c, from) || !same_element(c, from, to) ||
      !axis_below(c, rank + 1, from, &axis))
    return;
  bool fits = neso__rank(to) == rank + 1 && neso__extent(to, axis) == 1;
  for (int64_t i = 0; fits && i < rank; i++)
    fits = neso__extent(from, i) == neso__extent(to, i + (i >= axis));
  if (!fits)
    FAIL(c, "expand_dims of %s at axis %lld cannot give %s", shape(c, from),
         (long long)axis, shape(c, to));
}

static void check_reshape(checker *c) {
  MlirType from = operand(c, 0), to = result(c, 0);
  if (same_element(c, from, to) &&
      neso__element_count(from) != neso__element_count(to))
    FAIL(c, "cannot reshape %s (%lld elements) to %s (%lld elements)",
         shape(c, from), (long long)neso__element_count(from), shape(c, to),
         (long long)neso__element_count(to));
}

static void check_trans(checker *c) {
  MlirType from = operand(c, 0), to = result(c, 0);
  MlirAttribute order = attribute(c, "order");
  if (!needs_block(c, from) || !same_element(c, from, to))
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
    FAIL(c, "trans of %s: the order names each axis once and cannot give %s",
         shape(c, from), shape(c, to));
}

/* ------------------------------------------------------------- memory -- */

static bool check_address(checker *c, MlirType value, const char *what) {
  MlirType base = operand(c, 0), offsets = operand(c, 1);
  MlirStringRef word;
  if (!read_word(c, "cache", &word) || !read_word(c, "evict", &word) ||
      !needs_bool(c, "volatile"))
    return false;
  if (!neso__is_pointer(base))
    FAIL(c, "%s takes a pointer, this is %s", op_name(c), type_text(c, base));
  else if (!neso__is_int(neso__element(offsets), 32) &&
           !neso__is_int(neso__element(offsets), 64))
    FAIL(c, "%s: offsets are i32 or i64, not %s", op_name(c),
         type_text(c, offsets));
  else if (!neso__dtype_bits(neso__element(value)))
    FAIL(c, "%s: memory holds numbers, not %s", op_name(c),
         type_text(c, value));
  else if (!neso__same_shape(offsets, value))
    FAIL(c, "%s: the pointer has shape %s, the %s %s", op_name(c),
         shape(c, offsets), what, shape(c, value));
  return !c->status;
}

static void check_mask(checker *c, MlirType mask) {
  MlirType offsets = operand(c, 1);
  if (!neso__is_int(neso__element(mask), 1))
    FAIL(c, "%s: a mask is of i1 (a comparison), this is %s", op_name(c),
         type_text(c, mask));
  else if (!neso__same_shape(offsets, mask))
    FAIL(c, "%s: the pointer has shape %s, the mask %s", op_name(c),
         shape(c, offsets), shape(c, mask));
}

static void check_load(checker *c) { check_address(c, result(c, 0), "result"); }

static void check_masked_load(checker *c) {
  MlirType other = operand(c, 3);
  if (!check_address(c, result(c, 0), "result"))
    return;
  check_mask(c, operand(c, 2));
  if (!c->status && !mlirTypeEqual(other, result(c, 0)))
    FAIL(c, "load: 'other' is %s, the result %s", type_text(c, other),
         type_text(c, result(c, 0)));
}

static void check_store(checker *c) {
  check_address(c, operand(c, 2), "value");
}

static void check_masked_store(checker *c) {
  if (check_address(c, operand(c, 2), "value"))
    check_mask(c, operand(c, 3));
}

/* ------------------------------------------------ reductions and dot -- */

static bool without_axis(MlirType from, MlirType to, int64_t axis) {
  if (neso__rank(to) != neso__rank(from) - 1)
    return false;
  for (int64_t i = 0; i < neso__rank(to); i++)
    if (neso__extent(to, i) != neso__extent(from, i + (i >= axis)))
      return false;
  return true;
}

static bool check_reduced(checker *c, MlirType to, int64_t *out_axis) {
  MlirType from = operand(c, 0);
  if (!needs_block(c, from) || !axis_below(c, neso__rank(from), from, out_axis))
    return false;
  if (!without_axis(from, to, *out_axis))
    FAIL(c, "%s of %s along axis %lld cannot give %s", op_name(c),
         shape(c, from), (long long)*out_axis, shape(c, to));
  return !c->status;
}

static void check_kind(checker *c, const char *floats, const char *ints) {
  MlirStringRef kind;
  MlirType element = neso__element(operand(c, 0));
  if (read_word(c, "kind", &kind) &&
      !listed(kind, mlirTypeIsAFloat(element) ? floats : ints))
    FAIL(c, "%s: no reduction '%.*s' of %s", op_name(c), (int)kind.length,
         kind.data, type_text(c, element));
}

static void check_reduce(checker *c) {
  int64_t axis;
  if (check_reduced(c, result(c, 0), &axis) &&
      same_element(c, operand(c, 0), result(c, 0)))
    check_kind(c, "sum prod max min maxnum minnum",
               "sum prod max min umax umin and or xor");
}

static void check_arg_reduce(checker *c) {
  int64_t axis;
  if (!check_reduced(c, result(c, 0), &axis) ||
      !check_reduced(c, result(c, 1), &axis) ||
      !same_element(c, operand(c, 0), result(c, 0)) ||
      !needs_bool(c, "propagate_nan"))
    return;
  if (!neso__is_int(neso__element(result(c, 1)), 32))
    FAIL(c, "%s: the index is of i32", op_name(c));
  else
    check_kind(c, "max min", "max min umax umin");
}

static bool dot_elements_fit(MlirType a, MlirType b, MlirType acc) {
  unsigned a_bits = neso__dtype_bits(a), b_bits = neso__dtype_bits(b),
           acc_bits = neso__dtype_bits(acc);
  bool floats = mlirTypeIsAFloat(a) && mlirTypeIsAFloat(b);
  bool ints = mlirTypeIsAInteger(a) && mlirTypeIsAInteger(b);
  if (!mlirTypeEqual(a, b) && !(floats && a_bits == 8 && b_bits == 8))
    return false;
  return acc_bits >= a_bits && ((floats && mlirTypeIsAFloat(acc)) ||
                                (ints && mlirTypeIsAInteger(acc)));
}

static void check_dot(checker *c) {
  MlirType a = operand(c, 0), b = operand(c, 1), acc = operand(c, 2);
  MlirStringRef precision;
  if (neso__rank(a) != 2 || neso__rank(b) != 2 ||
      neso__extent(a, 1) != neso__extent(b, 0))
    FAIL(c, "cannot multiply matrices of shapes %s and %s", shape(c, a),
         shape(c, b));
  else if (neso__rank(acc) != 2 || neso__extent(acc, 0) != neso__extent(a, 0) ||
           neso__extent(acc, 1) != neso__extent(b, 1))
    FAIL(c, "dot of %s and %s cannot add to %s", shape(c, a), shape(c, b),
         shape(c, acc));
  else if (!mlirTypeEqual(acc, result(c, 0)))
    FAIL(c, "dot gives %s, not %s", type_text(c, acc),
         type_text(c, result(c, 0)));
  else if (!dot_elements_fit(neso__element(a), neso__element(b),
                             neso__element(acc)))
    FAIL(c, "cannot multiply matrices of %s and %s and add to %s",
         type_text(c, neso__element(a)), type_text(c, neso__element(b)),
         type_text(c, neso__element(acc)));
  else if (read_word(c, "precision", &precision) &&
           !listed(precision, "ieee tf32 tf32x3 bf16 bf16x3 bf16x6"))
    FAIL(c, "dot knows no precision '%.*s'", (int)precision.length,
         precision.data);
}

static const check_fn checks[NESO_OP_COUNT] = {
    [NESO_OP_NESO_PROGRAM_ID] = check_program,
    [NESO_OP_NESO_NUM_PROGRAMS] = check_program,
    [NESO_OP_NESO_ARANGE] = check_arange,
    [NESO_OP_NESO_BROADCAST] = check_broadcast,
    [NESO_OP_NESO_EXPAND_DIMS] = check_expand_dims,
    [NESO_OP_NESO_RESHAPE] = check_reshape,
    [NESO_OP_NESO_TRANS] = check_trans,
    [NESO_OP_NESO_LOAD] = check_load,
    [NESO_OP_NESO_MASKED_LOAD] = check_masked_load,
    [NESO_OP_NESO_STORE] = check_store,
    [NESO_OP_NESO_MASKED_STORE] = check_masked_store,
    [NESO_OP_NESO_REDUCE] = check_reduce,
    [NESO_OP_NESO_ARG_REDUCE] = check_arg_reduce,
    [NESO_OP_NESO_DOT] = check_dot,
};

static MlirWalkResult visit(MlirOperation op, void *user) {
  checker *c = user;
  check_fn check = checks[neso__op_of(op)];
  c->op = op;
  if (check)
    check(c);
  return c->status ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

neso_status neso__verify(neso_pass_env *env, MlirModule module) {
  checker c = {.env = env};
  mlirOperationWalk(mlirModuleGetOperation(module), visit, &c,
                    MlirWalkPreOrder);
  return c.status;
}
