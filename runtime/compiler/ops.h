/* The operations of the tile IR, from spec/ops.lua. */
#ifndef NESO_COMPILER_OPS_H
#define NESO_COMPILER_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum neso_op {
  NESO_OP_UNKNOWN,
#define NESO_OP(id, name, low, high, results, effect, regions, terminator)     \
  NESO_OP_##id,
#include "neso_ops.h"
  NESO_OP_COUNT
} neso_op;

typedef enum neso_effect {
  NESO_EFFECT_NONE,
  NESO_EFFECT_READ,
  NESO_EFFECT_WRITE
} neso_effect;

/* Counts of -1 mean any number. */
typedef struct neso_op_row {
  const char *name;
  int16_t min_operands, max_operands, results;
  uint8_t effect; /* neso_effect */
  uint8_t regions;
  bool terminator;
} neso_op_row;

/* NESO_OP_UNKNOWN for a name outside the table. */
neso_op neso__op_find(const char *name, size_t length);
neso_op neso__op_of(MlirOperation op);
/* Static; NULL for NESO_OP_UNKNOWN. */
const neso_op_row *neso__op_row(neso_op op);

#ifdef __cplusplus
}
#endif

#endif
