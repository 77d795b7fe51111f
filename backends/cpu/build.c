#include "build.h"

#include <limits.h>
#include <string.h>

#include "mlir-c/Dialect/LLVM.h"

#define SEQ_CST 7 /* of the llvm dialect's orderings */

void cpu_builder_init(cpu_builder *b, MlirContext ctx) {
  memset(b, 0, sizeof *b);
  b->ctx = ctx;
  b->loc = mlirLocationUnknownGet(ctx);
  b->i1 = mlirIntegerTypeGet(ctx, 1);
  b->i8 = mlirIntegerTypeGet(ctx, 8);
  b->i16 = mlirIntegerTypeGet(ctx, 16);
  b->i32 = mlirIntegerTypeGet(ctx, 32);
  b->i64 = mlirIntegerTypeGet(ctx, 64);
  b->f16 = mlirF16TypeGet(ctx);
  b->bf16 = mlirBF16TypeGet(ctx);
  b->f32 = mlirF32TypeGet(ctx);
  b->f64 = mlirF64TypeGet(ctx);
  b->ptr = mlirLLVMPointerTypeGet(ctx, 0);
}

static void insert(cpu_builder *b, MlirOperation op) {
  if (mlirOperationIsNull(b->before))
    mlirBlockAppendOwnedOperation(b->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
}

MlirOperation cpu_op(cpu_builder *b, const char *name, intptr_t operand_count,
                     const MlirValue *operands, intptr_t result_count,
                     const MlirType *results, intptr_t attribute_count,
                     const MlirNamedAttribute *attributes) {
  MlirOperationState state = mlirOperationStateGet(cpu_str(name), b->loc);
  mlirOperationStateAddOperands(&state, operand_count, operands);
  mlirOperationStateAddResults(&state, result_count, results);
  mlirOperationStateAddAttributes(&state, attribute_count, attributes);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  return op;
}

static MlirValue value_of(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

MlirValue cpu_unary(cpu_builder *b, const char *name, MlirType result,
                    MlirValue x) {
  return value_of(cpu_op(b, name, 1, &x, 1, &result, 0, NULL));
}

MlirValue cpu_binary(cpu_builder *b, const char *name, MlirValue x,
                     MlirValue y) {
  MlirValue operands[] = {x, y};
  MlirType type = cpu_type(x);
  return value_of(cpu_op(b, name, 2, operands, 1, &type, 0, NULL));
}

MlirValue cpu_fma(cpu_builder *b, MlirValue x, MlirValue y, MlirValue z) {
  MlirValue operands[] = {x, y, z};
  MlirType type = cpu_type(x);
  return value_of(cpu_op(b, "math.fma", 3, operands, 1, &type, 0, NULL));
}

MlirValue cpu_select(cpu_builder *b, MlirValue condition, MlirValue x,
                     MlirValue y) {
  MlirValue operands[] = {condition, x, y};
  MlirType type = cpu_type(x);
  return value_of(cpu_op(b, "arith.select", 3, operands, 1, &type, 0, NULL));
}

static MlirValue compare(cpu_builder *b, const char *name, int predicate,
                         MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  MlirType type = cpu_vector(b->i1, cpu_lanes(cpu_type(x)));
  MlirNamedAttribute attribute =
      cpu_named(b, "predicate", mlirIntegerAttrGet(b->i64, predicate));
  return value_of(cpu_op(b, name, 2, operands, 1, &type, 1, &attribute));
}

MlirValue cpu_cmpi(cpu_builder *b, int predicate, MlirValue x, MlirValue y) {
  return compare(b, "arith.cmpi", predicate, x, y);
}

MlirValue cpu_cmpf(cpu_builder *b, int predicate, MlirValue x, MlirValue y) {
  return compare(b, "arith.cmpf", predicate, x, y);
}

static MlirValue constant(cpu_builder *b, MlirType type,
                          MlirAttribute element) {
  MlirAttribute value = mlirTypeIsAVector(type)
                            ? mlirDenseElementsAttrSplatGet(type, element)
                            : element;
  MlirNamedAttribute attribute = cpu_named(b, "value", value);
  return value_of(
      cpu_op(b, "arith.constant", 0, NULL, 1, &type, 1, &attribute));
}

MlirValue cpu_int(cpu_builder *b, MlirType type, int64_t value) {
  MlirType element = cpu_element(type);
  MlirAttribute attribute = cpu_bits(element) == 1
                                ? mlirBoolAttrGet(b->ctx, (int)(value & 1))
                                : mlirIntegerAttrGet(element, value);
  return constant(b, type, attribute);
}

MlirValue cpu_float(cpu_builder *b, MlirType type, double value) {
  return constant(b, type,
                  mlirFloatAttrDoubleGet(b->ctx, cpu_element(type), value));
}

MlirValue cpu_zero(cpu_builder *b, MlirType type) {
  return cpu_is_float(cpu_element(type)) ? cpu_float(b, type, 0.0)
                                         : cpu_int(b, type, 0);
}

MlirValue cpu_index(cpu_builder *b, int64_t value) {
  return cpu_int(b, b->i64, value);
}

MlirValue cpu_iota(cpu_builder *b, MlirType element, int64_t lanes) {
  MlirAttribute elements[1024];
  for (int64_t i = 0; i < lanes; i++)
    elements[i] = mlirIntegerAttrGet(element, i);
  MlirType type = cpu_vector(element, lanes);
  MlirNamedAttribute attribute =
      cpu_named(b, "value", mlirDenseElementsAttrGet(type, lanes, elements));
  return value_of(
      cpu_op(b, "arith.constant", 0, NULL, 1, &type, 1, &attribute));
}

MlirValue cpu_splat(cpu_builder *b, MlirValue value, int64_t lanes) {
  if (lanes == 0)
    return value;
  return cpu_unary(b, "vector.broadcast", cpu_vector(cpu_type(value), lanes),
                   value);
}

MlirValue cpu_resize(cpu_builder *b, MlirValue value, MlirType element,
                     bool is_signed) {
  MlirType type = cpu_type(value);
  unsigned from = cpu_bits(cpu_element(type)), to = cpu_bits(element);
  MlirType result = cpu_vector(element, cpu_lanes(type));
  if (from == to)
    return value;
  if (from > to)
    return cpu_unary(b, "arith.trunci", result, value);
  return cpu_unary(b, is_signed ? "arith.extsi" : "arith.extui", result, value);
}

MlirValue cpu_gep(cpu_builder *b, MlirValue base, MlirValue index,
                  MlirType element) {
  int32_t dynamic = INT32_MIN;
  MlirValue operands[] = {base, index};
  int64_t lanes = cpu_lanes(cpu_type(index));
  MlirType type = cpu_vector(b->ptr, lanes);
  MlirType counted = cpu_bits(element) == 1 ? b->i8 : element;
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "elem_type", mlirTypeAttrGet(counted)),
      cpu_named(b, "rawConstantIndices",
                mlirDenseI32ArrayGet(b->ctx, 1, &dynamic))};
  return value_of(
      cpu_op(b, "llvm.getelementptr", 2, operands, 1, &type, 2, attributes));
}

