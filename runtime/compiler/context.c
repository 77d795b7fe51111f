#include "context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mlir-c/Conversion.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/ControlFlow.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/UB.h"
#include "mlir-c/Dialect/Vector.h"
#include "mlir-c/Transforms.h"
#include "mlir/Dialect/Arith/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/Math/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/SCF/Transforms/Passes.capi.h.inc"
#include "mlir_shim.h"

#define MAX_IDLE 4
/* Types, attributes and locations of past compiles stay in a context; after
 * that many compiles it makes room. */
#define MAX_USES 2000

typedef struct pipeline {
  struct pipeline *next; /* owned */
  char *passes;          /* owned */
  MlirPassManager manager;
} pipeline;

struct neso_compile_context {
  MlirContext mlir;
  neso_target *target;        /* owned; NULL before the first compile */
  pipeline *pipelines;        /* owned */
  neso_compile_context *next; /* in the idle list */
  unsigned uses;
  neso_diagnostics diagnostics;
};

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static neso_compile_context *idle; /* owned */
static unsigned idle_count;

static void register_passes(void) {
  mlirRegisterTransformsCanonicalizer();
  mlirRegisterTransformsCSE();
  mlirRegisterTransformsControlFlowSink();
  mlirRegisterTransformsLoopInvariantCodeMotion();
  mlirRegisterTransformsMem2Reg();
  mlirRegisterTransformsRemoveDeadValues();
  mlirRegisterTransformsSCCP();
  mlirRegisterTransformsSymbolDCE();
  mlirRegisterArithArithExpandOpsPass();
  mlirRegisterArithArithEmulateUnsupportedFloats();
  mlirRegisterArithArithIntRangeNarrowing();
  mlirRegisterArithArithIntRangeOpts();
  mlirRegisterArithArithUnsignedWhenEquivalentPass();
  mlirRegisterMathMathExpandOpsPass();
  mlirRegisterMathMathExtendToSupportedTypes();
  mlirRegisterMathMathUpliftToFMA();
  mlirRegisterSCFSCFForLoopCanonicalization();
  mlirRegisterSCFSCFForLoopPeeling();
  mlirRegisterSCFSCFForLoopRangeFolding();
  mlirRegisterConversionArithToLLVMConversionPass();
  mlirRegisterConversionConvertControlFlowToLLVMPass();
  mlirRegisterConversionConvertFuncToLLVMPass();
  mlirRegisterConversionConvertIndexToLLVMPass();
  mlirRegisterConversionConvertMathToLLVMPass();
  mlirRegisterConversionConvertVectorToLLVMPass();
  mlirRegisterConversionConvertVectorToSCF();
  mlirRegisterConversionFinalizeMemRefToLLVMConversionPass();
  mlirRegisterConversionReconcileUnrealizedCastsPass();
  mlirRegisterConversionSCFToControlFlowPass();
  mlirRegisterConversionUBToLLVMConversionPass();
}

/* What the decoder and our passes build; upstream passes and the parser load
 * the rest (cf, memref, ub) from the registry when they need it. */
static const struct {
  MlirDialectHandle (*get)(void);
  bool load;
} dialects[] = {
    {mlirGetDialectHandle__arith__, true},
    {mlirGetDialectHandle__cf__, false},
    {mlirGetDialectHandle__func__, true},
    {mlirGetDialectHandle__llvm__, true},
    {mlirGetDialectHandle__math__, true},
    {mlirGetDialectHandle__memref__, false},
    {mlirGetDialectHandle__scf__, true},
    {mlirGetDialectHandle__tensor__, true},
    {mlirGetDialectHandle__ub__, false},
    {mlirGetDialectHandle__vector__, true},
};
#define DIALECT_COUNT (sizeof(dialects) / sizeof(dialects[0]))

