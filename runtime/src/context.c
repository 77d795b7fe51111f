#include "context.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "pool.h"

#define OBJECT_HEADER 16

void neso_config_init(neso_config *out_config) {
  memset(out_config, 0, sizeof *out_config);
  out_config->size = sizeof *out_config;
}

static size_t usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? (size_t)count : 1;
}

static bool copy_string(const char **field) {
  if (!*field)
    return true;
  *field = strdup(*field);
  return *field != NULL;
}

static neso_status check_config(const neso_config *config) {
  if (config->size < sizeof config->size || config->size > sizeof *config)
    return neso_status_make(
        NESO_INVALID_ARGUMENT,
        "neso_config of %zu bytes, this library has %zu: call "
        "neso_config_init first",
        config->size, sizeof *config);
  return NULL;
}

static void context_destroy(neso_context *context) {
  neso__pool_end(context);
  neso__devices_close(context);
  neso__cache_close(context->cache);
  pthread_mutex_destroy(&context->lock);
  free((char *)context->config.cache_dir);
  free((char *)context->config.compiler);
  free(context);
}

neso_status neso_context_create(const neso_config *config,
                                neso_context **out_context) {
  neso_config full;
  neso_config_init(&full);
  neso_status status = config ? check_config(config) : NULL;
  if (status)
    return status;
  if (config)
    memcpy(&full, config, config->size);
  config = &full;
  if (!config->allocate != !config->free)
    return neso_status_make(
        NESO_INVALID_ARGUMENT,
        "neso_config needs both of the hooks allocate and free, or neither");
  neso_context *context = calloc(1, sizeof *context);
  if (!context)
    return neso__out_of_memory("a context", sizeof *context);
  context->config = *config;
  context->config.cache_dir = context->config.compiler = NULL;
  pthread_mutex_init(&context->lock, NULL);
  atomic_init(&context->users, 1);
  atomic_init(&context->refs, 1);
  context->workers = config->workers ? config->workers : usable_cores();
  const char *cache_dir = config->cache_dir, *compiler = config->compiler;
  if (!copy_string(&cache_dir) || !copy_string(&compiler)) {
    if (cache_dir != config->cache_dir)
      free((char *)cache_dir);
    context_destroy(context);
    return neso__out_of_memory("a context", sizeof *context);
  }
  context->config.cache_dir = cache_dir;
  context->config.compiler = compiler;
  context->cache = neso__cache_open(context);
  *out_context = context;
  return NULL;
}

void neso__context_hold(neso_context *context) {
  atomic_fetch_add_explicit(&context->refs, 1, memory_order_relaxed);
}

void neso__context_drop(neso_context *context) {
  if (atomic_fetch_sub_explicit(&context->refs, 1, memory_order_acq_rel) == 1)
    context_destroy(context);
}

void neso__context_retain(neso_context *context) {
  atomic_fetch_add_explicit(&context->users, 1, memory_order_relaxed);
}

size_t neso__context_workers(const neso_context *context) {
  return context->workers;
}

void neso_context_release(neso_context *context) {
  if (!context ||
      atomic_fetch_sub_explicit(&context->users, 1, memory_order_acq_rel) != 1)
    return;
  pthread_mutex_lock(&context->lock);
  neso_export *exports = context->exports;
  context->exports = NULL;
  pthread_mutex_unlock(&context->lock);
  while (exports) {
    neso_export *next = exports->next;
    neso_kernel_release(exports->kernel);
    neso__object_free(context, exports);
    exports = next;
  }
  neso__context_drop(context);
}

void neso__log(neso_context *context, neso_log_level level, const char *format,
               ...) {
  if (!context->config.log)
    return;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  context->config.log(context->config.user, level, text);
}

void *neso__memory_allocate(neso_context *context, size_t size,
                            size_t alignment) {
  if (context->config.allocate)
    return context->config.allocate(context->config.user, size, alignment);
  void *memory;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

void neso__memory_free(neso_context *context, void *memory, size_t size) {
  if (!memory)
    return;
  if (context->config.free)
    context->config.free(context->config.user, memory, size);
  else
    free(memory);
}

void *neso__object_new(neso_context *context, size_t size) {
  if (size > SIZE_MAX - OBJECT_HEADER)
    return NULL;
  size += OBJECT_HEADER;
  char *memory = neso__memory_allocate(context, size, 16);
  if (!memory)
    return NULL;
  memset(memory, 0, size);
  memcpy(memory, &size, sizeof size);
  return memory + OBJECT_HEADER;
}

void neso__object_free(neso_context *context, void *object) {
  if (!object)
    return;
  char *memory = (char *)object - OBJECT_HEADER;
  size_t size;
  memcpy(&size, memory, sizeof size);
  neso__memory_free(context, memory, size);
}

neso_status neso__out_of_memory(const char *what, size_t size) {
  return neso_status_make(NESO_OUT_OF_MEMORY, "out of memory: %zu bytes for %s",
                          size, what);
}

char *neso__format(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0)
    text = NULL;
  va_end(args);
  return text;
}

char *neso__library_path(const char *tail) {
  Dl_info info;
  if (!dladdr((void *)neso_context_create, &info) || !info.dli_fname)
    return NULL;
  const char *slash = strrchr(info.dli_fname, '/');
  int length = slash ? (int)(slash - info.dli_fname) : 1;
  return neso__format("%.*s/%s", length, slash ? info.dli_fname : ".", tail);
}
