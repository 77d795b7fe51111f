#include "guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "mlir_shim.h"
#include "llvm-c/ErrorHandling.h"

typedef struct guard {
  jmp_buf target;
  struct guard *outer;       /* borrowed, on the stack below */
  neso_guard_result *result; /* borrowed */
} guard;

static _Thread_local guard *innermost;

_Noreturn void neso__guard_raise(neso_code code, const char *text) {
  guard *g = innermost;
  g->result->code = code;
  strncpy(g->result->text, text, sizeof(g->result->text) - 1);
  g->result->text[sizeof(g->result->text) - 1] = 0;
  longjmp(g->target, 1);
}

/* Without a guard of ours the error belongs to another user of LLVM: returning
 * lets LLVM do what it does without handlers. */
static void on_fatal(const char *reason) {
  if (innermost)
    neso__guard_raise(NESO_INTERNAL, reason);
}

static void on_bad_alloc(const char *reason) {
  if (innermost)
    neso__guard_raise(NESO_OUT_OF_MEMORY, reason);
}

static void install(void) {
  LLVMInstallFatalErrorHandler(on_fatal);
  neso__shim_on_bad_alloc(on_bad_alloc);
}

bool neso__guard_run(void (*body)(void *user), void *user,
                     neso_guard_result *out_result) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  guard g = {.outer = innermost, .result = out_result};
  out_result->code = NESO_OK;
  out_result->text[0] = 0;
  innermost = &g;
  if (setjmp(g.target) == 0)
    body(user);
  innermost = g.outer;
  return out_result->code == NESO_OK;
}
