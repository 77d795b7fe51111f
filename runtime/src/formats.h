/* Element formats on the host: conversions between every pair of
 * dtypes. Floats round to nearest, ties to even, once. Too large a value
 * becomes infinity, NaN where the format has none (f8e4m3fn, *fnuz), 1.75 in
 * f8e4b15. Float to integer truncates and saturates, NaN gives 0; integer to
 * integer wraps; to i1 means "not equal zero". */
#ifndef NESO_SRC_FORMATS_H
#define NESO_SRC_FORMATS_H

#include "neso.h"

typedef enum neso_wide_kind {
  NESO_WIDE_FLOAT, /* f */
  NESO_WIDE_INT,   /* i */
  NESO_WIDE_UINT   /* u */
} neso_wide_kind;

/* Holds every element of every dtype exactly. */
typedef union neso_wide {
  double f;
  int64_t i;
  uint64_t u;
} neso_wide;

NESO_API neso_wide_kind neso__wide_kind_of(neso_dtype dtype);
/* Reads `count` elements that lie `stride` bytes apart. */
NESO_API void neso__decode(neso_dtype dtype, const void *source,
                           ptrdiff_t stride, size_t count,
                           neso_wide *out_values);
NESO_API void neso__encode(neso_dtype dtype, void *destination,
                           ptrdiff_t stride, size_t count, neso_wide_kind from,
                           const neso_wide *values);

#endif
