/* Buffers inside libneso: what a launch needs of them. */
#ifndef NESO_SRC_BUFFER_H
#define NESO_SRC_BUFFER_H

#include <stdatomic.h>

#include "context.h"

struct neso_buffer {
  atomic_uint refs;
  /* Launches and copies that use the memory now; BUFFER_FREED when no more
   * may begin; the last to leave then gives the memory back. */
  atomic_uint pins;
  neso_context *context; /* one object reference */
  neso_device *device;   /* borrowed from the context */
  void *memory;          /* owned unless `wrapped` */
  size_t size;
  bool wrapped;
  void (*release)(void *release_user); /* of wrapped memory; may be NULL */
  void *release_user;
  neso_buffer *next, **link; /* in the context's list, under its lock */
};

#define NESO_BUFFER_FREED 0x80000000u
#define NESO_BUFFER_GONE 0x40000000u

void neso__buffer_leave(neso_buffer *buffer);
static inline bool neso__buffer_contains(const neso_buffer *buffer,
                                         uintptr_t address, size_t size) {
  uintptr_t begin = (uintptr_t)buffer->memory;
  return address >= begin && address - begin <= buffer->size &&
         size <= buffer->size - (address - begin);
}

/* The memory stays until neso__buffer_leave; false when it was freed. */
static inline bool neso__buffer_pin(neso_buffer *buffer) {
  if (!(atomic_fetch_add_explicit(&buffer->pins, 1, memory_order_acquire) &
        NESO_BUFFER_FREED))
    return true;
  neso__buffer_leave(buffer);
  return false;
}

#endif
