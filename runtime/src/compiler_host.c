#include "compiler_host.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "neso_identity.h"

#define COMPILER_FILE "libneso_compiler.so"

static const neso_compiler_host host = {neso_status_make};

static neso_status check(const char *path, const neso_compiler *compiler) {
  if (!compiler)
    return neso_status_make(NESO_UNAVAILABLE, "%s did not start", path);
  if (compiler->abi != NESO_COMPILER_ABI)
    return neso_status_make(NESO_UNAVAILABLE,
                            "%s has interface %d, libneso has %d: install "
                            "both from one build",
                            path, compiler->abi, NESO_COMPILER_ABI);
  if (strcmp(compiler->identity, NESO_COMPILER_IDENTITY))
    return neso_status_make(NESO_UNAVAILABLE,
                            "%s is of build %s, libneso expects %s: install "
                            "both from one build",
                            path, compiler->identity, NESO_COMPILER_IDENTITY);
  return NULL;
}

static neso_status open_path(const char *path,
                             const neso_compiler **out_compiler) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return neso_status_make(NESO_UNAVAILABLE,
                            "the compiler cannot be loaded: %s", dlerror());
  neso_compiler_open_fn entry;
  *(void **)&entry = dlsym(library, NESO_COMPILER_ENTRY);
  if (!entry)
    return neso_status_make(NESO_UNAVAILABLE, "%s is no compiler of neso: %s",
                            path, dlerror());
  *out_compiler = entry(&host);
  return check(path, *out_compiler);
}

neso_status neso__compiler_open(neso_context *context,
                                const neso_compiler **out_compiler) {
  pthread_mutex_lock(&context->lock);
  const neso_compiler *compiler = context->compiler;
  pthread_mutex_unlock(&context->lock);
  if (!compiler) {
    char *beside =
        context->config.compiler ? NULL : neso__library_path(COMPILER_FILE);
    const char *path =
        context->config.compiler ? context->config.compiler : beside;
    neso_status status = open_path(path ? path : COMPILER_FILE, &compiler);
    free(beside);
    if (status)
      return status;
    pthread_mutex_lock(&context->lock);
    context->compiler = compiler;
    pthread_mutex_unlock(&context->lock);
  }
  *out_compiler = compiler;
  return NULL;
}
