/* A compile: the stages of a request, one after the other. */
#ifndef NESO_COMPILER_STAGES_H
#define NESO_COMPILER_STAGES_H

#include "jit.h"
#include "pass.h"

/* Fills `out_result`; on an error it holds nothing. Under a guard. */
neso_status neso__stages_run(neso_pass_env *env,
                             neso_compile_result *out_result);

#endif
