/* Pass neso-cpu-lower: the driver. One func.func of tile IR becomes
 * neso_kernel(args, at) -> i32 of loops over vector chunks. */
#include "lower.h"

#include <stdarg.h>
#include <string.h>

#include "mlir-c/Dialect/LLVM.h"

/* Offsets in struct neso_program_at of spec/abi.md. */
#define AT_ID 0
#define AT_COUNT 12
#define AT_SCRATCH 24

void cpu_fail(cpu_lower *l, MlirOperation op, const char *format, ...) {
  if (l->error)
    return;
  va_list values;
  va_start(values, format);
  const char *text = neso__arena_vformat(l->arena, format, values);
  va_end(values);
  l->error = neso__pass_fail(l->env, NESO_UNSUPPORTED, op, "%s", text);
}

/* ---------------------------------------------------------------- maps -- */

static size_t slot_of(const cpu_map *map, const void *key) {
  size_t i = ((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u % map->capacity;
  while (map->keys[i] && map->keys[i] != key)
    i = (i + 1) % map->capacity;
  return i;
}

static void map_put(cpu_lower *l, cpu_map *map, const void *key, void *value) {
  if (2 * map->count >= map->capacity) {
    cpu_map old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : 64;
    map->keys = NESO_ARENA_NEW(l->arena, const void *, map->capacity);
    map->values = NESO_ARENA_NEW(l->arena, void *, map->capacity);
    for (size_t i = 0; i < old.capacity; i++)
      if (old.keys[i]) {
        size_t slot = slot_of(map, old.keys[i]);
        map->keys[slot] = old.keys[i];
        map->values[slot] = old.values[i];
      }
  }
  size_t slot = slot_of(map, key);
  map->keys[slot] = key;
  map->values[slot] = value;
  map->count++;
}

static void *map_get(const cpu_map *map, const void *key) {
  return map->capacity ? map->values[slot_of(map, key)] : NULL;
}

cpu_value *cpu_value_of(cpu_lower *l, MlirValue tile) {
  return map_get(&l->values, tile.ptr);
}

cpu_value *cpu_op_operand(cpu_lower *l, MlirOperation op, intptr_t i) {
  return cpu_value_of(l, mlirOperationGetOperand(op, i));
}

cpu_value *cpu_operand(cpu_lower *l, const cpu_value *v, intptr_t i) {
  return cpu_op_operand(l, v->def, i);
}

int64_t cpu_seq(cpu_lower *l, MlirOperation op) {
  return (int64_t)(intptr_t)map_get(&l->seqs, op.ptr);
}

/* ----------------------------------------------------------- numbering -- */

static void count_block(MlirBlock block, int64_t *ops, size_t *values) {
  *values += (size_t)mlirBlockGetNumArguments(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    ++*ops;
    *values += (size_t)mlirOperationGetNumResults(op);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      MlirRegion region = mlirOperationGetRegion(op, r);
      if (!mlirBlockIsNull(mlirRegionGetFirstBlock(region)))
        count_block(mlirRegionGetFirstBlock(region), ops, values);
    }
  }
}

static cpu_value *add_value(cpu_lower *l, MlirValue tile, MlirOperation def,
                            MlirBlock block, int64_t seq) {
  cpu_value *v = NESO_ARENA_NEW(l->arena, cpu_value, 1);
  MlirType type = cpu_type(tile);
  v->tile = tile;
  v->def = def;
  v->op = mlirOperationIsNull(def) ? NESO_OP_UNKNOWN : neso__op_of(def);
  v->element = cpu_element(type);
  v->block = block;
  v->seq = seq;
  if (mlirTypeIsARankedTensor(type)) {
    v->rank = (int)mlirShapedTypeGetRank(type);
    if (v->rank > CPU_MAX_RANK)
      cpu_fail(l, def, "blocks of more than %d dimensions are not supported",
               CPU_MAX_RANK);
    for (int d = 0; d < v->rank && d < CPU_MAX_RANK; d++)
      v->shape[d] = mlirShapedTypeGetDimSize(type, d);
  }
  map_put(l, &l->values, tile.ptr, v);
  l->order[l->order_count++] = v;
  return v;
}

static void number_block(cpu_lower *l, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    add_value(l, mlirBlockGetArgument(block, i), (MlirOperation){NULL}, block,
              l->op_count);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    int64_t seq = l->op_count++;
    l->ops[seq] = op;
    map_put(l, &l->seqs, op.ptr, (void *)(intptr_t)seq);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      add_value(l, mlirOperationGetResult(op, i), op, block, seq);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      MlirRegion region = mlirOperationGetRegion(op, r);
      if (!mlirBlockIsNull(mlirRegionGetFirstBlock(region)))
        number_block(l, mlirRegionGetFirstBlock(region));
    }
    l->op_end[seq] = l->op_count - 1;
  }
}

