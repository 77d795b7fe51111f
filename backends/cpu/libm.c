/* Functions of the C library, for what has no polynomial: lane by lane. */
#include "lower.h"

#include <string.h>

#include "mlir-c/BuiltinAttributes.h"

static MlirOperation find(MlirBlock module, const char *name) {
  MlirOperation op = mlirBlockGetFirstOperation(module);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute symbol = cpu_attr(op, "sym_name");
    if (mlirAttributeIsNull(symbol))
      continue;
    MlirStringRef text = mlirStringAttrGetValue(symbol);
    if (strlen(name) == text.length && !memcmp(name, text.data, text.length))
      break;
  }
  return op;
}

/* double name(double) as a function of the module. */
static void declare(cpu_lower *l, const char *name) {
  cpu_builder b = l->b;
  MlirBlock module = mlirOperationGetBlock(l->tile_func);
  if (!mlirOperationIsNull(find(module, name)))
    return;
  MlirType type = mlirFunctionTypeGet(b.ctx, 1, &b.f64, 1, &b.f64);
  MlirNamedAttribute attributes[] = {
      cpu_named(&b, "sym_name", mlirStringAttrGet(b.ctx, cpu_str(name))),
      cpu_named(&b, "function_type", mlirTypeAttrGet(type)),
      cpu_named(&b, "sym_visibility",
                mlirStringAttrGet(b.ctx, cpu_str("private")))};
  MlirRegion region = mlirRegionCreate();
  MlirOperationState state = mlirOperationStateGet(cpu_str("func.func"), b.loc);
  mlirOperationStateAddAttributes(&state, 3, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirBlockAppendOwnedOperation(module, mlirOperationCreate(&state));
}

static MlirValue call(cpu_lower *l, const char *name, MlirValue x) {
  cpu_builder *b = &l->b;
  MlirNamedAttribute callee =
      cpu_named(b, "callee", mlirFlatSymbolRefAttrGet(b->ctx, cpu_str(name)));
  return mlirOperationGetResult(
      cpu_op(b, "func.call", 1, &x, 1, &b->f64, 1, &callee), 0);
}

MlirValue cpu_call_lanes(cpu_lower *l, const char *name, MlirValue x) {
  cpu_builder *b = &l->b;
  int64_t lanes = cpu_lanes(cpu_type(x));
  declare(l, name);
  if (lanes == 0)
    return call(l, name, x);
  MlirType vector = cpu_type(x);
  MlirValue out = x;
  for (int64_t i = 0; i < lanes; i++) {
    MlirNamedAttribute at =
        cpu_named(b, "static_position", mlirDenseI64ArrayGet(b->ctx, 1, &i));
    MlirValue lane = mlirOperationGetResult(
        cpu_op(b, "vector.extract", 1, &x, 1, &b->f64, 1, &at), 0);
    MlirValue operands[] = {call(l, name, lane), out};
    out = mlirOperationGetResult(
        cpu_op(b, "vector.insert", 2, operands, 1, &vector, 1, &at), 0);
  }
  return out;
}
