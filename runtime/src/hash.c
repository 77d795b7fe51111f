#include "hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t neso__hash64(const void *bytes, size_t size) {
  return XXH3_64bits(bytes, size);
}

neso_hash neso__hash128(const void *bytes, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(bytes, size);
  return (neso_hash){hash.low64, hash.high64};
}

void neso__hash_text(neso_hash hash, char out_text[33]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 32; i++) {
    uint64_t word = i < 16 ? hash.high : hash.low;
    out_text[i] = digits[word >> (60 - i % 16 * 4) & 15];
  }
  out_text[32] = 0;
}
