/* Pass neso-cpu-layout: gives every block type its encoding {chunk = [...]}:
 * how many elements of each dimension one vector step covers. */
#include "lower.h"

#include <string.h>

/* Registers of the widest kind that one step of an f32 chain fills. */
#define REGISTERS_A_STEP 2
#define MIN_LANES 8

static int64_t round_up_pow2(int64_t n) {
  int64_t p = 1;
  while (p < n)
    p *= 2;
  return p;
}

static int choose_dim(const int64_t *shape, int rank, int64_t lanes) {
  int best = -1;
  for (int d = rank - 1; d >= 0; d--) {
    if (shape[d] > 1 && 2 * shape[d] >= lanes)
      return d;
    if (shape[d] > 1 && (best < 0 || shape[d] > shape[best]))
      best = d;
  }
  return best;
}

static MlirType with_chunk(cpu_builder *b, MlirType type, int64_t lanes) {
  int rank = (int)mlirShapedTypeGetRank(type);
  int64_t shape[CPU_MAX_RANK], chunk[CPU_MAX_RANK];
  for (int d = 0; d < rank; d++) {
    shape[d] = mlirShapedTypeGetDimSize(type, d);
    chunk[d] = 1;
  }
  int dim = choose_dim(shape, rank, lanes);
  if (dim >= 0) {
    int64_t fit = round_up_pow2(shape[dim]);
    chunk[dim] = fit < lanes ? fit : lanes;
  }
  MlirNamedAttribute named =
      cpu_named(b, "chunk", mlirDenseI64ArrayGet(b->ctx, rank, chunk));
  return mlirRankedTensorTypeGet(rank, shape, cpu_element(type),
                                 mlirDictionaryAttrGet(b->ctx, 1, &named));
}

int cpu_layout_read(MlirType type, int64_t *out_lanes) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  *out_lanes = 0;
  if (mlirAttributeIsNull(encoding) || !mlirAttributeIsADictionary(encoding))
    return -1;
  MlirAttribute chunk =
      mlirDictionaryAttrGetElementByName(encoding, cpu_str("chunk"));
  if (mlirAttributeIsNull(chunk))
    return -1;
  for (int d = 0; d < (int)mlirDenseArrayGetNumElements(chunk); d++) {
    *out_lanes = mlirDenseI64ArrayGetElement(chunk, d);
    if (*out_lanes > 1)
      return d;
  }
  *out_lanes = 0;
  return -1;
}

typedef struct layout_state {
  cpu_builder b;
  int64_t widest; /* bits of the widest data element */
  int64_t lanes;
} layout_state;

static void note_width(layout_state *s, MlirType type) {
  int64_t bits = cpu_bits(cpu_element(type));
  if (bits > s->widest)
    s->widest = bits;
}

static MlirWalkResult find_widest(MlirOperation op, void *user) {
  layout_state *s = user;
  neso_op kind = neso__op_of(op);
  if (cpu_is_store(kind))
    note_width(s, cpu_type(mlirOperationGetOperand(op, 2)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirType type = cpu_type(mlirOperationGetResult(op, i));
    if (mlirTypeIsARankedTensor(type) &&
        (cpu_is_load(kind) || cpu_is_float(cpu_element(type))))
      note_width(s, type);
  }
  return MlirWalkResultAdvance;
}

static bool is_block(MlirType type) { return mlirTypeIsARankedTensor(type); }

static void set_constant(MlirOperation op, MlirType type) {
  MlirAttribute value = cpu_attr(op, "value");
  if (!mlirAttributeIsADenseElements(value) ||
      !mlirDenseElementsAttrIsSplat(value))
    return;
  MlirAttribute element = mlirDenseElementsAttrGetSplatValue(value);
  mlirOperationSetInherentAttributeByName(
      op, cpu_str("value"), mlirDenseElementsAttrSplatGet(type, element));
}

static void set_block(layout_state *s, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (is_block(cpu_type(argument)))
      mlirBlockArgumentSetType(argument,
                               with_chunk(&s->b, cpu_type(argument), s->lanes));
  }
}

static MlirWalkResult set_types(MlirOperation op, void *user) {
  layout_state *s = user;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (!is_block(cpu_type(result)))
      continue;
    MlirType type = with_chunk(&s->b, cpu_type(result), s->lanes);
    mlirValueSetType(result, type);
    if (cpu_op_is(op, "arith.constant"))
      set_constant(op, type);
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      set_block(s, block);
  return MlirWalkResultAdvance;
}

neso_status neso__cpu_layout(neso_pass_env *env, MlirModule module) {
  layout_state s = {.widest = 8};
  cpu_builder_init(&s.b, env->ctx);
  MlirOperation root = mlirModuleGetOperation(module);
  mlirOperationWalk(root, find_widest, &s, MlirWalkPreOrder);
  if (s.widest < 32)
    s.widest = 32;
  s.lanes = env->target->vector_bits * REGISTERS_A_STEP / s.widest;
  if (s.lanes < MIN_LANES)
    s.lanes = MIN_LANES;
  mlirOperationWalk(root, set_types, &s, MlirWalkPreOrder);
  return NULL;
}
