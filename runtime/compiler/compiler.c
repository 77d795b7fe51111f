/* The table that libneso calls. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "entry.h"
#include "guard.h"
#include "host.h"
#include "neso_identity.h"
#include "stages.h"
#include "llvm-c/Core.h"

/* LLVM recurses along chains of operations, and the caller may have little:
 * the most operations that a kernel can have take a tenth of this. */
#define STACK_SIZE (32 << 20)

typedef struct job {
  neso_pass_env env;
  neso_compile_result *result; /* borrowed */
  neso_status status;
} job;

static void run_job(void *user) {
  job *j = user;
  j->env.context = neso__context_acquire();
  if (!j->env.context) {
    j->status = neso__fail(NESO_OUT_OF_MEMORY, "out of memory");
    return;
  }
  j->env.ctx = neso__context_mlir(j->env.context);
  j->env.diagnostics = neso__context_diagnostics(j->env.context);
  j->status = neso__context_target(j->env.context, j->env.request->target,
                                   &j->env.target);
  if (!j->status)
    j->status = neso__stages_run(&j->env, j->result);
  neso__context_release(j->env.context);
}

/* The context and what was built in it leak: LLVM left them half done. */
static neso_status given_up(const job *j, const neso_guard_result *result) {
  const neso_compile_request *r = j->env.request;
  free(j->result->binary);
  free(j->result->metadata);
  *j->result = (neso_compile_result){0};
  return neso__fail(result->code, "%s: kernel '%s': %s (stage %s%s%s)",
                    r->file ? r->file : "kernel", r->kernel ? r->kernel : "?",
                    result->text, j->env.stage ? j->env.stage : "start",
                    j->env.pass ? ", pass " : "",
                    j->env.pass ? j->env.pass : "");
}

static void *run_guarded(void *user) {
  job *j = user;
  neso_guard_result guard;
  if (!neso__guard_run(run_job, j, &guard))
    j->status = given_up(j, &guard);
  return NULL;
}

/* On a thread with a stack of its own; signals stay with the host's. */
static void run_apart(job *j) {
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0) {
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&thread, &attributes, run_guarded, j) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, NULL);
  else
    run_guarded(j);
}

static neso_status compile(const neso_compile_request *request,
                           neso_compile_result *out_result) {
  *out_result = (neso_compile_result){0};
  job j = {.env = {.request = request, .arena = neso__arena_create()},
           .result = out_result};
  if (!j.env.arena)
    return neso__fail(NESO_OUT_OF_MEMORY, "out of memory");
  run_apart(&j);
  neso__arena_free(j.env.arena);
  return j.status;
}

static void unlink_code(void *linked) { neso__jit_unlink(linked); }

static const neso_compiler table = {.abi = NESO_COMPILER_ABI,
                                    .identity = NESO_COMPILER_IDENTITY,
                                    .compile = compile,
                                    .unlink = unlink_code,
                                    .free = free};

/* A shared LLVM may have been replaced since the build. */
static bool llvm_is_ours(void) {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  return major == NESO_LLVM_MAJOR && minor == NESO_LLVM_MINOR &&
         patch == NESO_LLVM_PATCH;
}

const neso_compiler *neso__compiler_table(const neso_compiler_host *host) {
  if (!host || !host->status_make || !llvm_is_ours())
    return NULL;
  neso__host_set(host);
  return &table;
}
