/* Code that is not neso's, element by element: assembly, C functions. */
#include "lower.h"

#include <string.h>

#include "mlir-c/Dialect/LLVM.h"

#define MAX_VALUES 16
#define MAX_WORDS 64

typedef struct foreign {
  cpu_lower *l;
  MlirOperation op;
  int64_t seq, pack; /* elements a call; 1: scalars, else vectors */
  int inputs, outputs;
  void (*emit)(struct foreign *f, const MlirValue *x, MlirValue *y);
} foreign;

static const char *text_of(foreign *f, const char *name) {
  MlirStringRef text = mlirStringAttrGetValue(cpu_attr(f->op, name));
  return neso__arena_copy(f->l->arena, text.data, text.length);
}

static cpu_value *output(foreign *f, int i) {
  return cpu_value_of(f->l, mlirOperationGetResult(f->op, i));
}

static MlirOperation module_of(cpu_lower *l) {
  return mlirOperationGetParentOperation(l->tile_func);
}

/* Tells the stages behind that code of others is in it. */
static void note(cpu_lower *l, const char *name, MlirAttribute value) {
  mlirOperationSetDiscardableAttributeByName(module_of(l), cpu_str(name),
                                             value);
}

/* ------------------------------------------------------------ elements -- */

static void body(cpu_walk *w, const MlirValue *at, int64_t lanes) {
  foreign *f = w->user;
  MlirValue x[MAX_VALUES], y[MAX_VALUES];
  for (int i = 0; i < f->inputs; i++)
    x[i] = cpu_load_element(f->l, cpu_op_operand(f->l, f->op, i)->element,
                            at[i], lanes);
  f->emit(f, x, y);
  for (int i = 0; i < f->outputs && !f->l->error; i++)
    cpu_store_element(f->l, y[i], at[f->inputs + i]);
}

static void blocks(foreign *f, const cpu_value *shaped) {
  cpu_lower *l = f->l;
  cpu_walk w = {.l = l,
                .rank = shaped->rank,
                .shape = shaped->shape,
                .axis = -1,
                .lanes = f->pack > 1 ? f->pack : 0,
                .body = body,
                .user = f};
  for (int i = 0; i < f->inputs; i++) {
    cpu_value *x = cpu_op_operand(l, f->op, i);
    cpu_take(l, x, f->seq);
    cpu_walk_add(&w, x->buffer, false);
  }
  for (int i = 0; i < f->outputs; i++)
    cpu_walk_add(&w, cpu_result_buffer(l, output(f, i)), false);
  if (!l->error)
    cpu_walk_run(&w);
}

static void run(foreign *f) {
  cpu_lower *l = f->l;
  const cpu_value *shaped =
      f->inputs ? cpu_op_operand(l, f->op, 0) : output(f, 0);
  MlirValue x[MAX_VALUES], y[MAX_VALUES];
  cpu_flush(l, f->seq);
  if (shaped->rank > 0) {
    blocks(f, shaped);
  } else {
    for (int i = 0; i < f->inputs; i++)
      x[i] = cpu_op_operand(l, f->op, i)->scalar;
    f->emit(f, x, y);
  }
  for (int i = 0; i < f->outputs && !l->error; i++) {
    if (shaped->rank == 0)
      output(f, i)->scalar = y[i];
    output(f, i)->ready = true;
  }
}

static foreign start(cpu_lower *l, MlirOperation op) {
  return (foreign){.l = l,
                   .op = op,
                   .seq = cpu_seq(l, op),
                   .pack = 1,
                   .inputs = (int)mlirOperationGetNumOperands(op),
                   .outputs = (int)mlirOperationGetNumResults(op)};
}

/* ------------------------------------------------------------ assembly -- */

static MlirValue lane(cpu_builder *b, MlirValue x, int64_t i) {
  MlirType element = cpu_element(cpu_type(x));
  MlirNamedAttribute at =
      cpu_named(b, "static_position", mlirDenseI64ArrayGet(b->ctx, 1, &i));
  return mlirOperationGetResult(
      cpu_op(b, "vector.extract", 1, &x, 1, &element, 1, &at), 0);
}

static MlirValue from_lanes(cpu_builder *b, MlirType vector,
                            const MlirValue *lanes) {
  MlirValue out = cpu_zero(b, vector);
  for (int64_t i = 0; i < cpu_lanes(vector); i++) {
    MlirNamedAttribute at =
        cpu_named(b, "static_position", mlirDenseI64ArrayGet(b->ctx, 1, &i));
    MlirValue operands[] = {lanes[i], out};
    out = mlirOperationGetResult(
        cpu_op(b, "vector.insert", 2, operands, 1, &vector, 1, &at), 0);
  }
  return out;
}

/* Registers that `pack` elements take: elements below 32 bits share them. */
static int word_count(foreign *f, MlirType element) {
  int64_t bits = cpu_bits(element);
  if (bits >= 32)
    return (int)f->pack;
  return (int)((bits * f->pack + 31) / 32);
}

