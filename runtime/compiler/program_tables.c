/* Tables and attributes of the tile program. */
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/LLVM.h"
#include "program.h"
#include "program_decoder.h"
#include "shape.h"

bool neso__decoder_fail(neso_decoder *d, const char *error) {
  return neso__reader_fail(&d->reader, error);
}

void *neso__decoder_alloc(neso_decoder *d, size_t count, size_t size) {
  return neso__arena_alloc(d->env->arena, (count + !count) * size);
}

/* ------------------------------------------------------------- tables -- */

static bool read_strings(neso_decoder *d) {
  d->string_count = neso__reader_count(&d->reader);
  d->strings = neso__decoder_alloc(d, d->string_count, sizeof(*d->strings));
  for (size_t i = 0; i < d->string_count; i++) {
    size_t length = neso__reader_uleb(&d->reader);
    const char *bytes = neso__reader_bytes(&d->reader, length);
    d->strings[i] = mlirStringRefCreate(bytes ? bytes : "", bytes ? length : 0);
  }
  return !d->reader.error;
}

MlirStringRef neso__decoder_string(neso_decoder *d) {
  size_t i = neso__reader_index(&d->reader, d->string_count, "no such string");
  return d->reader.error ? neso__decoder_text("") : d->strings[i];
}

static MlirType read_block_type(neso_decoder *d, MlirType element) {
  int64_t shape[NESO_MAX_RANK], count = 1;
  size_t rank =
      neso__reader_index(&d->reader, NESO_MAX_RANK + 1, "rank too high");
  for (size_t i = 0; i < rank; i++) {
    uint64_t extent = neso__reader_uleb(&d->reader);
    if (!extent || extent > (uint64_t)(NESO_MAX_BLOCK_ELEMENTS / count)) {
      neso__decoder_fail(d, "a block has 1 to 1048576 elements");
      return element;
    }
    shape[i] = (int64_t)extent;
    count *= shape[i];
  }
  if (!rank)
    return element;
  return mlirRankedTensorTypeGet((intptr_t)rank, shape, element,
                                 mlirAttributeGetNull());
}

static MlirType read_type_record(neso_decoder *d) {
  uint8_t kind = neso__reader_byte(&d->reader);
  MlirStringRef name = neso__decoder_string(d);
  MlirType element = neso__dtype_parse(d->env->ctx, name);
  if (mlirTypeIsNull(element))
    neso__decoder_fail(d, "no such element type");
  else if (kind == 't')
    return read_block_type(d, element);
  else if (kind == 'p')
    return mlirLLVMPointerTypeGet(d->env->ctx, 0);
  else
    neso__decoder_fail(d, "no such kind of type");
  return mlirNoneTypeGet(d->env->ctx);
}

static bool read_types(neso_decoder *d) {
  d->type_count = neso__reader_count(&d->reader);
  d->types = neso__decoder_alloc(d, d->type_count, sizeof(*d->types));
  for (size_t i = 0; i < d->type_count && !d->reader.error; i++)
    d->types[i] = read_type_record(d);
  return !d->reader.error;
}

MlirType neso__decoder_type(neso_decoder *d) {
  size_t i = neso__reader_index(&d->reader, d->type_count, "no such type");
  return d->reader.error ? mlirNoneTypeGet(d->env->ctx) : d->types[i];
}

bool neso__decoder_tables(neso_decoder *d) {
  return read_strings(d) && read_types(d);
}

/* --------------------------------------------------------- attributes -- */

static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The whole of `s` as a number, whatever the host's locale. */
static bool parse_float(MlirStringRef s, double *out_value) {
  char buffer[64], *end;
  if (!s.length || s.length >= sizeof(buffer))
    return false;
  memcpy(buffer, s.data, s.length);
  buffer[s.length] = 0;
  pthread_once(&locale_once, make_locale);
  *out_value = strtod_l(buffer, &end, c_locale);
  return end == buffer + s.length;
}

