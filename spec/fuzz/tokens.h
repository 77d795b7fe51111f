#ifndef NESO_FUZZ_TOKENS_H
#define NESO_FUZZ_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_words {
  const char **items;
  size_t count;
} fuzz_words;

/* Writes a variant of `data` to `out`: tokens and lines replaced, removed,
 * moved, or taken from `other`; at most `room` bytes. Gives its size. */
size_t fuzz_tokens_mutate(const uint8_t *data, size_t size,
                          const uint8_t *other, size_t other_size,
                          const fuzz_words *words, uint32_t seed, uint8_t *out,
                          size_t room);

#endif
