#include <stdlib.h>
#include <string.h>

#include "context.h"

static neso_status unknown_backend(const char *name) {
  return neso_status_make(NESO_NOT_FOUND,
                          "no backend is named '%s'; there are: %s",
                          name ? name : "(null)", neso__backend_names());
}

static int backend_row(const neso_backend *backend) {
  for (int i = 0; i < NESO_BACKEND_COUNT; i++)
    if (neso__backends[i] == backend)
      return i;
  return 0;
}

neso_status neso_backend_query(neso_context *context, const char *name,
                               neso_backend_info *out_info) {
  const neso_backend *backend = neso__backend_find(name);
  if (!backend)
    return unknown_backend(name);
  char reason[NESO_REASON_SIZE] = "";
  int count = 0;
  bool active = backend->query(context, reason, &count);
  char *kept = context->reasons[backend_row(backend)];
  pthread_mutex_lock(&context->lock);
  memcpy(kept, reason, sizeof reason);
  pthread_mutex_unlock(&context->lock);
  *out_info =
      (neso_backend_info){backend->name, active, kept, active ? count : 0};
  return NULL;
}

static neso_device *find_device(neso_context *context,
                                const neso_backend *backend, int index) {
  neso_device *device = context->devices;
  while (device && (device->backend != backend || device->index != index))
    device = device->next;
  return device;
}

static void close_device(neso_device *device) {
  free(device->info.name);
  free(device->info.target);
  neso__object_free(device->context, device);
}

static neso_status open_device(neso_context *context,
                               const neso_backend *backend, int index,
                               neso_device **out_device) {
  char reason[NESO_REASON_SIZE] = "";
  int count = 0;
  if (!backend->query(context, reason, &count))
    return neso_status_make(NESO_UNAVAILABLE, "backend '%s' is not active: %s",
                            backend->name, reason);
  if (index < 0 || index >= count)
    return neso_status_make(NESO_NOT_FOUND,
                            "no device %s:%d; the backend has %d (from 0)",
                            backend->name, index, count);
  neso_device *device = neso__object_new(context, sizeof *device);
  if (!device)
    return neso__out_of_memory("a device", sizeof *device);
  device->context = context;
  device->backend = backend;
  device->index = index;
  neso_status status = backend->device_open(context, index, &device->info);
  if (!status && (!device->info.name || !device->info.target))
    status = neso__out_of_memory("a device", sizeof device->info);
  if (status)
    close_device(device);
  else
    *out_device = device;
  return status;
}

/* Opened without the lock, so that hooks may come back here: of two threads
 * that open the same device one gives its own up. */
neso_status neso_device_get(neso_context *context, const char *name, int index,
                            neso_device **out_device) {
  const neso_backend *backend = neso__backend_find(name);
  if (!backend)
    return unknown_backend(name);
  pthread_mutex_lock(&context->lock);
  neso_device *found = find_device(context, backend, index);
  pthread_mutex_unlock(&context->lock);
  if (!found) {
    neso_device *opened;
    neso_status status = open_device(context, backend, index, &opened);
    if (status)
      return status;
    pthread_mutex_lock(&context->lock);
    found = find_device(context, backend, index);
    if (!found) {
      opened->next = context->devices;
      context->devices = found = opened;
    }
    pthread_mutex_unlock(&context->lock);
    if (found != opened)
      close_device(opened);
  }
  *out_device = found;
  return NULL;
}

void neso__devices_close(neso_context *context) {
  while (context->devices) {
    neso_device *device = context->devices;
    context->devices = device->next;
    close_device(device);
  }
}

const char *neso_device_backend(const neso_device *device) {
  return device->backend->name;
}

int neso_device_index(const neso_device *device) { return device->index; }

const char *neso_device_name(const neso_device *device) {
  return device->info.name;
}

const char *neso_device_target(const neso_device *device) {
  return device->info.target;
}
