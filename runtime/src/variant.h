#ifndef NESO_SRC_VARIANT_H
#define NESO_SRC_VARIANT_H

#include "kernel.h"

void *neso__variant_code(const neso_variant *variant);
size_t neso__variant_packed_size(const neso_variant *variant);

/* The number after `key` in metadata, or `otherwise`. */
uint64_t neso__metadata_number(const char *metadata, const char *key,
                               uint64_t otherwise);

#endif