/* Signed or unsigned text that fits `bits`; gives it sign-extended. */
static bool parse_integer(MlirStringRef s, unsigned bits, int64_t *out_value) {
  char buffer[32], *end;
  if (!s.length || s.length >= sizeof(buffer))
    return false;
  memcpy(buffer, s.data, s.length);
  buffer[s.length] = 0;
  errno = 0;
  if (buffer[0] == '-') {
    *out_value = strtoll(buffer, &end, 10);
    if (bits < 64 && *out_value < -((int64_t)1 << (bits - 1)))
      return false;
  } else {
    uint64_t value = strtoull(buffer, &end, 10);
    if (bits < 64 && value >> bits)
      return false;
    *out_value = (int64_t)value;
  }
  *out_value = (int64_t)((uint64_t)*out_value << (64 - bits)) >> (64 - bits);
  return !errno && end == buffer + s.length;
}

static MlirAttribute splat(MlirType type, MlirAttribute element) {
  return mlirTypeIsARankedTensor(type)
             ? mlirDenseElementsAttrSplatGet(type, element)
             : element;
}

static MlirAttribute read_integer(neso_decoder *d) {
  MlirType type = neso__decoder_type(d), element = neso__element(type);
  MlirStringRef s = neso__decoder_string(d);
  int64_t value;
  if (d->reader.error || !mlirTypeIsAInteger(element) ||
      !parse_integer(s, mlirIntegerTypeGetWidth(element), &value)) {
    neso__decoder_fail(d, "no integer of its type");
    return mlirAttributeGetNull();
  }
  return splat(type, mlirIntegerAttrGet(element, value));
}

static MlirAttribute read_float(neso_decoder *d) {
  MlirType type = neso__decoder_type(d), element = neso__element(type);
  MlirStringRef s = neso__decoder_string(d);
  double value;
  if (d->reader.error || !mlirTypeIsAFloat(element) ||
      !parse_float(s, &value)) {
    neso__decoder_fail(d, "no float of its type");
    return mlirAttributeGetNull();
  }
  return splat(type, mlirFloatAttrDoubleGet(d->env->ctx, element, value));
}

static MlirAttribute read_array(neso_decoder *d) {
  size_t count = neso__reader_count(&d->reader);
  int64_t *items = neso__decoder_alloc(d, count, sizeof(*items));
  for (size_t i = 0; i < count; i++)
    items[i] = neso__reader_sleb(&d->reader);
  return mlirDenseI64ArrayGet(d->env->ctx, (intptr_t)count, items);
}

static MlirAttribute read_payload(neso_decoder *d) {
  switch (neso__reader_byte(&d->reader)) {
  case 'i':
    return read_integer(d);
  case 'f':
    return read_float(d);
  case 's':
    return mlirStringAttrGet(d->env->ctx, neso__decoder_string(d));
  case 'a':
    return read_array(d);
  case 'b':
    return mlirBoolAttrGet(d->env->ctx, neso__reader_byte(&d->reader) != 0);
  case 'u':
    return mlirUnitAttrGet(d->env->ctx);
  }
  neso__decoder_fail(d, "no such kind of attribute");
  return mlirAttributeGetNull();
}

size_t neso__decoder_attributes(neso_decoder *d, MlirNamedAttribute *out) {
  size_t count = neso__reader_index(&d->reader, NESO_MAX_ATTRIBUTES + 1,
                                    "too many attributes");
  for (size_t i = 0; i < count && !d->reader.error; i++) {
    MlirStringRef name = neso__decoder_string(d);
    if (!name.length)
      neso__decoder_fail(d, "an attribute without a name");
    MlirIdentifier id = mlirIdentifierGet(
        d->env->ctx, name.length ? name : neso__decoder_text("neso.none"));
    for (size_t j = 0; j < i; j++)
      if (mlirIdentifierEqual(out[j].name, id))
        neso__decoder_fail(d, "the same attribute twice");
    out[i] = mlirNamedAttributeGet(id, read_payload(d));
  }
  return d->reader.error ? 0 : count;
}
