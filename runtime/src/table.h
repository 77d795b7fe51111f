/* The variants of a kernel that are in memory: found by key, bounded, the
 * least recently used leaves first. A launch holds a reference to its
 * variant, so leaving the table never ends one in flight. */
#ifndef NESO_SRC_TABLE_H
#define NESO_SRC_TABLE_H

#include "context.h"

#define NESO_TABLE_LIMIT 256

typedef struct neso_table neso_table;

neso_table *neso__table_new(neso_context *context);
void neso__table_delete(neso_table *table);
/* A reference to the variant of `key`, or NULL. `out_generation` is for
 * neso__table_put: what was resolved before a clear is not kept. */
neso_variant *neso__table_find(neso_table *table, const void *key, size_t size,
                               uint64_t hash, unsigned *out_generation);
void neso__table_put(neso_table *table, const void *key, size_t size,
                     uint64_t hash, unsigned generation, neso_variant *variant);
void neso__table_clear(neso_table *table);
size_t neso__table_count(neso_table *table);

#endif
