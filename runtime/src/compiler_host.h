#ifndef NESO_SRC_COMPILER_HOST_H
#define NESO_SRC_COMPILER_HOST_H

#include "context.h"

/* Opens libneso_compiler at the first call; it is never closed. */
neso_status neso__compiler_open(neso_context *context,
                                const neso_compiler **out_compiler);

#endif
