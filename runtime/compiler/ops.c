#include "ops.h"

#include <pthread.h>
#include <string.h>

static const neso_op_row rows[NESO_OP_COUNT] = {
#define NESO_OP(id, name, low, high, results, effect, regions, terminator)     \
  [NESO_OP_##id] =                                                             \
      {name,           low, high, results, NESO_EFFECT_##effect, regions,      \
       terminator != 0},
#include "neso_ops.h"
};

/* Open addressing; more than twice as many slots as operations. */
#define SLOTS 1024
_Static_assert(NESO_OP_COUNT * 2 < SLOTS, "enlarge SLOTS");
static uint16_t slots[SLOTS];

static uint32_t hash(const char *name, size_t length) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < length; i++)
    h = (h ^ (uint8_t)name[i]) * 16777619u;
  return h;
}

static void fill_slots(void) {
  for (int op = 1; op < NESO_OP_COUNT; op++) {
    uint32_t at = hash(rows[op].name, strlen(rows[op].name)) % SLOTS;
    while (slots[at])
      at = (at + 1) % SLOTS;
    slots[at] = (uint16_t)op;
  }
}

neso_op neso__op_find(const char *name, size_t length) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_slots);
  for (uint32_t at = hash(name, length) % SLOTS; slots[at];
       at = (at + 1) % SLOTS) {
    const char *candidate = rows[slots[at]].name;
    if (strlen(candidate) == length && !memcmp(candidate, name, length))
      return (neso_op)slots[at];
  }
  return NESO_OP_UNKNOWN;
}

neso_op neso__op_of(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return neso__op_find(name.data, name.length);
}

const neso_op_row *neso__op_row(neso_op op) {
  return op > NESO_OP_UNKNOWN && op < NESO_OP_COUNT ? &rows[op] : NULL;
}
