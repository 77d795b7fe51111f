/* LLVM ends the process on a fatal error; a guard turns that into a return.
 * What the guarded code held leaks, so whoever runs under a guard gives up
 * the objects it touched (context, module) when the guard was raised. */
#ifndef NESO_COMPILER_GUARD_H
#define NESO_COMPILER_GUARD_H

#include <stdbool.h>

#include "neso.h"

typedef struct neso_guard_result {
  neso_code code; /* NESO_OK: body returned */
  char text[512];
} neso_guard_result;

/* Runs body(user) with LLVM's fatal errors of this thread caught. Guards
 * nest; the innermost takes the error. Any thread. */
bool neso__guard_run(void (*body)(void *user), void *user,
                     neso_guard_result *out_result);

/* Leaves the innermost guard of this thread. Must be under one. */
_Noreturn void neso__guard_raise(neso_code code, const char *text);

#endif
