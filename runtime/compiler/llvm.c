#include "llvm.h"
#include "llvm_faults.h"

#include <string.h>

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Transforms/PassBuilder.h"

void neso__llvm_free(neso_llvm *llvm) {
  if (llvm->module)
    LLVMDisposeModule(llvm->module);
  if (llvm->context)
    LLVMContextDispose(llvm->context);
  *llvm = (neso_llvm){NULL, NULL};
}

static void start(neso_pass_env *env, neso_llvm *out) {
  neso__llvm_free(out);
  neso__diagnostics_clear(env->diagnostics);
  out->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(out->context, neso__diagnostics_llvm,
                                  env->diagnostics);
}

/* A message of LLVM becomes a diagnostic. */
static void take_message(neso_pass_env *env, char *message) {
  if (message && *message)
    neso__diagnostics_add(env->diagnostics, message, strlen(message));
  LLVMDisposeMessage(message);
}

static void add_string_attribute(LLVMContextRef context, LLVMValueRef function,
                                 const char *name, const char *value) {
  LLVMAddAttributeAtIndex(
      function, LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value,
                                (unsigned)strlen(value)));
}

/* Passes ask the function, not the machine, what it may use. */
static void set_target(neso_pass_env *env, neso_llvm *llvm) {
  const neso_target *target = env->target;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(target->machine);
  LLVMSetTarget(llvm->module, target->triple);
  LLVMSetModuleDataLayout(llvm->module, layout);
  LLVMDisposeTargetData(layout);
  for (LLVMValueRef f = LLVMGetFirstFunction(llvm->module); f;
       f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f))
      continue;
    if (target->cpu[0])
      add_string_attribute(llvm->context, f, "target-cpu", target->cpu);
    if (target->features[0])
      add_string_attribute(llvm->context, f, "target-features",
                           target->features);
  }
}

static neso_status verify(neso_pass_env *env, neso_llvm *llvm) {
  char *message = NULL;
  LLVMBool bad =
      LLVMVerifyModule(llvm->module, LLVMReturnStatusAction, &message);
  if (!bad) {
    LLVMDisposeMessage(message);
    return NULL;
  }
  take_message(env, message);
  return neso__pass_fail_mlir(env, NESO_INTERNAL, "invalid LLVM IR");
}

neso_status neso__llvm_translate(neso_pass_env *env, MlirModule module,
                                 neso_llvm *out) {
  start(env, out);
  env->pass = "translation to LLVM IR";
  /* The translator takes valid IR for granted: a fault before it must come
   * back as an error. */
  if (!mlirOperationVerify(mlirModuleGetOperation(module)))
    return neso__pass_fail_mlir(env, NESO_INTERNAL, "invalid IR");
  out->module =
      mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(module), out->context);
  if (!out->module)
    return neso__pass_fail_mlir(env, NESO_COMPILE_ERROR,
                                "cannot be translated to LLVM IR");
  set_target(env, out);
  neso_status status = env->request->verify_each ? verify(env, out) : NULL;
  env->pass = NULL;
  return status;
}

neso_status neso__llvm_parse(neso_pass_env *env, const char *text,
                             neso_llvm *out) {
  start(env, out);
  char *message = NULL;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "override");
  if (LLVMParseIRInContext(out->context, buffer, &out->module, &message)) {
    out->module = NULL;
    take_message(env, message);
    return neso__pass_fail_mlir(env, NESO_INVALID_ARGUMENT,
                                "the replaced text is no LLVM IR");
  }
  set_target(env, out);
  return verify(env, out);
}

neso_status neso__llvm_assemble(neso_pass_env *env, const char *text,
                                neso_llvm *out) {
  start(env, out);
  out->module = LLVMModuleCreateWithNameInContext("assembly", out->context);
  set_target(env, out);
  LLVMSetModuleInlineAsm2(out->module, text, strlen(text));
  return NULL;
}

neso_status neso__llvm_optimize(neso_pass_env *env, neso_llvm *llvm,
                                const char *passes) {
  if (!passes[strspn(passes, " \n\t")])
    return NULL;
  env->pass = passes;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetVerifyEach(options, env->request->verify_each);
  LLVMErrorRef error =
      LLVMRunPasses(llvm->module, passes, env->target->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *message = LLVMGetErrorMessage(error);
    neso__diagnostics_add(env->diagnostics, message, strlen(message));
    LLVMDisposeErrorMessage(message);
    return neso__pass_fail_mlir(env, NESO_INVALID_ARGUMENT,
                                "passes that LLVM does not know");
  }
  env->pass = NULL;
  return NULL;
}

neso_status neso__llvm_emit(neso_pass_env *env, neso_llvm *llvm,
                            LLVMCodeGenFileType type,
                            LLVMMemoryBufferRef *out_buffer) {
  char *message = NULL;
  neso__llvm_avoid_faults(llvm->module);
  LLVMBool failed = LLVMTargetMachineEmitToMemoryBuffer(
      env->target->machine, llvm->module, type, &message, out_buffer);
  if (failed)
    take_message(env, message);
  if (!failed && !env->diagnostics->used)
    return NULL;
  if (!failed)
    LLVMDisposeMemoryBuffer(*out_buffer);
  *out_buffer = NULL;
  return neso__pass_fail_mlir(env, NESO_COMPILE_ERROR,
                              "code generation failed");
}