static MlirContext mlir_create(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  for (size_t i = 0; i < DIALECT_COUNT; i++)
    mlirDialectHandleInsertDialect(dialects[i].get(), registry);
  MlirContext ctx = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  for (size_t i = 0; i < DIALECT_COUNT; i++)
    if (dialects[i].load)
      mlirDialectHandleLoadDialect(dialects[i].get(), ctx);
  return ctx;
}

static neso_compile_context *context_create(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_passes);
  neso_compile_context *context = calloc(1, sizeof(*context));
  if (!context)
    return NULL;
  context->mlir = mlir_create();
  mlirContextAttachDiagnosticHandler(context->mlir, neso__diagnostics_mlir,
                                     &context->diagnostics, NULL);
  neso__shim_register_translations(context->mlir);
  neso__shim_load_dialect(context->mlir);
  return context;
}

static void context_destroy(neso_compile_context *context) {
  for (pipeline *p = context->pipelines, *next; p; p = next) {
    next = p->next;
    mlirPassManagerDestroy(p->manager);
    free(p->passes);
    free(p);
  }
  neso__target_free(context->target);
  mlirContextDestroy(context->mlir);
  free(context);
}

neso_compile_context *neso__context_acquire(void) {
  pthread_mutex_lock(&idle_lock);
  neso_compile_context *context = idle;
  if (context) {
    idle = context->next;
    idle_count--;
  }
  pthread_mutex_unlock(&idle_lock);
  if (!context)
    context = context_create();
  if (context)
    neso__diagnostics_clear(&context->diagnostics);
  return context;
}

void neso__context_release(neso_compile_context *context) {
  bool kept = false;
  pthread_mutex_lock(&idle_lock);
  if (++context->uses < MAX_USES && idle_count < MAX_IDLE) {
    context->next = idle;
    idle = context;
    idle_count++;
    kept = true;
  }
  pthread_mutex_unlock(&idle_lock);
  if (!kept)
    context_destroy(context);
}

MlirContext neso__context_mlir(neso_compile_context *context) {
  return context->mlir;
}

neso_diagnostics *neso__context_diagnostics(neso_compile_context *context) {
  return &context->diagnostics;
}

neso_status neso__context_target(neso_compile_context *context,
                                 const char *text,
                                 const neso_target **out_target) {
  if (context->target && strcmp(context->target->text, text)) {
    neso__target_free(context->target);
    context->target = NULL;
  }
  if (!context->target) {
    neso_status status = neso__target_create(text, &context->target);
    if (status)
      return status;
  }
  *out_target = context->target;
  return NULL;
}

static void add_message(MlirStringRef part, void *user) {
  neso__diagnostics_add(user, part.data, part.length);
}

static MlirPassManager parse_pipeline(neso_compile_context *context,
                                      const char *passes) {
  MlirPassManager manager = mlirPassManagerCreateOnOperation(
      context->mlir, mlirStringRefCreateFromCString("builtin.module"));
  if (mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
          mlirPassManagerGetAsOpPassManager(manager),
          mlirStringRefCreateFromCString(passes), add_message,
          &context->diagnostics)))
    return manager;
  mlirPassManagerDestroy(manager);
  return (MlirPassManager){NULL};
}

MlirPassManager neso__context_pipeline(neso_compile_context *context,
                                       const char *passes) {
  for (pipeline *p = context->pipelines; p; p = p->next)
    if (!strcmp(p->passes, passes))
      return p->manager;
  MlirPassManager manager = parse_pipeline(context, passes);
  if (mlirPassManagerIsNull(manager))
    return manager;
  pipeline *p = calloc(1, sizeof(*p));
  char *copy = strdup(passes);
  if (!p || !copy) {
    free(p);
    free(copy);
    mlirPassManagerDestroy(manager);
    neso__diagnostics_add(&context->diagnostics, "out of memory", 13);
    return (MlirPassManager){NULL};
  }
  *p = (pipeline){context->pipelines, copy, manager};
  context->pipelines = p;
  return manager;
}
