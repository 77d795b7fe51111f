/* The compiler without the dynamic library around it, for tests and tools. */
#ifndef NESO_COMPILER_ENTRY_H
#define NESO_COMPILER_ENTRY_H

#include "compiler/compiler.h"

/* As neso_compiler_open: NULL when `host` is unusable. */
const neso_compiler *neso__compiler_table(const neso_compiler_host *host);

#endif
