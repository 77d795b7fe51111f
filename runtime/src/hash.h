#ifndef NESO_SRC_HASH_H
#define NESO_SRC_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct neso_hash {
  uint64_t low, high;
} neso_hash;

/* XXH3. Finds damage and spreads keys; no defence against forgers. */
uint64_t neso__hash64(const void *bytes, size_t size);
neso_hash neso__hash128(const void *bytes, size_t size);
/* 32 hexadecimal digits and a zero. */
void neso__hash_text(neso_hash hash, char out_text[33]);

#endif
