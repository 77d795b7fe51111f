#include "program.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/LLVM.h"
#include "program_reader.h"

#define MAX_DEPTH 64
#define MAX_ATTRIBUTES 16

typedef struct decoder {
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
} decoder;

static MlirStringRef text(const char *chars) {
  return mlirStringRefCreateFromCString(chars);
}

static bool fail(decoder *d, const char *error) {
  return neso__reader_fail(&d->reader, error);
}

static void *allocate(decoder *d, size_t count, size_t size) {
  return neso__arena_alloc(d->env->arena, (count + !count) * size);
}

/* ------------------------------------------------------------- tables -- */

static bool read_strings(decoder *d) {
  d->string_count = neso__reader_count(&d->reader);
  d->strings = allocate(d, d->string_count, sizeof(*d->strings));
  for (size_t i = 0; i < d->string_count; i++) {
    size_t length = neso__reader_uleb(&d->reader);
    const char *bytes = neso__reader_bytes(&d->reader, length);
    d->strings[i] = mlirStringRefCreate(bytes ? bytes : "", bytes ? length : 0);
  }
  return !d->reader.error;
}

static MlirStringRef read_string(decoder *d) {
  size_t i = neso__reader_index(&d->reader, d->string_count, "no such string");
  return d->reader.error ? text("") : d->strings[i];
}

