/* Element types of the tile program by name. */
#ifndef NESO_COMPILER_DTYPE_H
#define NESO_COMPILER_DTYPE_H

#include "mlir-c/IR.h"

/* A null type for a name that is none. */
MlirType neso__dtype_parse(MlirContext ctx, MlirStringRef name);
/* Bits of a scalar integer or float type, 0 for any other. */
unsigned neso__dtype_bits(MlirType type);

#endif
