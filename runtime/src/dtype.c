#include "neso.h"

#include <string.h>

static const struct {
  const char *name;
  size_t size;
} rows[NESO_DTYPE_COUNT] = {
    [NESO_I1] = {"i1", 1},
    [NESO_I8] = {"i8", 1},
    [NESO_I16] = {"i16", 2},
    [NESO_I32] = {"i32", 4},
    [NESO_I64] = {"i64", 8},
    [NESO_U8] = {"u8", 1},
    [NESO_U16] = {"u16", 2},
    [NESO_U32] = {"u32", 4},
    [NESO_U64] = {"u64", 8},
    [NESO_F16] = {"f16", 2},
    [NESO_BF16] = {"bf16", 2},
    [NESO_F32] = {"f32", 4},
    [NESO_F64] = {"f64", 8},
    [NESO_F8E5M2] = {"f8e5m2", 1},
    [NESO_F8E4M3FN] = {"f8e4m3fn", 1},
    [NESO_F8E4B15] = {"f8e4b15", 1},
    [NESO_F8E4M3FNUZ] = {"f8e4m3fnuz", 1},
    [NESO_F8E5M2FNUZ] = {"f8e5m2fnuz", 1},
};

const char *neso_dtype_name(neso_dtype dtype) {
  return (unsigned)dtype < NESO_DTYPE_COUNT ? rows[dtype].name : "?";
}

size_t neso_dtype_size(neso_dtype dtype) {
  return (unsigned)dtype < NESO_DTYPE_COUNT ? rows[dtype].size : 0;
}

bool neso_dtype_parse(const char *name, neso_dtype *out_dtype) {
  for (int i = 0; name && i < NESO_DTYPE_COUNT; i++)
    if (!strcmp(rows[i].name, name)) {
      *out_dtype = (neso_dtype)i;
      return true;
    }
  return false;
}
