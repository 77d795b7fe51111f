#include "target.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "mlir_shim.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

static void register_targets(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
}

static char *own_message(char *message) {
  char *copy = strdup(message ? message : "");
  LLVMDisposeMessage(message);
  return copy;
}

static char *next_word(const char **text) {
  const char *start = *text + strspn(*text, " ");
  size_t length = strcspn(start, " ");
  *text = start + length;
  return strndup(start, length);
}

static bool parse(neso_target *t, const char *text) {
  t->text = strdup(text);
  t->is_host = !strncmp(text, "host", 4) && (text[4] == 0 || text[4] == ' ');
  if (t->is_host) {
    t->triple = own_message(LLVMGetDefaultTargetTriple());
    t->cpu = own_message(LLVMGetHostCPUName());
    t->features = own_message(LLVMGetHostCPUFeatures());
  } else {
    char *triple = next_word(&text);
    t->triple = triple ? own_message(LLVMNormalizeTargetTriple(triple)) : NULL;
    free(triple);
    t->cpu = next_word(&text);
    t->features = next_word(&text);
  }
  return t->text && t->triple && t->cpu && t->features;
}

static LLVMTargetMachineRef machine_create(LLVMTargetRef target,
                                           const neso_target *t,
                                           const char *cpu,
                                           const char *features) {
  LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
  LLVMTargetMachineOptionsSetCPU(options, cpu);
  LLVMTargetMachineOptionsSetFeatures(options, features);
  LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelDefault);
  LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
  LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelSmall);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachineWithOptions(target, t->triple, options);
  LLVMDisposeTargetMachineOptions(options);
  return machine;
}

/* LLVM prints a warning for a name it does not know, so names are checked on
 * a machine without any. */
static neso_status check_names(LLVMTargetRef target, const neso_target *t) {
  LLVMTargetMachineRef plain = machine_create(target, t, "", "");
  bool cpu = !t->cpu[0] || neso__shim_knows_cpu(plain, t->cpu);
  bool features = neso__shim_knows_features(plain, t->features);
  LLVMDisposeTargetMachine(plain);
  if (!cpu)
    return neso__fail(NESO_INVALID_ARGUMENT, "LLVM knows no CPU '%s' of %s",
                      t->cpu, t->triple);
  if (!features)
    return neso__fail(NESO_INVALID_ARGUMENT,
                      "LLVM knows not every feature of '%s' on %s", t->features,
                      t->triple);
  return NULL;
}

static unsigned widest_vector(const neso_target *t) {
  if (strncmp(t->triple, "x86_64", 6))
    return 128;
  if (neso__target_has(t, "avx512f"))
    return 512;
  return neso__target_has(t, "avx") ? 256 : 128;
}

neso_status neso__target_create(const char *text, neso_target **out_target) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_targets);
  neso_status status = NULL;
  LLVMTargetRef llvm = NULL;
  char *message = NULL;
  neso_target *t = calloc(1, sizeof(*t));
  if (!t || !parse(t, text)) {
    status = neso__fail(NESO_OUT_OF_MEMORY, "out of memory");
    goto fail;
  }
  if (LLVMGetTargetFromTriple(t->triple, &llvm, &message)) {
    status = neso__fail(NESO_UNSUPPORTED, "target '%s': %s", text, message);
    LLVMDisposeMessage(message);
    goto fail;
  }
  if (!t->is_host && (status = check_names(llvm, t)))
    goto fail;
  t->machine = machine_create(llvm, t, t->cpu, t->features);
  if (!t->machine) {
    status =
        neso__fail(NESO_UNSUPPORTED, "target '%s' has no code generator", text);
    goto fail;
  }
  t->vector_bits = widest_vector(t);
  *out_target = t;
  return NULL;
fail:
  neso__target_free(t);
  return status;
}

void neso__target_free(neso_target *target) {
  if (!target)
    return;
  if (target->machine)
    LLVMDisposeTargetMachine(target->machine);
  free(target->features);
  free(target->cpu);
  free(target->triple);
  free(target->text);
  free(target);
}

bool neso__target_has(const neso_target *target, const char *feature) {
  return neso__shim_machine_has(target->machine, feature);
}
