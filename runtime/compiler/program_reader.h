/* Bounds-checked reading of a tile program's bytes (spec/program.md). A
 * failed read gives 0 and every later read fails too, so callers check once. */
#ifndef NESO_COMPILER_PROGRAM_READER_H
#define NESO_COMPILER_PROGRAM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct neso_reader {
  const uint8_t *start, *at, *end; /* borrowed */
  const char *error;               /* static; NULL while all went well */
  size_t error_at;                 /* offset of the first failure */
} neso_reader;

void neso__reader_init(neso_reader *reader, const void *bytes, size_t size);
/* Notes the first failure; returns false. */
bool neso__reader_fail(neso_reader *reader, const char *error);
uint8_t neso__reader_byte(neso_reader *reader);
uint64_t neso__reader_uleb(neso_reader *reader);
int64_t neso__reader_sleb(neso_reader *reader);
/* A count of things of at least one byte each. */
size_t neso__reader_count(neso_reader *reader);
/* A number below `limit`. */
size_t neso__reader_index(neso_reader *reader, size_t limit, const char *error);
/* `length` bytes, borrowed; NULL when there are not as many. */
const char *neso__reader_bytes(neso_reader *reader, size_t length);

#endif
