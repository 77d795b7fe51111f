#include "foreign.h"

#include <string.h>

#include "mlir-c/BuiltinAttributes.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"

static MlirAttribute noted(MlirModule module, const char *name) {
  return mlirOperationGetDiscardableAttributeByName(
      mlirModuleGetOperation(module), mlirStringRefCreateFromCString(name));
}

const char *neso__foreign_externs(neso_pass_env *env, MlirModule module) {
  MlirAttribute list = noted(module, "neso.externs");
  const char *text = "";
  if (mlirAttributeIsNull(list))
    return text;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(list); i++) {
    MlirStringRef line =
        mlirStringAttrGetValue(mlirArrayAttrGetElement(list, i));
    text = neso__arena_format(env->arena, "%sextern %.*s\n", text,
                              (int)line.length, line.data);
  }
  return text;
}

static neso_status verify(neso_pass_env *env, neso_llvm *llvm) {
  char *message = NULL;
  bool bad = LLVMVerifyModule(llvm->module, LLVMReturnStatusAction, &message);
  if (bad)
    neso__diagnostics_add(env->diagnostics, message, strlen(message));
  LLVMDisposeMessage(message);
  return bad ? neso__pass_fail_mlir(env, NESO_COMPILE_ERROR,
                                    "assembly or bitcode that LLVM refuses")
             : NULL;
}

static LLVMModuleRef read_bitcode(neso_pass_env *env, neso_llvm *llvm,
                                  MlirStringRef bytes) {
  char *message = NULL;
  LLVMModuleRef module = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      bytes.data, bytes.length, "bitcode");
  if (!LLVMParseIRInContext(llvm->context, buffer, &module, &message))
    return module;
  neso__diagnostics_add(env->diagnostics, message, strlen(message));
  LLVMDisposeMessage(message);
  return NULL;
}

/* What comes along is the kernel's own, so that what nothing calls goes. */
static void make_internal(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f)) {
    const char *name = LLVMGetValueName(f);
    if (!LLVMIsDeclaration(f) && strcmp(name, NESO_KERNEL_ENTRY))
      LLVMSetLinkage(f, LLVMInternalLinkage);
  }
}

static void drop_unused(LLVMModuleRef module) {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
      next = LLVMGetNextFunction(f);
      if (LLVMGetFirstUse(f) || LLVMGetLinkage(f) != LLVMInternalLinkage)
        continue;
      LLVMDeleteFunction(f);
      dropped = true;
    }
  }
}

static neso_status link_one(neso_pass_env *env, neso_llvm *llvm,
                            MlirStringRef symbol, MlirStringRef bytes) {
  const char *name = neso__arena_copy(env->arena, symbol.data, symbol.length);
  LLVMValueRef wanted = LLVMGetNamedFunction(llvm->module, name);
  if (wanted && !LLVMIsDeclaration(wanted))
    return NULL;
  LLVMModuleRef module = read_bitcode(env, llvm, bytes);
  if (!module)
    return neso__pass_fail_mlir(env, NESO_COMPILE_ERROR,
                                "the bitcode of '%s' cannot be read", name);
  LLVMValueRef given = LLVMGetNamedFunction(module, name);
  if (!given || LLVMIsDeclaration(given)) {
    LLVMDisposeModule(module);
    return neso__pass_fail(env, NESO_COMPILE_ERROR, (MlirOperation){NULL},
                           "the bitcode defines no function '%s'", name);
  }
  LLVMTypeRef has = LLVMGlobalGetValueType(given);
  if (wanted && has != LLVMGlobalGetValueType(wanted)) {
    char *text = LLVMPrintTypeToString(has);
    neso_status status =
        neso__pass_fail(env, NESO_COMPILE_ERROR, (MlirOperation){NULL},
                        "the bitcode has '%s' as %s, which is not what "
                        "neso.extern was told",
                        name, text);
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
    return status;
  }
  LLVMSetTarget(module, LLVMGetTarget(llvm->module));
  LLVMSetDataLayout(module, LLVMGetDataLayoutStr(llvm->module));
  if (LLVMLinkModules2(llvm->module, module))
    return neso__pass_fail_mlir(env, NESO_COMPILE_ERROR,
                                "the bitcode of '%s' cannot be linked", name);
  return NULL;
}

neso_status neso__foreign_link(neso_pass_env *env, MlirModule module,
                               neso_llvm *llvm) {
  MlirAttribute list = noted(module, "neso.bitcode");
  bool has_asm = !mlirAttributeIsNull(noted(module, "neso.foreign"));
  bool has_bitcode = !mlirAttributeIsNull(list);
  neso_status status = NULL;
  for (intptr_t i = 0;
       has_bitcode && !status && i < mlirArrayAttrGetNumElements(list); i++) {
    MlirAttribute pair = mlirArrayAttrGetElement(list, i);
    MlirStringRef symbol =
        mlirStringAttrGetValue(mlirArrayAttrGetElement(pair, 0));
    MlirStringRef bytes =
        mlirStringAttrGetValue(mlirArrayAttrGetElement(pair, 1));
    status = link_one(env, llvm, symbol,
                      mlirStringRefCreate(bytes.data + 3, bytes.length - 3));
  }
  if (has_bitcode && !status) {
    make_internal(llvm->module);
    drop_unused(llvm->module);
  }
  return status || !(has_asm || has_bitcode) ? status : verify(env, llvm);
}
