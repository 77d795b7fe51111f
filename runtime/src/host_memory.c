/* Memory of devices that use the host's. */
#include <string.h>

#include "context.h"

#define ALIGNMENT 64

neso_status neso__host_allocate(neso_device *device, size_t size,
                                void **out_memory) {
  void *memory = neso__memory_allocate(device->context, size, ALIGNMENT);
  if (!memory)
    return neso__out_of_memory("a buffer", size);
  *out_memory = memory;
  return NULL;
}

void neso__host_free(neso_device *device, void *memory, size_t size) {
  neso__memory_free(device->context, memory, size);
}

neso_status neso__host_read(neso_device *device, const void *from, void *to,
                            size_t size) {
  (void)device;
  memmove(to, from, size);
  return NULL;
}

neso_status neso__host_write(neso_device *device, void *to, const void *from,
                             size_t size) {
  return neso__host_read(device, from, to, size);
}
