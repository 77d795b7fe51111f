/* A skeleton to clone: it lists devices, keeps buffers, and refuses to run.
 * Inactive unless NESO_NULL_DEVICES says how many devices to show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

static bool null_query(neso_context *context, char reason[NESO_REASON_SIZE],
                       int *out_count) {
  (void)context;
  const char *text = getenv("NESO_NULL_DEVICES");
  long count = text ? strtol(text, NULL, 10) : 0;
  *out_count = count > 0 && count <= 64 ? (int)count : 0;
  if (*out_count > 0)
    snprintf(reason, NESO_REASON_SIZE, "NESO_NULL_DEVICES is %d", *out_count);
  else
    snprintf(reason, NESO_REASON_SIZE,
             "for tests; NESO_NULL_DEVICES=2 would show two devices");
  return *out_count > 0;
}

static neso_status null_open(neso_context *context, int index,
                             neso_device_info *out_info) {
  (void)context;
  *out_info = (neso_device_info){neso__format("null device %d", index),
                                 strdup("null"),
                                 {NESO_GRID_LIMIT, 65535, 65535}};
  return NULL;
}

static neso_status null_load(neso_device *device, const neso_image *image,
                             void **out_code) {
  (void)out_code;
  return neso_status_make(NESO_UNSUPPORTED,
                          "kernel '%s': device null:%d runs no kernels",
                          image->kernel, device->index);
}

static void null_unload(neso_device *device, void *code) {
  (void)device;
  (void)code;
}

static neso_status null_launch(neso_device *device, const neso_launch *launch) {
  return neso_status_make(NESO_UNSUPPORTED,
                          "kernel '%s': device null:%d runs no kernels",
                          launch->kernel, device->index);
}

const neso_backend neso__backend_null = {
    .name = "null",
    .facts = 0,
    .host_visible = true,
    .query = null_query,
    .device_open = null_open,
    .memory_allocate = neso__host_allocate,
    .memory_free = neso__host_free,
    .memory_read = neso__host_read,
    .memory_write = neso__host_write,
    .code_load = null_load,
    .code_unload = null_unload,
    .launch = null_launch,
};
