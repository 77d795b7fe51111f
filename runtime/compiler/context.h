/* MLIR contexts with all that is costly to make: dialects, pipelines, target
 * machine. A compile takes one for itself; idle ones are kept. */
#ifndef NESO_COMPILER_CONTEXT_H
#define NESO_COMPILER_CONTEXT_H

#include "diagnostics.h"
#include "mlir-c/Pass.h"
#include "target.h"

typedef struct neso_compile_context neso_compile_context;

/* An idle context or a new one; NULL when memory is short. Any thread, under
 * a guard. */
neso_compile_context *neso__context_acquire(void);
/* Keeps the context for the next compile, or destroys it. */
void neso__context_release(neso_compile_context *context);

MlirContext neso__context_mlir(neso_compile_context *context);
/* What MLIR said since the last clear. */
neso_diagnostics *neso__context_diagnostics(neso_compile_context *context);
/* The target of that string; valid until the next call on `context`. */
neso_status neso__context_target(neso_compile_context *context,
                                 const char *text,
                                 const neso_target **out_target);
/* The manager of a textual pipeline of module passes; a null one, with the
 * reason in the diagnostics, when it does not parse. */
MlirPassManager neso__context_pipeline(neso_compile_context *context,
                                       const char *passes);

#endif
