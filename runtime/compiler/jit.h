/* Objects made runnable in this process by ORC. */
#ifndef NESO_COMPILER_JIT_H
#define NESO_COMPILER_JIT_H

#include "pass.h"

typedef struct neso_linked neso_linked;

/* Links an object of the host's machine and finds neso_kernel (spec/abi.md).
 * `bytes` are copied. Any thread. */
neso_status neso__jit_link(neso_pass_env *env, const void *bytes, size_t size,
                           neso_linked **out_linked, void **out_entry);
/* The code must not be running. */
void neso__jit_unlink(neso_linked *linked);

#endif
