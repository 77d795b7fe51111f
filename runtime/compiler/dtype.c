#include "dtype.h"

#include <string.h>

#include "mlir-c/BuiltinTypes.h"

static const struct {
  const char *name;
  MlirType (*get)(MlirContext ctx);
} floats[] = {
    {"f16", mlirF16TypeGet},
    {"bf16", mlirBF16TypeGet},
    {"f32", mlirF32TypeGet},
    {"f64", mlirF64TypeGet},
};

static const struct {
  const char *name;
  unsigned bits;
} integers[] = {{"i1", 1}, {"i8", 8}, {"i16", 16}, {"i32", 32}, {"i64", 64}};

static bool same(MlirStringRef name, const char *text) {
  return name.length == strlen(text) && !memcmp(name.data, text, name.length);
}

MlirType neso__dtype_parse(MlirContext ctx, MlirStringRef name) {
  for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++)
    if (same(name, integers[i].name))
      return mlirIntegerTypeGet(ctx, integers[i].bits);
  for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
    if (same(name, floats[i].name))
      return floats[i].get(ctx);
  return (MlirType){NULL};
}

unsigned neso__dtype_bits(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}