static MlirType read_block_type(decoder *d, MlirType element) {
  int64_t shape[NESO_MAX_RANK], count = 1;
  size_t rank =
      neso__reader_index(&d->reader, NESO_MAX_RANK + 1, "rank too high");
  for (size_t i = 0; i < rank; i++) {
    uint64_t extent = neso__reader_uleb(&d->reader);
    if (!extent || extent > (uint64_t)(NESO_MAX_BLOCK_ELEMENTS / count)) {
      fail(d, "a block has 1 to 1048576 elements");
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

static MlirType read_type_record(decoder *d) {
  uint8_t kind = neso__reader_byte(&d->reader);
  MlirStringRef name = read_string(d);
  MlirType element = neso__dtype_parse(d->env->ctx, name);
  if (mlirTypeIsNull(element))
    fail(d, "no such element type");
  else if (kind == 't')
    return read_block_type(d, element);
  else if (kind == 'p')
    return mlirLLVMPointerTypeGet(d->env->ctx, 0);
  else
    fail(d, "no such kind of type");
  return mlirNoneTypeGet(d->env->ctx);
}

static bool read_types(decoder *d) {
  d->type_count = neso__reader_count(&d->reader);
  d->types = allocate(d, d->type_count, sizeof(*d->types));
  for (size_t i = 0; i < d->type_count && !d->reader.error; i++)
    d->types[i] = read_type_record(d);
  return !d->reader.error;
}

static MlirType read_type(decoder *d) {
  size_t i = neso__reader_index(&d->reader, d->type_count, "no such type");
  return d->reader.error ? mlirNoneTypeGet(d->env->ctx) : d->types[i];
}

/* ------------------------------------------------------------- values -- */

static void push_value(decoder *d, MlirValue value) {
  if (d->value_count == d->value_room) {
    size_t room = d->value_room ? d->value_room * 2 : 256;
    MlirValue *values = allocate(d, room, sizeof(*values));
    if (d->value_count)
      memcpy(values, d->values, d->value_count * sizeof(*values));
    d->values = values;
    d->value_room = room;
  }
  d->values[d->value_count++] = value;
}

static MlirValue read_value(decoder *d) {
  size_t i = neso__reader_index(&d->reader, d->value_count, "no such value");
  if (d->reader.error)
    return (MlirValue){NULL};
  if (mlirValueIsNull(d->values[i]))
    fail(d, "a value out of scope");
  return d->values[i];
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

static MlirType element_of(MlirType type) {
  return mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetElementType(type)
                                       : type;
}

static MlirAttribute read_integer(decoder *d) {
  MlirType type = read_type(d), element = element_of(type);
  MlirStringRef s = read_string(d);
  int64_t value;
  if (d->reader.error || !mlirTypeIsAInteger(element) ||
      !parse_integer(s, mlirIntegerTypeGetWidth(element), &value)) {
    fail(d, "no integer of its type");
    return mlirAttributeGetNull();
  }
  return splat(type, mlirIntegerAttrGet(element, value));
}

static MlirAttribute read_float(decoder *d) {
  MlirType type = read_type(d), element = element_of(type);
  MlirStringRef s = read_string(d);
  double value;
  if (d->reader.error || !mlirTypeIsAFloat(element) ||
      !parse_float(s, &value)) {
    fail(d, "no float of its type");
    return mlirAttributeGetNull();
  }
  return splat(type, mlirFloatAttrDoubleGet(d->env->ctx, element, value));
}

static MlirAttribute read_array(decoder *d) {
  size_t count = neso__reader_count(&d->reader);
  int64_t *items = allocate(d, count, sizeof(*items));
  for (size_t i = 0; i < count; i++)
    items[i] = neso__reader_sleb(&d->reader);
  return mlirDenseI64ArrayGet(d->env->ctx, (intptr_t)count, items);
}

static MlirAttribute read_payload(decoder *d) {
  switch (neso__reader_byte(&d->reader)) {
  case 'i':
    return read_integer(d);
  case 'f':
    return read_float(d);
  case 's':
    return mlirStringAttrGet(d->env->ctx, read_string(d));
  case 'a':
    return read_array(d);
  case 'b':
    return mlirBoolAttrGet(d->env->ctx, neso__reader_byte(&d->reader) != 0);
  case 'u':
    return mlirUnitAttrGet(d->env->ctx);
  }
  fail(d, "no such kind of attribute");
  return mlirAttributeGetNull();
}

static size_t read_attributes(decoder *d, MlirNamedAttribute *out) {
  size_t count =
      neso__reader_index(&d->reader, MAX_ATTRIBUTES + 1, "too many attributes");
  for (size_t i = 0; i < count && !d->reader.error; i++) {
    MlirStringRef name = read_string(d);
    if (!name.length)
      fail(d, "an attribute without a name");
    MlirIdentifier id =
        mlirIdentifierGet(d->env->ctx, name.length ? name : text("neso.none"));
    for (size_t j = 0; j < i; j++)
      if (mlirIdentifierEqual(out[j].name, id))
        fail(d, "the same attribute twice");
    out[i] = mlirNamedAttributeGet(id, read_payload(d));
  }
  return d->reader.error ? 0 : count;
}

/* --------------------------------------------------------- operations -- */

static bool read_region(decoder *d, MlirRegion region, neso_op terminator,
                        bool may_be_empty);

static MlirLocation next_location(decoder *d) {
  const neso_compile_request *r = d->env->request;
  size_t i = d->op_count++;
  uint32_t line = i < r->line_count ? r->lines[i] : 0;
  return line ? mlirLocationFileLineColGet(d->env->ctx, d->file, line, 0)
              : mlirLocationUnknownGet(d->env->ctx);
}

/* Operand, result and region counts as the table says. */
static bool fits_row(const neso_op_row *row, size_t operands, size_t results,
                     size_t regions) {
  return operands >= (size_t)row->min_operands &&
         (row->max_operands < 0 || operands <= (size_t)row->max_operands) &&
         (row->results < 0 || results == (size_t)row->results) &&
         regions == row->regions;
}

static bool read_regions(decoder *d, neso_op op, MlirOperation parent) {
  intptr_t count = mlirOperationGetNumRegions(parent);
  for (intptr_t i = 0; i < count; i++) {
    neso_op terminator = op == NESO_OP_SCF_WHILE && i == 0
                             ? NESO_OP_SCF_CONDITION
                             : NESO_OP_SCF_YIELD;
    if (!read_region(d, mlirOperationGetRegion(parent, i), terminator,
                     op == NESO_OP_SCF_IF && i == 1))
      return false;
  }
  return true;
}

static bool region_takes(MlirOperation op, intptr_t region,
                         intptr_t arguments) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  return mlirBlockIsNull(block) ? arguments == 0
                                : mlirBlockGetNumArguments(block) == arguments;
}

/* What MLIR's verifiers of scf take for granted. */
static bool scf_is_sound(neso_op kind, MlirOperation op) {
  intptr_t operands = mlirOperationGetNumOperands(op),
           results = mlirOperationGetNumResults(op);
  if (kind == NESO_OP_SCF_FOR)
    return results == operands - 3 && region_takes(op, 0, results + 1);
  if (kind == NESO_OP_SCF_IF)
    return region_takes(op, 0, 0) && region_takes(op, 1, 0);
  if (kind == NESO_OP_SCF_WHILE)
    return region_takes(op, 0, operands) && region_takes(op, 1, results);
  return true;
}

static MlirOperation create(decoder *d, const neso_op_row *row,
                            MlirLocation location) {
  MlirOperationState state = mlirOperationStateGet(text(row->name), location);
  size_t operand_count = neso__reader_count(&d->reader);
  MlirValue *operands = allocate(d, operand_count, sizeof(*operands));
  for (size_t i = 0; i < operand_count; i++)
    operands[i] = read_value(d);
  size_t result_count = neso__reader_count(&d->reader);
  MlirType *results = allocate(d, result_count, sizeof(*results));
  for (size_t i = 0; i < result_count; i++)
    results[i] = read_type(d);
  MlirNamedAttribute attributes[MAX_ATTRIBUTES];
  size_t attribute_count = read_attributes(d, attributes);
  size_t region_count = neso__reader_count(&d->reader);
  if (d->reader.error)
    return (MlirOperation){NULL};
  if (!fits_row(row, operand_count, result_count, region_count)) {
    fail(d, "an operation with wrong counts");
    return (MlirOperation){NULL};
  }
  mlirOperationStateAddOperands(&state, (intptr_t)operand_count, operands);
  mlirOperationStateAddResults(&state, (intptr_t)result_count, results);
  mlirOperationStateAddAttributes(&state, (intptr_t)attribute_count,
                                  attributes);
  MlirRegion *regions = allocate(d, region_count, sizeof(*regions));
  for (size_t i = 0; i < region_count; i++)
    regions[i] = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, (intptr_t)region_count, regions);
  return mlirOperationCreate(&state);
}

/* Appends the next operation to `block`. Regions are filled in place, so what
 * was built before a failure belongs to the module already. */
static neso_op read_op(decoder *d, MlirBlock block) {
  MlirStringRef name = read_string(d);
  neso_op kind = neso__op_find(name.data, name.length);
  if (kind == NESO_OP_UNKNOWN) {
    fail(d, "no such operation");
    return kind;
  }
  MlirOperation op = create(d, neso__op_row(kind), next_location(d));
  if (mlirOperationIsNull(op)) {
    fail(d, "an operation that MLIR refuses");
    return kind;
  }
  mlirBlockAppendOwnedOperation(block, op);
  if (!read_regions(d, kind, op))
    return kind;
  if (!scf_is_sound(kind, op))
    fail(d, "a loop or branch with wrong counts");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    push_value(d, mlirOperationGetResult(op, i));
  return kind;
}

static bool read_body(decoder *d, MlirBlock block, neso_op terminator) {
  size_t count = neso__reader_count(&d->reader);
  if (!count)
    return fail(d, "a region without operations");
  for (size_t i = 0; i < count && !d->reader.error; i++) {
    neso_op op = read_op(d, block);
    bool last = i + 1 == count;
    if (!d->reader.error &&
        (last ? op != terminator : neso__op_row(op)->terminator))
      fail(d, "a region must end with its terminator");
  }
  return !d->reader.error;
}

static bool read_region(decoder *d, MlirRegion region, neso_op terminator,
                        bool may_be_empty) {
  if (may_be_empty && d->reader.end - d->reader.at >= 2 && !d->reader.at[0] &&
      !d->reader.at[1]) {
    d->reader.at += 2;
    return true;
  }
  if (d->depth == MAX_DEPTH)
    return fail(d, "regions too deep");
  size_t first = d->value_count, count = neso__reader_count(&d->reader);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < count; i++)
    push_value(d, mlirBlockAddArgument(block, read_type(d),
                                       mlirLocationUnknownGet(d->env->ctx)));
  d->depth++;
  bool ok = read_body(d, block, terminator);
  d->depth--;
  for (size_t i = first; i < d->value_count; i++)
    d->values[i] = (MlirValue){NULL};
  return ok;
}

/* ----------------------------------------------------------- function -- */

static MlirAttribute param_attributes(decoder *d, MlirStringRef name,
                                      int64_t facts) {
  MlirContext ctx = d->env->ctx;
  MlirNamedAttribute named[] = {
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, text("neso.facts")),
          mlirIntegerAttrGet(mlirIntegerTypeGet(ctx, 32), facts)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, text("neso.name")),
                            mlirStringAttrGet(ctx, name)),
  };
  return mlirDictionaryAttrGet(ctx, 2, named);
}