/* ------------------------------------------------------------- scalars -- */

static MlirValue program_field(cpu_lower *l, MlirOperation op, int64_t start) {
  int64_t offset = start + 4 * cpu_attr_int(op, "axis");
  return cpu_load(&l->b, l->b.i32, cpu_gep_bytes(&l->b, l->at, offset), 4);
}

static void lower_scalar(cpu_lower *l, cpu_value *v) {
  MlirValue operands[4];
  intptr_t count = mlirOperationGetNumOperands(v->def);
  if (v->op == NESO_OP_NESO_PROGRAM_ID)
    v->scalar = program_field(l, v->def, AT_ID);
  else if (v->op == NESO_OP_NESO_NUM_PROGRAMS)
    v->scalar = program_field(l, v->def, AT_COUNT);
  else if (v->op == NESO_OP_ARITH_CONSTANT)
    v->scalar = cpu_constant_scalar(l, v->def);
  else {
    for (intptr_t i = 0; i < count && i < 4; i++)
      operands[i] = cpu_operand(l, v, i)->scalar;
    v->scalar = cpu_elementwise(l, v, operands, 0);
  }
  v->ready = true;
}

/* A block of one element made a scalar. */
static void lower_scalar_reshape(cpu_lower *l, cpu_value *v) {
  cpu_value *from = cpu_operand(l, v, 0);
  cpu_flush(l, v->seq);
  if (!from->ready) {
    cpu_buffer *buffer =
        cpu_buffer_new(l, from->element, from->rank, from->shape, 1, 0);
    cpu_materialize(l, from, buffer, v->seq);
    from->buffer = buffer;
    cpu_taken(l, from);
  }
  MlirType type = cpu_bits(v->element) == 1 ? l->b.i8 : v->element;
  v->scalar =
      cpu_load(&l->b, type, from->buffer->address, cpu_bytes(v->element));
  if (cpu_bits(v->element) == 1)
    v->scalar = cpu_cmpi(&l->b, CPU_NE, v->scalar, cpu_int(&l->b, l->b.i8, 0));
  cpu_buffer_keep(from->buffer, v->seq);
  v->ready = true;
}

/* -------------------------------------------------------------- blocks -- */

static void add_pending(cpu_lower *l, cpu_value *v) {
  cpu_value **end = &l->pending;
  while (*end)
    end = &(*end)->next_pending;
  v->next_pending = NULL;
  *end = v;
}

static void lower_lazy(cpu_lower *l, MlirOperation op) {
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  if (cpu_is_volatile(op))
    cpu_fence(&l->b);
  if (v->rank > 0) {
    if (cpu_is_volatile(op))
      cpu_take(l, v, v->seq);
    else if (v->marked)
      add_pending(l, v);
  } else if (cpu_is_load(v->op)) {
    cpu_scalar_memory(l, op);
  } else if (v->op == NESO_OP_NESO_RESHAPE && cpu_operand(l, v, 0)->rank > 0) {
    lower_scalar_reshape(l, v);
  } else {
    lower_scalar(l, v);
  }
}

static void lower_root(cpu_lower *l, MlirOperation op, cpu_output_kind kind,
                       intptr_t operand) {
  cpu_output output = {
      .kind = kind, .op = op, .value = cpu_op_operand(l, op, operand)};
  cpu_nest_root(l, output, cpu_seq(l, op));
}

static void lower_reduce(cpu_lower *l, MlirOperation op) {
  lower_root(l, op, CPU_REDUCE, 0);
}

static void lower_arg_reduce(cpu_lower *l, MlirOperation op) {
  lower_root(l, op, CPU_ARG_REDUCE, 0);
}

static void lower_store(cpu_lower *l, MlirOperation op) {
  if (cpu_op_operand(l, op, 1)->rank == 0)
    cpu_scalar_memory(l, op);
  else
    lower_root(l, op, CPU_STORE, 2);
}

