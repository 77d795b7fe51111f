#include "program.h"

#include <string.h>

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "program_decoder.h"

#define MAX_DEPTH 64

/* ------------------------------------------------------------- values -- */

static void push_value(neso_decoder *d, MlirValue value) {
  if (d->value_count == d->value_room) {
    size_t room = d->value_room ? d->value_room * 2 : 256;
    MlirValue *values = neso__decoder_alloc(d, room, sizeof(*values));
    if (d->value_count)
      memcpy(values, d->values, d->value_count * sizeof(*values));
    d->values = values;
    d->value_room = room;
  }
  d->values[d->value_count++] = value;
}

static MlirValue read_value(neso_decoder *d) {
  size_t i = neso__reader_index(&d->reader, d->value_count, "no such value");
  if (d->reader.error)
    return (MlirValue){NULL};
  if (mlirValueIsNull(d->values[i]))
    neso__decoder_fail(d, "a value out of scope");
  return d->values[i];
}

/* --------------------------------------------------------- operations -- */

static bool read_region(neso_decoder *d, MlirRegion region, neso_op terminator,
                        bool may_be_empty);

static MlirLocation next_location(neso_decoder *d) {
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

static neso_op terminator_of(neso_op parent, intptr_t region) {
  switch (parent) {
  case NESO_OP_SCF_WHILE:
    return region == 0 ? NESO_OP_SCF_CONDITION : NESO_OP_SCF_YIELD;
  case NESO_OP_NESO_FOLD:
  case NESO_OP_NESO_SCAN:
  case NESO_OP_NESO_MAP:
    return NESO_OP_NESO_YIELD;
  default:
    return NESO_OP_SCF_YIELD;
  }
}

static bool read_regions(neso_decoder *d, neso_op op, MlirOperation parent) {
  intptr_t count = mlirOperationGetNumRegions(parent);
  for (intptr_t i = 0; i < count; i++) {
    if (!read_region(d, mlirOperationGetRegion(parent, i), terminator_of(op, i),
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

/* By its place an operation finds its line again when the kernel runs. */
static void set_site(neso_decoder *d, neso_op op, MlirOperation operation,
                     size_t place) {
  if (op == NESO_OP_NESO_PRINT || op == NESO_OP_NESO_ASSERT ||
      op == NESO_OP_NESO_CHECK_ACCESS)
    mlirOperationSetDiscardableAttributeByName(
        operation, neso__decoder_text("neso.site"),
        mlirIntegerAttrGet(mlirIntegerTypeGet(d->env->ctx, 64),
                           (int64_t)place));
}

static MlirOperation create(neso_decoder *d, const neso_op_row *row,
                            MlirLocation location) {
  MlirOperationState state =
      mlirOperationStateGet(neso__decoder_text(row->name), location);
  size_t operand_count = neso__reader_count(&d->reader);
  MlirValue *operands =
      neso__decoder_alloc(d, operand_count, sizeof(*operands));
  for (size_t i = 0; i < operand_count; i++)
    operands[i] = read_value(d);
  size_t result_count = neso__reader_count(&d->reader);
  MlirType *results = neso__decoder_alloc(d, result_count, sizeof(*results));
  for (size_t i = 0; i < result_count; i++)
    results[i] = neso__decoder_type(d);
  MlirNamedAttribute attributes[NESO_MAX_ATTRIBUTES];
  size_t attribute_count = neso__decoder_attributes(d, attributes);
  size_t region_count = neso__reader_count(&d->reader);
  if (d->reader.error)
    return (MlirOperation){NULL};
  if (!fits_row(row, operand_count, result_count, region_count)) {
    neso__decoder_fail(d, "an operation with wrong counts");
    return (MlirOperation){NULL};
  }
  mlirOperationStateAddOperands(&state, (intptr_t)operand_count, operands);
  mlirOperationStateAddResults(&state, (intptr_t)result_count, results);
  mlirOperationStateAddAttributes(&state, (intptr_t)attribute_count,
                                  attributes);
  MlirRegion *regions = neso__decoder_alloc(d, region_count, sizeof(*regions));
  for (size_t i = 0; i < region_count; i++)
    regions[i] = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, (intptr_t)region_count, regions);
  return mlirOperationCreate(&state);
}

/* Appends the next operation to `block`. Regions are filled in place, so what
 * was built before a failure belongs to the module already. */
static neso_op read_op(neso_decoder *d, MlirBlock block) {
  MlirStringRef name = neso__decoder_string(d);
  neso_op kind = neso__op_find(name.data, name.length);
  if (kind == NESO_OP_UNKNOWN) {
    neso__decoder_fail(d, "no such operation");
    return kind;
  }
  size_t place = d->op_count;
  MlirOperation op = create(d, neso__op_row(kind), next_location(d));
  if (mlirOperationIsNull(op)) {
    neso__decoder_fail(d, "an operation that MLIR refuses");
    return kind;
  }
  mlirBlockAppendOwnedOperation(block, op);
  set_site(d, kind, op, place);
  if (!read_regions(d, kind, op))
    return kind;
  if (!scf_is_sound(kind, op))
    neso__decoder_fail(d, "a loop or branch with wrong counts");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    push_value(d, mlirOperationGetResult(op, i));
  return kind;
}

static bool read_body(neso_decoder *d, MlirBlock block, neso_op terminator) {
  size_t count = neso__reader_count(&d->reader);
  if (!count)
    return neso__decoder_fail(d, "a region without operations");
  for (size_t i = 0; i < count && !d->reader.error; i++) {
    neso_op op = read_op(d, block);
    bool last = i + 1 == count;
    if (!d->reader.error &&
        (last ? op != terminator : neso__op_row(op)->terminator))
      neso__decoder_fail(d, "a region must end with its terminator");
  }
  return !d->reader.error;
}

static bool read_region(neso_decoder *d, MlirRegion region, neso_op terminator,
                        bool may_be_empty) {
  if (may_be_empty && d->reader.end - d->reader.at >= 2 && !d->reader.at[0] &&
      !d->reader.at[1]) {
    d->reader.at += 2;
    return true;
  }
  if (d->depth == MAX_DEPTH)
    return neso__decoder_fail(d, "regions too deep");
  size_t first = d->value_count, count = neso__reader_count(&d->reader);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < count; i++)
    push_value(d, mlirBlockAddArgument(block, neso__decoder_type(d),
                                       mlirLocationUnknownGet(d->env->ctx)));
  d->depth++;
  bool ok = read_body(d, block, terminator);
  d->depth--;
  for (size_t i = first; i < d->value_count; i++)
    d->values[i] = (MlirValue){NULL};
  return ok;
}

/* ----------------------------------------------------------- function -- */

static MlirAttribute param_attributes(neso_decoder *d, MlirStringRef name,
                                      int64_t facts) {
  MlirContext ctx = d->env->ctx;
  MlirNamedAttribute named[] = {
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, neso__decoder_text("neso.facts")),
          mlirIntegerAttrGet(mlirIntegerTypeGet(ctx, 32), facts)),
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, neso__decoder_text("neso.name")),
          mlirStringAttrGet(ctx, name)),
  };
  return mlirDictionaryAttrGet(ctx, 2, named);
}