static MlirType word_type(foreign *f, MlirType element) {
  return cpu_bits(element) < 32 ? f->l->b.i32 : element;
}

/* An integer with the bits of x, elements of fewer than 32 bits. */
static MlirType bits_of(foreign *f, MlirType element) {
  return mlirIntegerTypeGet(f->l->b.ctx, cpu_bits(element) * (unsigned)f->pack);
}

static void to_words(foreign *f, MlirValue x, MlirType element,
                     MlirValue *out) {
  cpu_builder *b = &f->l->b;
  int count = word_count(f, element);
  if (cpu_bits(element) >= 32) {
    for (int i = 0; i < count; i++)
      out[i] = f->pack > 1 ? lane(b, x, i) : x;
    return;
  }
  if (count > 1) {
    x = cpu_unary(b, "llvm.bitcast", cpu_vector(b->i32, count), x);
    for (int i = 0; i < count; i++)
      out[i] = lane(b, x, i);
    return;
  }
  MlirType bits = bits_of(f, element);
  if (!mlirTypeEqual(cpu_type(x), bits))
    x = cpu_unary(b, "llvm.bitcast", bits, x);
  out[0] = cpu_resize(b, x, b->i32, false);
}

static MlirValue from_words(foreign *f, MlirType element,
                            const MlirValue *words) {
  cpu_builder *b = &f->l->b;
  MlirType type = f->pack > 1 ? cpu_vector(element, f->pack) : element;
  int count = word_count(f, element);
  if (cpu_bits(element) >= 32)
    return f->pack > 1 ? from_lanes(b, type, words) : words[0];
  if (count > 1)
    return cpu_unary(b, "llvm.bitcast", type,
                     from_lanes(b, cpu_vector(b->i32, count), words));
  MlirValue x = cpu_resize(b, words[0], bits_of(f, element), false);
  return mlirTypeEqual(cpu_type(x), type)
             ? x
             : cpu_unary(b, "llvm.bitcast", type, x);
}

/* "\1x86_64\2text\1nvidia\2text", or one text for every processor. */
static const char *text_for_target(foreign *f) {
  const char *all = text_of(f, "text"), *triple = f->l->env->target->triple;
  size_t length = strcspn(triple, "-");
  if (*all != '\1')
    return all;
  for (const char *at = all; *at == '\1';) {
    const char *name = at + 1, *text = strchr(name, '\2');
    size_t size = text ? strcspn(text, "\1") : 0;
    if (!text)
      break;
    if ((size_t)(text - name) == length && !memcmp(name, triple, length))
      return neso__arena_copy(f->l->arena, text + 1, size - 1);
    at = text + size;
  }
  cpu_fail(f->l, f->op, "the assembly has no text for %.*s", (int)length,
           triple);
  return "";
}

static MlirValue part_of(cpu_builder *b, MlirValue whole, MlirType type,
                         int64_t i) {
  MlirNamedAttribute position =
      cpu_named(b, "position", mlirDenseI64ArrayGet(b->ctx, 1, &i));
  return mlirOperationGetResult(
      cpu_op(b, "llvm.extractvalue", 1, &whole, 1, &type, 1, &position), 0);
}

static MlirValue inline_asm(foreign *f, int count, const MlirValue *words,
                            MlirType type) {
  cpu_builder *b = &f->l->b;
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "asm_string",
                mlirStringAttrGet(b->ctx, cpu_str(text_for_target(f)))),
      cpu_named(b, "constraints", cpu_attr(f->op, "constraints")),
      cpu_named(b, "has_side_effects", mlirUnitAttrGet(b->ctx))};
  bool pure = neso__op_of(f->op) == NESO_OP_NESO_ASM_PURE;
  return mlirOperationGetResult(cpu_op(b, "llvm.inline_asm", count, words, 1,
                                       &type, pure ? 2 : 3, attributes),
                                0);
}

static void emit_asm(foreign *f, const MlirValue *x, MlirValue *y) {
  cpu_builder *b = &f->l->b;
  MlirValue words[MAX_WORDS], results[MAX_WORDS];
  MlirType types[MAX_WORDS];
  int count = 0, result_count = 0;
  for (int i = 0; i < f->inputs; i++) {
    MlirType element = cpu_op_operand(f->l, f->op, i)->element;
    to_words(f, x[i], element, words + count);
    count += word_count(f, element);
  }
  for (int i = 0; i < f->outputs; i++)
    for (int k = word_count(f, output(f, i)->element); k > 0; k--)
      types[result_count++] = word_type(f, output(f, i)->element);
  MlirType type =
      result_count == 1
          ? types[0]
          : mlirLLVMStructTypeLiteralGet(b->ctx, result_count, types, false);
  MlirValue whole = inline_asm(f, count, words, type);
  for (int i = 0; i < result_count; i++)
    results[i] = result_count == 1 ? whole : part_of(b, whole, types[i], i);
  for (int i = 0, at = 0; i < f->outputs; i++) {
    y[i] = from_words(f, output(f, i)->element, results + at);
    at += word_count(f, output(f, i)->element);
  }
}

