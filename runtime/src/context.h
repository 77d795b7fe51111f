/* The context and what hangs on it; private to libneso and its backends. */
#ifndef NESO_SRC_CONTEXT_H
#define NESO_SRC_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend.h"
#include "compiler/compiler.h"
#include "kernel.h"

typedef struct neso_cache neso_cache;
typedef struct neso_pool neso_pool;
typedef struct neso_scratch neso_scratch;

struct neso_device {
  neso_context *context; /* borrowed: the context owns the device */
  const neso_backend *backend;
  int index;
  neso_device_info info;
  neso_device *next; /* owned by the context */
};

typedef struct neso_export {
  char *name;          /* in the same memory */
  neso_kernel *kernel; /* one reference */
  struct neso_export *next;
} neso_export;

struct neso_context {
  atomic_uint users;  /* references of hosts and Lua states */
  atomic_uint refs;   /* 1 for all users, and one of each object made from it */
  neso_config config; /* strings owned */
  size_t workers;     /* at least 1 */

  pthread_mutex_t lock; /* over the five below; never held over a hook */
  neso_device *devices;
  neso_buffer *buffers; /* all that there are; borrowed */
  neso_export *exports;
  char reasons[NESO_BACKEND_COUNT][NESO_REASON_SIZE];
  const neso_compiler *compiler; /* static in its library; NULL until a miss */

  neso_cache *cache;               /* owned; NULL: no disk cache */
  _Atomic(neso_pool *) pool;       /* owned; made by the first launch */
  _Atomic(neso_scratch *) scratch; /* owned; the last one, for the next user */
};

/* References of objects: they keep the memory of the context, not its
 * exported kernels. */
void neso__context_hold(neso_context *context);
void neso__context_drop(neso_context *context);

void neso__devices_close(neso_context *context);

void neso__log(neso_context *context, neso_log_level level, const char *format,
               ...) __attribute__((format(printf, 3, 4)));

/* Memory by the host's hook. `size` must come back to `neso__memory_free`. */
void *neso__memory_allocate(neso_context *context, size_t size,
                            size_t alignment);
void neso__memory_free(neso_context *context, void *memory, size_t size);
/* Zeroed memory of an object of the context, by the same hook. */
void *neso__object_new(neso_context *context, size_t size);
void neso__object_free(neso_context *context, void *object);

neso_status neso__out_of_memory(const char *what, size_t size);

/* Folder of libneso itself with a slash at its end, and `tail` behind it;
 * made with malloc, NULL without memory or when unknown. */
char *neso__library_path(const char *tail);
/* printf into new memory (malloc), NULL without memory. */
char *neso__format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