static void lower_address(cpu_lower *l, MlirOperation op) {
  cpu_value *v = cpu_value_of(l, mlirOperationGetResult(op, 0));
  const char *name =
      v->op == NESO_OP_NESO_ADDRESS ? "llvm.ptrtoint" : "llvm.inttoptr";
  v->scalar = cpu_unary(&l->b, name, cpu_type(v->tile),
                        cpu_op_operand(l, op, 0)->scalar);
  v->ready = true;
}

static void lower_nothing(cpu_lower *l, MlirOperation op) {
  (void)l;
  (void)op;
}

static void lower_unknown(cpu_lower *l, MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  cpu_fail(l, op, "the cpu backend does not know %.*s", (int)name.length,
           name.data);
}

/* Operations that are lowered where they stand. The others are computed where
 * their results are used. */
static void (*const roots[NESO_OP_COUNT])(cpu_lower *, MlirOperation) = {
    [NESO_OP_UNKNOWN] = lower_unknown,
    [NESO_OP_NESO_STORE] = lower_store,
    [NESO_OP_NESO_MASKED_STORE] = lower_store,
    [NESO_OP_NESO_ADDRESS] = lower_address,
    [NESO_OP_NESO_POINTER] = lower_address,
    [NESO_OP_NESO_REDUCE] = lower_reduce,
    [NESO_OP_NESO_ARG_REDUCE] = lower_arg_reduce,
    [NESO_OP_NESO_DOT] = cpu_lower_dot,
    [NESO_OP_SCF_FOR] = cpu_lower_control,
    [NESO_OP_SCF_IF] = cpu_lower_control,
    [NESO_OP_SCF_WHILE] = cpu_lower_control,
    [NESO_OP_SCF_YIELD] = lower_nothing,
    [NESO_OP_SCF_CONDITION] = lower_nothing,
    [NESO_OP_FUNC_RETURN] = lower_nothing,
    [NESO_OP_NESO_CAT] = cpu_lower_cat,
    [NESO_OP_NESO_SLICE] = cpu_lower_slice,
    [NESO_OP_NESO_GATHER] = cpu_lower_gather,
    [NESO_OP_NESO_SORT] = cpu_lower_sort,
    [NESO_OP_NESO_HISTOGRAM] = cpu_lower_histogram,
    [NESO_OP_NESO_FOLD] = cpu_lower_fold,
    [NESO_OP_NESO_SCAN] = cpu_lower_scan,
    [NESO_OP_NESO_MAP] = cpu_lower_map,
    [NESO_OP_NESO_YIELD] = lower_nothing,
    [NESO_OP_NESO_ATOMIC_RMW] = cpu_lower_atomic,
    [NESO_OP_NESO_ATOMIC_CAS] = cpu_lower_atomic,
    [NESO_OP_NESO_BARRIER] = lower_nothing,
    [NESO_OP_NESO_PRINT] = cpu_lower_report,
    [NESO_OP_NESO_ASSERT] = cpu_lower_report,
    [NESO_OP_NESO_CHECK_ACCESS] = cpu_lower_report,
    [NESO_OP_NESO_BREAKPOINT] = cpu_lower_breakpoint,
    [NESO_OP_NESO_ASM] = cpu_lower_asm,
    [NESO_OP_NESO_ASM_PURE] = cpu_lower_asm,
    [NESO_OP_NESO_EXTERN] = cpu_lower_extern,
    [NESO_OP_NESO_EXTERN_PURE] = cpu_lower_extern,
};

bool cpu_is_lazy(neso_op op) { return !roots[op]; }

static void lower_op(cpu_lower *l, MlirOperation op) {
  neso_op kind = neso__op_of(op);
  l->b.loc = mlirOperationGetLocation(op);
  if (roots[kind])
    roots[kind](l, op);
  else
    lower_lazy(l, op);
}

void cpu_lower_block(cpu_lower *l, MlirBlock block) {
  cpu_value *before = l->taken;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !l->error;
       op = mlirOperationGetNextInBlock(op))
    lower_op(l, op);
  cpu_let_go(l, block, before);
}

/* ------------------------------------------------------------ function -- */

