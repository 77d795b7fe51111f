/* Inside the verifier of the neso operations; verify_<topic>.c hold its
 * checks. */
#ifndef NESO_COMPILER_VERIFY_H
#define NESO_COMPILER_VERIFY_H

#include "mlir-c/BuiltinAttributes.h"
#include "pass.h"

typedef struct verifier {
  neso_pass_env *env;
  MlirOperation op;
  neso_status status; /* the first error */
} verifier;

#define VERIFY_FAIL(c, ...)                                                    \
  ((c)->status =                                                               \
       neso__pass_fail((c)->env, NESO_COMPILE_ERROR, (c)->op, __VA_ARGS__))

/* Types, and texts for messages (in the arena). */
MlirType verify_operand(verifier *c, intptr_t i);
MlirType verify_result(verifier *c, intptr_t i);
const char *verify_shape(verifier *c, MlirType type);
const char *verify_type(verifier *c, MlirType type);
const char *verify_name(verifier *c);
MlirAttribute verify_attribute(verifier *c, const char *name);

/* False after a failure. */
bool verify_i32(verifier *c, const char *name, int64_t *out);
bool verify_word(verifier *c, const char *name, MlirStringRef *out);
bool verify_bool(verifier *c, const char *name);
bool verify_block(verifier *c, MlirType type);
bool verify_same_element(verifier *c, MlirType a, MlirType b);
bool verify_axis(verifier *c, int64_t limit, MlirType type, int64_t *out_axis);

/* Whether `word` stands in a space separated list. */
bool verify_listed(MlirStringRef word, const char *list);
/* Whether `to` is `from` without `axis`. */
bool verify_without_axis(MlirType from, MlirType to, int64_t axis);

void neso__check_program(verifier *c);
void neso__check_arange(verifier *c);
void neso__check_broadcast(verifier *c);
void neso__check_expand_dims(verifier *c);
void neso__check_reshape(verifier *c);
void neso__check_trans(verifier *c);
void neso__check_from_f8(verifier *c);
void neso__check_to_f8(verifier *c);
void neso__check_narrowed(verifier *c);
void neso__check_load(verifier *c);
void neso__check_masked_load(verifier *c);
void neso__check_store(verifier *c);
void neso__check_masked_store(verifier *c);
void neso__check_address(verifier *c);
void neso__check_pointer(verifier *c);
void neso__check_reduce(verifier *c);
void neso__check_arg_reduce(verifier *c);
void neso__check_dot(verifier *c);
void neso__check_fold(verifier *c);
void neso__check_scan(verifier *c);
void neso__check_map(verifier *c);
void neso__check_atomic_rmw(verifier *c);
void neso__check_atomic_cas(verifier *c);
void neso__check_cat(verifier *c);
void neso__check_slice(verifier *c);
void neso__check_gather(verifier *c);
void neso__check_sort(verifier *c);
void neso__check_histogram(verifier *c);
void neso__check_print(verifier *c);
void neso__check_assert(verifier *c);
void neso__check_check_access(verifier *c);
void neso__check_asm(verifier *c);
void neso__check_extern(verifier *c);

#endif
