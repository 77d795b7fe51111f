/* Types of tile IR as the user knows them: scalars, blocks, pointers. */
#ifndef NESO_COMPILER_SHAPE_H
#define NESO_COMPILER_SHAPE_H

#include <stdbool.h>

#include "arena.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

/* Rank of a block, 0 of anything else. */
int64_t neso__rank(MlirType type);
int64_t neso__extent(MlirType type, int64_t axis);
/* Elements of a block, 1 of a scalar. */
int64_t neso__element_count(MlirType type);
/* Element of a block, `type` itself otherwise. */
MlirType neso__element(MlirType type);
bool neso__same_shape(MlirType a, MlirType b);
bool neso__is_pointer(MlirType type);
bool neso__is_int(MlirType type, unsigned bits);

/* "{128, 64}"; "a scalar". In the arena. */
const char *neso__shape_text(neso_arena *arena, MlirType type);
/* "{128, 64} of f32"; "f32". In the arena. */
const char *neso__type_text(neso_arena *arena, MlirType type);

#endif
