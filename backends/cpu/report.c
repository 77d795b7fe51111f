/* Reports: print, assert and check_access call the function that libneso
 * gives, with a text that says what the data are (spec/abi.md). */
#include "lower.h"

#include <string.h>

#include "mlir-c/Dialect/LLVM.h"

#define AT_REPORT 32 /* in struct neso_program_at */

typedef struct report {
  cpu_lower *l;
  MlirOperation op;
  int64_t seq;
  intptr_t first, count; /* operands that are data */
} report;

static const char *text_of(report *r, const char *name) {
  MlirStringRef text = mlirStringAttrGetValue(cpu_attr(r->op, name));
  return neso__arena_copy(r->l->arena, text.data, text.length);
}

/* ---------------------------------------------------------------- site -- */

/* `head dtype:extent/stride,...` of operand i. */
static const char *add_value(report *r, const char *head, const char *dtype,
                             int length, intptr_t i) {
  cpu_value *v = cpu_op_operand(r->l, r->op, i);
  head = neso__arena_format(r->l->arena, "%s %.*s", head, length, dtype);
  for (int d = 0; d < v->rank && v->buffer; d++)
    head = neso__arena_format(r->l->arena, "%s%c%lld/%lld", head, d ? ',' : ':',
                              (long long)v->shape[d],
                              (long long)v->buffer->stride[d]);
  return head;
}

static const char *print_site(report *r) {
  bool hex = mlirBoolAttrGetValue(cpu_attr(r->op, "hex"));
  const char *head = hex ? "printx" : "print", *dtype = text_of(r, "dtypes");
  for (intptr_t i = 0; i < r->count; i++) {
    size_t length = strcspn(dtype, " ");
    head = add_value(r, head, dtype, (int)length, i);
    dtype += length + (dtype[length] == ' ');
  }
  return neso__arena_format(r->l->arena, "%s\n%s", head, text_of(r, "text"));
}

static const char *assert_site(report *r) {
  MlirAttribute shape = cpu_attr(r->op, "shape");
  const char *head = "assert";
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(shape); i++)
    head = neso__arena_format(r->l->arena, "%s%c%lld", head, i ? ',' : ' ',
                              (long long)mlirDenseI64ArrayGetElement(shape, i));
  return neso__arena_format(r->l->arena, "%s\n%s", head, text_of(r, "message"));
}

static const char *check_site(report *r) {
  const char *head = neso__arena_format(
      r->l->arena, "check %s %s", text_of(r, "access"), text_of(r, "dtype"));
  bool wide = cpu_bits(cpu_op_operand(r->l, r->op, 1)->element) == 64;
  head = add_value(r, head, wide ? "i64" : "i32", 3, 1);
  if (r->count > 2)
    head = add_value(r, head, "i1", 2, 2);
  return neso__arena_format(r->l->arena, "%s\n%s", head, text_of(r, "name"));
}

/* Address of a constant that holds the text. */
static MlirValue constant_text(cpu_lower *l, const char *text) {
  cpu_builder at = l->b;
  at.block = mlirOperationGetBlock(l->tile_func);
  at.before = l->tile_func;
  const char *name =
      neso__arena_format(l->arena, "neso_site%d", l->site_count++);
  intptr_t length = (intptr_t)strlen(text) + 1;
  MlirType type = mlirLLVMArrayTypeGet(at.i8, (unsigned)length);
  MlirNamedAttribute attributes[] = {
      cpu_named(&at, "sym_name", mlirStringAttrGet(at.ctx, cpu_str(name))),
      cpu_named(&at, "global_type", mlirTypeAttrGet(type)),
      cpu_named(&at, "linkage",
                mlirLLVMLinkageAttrGet(at.ctx, MlirLLVMLinkageInternal)),
      cpu_named(&at, "constant", mlirUnitAttrGet(at.ctx)),
      cpu_named(&at, "value",
                mlirStringAttrGet(at.ctx,
                                  mlirStringRefCreate(text, (size_t)length)))};
  MlirRegion empty = mlirRegionCreate();
  MlirOperationState state =
      mlirOperationStateGet(cpu_str("llvm.mlir.global"), at.loc);
  mlirOperationStateAddAttributes(
      &state, sizeof attributes / sizeof *attributes, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &empty);
  mlirBlockInsertOwnedOperationBefore(at.block, at.before,
                                      mlirOperationCreate(&state));
  MlirNamedAttribute global = cpu_named(
      &l->b, "global_name", mlirFlatSymbolRefAttrGet(l->b.ctx, cpu_str(name)));
  return mlirOperationGetResult(
      cpu_op(&l->b, "llvm.mlir.addressof", 0, NULL, 1, &l->b.ptr, 1, &global),
      0);
}