MlirValue cpu_gep_bytes(cpu_builder *b, MlirValue base, int64_t bytes) {
  return bytes == 0 ? base : cpu_gep(b, base, cpu_index(b, bytes), b->i8);
}

MlirValue cpu_load(cpu_builder *b, MlirType type, MlirValue address,
                   int64_t align) {
  MlirNamedAttribute attribute =
      cpu_named(b, "alignment", mlirIntegerAttrGet(b->i64, align));
  return value_of(cpu_op(b, "llvm.load", 1, &address, 1, &type, 1, &attribute));
}

void cpu_fence(cpu_builder *b) {
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "ordering", mlirIntegerAttrGet(b->i64, SEQ_CST)),
      cpu_named(b, "syncscope",
                mlirStringAttrGet(b->ctx, cpu_str("singlethread")))};
  cpu_op(b, "llvm.fence", 0, NULL, 0, NULL, 2, attributes);
}

void cpu_store(cpu_builder *b, MlirValue value, MlirValue address,
               int64_t align) {
  MlirNamedAttribute attribute =
      cpu_named(b, "alignment", mlirIntegerAttrGet(b->i64, align));
  MlirValue operands[] = {value, address};
  cpu_op(b, "llvm.store", 2, operands, 0, NULL, 1, &attribute);
}

static MlirNamedAttribute one_integer(cpu_builder *b, const char *name,
                                      int64_t value) {
  MlirAttribute attribute = mlirIntegerAttrGet(b->i64, value);
  return cpu_named(b, name, mlirArrayAttrGet(b->ctx, 1, &attribute));
}

MlirValue cpu_slice(cpu_builder *b, MlirValue x, int64_t from, int64_t lanes) {
  MlirNamedAttribute attributes[] = {one_integer(b, "offsets", from),
                                     one_integer(b, "sizes", lanes),
                                     one_integer(b, "strides", 1)};
  MlirType type = cpu_vector(cpu_element(cpu_type(x)), lanes);
  return value_of(cpu_op(b, "vector.extract_strided_slice", 1, &x, 1, &type, 3,
                         attributes));
}

MlirValue cpu_put_slice(cpu_builder *b, MlirValue x, MlirValue part,
                        int64_t from) {
  MlirNamedAttribute attributes[] = {one_integer(b, "offsets", from),
                                     one_integer(b, "strides", 1)};
  MlirValue operands[] = {part, x};
  MlirType type = cpu_type(x);
  return value_of(cpu_op(b, "vector.insert_strided_slice", 2, operands, 1,
                         &type, 2, attributes));
}

