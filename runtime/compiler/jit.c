#include "jit.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"

/* A place for one object: its names are seen by nobody else. Emptied ones are
 * used again, since ORC cannot drop them. */
struct neso_linked {
  LLVMOrcJITDylibRef dylib; /* owned by the session */
  neso_linked *next;        /* in the list of free ones */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static LLVMOrcLLJITRef jit; /* lives as long as the process */
static char *jit_error;     /* why there is none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static neso_linked *free_list; /* under `lock`, as is the next */
static unsigned linked_count;

static const struct {
  const char *name;
  void *address;
} imports[] = {
#define IMPORT(name) {#name, (void *)name},
    NESO_KERNEL_IMPORTS(IMPORT)
#undef IMPORT
};

static char *take_error(LLVMErrorRef error) {
  char *message = LLVMGetErrorMessage(error), *copy = strdup(message);
  LLVMDisposeErrorMessage(message);
  return copy;
}

/* ORC reports the cause ("Symbols not found: [ expf ]") on the thread that
 * links, and returns only that something failed. */
static _Thread_local char cause[512];

static void keep_cause(void *user, LLVMErrorRef error) {
  (void)user;
  char *message = take_error(error);
  snprintf(cause, sizeof(cause), "%s; ", message ? message : "");
  free(message);
}

static void create_jit(void) {
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, NULL);
  if (error) {
    jit = NULL;
    jit_error = take_error(error);
    return;
  }
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit),
                                          keep_cause, NULL);
}

static LLVMErrorRef define_imports(LLVMOrcJITDylibRef dylib) {
  enum { COUNT = sizeof(imports) / sizeof(imports[0]) };
  LLVMOrcCSymbolMapPair pairs[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit, imports[i].name);
    pairs[i].Sym.Address = (LLVMOrcJITTargetAddress)imports[i].address;
    pairs[i].Sym.Flags = (LLVMJITSymbolFlags){
        LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable,
        0};
  }
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, COUNT);
  LLVMErrorRef error = LLVMOrcJITDylibDefine(dylib, unit);
  if (error)
    LLVMOrcDisposeMaterializationUnit(unit);
  return error;
}

static neso_linked *acquire(void) {
  char name[32];
  pthread_mutex_lock(&lock);
  neso_linked *linked = free_list;
  if (linked)
    free_list = linked->next;
  snprintf(name, sizeof(name), "kernel%u", linked_count += !linked);
  pthread_mutex_unlock(&lock);
  if (linked || !(linked = calloc(1, sizeof(*linked))))
    return linked;
  linked->dylib = LLVMOrcExecutionSessionCreateBareJITDylib(
      LLVMOrcLLJITGetExecutionSession(jit), name);
  return linked;
}

typedef struct lookup {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool done;
  LLVMErrorRef error;
  LLVMOrcJITTargetAddress address;
} lookup;

static void on_found(LLVMErrorRef error, LLVMOrcCSymbolMapPairs pairs,
                     size_t count, void *user) {
  lookup *l = user;
  pthread_mutex_lock(&l->lock);
  l->error = error;
  l->address = !error && count ? pairs[0].Sym.Address : 0;
  l->done = true;
  pthread_cond_signal(&l->changed);
  pthread_mutex_unlock(&l->lock);
}

static LLVMErrorRef find(LLVMOrcJITDylibRef dylib, const char *name,
                         void **out_address) {
  lookup l = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, NULL,
              0};
  LLVMOrcCJITDylibSearchOrderElement where = {
      dylib, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly};
  LLVMOrcCLookupSetElement what = {LLVMOrcLLJITMangleAndIntern(jit, name),
                                   LLVMOrcSymbolLookupFlagsRequiredSymbol};
  LLVMOrcExecutionSessionLookup(LLVMOrcLLJITGetExecutionSession(jit),
                                LLVMOrcLookupKindStatic, &where, 1, &what, 1,
                                on_found, &l);
  pthread_mutex_lock(&l.lock);
  while (!l.done)
    pthread_cond_wait(&l.changed, &l.lock);
  pthread_mutex_unlock(&l.lock);
  *out_address = (void *)l.address;
  return l.error;
}

static LLVMErrorRef link_object(neso_linked *linked, const void *bytes,
                                size_t size, void **out_entry) {
  LLVMErrorRef error = define_imports(linked->dylib);
  if (!error)
    error = LLVMOrcLLJITAddObjectFile(jit, linked->dylib,
                                      LLVMCreateMemoryBufferWithMemoryRangeCopy(
                                          bytes, size, NESO_KERNEL_ENTRY));
  return error ? error : find(linked->dylib, NESO_KERNEL_ENTRY, out_entry);
}

neso_status neso__jit_link(neso_pass_env *env, const void *bytes, size_t size,
                           neso_linked **out_linked, void **out_entry) {
  pthread_once(&once, create_jit);
  if (!jit)
    return neso__pass_fail(env, NESO_INTERNAL, (MlirOperation){NULL},
                           "ORC did not start: %s", jit_error);
  neso_linked *linked = acquire();
  if (!linked)
    return neso__pass_fail(env, NESO_OUT_OF_MEMORY, (MlirOperation){NULL},
                           "out of memory");
  cause[0] = 0;
  LLVMErrorRef error = link_object(linked, bytes, size, out_entry);
  if (!error) {
    *out_linked = linked;
    return NULL;
  }
  char *message = take_error(error);
  neso_status status =
      neso__pass_fail(env, NESO_INTERNAL, (MlirOperation){NULL},
                      "the object cannot be linked: %s%s", cause, message);
  free(message);
  neso__jit_unlink(linked);
  return status;
}

void neso__jit_unlink(neso_linked *linked) {
  if (!linked)
    return;
  LLVMErrorRef error = LLVMOrcJITDylibClear(linked->dylib);
  if (error) {
    LLVMConsumeError(error);
    free(linked);
    return;
  }
  pthread_mutex_lock(&lock);
  linked->next = free_list;
  free_list = linked;
  pthread_mutex_unlock(&lock);
}
