/* What code is generated for. */
#ifndef NESO_COMPILER_TARGET_H
#define NESO_COMPILER_TARGET_H

#include <stdbool.h>

#include "neso.h"
#include "llvm-c/TargetMachine.h"

/* Strings and machine are owned by the target. One thread at a time. */
typedef struct neso_target {
  char *text;                   /* the device's target string */
  bool is_host;                 /* code for it can run in this process */
  char *triple;                 /* as LLVM spells it */
  char *cpu;                    /* "znver5" */
  char *features;               /* "+avx2,-avx512f,..." */
  unsigned vector_bits;         /* widest vector register: 128, 256 or 512 */
  LLVMTargetMachineRef machine; /* position-independent code of this target */
} neso_target;

/* Reads a device's target string (compiler.h). */
neso_status neso__target_create(const char *text, neso_target **out_target);
void neso__target_free(neso_target *target);

/* Whether LLVM's feature ("avx512bf16") is on. Must be under a guard. */
bool neso__target_has(const neso_target *target, const char *feature);

#endif
