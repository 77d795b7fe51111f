/* LLVM IR of one kernel: from MLIR or text, through passes, to an object. */
#ifndef NESO_COMPILER_LLVM_H
#define NESO_COMPILER_LLVM_H

#include "pass.h"
#include "llvm-c/Core.h"

/* A module with the context that owns its types; all zero is none. */
typedef struct neso_llvm {
  LLVMContextRef context;
  LLVMModuleRef module;
} neso_llvm;

void neso__llvm_free(neso_llvm *llvm);

/* Each replaces what `out` held. */
neso_status neso__llvm_translate(neso_pass_env *env, MlirModule module,
                                 neso_llvm *out);
neso_status neso__llvm_parse(neso_pass_env *env, const char *text,
                             neso_llvm *out);
/* A module of that assembly. */
neso_status neso__llvm_assemble(neso_pass_env *env, const char *text,
                                neso_llvm *out);

/* Runs an LLVM pass string ("function(sroa,gvn)"); "" does nothing. */
neso_status neso__llvm_optimize(neso_pass_env *env, neso_llvm *llvm,
                                const char *passes);
/* Object or assembly; dispose of the buffer. The module is used up. */
neso_status neso__llvm_emit(neso_pass_env *env, neso_llvm *llvm,
                            LLVMCodeGenFileType type,
                            LLVMMemoryBufferRef *out_buffer);

#endif
