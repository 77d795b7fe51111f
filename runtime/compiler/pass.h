/* What a pass of ours sees. Passes are plain functions named in passes.c. */
#ifndef NESO_COMPILER_PASS_H
#define NESO_COMPILER_PASS_H

#include "arena.h"
#include "compiler/compiler.h"
#include "diagnostics.h"
#include "mlir-c/IR.h"
#include "ops.h"
#include "target.h"

typedef struct neso_compile_context neso_compile_context;

typedef struct neso_pass_env {
  MlirContext ctx;
  const neso_compile_request *request; /* borrowed */
  const neso_target *target;           /* borrowed; what code is made for */
  neso_arena *arena;                   /* borrowed; dies with the compile */
  neso_compile_context *context;       /* borrowed; owner of ctx */
  neso_diagnostics *diagnostics;       /* borrowed; what MLIR said */
  const char *stage;                   /* borrowed; what runs now */
  const char *pass;                    /* borrowed; NULL between passes */
} neso_pass_env;

/* Changes `module` in place. NULL, or an error made by the two functions
 * below. May leave `module` broken when it fails. */
typedef neso_status (*neso_pass_fn)(neso_pass_env *env, MlirModule module);

/* The own pass of that name, NULL when there is none. */
neso_pass_fn neso__pass_find(const char *name);

/* An error in the user's terms: "file:line: kernel 'k': message", from the
 * line of `op` (which may be null). */
neso_status neso__pass_fail(neso_pass_env *env, neso_code code,
                            MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same after a call into MLIR failed: adds what MLIR's diagnostics said,
 * then the stage and the pass. */
neso_status neso__pass_fail_mlir(neso_pass_env *env, neso_code code,
                                 const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Runs a stage's pass string: own passes by name, runs of others as one MLIR
 * pipeline. Verifies after each when the request says so. */
neso_status neso__pipeline_run(neso_pass_env *env, MlirModule module,
                               const char *passes);

/* verify.c: the rules of every neso operation; pass `neso-verify`. */
neso_status neso__verify(neso_pass_env *env, MlirModule module);

#endif
