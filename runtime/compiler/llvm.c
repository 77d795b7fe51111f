#include "llvm.h"

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

/* ------------------------------------------- stores of a single lane -- */

/* The only lane that a constant mask lets through, or -1. */
static int only_lane(LLVMValueRef mask) {
  int found = -1;
  if (!LLVMIsConstant(mask))
    return -1;
  for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(mask)); i++) {
    LLVMValueRef lane = LLVMGetAggregateElement(mask, i);
    if (!lane || !LLVMIsAConstantInt(lane))
      return -1;
    if (LLVMConstIntGetZExtValue(lane) == 0)
      continue;
    if (found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

static bool is_masked_store(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return false;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  size_t length;
  static const char prefix[] = "llvm.masked.store.";
  return callee && LLVMIsAFunction(callee) &&
         !strncmp(LLVMGetValueName2(callee, &length), prefix,
                  sizeof prefix - 1);
}

static void store_lane(LLVMBuilderRef builder, LLVMValueRef store, int lane) {
  LLVMValueRef value = LLVMGetOperand(store, 0);
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  LLVMTypeRef i32 =
      LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
  LLVMValueRef index = LLVMConstInt(i32, (unsigned)lane, false);
  LLVMPositionBuilderBefore(builder, store);
  value = LLVMBuildExtractElement(builder, value, index, "");
  LLVMValueRef address =
      LLVMBuildGEP2(builder, element, LLVMGetOperand(store, 1), &index, 1, "");
  LLVMSetAlignment(LLVMBuildStore(builder, value, address), 1);
  LLVMInstructionEraseFromParent(store);
}

/* LLVM 22 makes one scalar store of a masked store whose constant mask has one
 * lane, and with AVX-512 forgets then that the value was truncated: it writes
 * the wide element over what lies behind. */
static void split_single_lanes(neso_llvm *llvm) {
  LLVMBuilderRef builder =
      LLVMCreateBuilderInContext(LLVMGetModuleContext(llvm->module));
  for (LLVMValueRef f = LLVMGetFirstFunction(llvm->module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at;
           at = next) {
        next = LLVMGetNextInstruction(at);
        int lane = is_masked_store(at) ? only_lane(LLVMGetOperand(at, 2)) : -1;
        if (lane >= 0)
          store_lane(builder, at, lane);
      }
  LLVMDisposeBuilder(builder);
}

/* ---------------------------------------------------- scalars of bf16 -- */

static bool is_bf16(LLVMValueRef value) {
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMBFloatTypeKind;
}

static LLVMValueRef word_of(LLVMBuilderRef builder, LLVMValueRef value) {
  LLVMTypeRef word =
      LLVMInt16TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
  if (LLVMIsABitCastInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == word)
    return LLVMGetOperand(value, 0);
  return LLVMBuildBitCast(builder, value, word, "");
}

/* Frozen, so that code generation does not make it a phi of bf16 again. */
static void word_phi(LLVMBuilderRef builder, LLVMValueRef phi) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(phi));
  LLVMPositionBuilderBefore(builder, phi);
  LLVMValueRef words =
      LLVMBuildPhi(builder, LLVMInt16TypeInContext(context), "");
  LLVMValueRef first = phi;
  while (LLVMIsAPHINode(first))
    first = LLVMGetNextInstruction(first);
  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef value = LLVMBuildBitCast(builder, words, LLVMTypeOf(phi), "");
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(from));
    LLVMValueRef word = word_of(builder, LLVMGetIncomingValue(phi, i));
    word = LLVMBuildFreeze(builder, word, "");
    LLVMAddIncoming(words, &word, &from, 1);
  }
  LLVMReplaceAllUsesWith(phi, value);
  LLVMInstructionEraseFromParent(phi);
}

static void word_select(LLVMBuilderRef builder, LLVMValueRef select) {
  LLVMPositionBuilderBefore(builder, select);
  LLVMValueRef word =
      LLVMBuildSelect(builder, LLVMGetOperand(select, 0),
                      word_of(builder, LLVMGetOperand(select, 1)),
                      word_of(builder, LLVMGetOperand(select, 2)), "");
  LLVMReplaceAllUsesWith(
      select, LLVMBuildBitCast(builder, word, LLVMTypeOf(select), ""));
  LLVMInstructionEraseFromParent(select);
}

static void word_load(LLVMBuilderRef builder, LLVMValueRef load) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(load));
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef word = LLVMBuildLoad2(builder, LLVMInt16TypeInContext(context),
                                     LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(word, LLVMGetAlignment(load));
  LLVMSetVolatile(word, LLVMGetVolatile(load));
  LLVMReplaceAllUsesWith(load,
                         LLVMBuildBitCast(builder, word, LLVMTypeOf(load), ""));
  LLVMInstructionEraseFromParent(load);
}

static void word_store(LLVMBuilderRef builder, LLVMValueRef store) {
  LLVMPositionBuilderBefore(builder, store);
  LLVMSetOperand(store, 0, word_of(builder, LLVMGetOperand(store, 0)));
}

static void as_word(LLVMBuilderRef builder, LLVMValueRef at) {
  switch (LLVMGetInstructionOpcode(at)) {
  case LLVMPHI:
    if (is_bf16(at))
      word_phi(builder, at);
    break;
  case LLVMSelect:
    if (is_bf16(at))
      word_select(builder, at);
    break;
  case LLVMLoad:
    if (is_bf16(at) && LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic)
      word_load(builder, at);
    break;
  case LLVMStore:
    if (is_bf16(LLVMGetOperand(at, 0)) &&
        LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic)
      word_store(builder, at);
    break;
  default:
    break;
  }
}

/* On x86 a scalar of bf16 lives in a register as f32, and going back to memory
 * or to another block takes denormals for 0: such scalars move as words. */
static void move_bf16_as_words(neso_llvm *llvm) {
  LLVMBuilderRef builder =
      LLVMCreateBuilderInContext(LLVMGetModuleContext(llvm->module));
  for (LLVMValueRef f = LLVMGetFirstFunction(llvm->module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at;
           at = next) {
        next = LLVMGetNextInstruction(at);
        as_word(builder, at);
      }
  LLVMDisposeBuilder(builder);
}

neso_status neso__llvm_emit(neso_pass_env *env, neso_llvm *llvm,
                            LLVMCodeGenFileType type,
                            LLVMMemoryBufferRef *out_buffer) {
  char *message = NULL;
  split_single_lanes(llvm);
  move_bf16_as_words(llvm);
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