static MlirOperation create_function(neso_decoder *d, MlirStringRef name,
                                     MlirType type, size_t count,
                                     const MlirAttribute *params) {
  MlirContext ctx = d->env->ctx;
  MlirNamedAttribute attributes[] = {
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, neso__decoder_text("sym_name")),
          mlirStringAttrGet(ctx, name)),
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, neso__decoder_text("function_type")),
          mlirTypeAttrGet(type)),
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, neso__decoder_text("arg_attrs")),
          mlirArrayAttrGet(ctx, (intptr_t)count, params)),
  };
  MlirOperationState state = mlirOperationStateGet(
      neso__decoder_text("func.func"), mlirLocationUnknownGet(ctx));
  MlirRegion region = mlirRegionCreate();
  mlirOperationStateAddAttributes(&state, 3, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

static bool read_function(neso_decoder *d, MlirModule module) {
  MlirStringRef name = neso__decoder_string(d);
  size_t count = neso__reader_count(&d->reader);
  MlirType *types = neso__decoder_alloc(d, count, sizeof(*types));
  MlirAttribute *params = neso__decoder_alloc(d, count, sizeof(*params));
  for (size_t i = 0; i < count; i++) {
    types[i] = neso__decoder_type(d);
    if (!d->reader.error && mlirTypeIsARankedTensor(types[i]))
      neso__decoder_fail(d, "a parameter that is a block");
    MlirStringRef param = neso__decoder_string(d);
    size_t facts = neso__reader_index(&d->reader, 256, "no such facts");
    params[i] = param_attributes(d, param, (int64_t)facts);
  }
  if (d->reader.error)
    return false;
  if (!name.length)
    return neso__decoder_fail(d, "a kernel without a name");
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
    return neso__decoder_fail(d, "arguments of the body beside the parameters");
  return read_body(d, body, NESO_OP_FUNC_RETURN);
}

neso_status neso__program_decode(neso_pass_env *env, MlirModule *out_module) {
  const neso_compile_request *r = env->request;
  neso_decoder d = {.env = env,
                    .file = neso__decoder_text(r->file ? r->file : "kernel")};
  neso__reader_init(&d.reader, r->program, r->program_size);
  MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(env->ctx));
  const char *magic = neso__reader_bytes(&d.reader, 4);
  if (magic && memcmp(magic, "NTP1", 4))
    neso__decoder_fail(&d, "is of another version");
  if (!d.reader.error && neso__decoder_tables(&d) &&
      read_function(&d, module) && d.reader.at != d.reader.end)
    neso__decoder_fail(&d, "goes on after its end");
  if (d.reader.error) {
    mlirModuleDestroy(module);
    return neso__pass_fail(env, NESO_INVALID_ARGUMENT, (MlirOperation){NULL},
                           "the tile program is damaged at byte %zu: %s",
                           d.reader.error_at, d.reader.error);
  }
  *out_module = module;
  return NULL;
}
