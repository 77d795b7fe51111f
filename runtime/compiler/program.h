/* Decoder of spec/program.md. */
#ifndef NESO_COMPILER_PROGRAM_H
#define NESO_COMPILER_PROGRAM_H

#include "pass.h"

/* A block has at most that many elements. */
#define NESO_MAX_BLOCK_ELEMENTS ((int64_t)1 << 20)
#define NESO_MAX_RANK 8

/* Builds the module of the request's program: one func.func named as the
 * kernel. Parameter names and facts are argument attributes `neso.name` and
 * `neso.facts`. Any bytes are safe: they give a module that MLIR's verifier
 * may judge, or an error. The module is the caller's. */
neso_status neso__program_decode(neso_pass_env *env, MlirModule *out_module);

#endif
