/* What MLIR and LLVM say during a compile, kept instead of printed. */
#ifndef NESO_COMPILER_DIAGNOSTICS_H
#define NESO_COMPILER_DIAGNOSTICS_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "llvm-c/Core.h"

#define NESO_DIAGNOSTICS_MAX 4096

/* Plain data; all zero is empty. */
typedef struct neso_diagnostics {
  char text[NESO_DIAGNOSTICS_MAX]; /* messages, one a line, no last newline */
  size_t used;
  unsigned line; /* of the first error that has one, else 0 */
} neso_diagnostics;

void neso__diagnostics_clear(neso_diagnostics *diagnostics);
void neso__diagnostics_add(neso_diagnostics *diagnostics, const char *text,
                           size_t length);
/* Handlers; `user` is a neso_diagnostics. Errors and notes are kept. */
MlirLogicalResult neso__diagnostics_mlir(MlirDiagnostic diagnostic, void *user);
void neso__diagnostics_llvm(LLVMDiagnosticInfoRef info, void *user);

/* Line of the first file location inside `location`, 0 when there is none. */
unsigned neso__location_line(MlirLocation location);

#endif
