/* The user of the library, as neso_compiler_open was told. */
#ifndef NESO_COMPILER_HOST_H
#define NESO_COMPILER_HOST_H

#include "compiler/compiler.h"

/* Set before the first compile; every caller passes libneso's own functions,
 * so the last one stands for all. */
void neso__host_set(const neso_compiler_host *host);

/* A status of libneso. Any thread. */
neso_status neso__fail(neso_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
