/* Rules of assembly and functions of others: elementwise. */
#include "verify.h"

#include <string.h>

#include "dtype.h"
#include "shape.h"

#define MAX_VALUES 16

static bool check_value(verifier *c, MlirType type, MlirType like,
                        unsigned least_bits) {
  unsigned bits = neso__dtype_bits(neso__element(type));
  if (bits < least_bits)
    VERIFY_FAIL(c, "%s does not take %s", verify_name(c), verify_type(c, type));
  else if (!neso__same_shape(type, like))
    VERIFY_FAIL(c, "%s: values of one shape, not %s and %s", verify_name(c),
                verify_shape(c, like), verify_shape(c, type));
  return !c->status;
}

static bool check_values(verifier *c, unsigned least_bits) {
  intptr_t operands = mlirOperationGetNumOperands(c->op),
           results = mlirOperationGetNumResults(c->op);
  if (results == 0 || results > MAX_VALUES || operands > MAX_VALUES) {
    VERIFY_FAIL(c, "%s has at most %d operands and 1 to %d results",
                verify_name(c), MAX_VALUES, MAX_VALUES);
    return false;
  }
  MlirType like = verify_result(c, 0);
  for (intptr_t i = 0; i < operands; i++)
    if (!check_value(c, verify_operand(c, i), like, least_bits))
      return false;
  for (intptr_t i = 0; i < results; i++)
    if (!check_value(c, verify_result(c, i), like, least_bits))
      return false;
  if (operands == 0 && neso__rank(like))
    VERIFY_FAIL(c, "%s without operands gives scalars", verify_name(c));
  return !c->status;
}

/* Whole registers of 32 bits, or a part of one. */
static bool packs(MlirType type, int64_t pack) {
  int64_t bits = (int64_t)neso__dtype_bits(neso__element(type)) * pack;
  intptr_t rank = neso__rank(type);
  return (bits <= 32 || bits % 32 == 0) &&
         (pack == 1 ||
          (rank > 0 && mlirShapedTypeGetDimSize(type, rank - 1) % pack == 0));
}

/* Registers that the values of one list take. */
static int64_t count_words(verifier *c, bool results, int64_t pack) {
  int64_t words = 0;
  intptr_t count = results ? mlirOperationGetNumResults(c->op)
                           : mlirOperationGetNumOperands(c->op);
  for (intptr_t i = 0; i < count; i++) {
    MlirType type = results ? verify_result(c, i) : verify_operand(c, i);
    int64_t bits = neso__dtype_bits(neso__element(type));
    words += bits >= 32 ? pack : (bits * pack + 31) / 32;
  }
  return words;
}

static bool is_letter(char x) {
  return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z');
}

/* "{name}" */
static bool is_braced(const char *at, size_t length) {
  bool named = length > 2 && at[0] == '{' && at[length - 1] == '}';
  for (size_t i = 1; named && i + 1 < length; i++)
    named = is_letter(at[i]) || (at[i] >= '0' && at[i] <= '9');
  return named;
}

/* Memory and "anything" need more than values. */
static bool is_register(const char *at, size_t length) {
  return is_braced(at, length) ||
         (length == 1 && is_letter(*at) && !strchr("mopgVX", *at)) ||
         (length == 3 && *at == '^' && is_letter(at[1]) && is_letter(at[2]));
}

typedef struct constraints {
  int64_t outputs, inputs;
  bool clobbers;
} constraints;

/* LLVM takes for granted that the list is sound. */
static bool read_constraint(constraints *all, const char *at, size_t length) {
  if (length > 1 && at[0] == '~') {
    all->clobbers = true;
    return is_braced(at + 1, length - 1);
  }
  if (all->clobbers)
    return false;
  if (length > 0 && at[0] == '=') {
    size_t early = length > 1 && at[1] == '&';
    all->outputs++;
    return all->inputs == 0 && is_register(at + 1 + early, length - 1 - early);
  }
  all->inputs++;
  if (length == 1 && at[0] >= '0' && at[0] <= '9')
    return at[0] - '0' < all->outputs;
  return is_register(at, length);
}

static void check_constraints(verifier *c, MlirStringRef text, int64_t pack) {
  int64_t outputs = count_words(c, true, pack),
          inputs = count_words(c, false, pack);
  constraints all = {0};
  for (size_t at = 0; at <= text.length && !c->status;) {
    size_t length = 0;
    while (at + length < text.length && text.data[at + length] != ',')
      length++;
    const char *word = neso__arena_copy(c->env->arena, text.data + at, length);
    if (!read_constraint(&all, word, length))
      VERIFY_FAIL(c,
                  "assembly: '%s' in the constraints '%.*s' is none: outputs "
                  "(=r, =&x, ={eax}), then inputs (r, x, {ecx}, 0), then "
                  "clobbers (~{memory})",
                  word, (int)text.length, text.data);
    at += length + 1;
  }
  if (!c->status && (all.outputs != outputs || all.inputs != inputs))
    VERIFY_FAIL(c,
                "assembly: the constraints '%.*s' have %lld outputs and %lld "
                "inputs, the values take %lld and %lld",
                (int)text.length, text.data, (long long)all.outputs,
                (long long)all.inputs, (long long)outputs, (long long)inputs);
}

void neso__check_asm(verifier *c) {
  MlirStringRef text, list;
  int64_t pack;
  if (!verify_word(c, "text", &text) || !verify_word(c, "constraints", &list) ||
      !verify_i32(c, "pack", &pack) || !check_values(c, 8))
    return;
  bool fits = pack == 1 || pack == 2 || pack == 4;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); i++)
    fits = fits && packs(verify_operand(c, i), pack);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); i++)
    fits = fits && packs(verify_result(c, i), pack);
  if (!fits)
    VERIFY_FAIL(c,
                "%s: pack is 1, 2 or 4 and divides the last extent, not %lld "
                "in %s",
                verify_name(c), (long long)pack,
                verify_shape(c, verify_result(c, 0)));
  else
    check_constraints(c, list, pack);
}

void neso__check_extern(verifier *c) {
  MlirStringRef symbol, library;
  if (!verify_word(c, "symbol", &symbol) ||
      !verify_word(c, "library", &library) || !check_values(c, 16))
    return;
  bool named = symbol.length > 0;
  for (size_t i = 0; i < symbol.length; i++)
    named = named && symbol.data[i] > ' ' && symbol.data[i] != 127;
  if (!named)
    VERIFY_FAIL(c, "'%.*s' cannot be the name of a function",
                (int)symbol.length, symbol.data);
}
