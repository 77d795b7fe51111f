/* What MLIR offers in C++ only, behind C functions. */
#ifndef NESO_COMPILER_MLIR_SHIM_H
#define NESO_COMPILER_MLIR_SHIM_H

#include <stdbool.h>

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the dynamic dialect `neso` with one operation a row of neso_ops.h. */
void neso__shim_load_dialect(MlirContext ctx);

/* Lets mlirTranslateModuleToLLVMIR read the builtin and llvm dialects. */
void neso__shim_register_translations(MlirContext ctx);

/* Replaces math operations of f32 by polynomials; false when it failed. */
bool neso__shim_math_polynomials(MlirOperation root);

/* What a target machine knows by name: a CPU, every feature of "+a,-b", and
 * whether one feature is on (false for a name it does not know). */
bool neso__shim_knows_cpu(LLVMTargetMachineRef machine, const char *cpu);
bool neso__shim_knows_features(LLVMTargetMachineRef machine,
                               const char *features);
bool neso__shim_machine_has(LLVMTargetMachineRef machine, const char *feature);

/* Sends out-of-memory inside LLVM to `handler`, once a process. */
void neso__shim_on_bad_alloc(void (*handler)(const char *reason));

#ifdef __cplusplus
}
#endif
#endif