void cpu_lower_asm(cpu_lower *l, MlirOperation op) {
  foreign f = start(l, op);
  f.pack = cpu_attr_int(op, "pack");
  f.emit = emit_asm;
  note(l, "neso.foreign", mlirUnitAttrGet(l->b.ctx));
  run(&f);
}

/* ----------------------------------------------------------- functions -- */

/* Number of `line` in the module's list `name`, added where it is new. */
static int listed(cpu_lower *l, const char *name, MlirAttribute line) {
  MlirAttribute list =
      mlirOperationGetDiscardableAttributeByName(module_of(l), cpu_str(name));
  intptr_t count =
      mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  MlirAttribute *lines = NESO_ARENA_NEW(l->arena, MlirAttribute, count + 1);
  for (intptr_t i = 0; i < count; i++) {
    lines[i] = mlirArrayAttrGetElement(list, i);
    if (mlirAttributeEqual(lines[i], line))
      return (int)i;
  }
  lines[count] = line;
  note(l, name, mlirArrayAttrGet(l->b.ctx, count + 1, lines));
  return (int)count;
}

/* The name in the object: that of a function in bitcode is its own, others are
 * numbered (spec/abi.md). */
static const char *object_name(foreign *f) {
  cpu_lower *l = f->l;
  const char *symbol = text_of(f, "symbol");
  MlirAttribute library = cpu_attr(f->op, "library");
  MlirStringRef text = mlirStringAttrGetValue(library);
  if (text.length > 2 && !memcmp(text.data, "bc:", 3)) {
    MlirAttribute pair[] = {cpu_attr(f->op, "symbol"), library};
    listed(l, "neso.bitcode", mlirArrayAttrGet(l->b.ctx, 2, pair));
    return symbol;
  }
  const char *line = neso__arena_format(l->arena, "%s %.*s", symbol,
                                        (int)text.length, text.data);
  int number =
      listed(l, "neso.externs", mlirStringAttrGet(l->b.ctx, cpu_str(line)));
  return neso__arena_format(l->arena, "neso_extern%d", number);
}

static MlirOperation find_symbol(cpu_lower *l, const char *name) {
  MlirOperation op =
      mlirBlockGetFirstOperation(mlirOperationGetBlock(l->tile_func));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute symbol = cpu_attr(op, "sym_name");
    if (!mlirAttributeIsNull(symbol) &&
        mlirStringRefEqual(mlirStringAttrGetValue(symbol), cpu_str(name)))
      break;
  }
  return op;
}

static void declare(foreign *f, const char *name, MlirType type) {
  cpu_lower *l = f->l;
  cpu_builder *b = &l->b;
  MlirAttribute wanted = mlirTypeAttrGet(type);
  MlirOperation there = find_symbol(l, name);
  if (!mlirOperationIsNull(there)) {
    if (!mlirAttributeEqual(cpu_attr(there, "function_type"), wanted))
      cpu_fail(l, f->op, "'%s' is used with two signatures",
               text_of(f, "symbol"));
    return;
  }
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "sym_name", mlirStringAttrGet(b->ctx, cpu_str(name))),
      cpu_named(b, "function_type", wanted),
      cpu_named(b, "sym_visibility",
                mlirStringAttrGet(b->ctx, cpu_str("private")))};
  MlirRegion region = mlirRegionCreate();
  MlirOperationState state =
      mlirOperationStateGet(cpu_str("func.func"), b->loc);
  mlirOperationStateAddAttributes(&state, 3, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirBlockAppendOwnedOperation(mlirOperationGetBlock(l->tile_func),
                                mlirOperationCreate(&state));
}

static void emit_call(foreign *f, const MlirValue *x, MlirValue *y) {
  cpu_builder *b = &f->l->b;
  MlirType types[MAX_VALUES], result = output(f, 0)->element;
  const char *name = object_name(f);
  for (int i = 0; i < f->inputs; i++)
    types[i] = cpu_type(x[i]);
  declare(f, name, mlirFunctionTypeGet(b->ctx, f->inputs, types, 1, &result));
  MlirNamedAttribute callee =
      cpu_named(b, "callee", mlirFlatSymbolRefAttrGet(b->ctx, cpu_str(name)));
  y[0] = mlirOperationGetResult(
      cpu_op(b, "func.call", f->inputs, x, 1, &result, 1, &callee), 0);
}

void cpu_lower_extern(cpu_lower *l, MlirOperation op) {
  foreign f = start(l, op);
  f.emit = emit_call;
  run(&f);
}
