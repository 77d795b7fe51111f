/* What code generation of LLVM 22 gets wrong, written so that it cannot. */
#ifndef NESO_COMPILER_LLVM_FAULTS_H
#define NESO_COMPILER_LLVM_FAULTS_H

#include "llvm-c/Core.h"

/* Changes the form of a module that has passed optimization, never a result;
 * nothing may optimize it after. */
void neso__llvm_avoid_faults(LLVMModuleRef module);

#endif