/* ---------------------------------------------------------------- data -- */

static cpu_buffer *words(report *r, int64_t count) {
  cpu_buffer *buffer = cpu_buffer_new(r->l, r->l->b.i64, 1, &count, 1, 0);
  cpu_buffer_keep(buffer, r->seq);
  return buffer;
}

static MlirValue word_at(report *r, const cpu_buffer *buffer, intptr_t i) {
  return cpu_gep_bytes(&r->l->b, buffer->address, 8 * i);
}

/* Blocks are computed before, in the place where the operation stands. */
static void take_blocks(report *r) {
  for (intptr_t i = r->first; i < r->first + r->count; i++) {
    cpu_value *v = cpu_op_operand(r->l, r->op, i);
    if (v->rank > 0)
      cpu_take(r->l, v, r->seq);
  }
}

/* A table of addresses, one an operand; scalars get memory of their own. */
static MlirValue data_table(report *r) {
  cpu_lower *l = r->l;
  if (r->count == 0)
    return cpu_unary(&l->b, "llvm.inttoptr", l->b.ptr, cpu_index(&l->b, 0));
  cpu_buffer *table = words(r, r->count), *scalars = words(r, r->count);
  for (intptr_t i = 0; i < r->count; i++) {
    cpu_value *v = cpu_op_operand(l, r->op, r->first + i);
    MlirValue address =
        v->rank > 0 ? v->buffer->address : word_at(r, scalars, i);
    if (v->rank == 0)
      cpu_store_element(l, v->scalar, address);
    cpu_store(&l->b, address, word_at(r, table, i), 8);
  }
  return table->address;
}

static void call(report *r, const char *site) {
  cpu_lower *l = r->l;
  cpu_builder *b = &l->b;
  MlirAttribute ordinal = cpu_attr(r->op, "neso.site");
  int64_t place =
      mlirAttributeIsNull(ordinal) ? -1 : mlirIntegerAttrGetValueInt(ordinal);
  MlirValue function =
      cpu_load(b, b->ptr, cpu_gep_bytes(b, l->at, AT_REPORT), 8);
  MlirValue operands[] = {function, l->at, constant_text(l, site),
                          cpu_index(b, place), data_table(r)};
  enum { COUNT = sizeof operands / sizeof *operands };
  int32_t sizes[] = {COUNT, 0};
  MlirNamedAttribute attributes[] = {
      cpu_named(b, "op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
      cpu_named(b, "operandSegmentSizes",
                mlirDenseI32ArrayGet(b->ctx, 2, sizes))};
  cpu_op(b, "llvm.call", COUNT, operands, 1, &b->i32, 2, attributes);
  l->reports = true;
}

static void lower_print(report *r) {
  take_blocks(r);
  if (!r->l->error)
    call(r, print_site(r));
}

static void lower_check(report *r) {
  take_blocks(r);
  if (!r->l->error)
    call(r, check_site(r));
}

static void lower_assert(report *r) {
  cpu_builder *b = &r->l->b;
  MlirValue holds = cpu_op_operand(r->l, r->op, 0)->scalar;
  MlirValue fails = cpu_binary(b, "arith.xori", holds, cpu_int(b, b->i1, 1));
  MlirOperation branch = cpu_if(b, fails, 0, NULL);
  cpu_builder outer = *b;
  r->first = 1;
  r->count--;
  cpu_enter(b, cpu_body(branch, 0));
  call(r, assert_site(r));
  *b = outer;
  cpu_yield(b, cpu_body(branch, 0), 0, NULL);
  cpu_yield(b, cpu_body(branch, 1), 0, NULL);
}

void cpu_lower_report(cpu_lower *l, MlirOperation op) {
  report r = {.l = l,
              .op = op,
              .seq = cpu_seq(l, op),
              .count = mlirOperationGetNumOperands(op)};
  neso_op kind = neso__op_of(op);
  cpu_flush(l, r.seq);
  if (kind == NESO_OP_NESO_PRINT)
    lower_print(&r);
  else if (kind == NESO_OP_NESO_ASSERT)
    lower_assert(&r);
  else
    lower_check(&r);
}

void cpu_lower_breakpoint(cpu_lower *l, MlirOperation op) {
  cpu_fail(l, op,
           "a breakpoint works in the interpreter only: run the kernel with "
           "k:interpret(...) or NESO_INTERPRET=1");
}