static MlirOperation make_function(cpu_lower *l, MlirBlock module_body) {
  cpu_builder *b = &l->b;
  MlirType inputs[] = {b->ptr, b->ptr};
  MlirLocation locations[] = {b->loc, b->loc};
  MlirType type = mlirFunctionTypeGet(b->ctx, 2, inputs, 1, &b->i32);
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "sym_name",
                mlirStringAttrGet(b->ctx, cpu_str(NESO_KERNEL_ENTRY))),
      cpu_named(b, "function_type", mlirTypeAttrGet(type))};
  MlirRegion region = mlirRegionCreate();
  l->entry = mlirBlockCreate(2, inputs, locations);
  mlirRegionAppendOwnedBlock(region, l->entry);
  MlirOperationState state =
      mlirOperationStateGet(cpu_str("func.func"), b->loc);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(module_body, op);
  return op;
}

/* Loads the parameters; gives the size of the packed block. */
static int64_t lower_parameters(cpu_lower *l, MlirBlock tile_body) {
  cpu_builder *b = &l->b;
  MlirValue args = mlirBlockGetArgument(l->entry, 0);
  int64_t offset = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(tile_body); i++) {
    cpu_value *v = cpu_value_of(l, mlirBlockGetArgument(tile_body, i));
    bool flag = cpu_bits(v->element) == 1;
    int64_t size = cpu_bytes(v->element);
    offset = (offset + size - 1) / size * size;
    v->scalar = cpu_load(b, flag ? b->i8 : v->element,
                         cpu_gep_bytes(b, args, offset), size);
    if (flag)
      v->scalar = cpu_cmpi(b, CPU_NE, v->scalar, cpu_int(b, b->i8, 0));
    v->ready = true;
    offset += size;
  }
  return offset;
}

static void lower_function(cpu_lower *l, MlirOperation module) {
  cpu_builder *b = &l->b;
  MlirBlock body = cpu_body(l->tile_func, 0);
  make_function(l, cpu_body(module, 0));
  b->block = l->entry;
  l->at = mlirBlockGetArgument(l->entry, 1);
  int64_t args = lower_parameters(l, body);
  l->scratch = cpu_load(b, b->ptr, cpu_gep_bytes(b, l->at, AT_SCRATCH), 8);
  MlirValue zero = cpu_int(b, b->i32, 0);
  l->prologue = mlirOpResultGetOwner(zero);
  cpu_lower_block(l, body);
  cpu_enter(b, l->entry);
  cpu_op(b, "func.return", 1, &zero, 0, NULL, 0, NULL);
  int64_t scratch = cpu_scratch_plan(l);
  mlirOperationSetDiscardableAttributeByName(
      module, cpu_str("neso.scratch"), mlirIntegerAttrGet(b->i64, scratch));
  mlirOperationSetDiscardableAttributeByName(module, cpu_str("neso.args"),
                                             mlirIntegerAttrGet(b->i64, args));
  if (l->reports)
    mlirOperationSetDiscardableAttributeByName(module, cpu_str("neso.reports"),
                                               mlirIntegerAttrGet(b->i64, 1));
}

static MlirOperation find_function(MlirBlock body) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (!mlirOperationIsNull(op) && !cpu_op_is(op, "func.func"))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

neso_status neso__cpu_lower(neso_pass_env *env, MlirModule module) {
  cpu_lower *l = NESO_ARENA_NEW(env->arena, cpu_lower, 1);
  l->env = env;
  l->arena = env->arena;
  l->vector_bits = (int)env->target->vector_bits;
  cpu_builder_init(&l->b, env->ctx);
  MlirOperation root = mlirModuleGetOperation(module);
  l->tile_func = find_function(mlirModuleGetBody(module));
  if (mlirOperationIsNull(l->tile_func))
    return neso__pass_fail(env, NESO_INTERNAL, root, "no kernel to lower");

  int64_t ops = 0;
  size_t values = 0;
  count_block(cpu_body(l->tile_func, 0), &ops, &values);
  l->ops = NESO_ARENA_NEW(l->arena, MlirOperation, ops + 1);
  l->op_end = NESO_ARENA_NEW(l->arena, int64_t, ops + 1);
  l->order = NESO_ARENA_NEW(l->arena, cpu_value *, values + 1);
  number_block(l, cpu_body(l->tile_func, 0));
  if (l->error)
    return l->error;
  cpu_plan(l);
  lower_function(l, root);
  if (l->error)
    return l->error;
  mlirOperationDestroy(l->tile_func);
  return NULL;
}