MlirValue cpu_any_lane(cpu_builder *b, MlirValue lanes) {
  MlirNamedAttribute kind = cpu_named(
      b, "kind", mlirAttributeParseGet(b->ctx, cpu_str("#vector.kind<or>")));
  return value_of(
      cpu_op(b, "vector.reduction", 1, &lanes, 1, &b->i1, 1, &kind));
}

MlirValue cpu_intrinsic(cpu_builder *b, const char *name, MlirType result,
                        intptr_t count, const MlirValue *operands) {
  int32_t sizes[] = {(int32_t)count, 0};
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "intrin", mlirStringAttrGet(b->ctx, cpu_str(name))),
      cpu_named(b, "op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
      cpu_named(b, "operandSegmentSizes",
                mlirDenseI32ArrayGet(b->ctx, 2, sizes))};
  return value_of(cpu_op(b, "llvm.call_intrinsic", count, operands, 1, &result,
                         3, attributes));
}

static MlirRegion region_with_block(intptr_t count, const MlirType *types,
                                    MlirLocation loc) {
  MlirLocation locations[64];
  for (intptr_t i = 0; i < count; i++)
    locations[i] = loc;
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(count, types, locations));
  return region;
}

MlirOperation cpu_for(cpu_builder *b, MlirValue low, MlirValue high,
                      MlirValue step, intptr_t count, const MlirValue *inits) {
  MlirValue operands[64] = {low, high, step};
  MlirType types[64] = {cpu_type(low)};
  for (intptr_t i = 0; i < count; i++) {
    operands[3 + i] = inits[i];
    types[1 + i] = cpu_type(inits[i]);
  }
  MlirRegion region = region_with_block(1 + count, types, b->loc);
  MlirOperationState state = mlirOperationStateGet(cpu_str("scf.for"), b->loc);
  mlirOperationStateAddOperands(&state, 3 + count, operands);
  mlirOperationStateAddResults(&state, count, types + 1);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  return op;
}

MlirOperation cpu_if(cpu_builder *b, MlirValue condition, intptr_t count,
                     const MlirType *results) {
  MlirRegion regions[] = {region_with_block(0, NULL, b->loc),
                          region_with_block(0, NULL, b->loc)};
  MlirOperationState state = mlirOperationStateGet(cpu_str("scf.if"), b->loc);
  mlirOperationStateAddOperands(&state, 1, &condition);
  mlirOperationStateAddResults(&state, count, results);
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  return op;
}

MlirOperation cpu_while(cpu_builder *b, intptr_t count, const MlirValue *inits,
                        intptr_t result_count, const MlirType *results) {
  MlirType types[64];
  for (intptr_t i = 0; i < count; i++)
    types[i] = cpu_type(inits[i]);
  MlirRegion regions[] = {region_with_block(count, types, b->loc),
                          region_with_block(result_count, results, b->loc)};
  MlirOperationState state =
      mlirOperationStateGet(cpu_str("scf.while"), b->loc);
  mlirOperationStateAddOperands(&state, count, inits);
  mlirOperationStateAddResults(&state, result_count, results);
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  return op;
}

void cpu_enter(cpu_builder *b, MlirBlock block) {
  b->block = block;
  b->before = (MlirOperation){NULL};
}

MlirBlock cpu_body(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

void cpu_yield(cpu_builder *b, MlirBlock block, intptr_t count,
               const MlirValue *values) {
  cpu_builder at = *b;
  cpu_enter(&at, block);
  cpu_op(&at, "scf.yield", count, values, 0, NULL, 0, NULL);
}

MlirNamedAttribute cpu_named(cpu_builder *b, const char *name,
                             MlirAttribute attribute) {
  return mlirNamedAttributeGet(mlirIdentifierGet(b->ctx, cpu_str(name)),
                               attribute);
}

MlirAttribute cpu_i32_attr(cpu_builder *b, int64_t value) {
  return mlirIntegerAttrGet(b->i32, value);
}

MlirType cpu_vector(MlirType element, int64_t lanes) {
  return lanes == 0 ? element : mlirVectorTypeGet(1, &lanes, element);
}

MlirType cpu_element(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

int64_t cpu_lanes(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetDimSize(type, 0) : 0;
}

bool cpu_is_float(MlirType element) { return mlirTypeIsAFloat(element); }

unsigned cpu_bits(MlirType element) {
  if (mlirTypeIsAFloat(element))
    return mlirFloatTypeGetWidth(element);
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 64;
}

int64_t cpu_bytes(MlirType element) {
  return ((int64_t)cpu_bits(element) + 7) / 8;
}

bool cpu_op_is(MlirOperation op, const char *name) {
  MlirStringRef text = mlirIdentifierStr(mlirOperationGetName(op));
  return text.length == strlen(name) &&
         memcmp(text.data, name, text.length) == 0;
}

MlirAttribute cpu_attr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, cpu_str(name));
}

int64_t cpu_attr_int(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(cpu_attr(op, name));
}
