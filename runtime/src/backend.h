/* What a backend is: data and a few functions. A new one is a folder under
 * backends/ and one line of the table in backend.c.
 *
 * Every function may be called from any thread. Those that allocate report
 * failure as a status and then leave their outputs alone. */
#ifndef NESO_SRC_BACKEND_H
#define NESO_SRC_BACKEND_H

#include "neso.h"

#define NESO_REASON_SIZE 256
#define NESO_GRID_LIMIT 2147483647u

/* What `device_open` fills in. */
typedef struct neso_device_info {
  char *name;   /* owned by the device, of malloc; NULL: out of memory */
  char *target; /* likewise */
  uint32_t grid_limit[3];
} neso_device_info;

/* Where operations of a kernel stand. */
typedef struct neso_source {
  const char *file;
  const uint32_t *lines; /* of each operation; 0: unknown */
  size_t line_count;
} neso_source;

/* A compiled kernel as it comes from the cache or the compiler. */
typedef struct neso_image {
  const char *kernel; /* name, for messages */
  const void *binary; /* borrowed during the call */
  size_t size;
  const char *metadata;
  void *entry; /* code that the compiler linked already, or NULL */
  const neso_source *source; /* lives as long as the code; may be NULL */
} neso_image;

typedef struct neso_launch {
  const char *kernel; /* name, for messages */
  void *code;         /* from `code_load` */
  uint32_t grid[3];   /* each at least 1 and within the device's limits */
  uint64_t programs;  /* their product */
  const void *args;   /* packed as spec/abi.md says */
  size_t args_size;
  const struct neso_call *call; /* the arguments; borrowed */
} neso_launch;

typedef struct neso_backend {
  const char *name;
  uint8_t facts;     /* NESO_FACT_* that its code generator can use */
  bool host_visible; /* buffers are ordinary memory of the host */

  /* Is it active? Writes why (not) to `reason` and the number of devices.
   * Must not initialize a driver that a fork would then poison. */
  bool (*query)(neso_context *context, char reason[NESO_REASON_SIZE],
                int *out_count);
  neso_status (*device_open)(neso_context *context, int index,
                             neso_device_info *out_info);

  neso_status (*memory_allocate)(neso_device *device, size_t size,
                                 void **out_memory);
  void (*memory_free)(neso_device *device, void *memory, size_t size);
  neso_status (*memory_read)(neso_device *device, const void *from, void *to,
                             size_t size);
  neso_status (*memory_write)(neso_device *device, void *to, const void *from,
                              size_t size);

  neso_status (*code_load)(neso_device *device, const neso_image *image,
                           void **out_code);
  void (*code_unload)(neso_device *device, void *code);
  neso_status (*launch)(neso_device *device, const neso_launch *launch);
} neso_backend;

/* host_memory.c: for backends whose memory is the host's, by its hooks. */
neso_status neso__host_allocate(neso_device *device, size_t size,
                                void **out_memory);
void neso__host_free(neso_device *device, void *memory, size_t size);
neso_status neso__host_read(neso_device *device, const void *from, void *to,
                            size_t size);
neso_status neso__host_write(neso_device *device, void *to, const void *from,
                             size_t size);

/* NULL when there is none of that name. */
const neso_backend *neso__backend_find(const char *name);
/* Names of all, "cpu, null", for messages. */
const char *neso__backend_names(void);

#define NESO_BACKEND_COUNT 2
extern const neso_backend *const neso__backends[NESO_BACKEND_COUNT];
extern const neso_backend neso__backend_cpu;
extern const neso_backend neso__backend_null;

#endif