static MlirOperation create_function(decoder *d, MlirStringRef name,
                                     MlirType type, size_t count,
                                     const MlirAttribute *params) {
  MlirContext ctx = d->env->ctx;
  MlirNamedAttribute attributes[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, text("sym_name")),
                            mlirStringAttrGet(ctx, name)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, text("function_type")),
                            mlirTypeAttrGet(type)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, text("arg_attrs")),
                            mlirArrayAttrGet(ctx, (intptr_t)count, params)),
  };
  MlirOperationState state =
      mlirOperationStateGet(text("func.func"), mlirLocationUnknownGet(ctx));
  MlirRegion region = mlirRegionCreate();
  mlirOperationStateAddAttributes(&state, 3, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

static bool read_function(decoder *d, MlirModule module) {
  MlirStringRef name = read_string(d);
  size_t count = neso__reader_count(&d->reader);
  MlirType *types = allocate(d, count, sizeof(*types));
  MlirAttribute *params = allocate(d, count, sizeof(*params));
  for (size_t i = 0; i < count; i++) {
    types[i] = read_type(d);
    MlirStringRef param = read_string(d);
    size_t facts = neso__reader_index(&d->reader, 256, "no such facts");
    params[i] = param_attributes(d, param, (int64_t)facts);
  }
  if (d->reader.error)
    return false;
  if (!name.length)
    return fail(d, "a kernel without a name");
  MlirType type =
      mlirFunctionTypeGet(d->env->ctx, (intptr_t)count, types, 0, NULL);
  MlirOperation function = create_function(d, name, type, count, params);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), function);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), body);
  for (size_t i = 0; i < count; i++)
    push_value(d, mlirBlockAddArgument(body, types[i],
                                       mlirLocationUnknownGet(d->env->ctx)));
  if (neso__reader_count(&d->reader))
    return fail(d, "arguments of the body beside the parameters");
  return read_body(d, body, NESO_OP_FUNC_RETURN);
}

neso_status neso__program_decode(neso_pass_env *env, MlirModule *out_module) {
  const neso_compile_request *r = env->request;
  decoder d = {.env = env, .file = text(r->file ? r->file : "kernel")};
  neso__reader_init(&d.reader, r->program, r->program_size);
  MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(env->ctx));
  const char *magic = neso__reader_bytes(&d.reader, 4);
  if (magic && memcmp(magic, "NTP1", 4))
    fail(&d, "is of another version");
  if (!d.reader.error && read_strings(&d) && read_types(&d) &&
      read_function(&d, module) && d.reader.at != d.reader.end)
    fail(&d, "goes on after its end");
  if (d.reader.error) {
    mlirModuleDestroy(module);
    return neso__pass_fail(env, NESO_INVALID_ARGUMENT, (MlirOperation){NULL},
                           "the tile program is damaged at byte %zu: %s",
                           d.reader.error_at, d.reader.error);
  }
  *out_module = module;
  return NULL;
}
