#include "shape.h"

#include "mlir-c/Dialect/LLVM.h"

int64_t neso__rank(MlirType type) {
  return mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetRank(type) : 0;
}

int64_t neso__extent(MlirType type, int64_t axis) {
  return mlirShapedTypeGetDimSize(type, (intptr_t)axis);
}

int64_t neso__element_count(MlirType type) {
  int64_t count = 1;
  for (int64_t i = 0; i < neso__rank(type); i++)
    count *= neso__extent(type, i);
  return count;
}

MlirType neso__element(MlirType type) {
  return mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetElementType(type)
                                       : type;
}

bool neso__same_shape(MlirType a, MlirType b) {
  int64_t rank = neso__rank(a);
  if (rank != neso__rank(b))
    return false;
  for (int64_t i = 0; i < rank; i++)
    if (neso__extent(a, i) != neso__extent(b, i))
      return false;
  return true;
}

bool neso__is_pointer(MlirType type) {
  return mlirTypeIsALLVMPointerType(type);
}

bool neso__is_int(MlirType type, unsigned bits) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}

const char *neso__shape_text(neso_arena *arena, MlirType type) {
  int64_t rank = neso__rank(type);
  if (!rank)
    return "a scalar";
  const char *text = "{";
  for (int64_t i = 0; i < rank; i++)
    text = neso__arena_format(arena, "%s%s%lld", text, i ? ", " : "",
                              (long long)neso__extent(type, i));
  return neso__arena_format(arena, "%s}", text);
}

typedef struct printed {
  neso_arena *arena;
  const char *text;
} printed;

static void append(MlirStringRef part, void *user) {
  printed *p = user;
  p->text = neso__arena_format(p->arena, "%s%.*s", p->text, (int)part.length,
                               part.data);
}

const char *neso__type_text(neso_arena *arena, MlirType type) {
  printed p = {arena, ""};
  if (neso__is_pointer(type))
    return "pointer";
  mlirTypePrint(neso__element(type), append, &p);
  return neso__rank(type)
             ? neso__arena_format(arena, "%s of %s",
                                  neso__shape_text(arena, type), p.text)
             : p.text;
}
