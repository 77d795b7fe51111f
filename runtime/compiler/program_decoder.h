/* Inside of the decoder: its state, and the parts below operations. */
#ifndef NESO_COMPILER_PROGRAM_DECODER_H
#define NESO_COMPILER_PROGRAM_DECODER_H

#include "pass.h"
#include "program_reader.h"

#define NESO_MAX_ATTRIBUTES 16

typedef struct neso_decoder {
  neso_reader reader;
  neso_pass_env *env; /* borrowed */
  MlirStringRef file;
  MlirStringRef *strings; /* in the arena, as is all below */
  size_t string_count;
  MlirType *types;
  size_t type_count;
  MlirValue *values; /* by number; null ones are out of scope */
  size_t value_count, value_room;
  size_t op_count;
  unsigned depth;
} neso_decoder;

static inline MlirStringRef neso__decoder_text(const char *chars) {
  return mlirStringRefCreateFromCString(chars);
}
/* Notes the first error; returns false. */
bool neso__decoder_fail(neso_decoder *d, const char *error);
/* Zeroed, in the arena; never NULL. */
void *neso__decoder_alloc(neso_decoder *d, size_t count, size_t size);

/* After an error these give values that may be used and mean nothing. */
bool neso__decoder_tables(neso_decoder *d);
MlirStringRef neso__decoder_string(neso_decoder *d);
MlirType neso__decoder_type(neso_decoder *d);
/* Fills at most NESO_MAX_ATTRIBUTES; returns how many. */
size_t neso__decoder_attributes(neso_decoder *d, MlirNamedAttribute *out);

#endif
