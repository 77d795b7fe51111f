/* Code of others in a kernel: what the lowering noted in the module. */
#ifndef NESO_COMPILER_FOREIGN_H
#define NESO_COMPILER_FOREIGN_H

#include "llvm.h"

/* "extern SYMBOL LIBRARY" lines of the metadata (spec/abi.md), in the arena;
 * "" when the kernel calls no outside function. */
const char *neso__foreign_externs(neso_pass_env *env, MlirModule module);

/* Links the bitcode that the kernel calls into what was made of `module`, and
 * verifies the whole where assembly or bitcode is in it. */
neso_status neso__foreign_link(neso_pass_env *env, MlirModule module,
                               neso_llvm *llvm);

#endif
