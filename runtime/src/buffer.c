#include "buffer.h"

#include <string.h>

static neso_buffer *buffer_new(neso_context *context, neso_device *device,
                               size_t size) {
  neso_buffer *buffer = neso__object_new(context, sizeof *buffer);
  if (!buffer)
    return NULL;
  atomic_init(&buffer->refs, 1);
  atomic_init(&buffer->pins, 0);
  buffer->context = context;
  buffer->device = device;
  buffer->size = size;
  neso__context_hold(context);
  return buffer;
}

static void list(neso_buffer *buffer) {
  neso_context *context = buffer->context;
  pthread_mutex_lock(&context->lock);
  buffer->next = context->buffers;
  buffer->link = &context->buffers;
  if (buffer->next)
    buffer->next->link = &buffer->next;
  context->buffers = buffer;
  pthread_mutex_unlock(&context->lock);
}

static void unlist(neso_buffer *buffer) {
  if (!buffer->link)
    return;
  pthread_mutex_lock(&buffer->context->lock);
  *buffer->link = buffer->next;
  if (buffer->next)
    buffer->next->link = buffer->link;
  pthread_mutex_unlock(&buffer->context->lock);
}

bool neso__buffers_contain(neso_context *context, uintptr_t address,
                           size_t size, uintptr_t out_range[2]) {
  pthread_mutex_lock(&context->lock);
  neso_buffer *b = context->buffers;
  while (b &&
         (neso_buffer_is_freed(b) || !neso__buffer_contains(b, address, size)))
    b = b->next;
  if (b && out_range) {
    out_range[0] = (uintptr_t)b->memory;
    out_range[1] = out_range[0] + b->size;
  }
  pthread_mutex_unlock(&context->lock);
  return b != NULL;
}

static void buffer_delete(neso_buffer *buffer) {
  neso_context *context = buffer->context;
  unlist(buffer);
  neso__object_free(context, buffer);
  neso__context_drop(context);
}

static neso_status check_device(neso_context *context, neso_device *device) {
  if (device && device->context == context)
    return NULL;
  return neso_status_make(NESO_INVALID_ARGUMENT,
                          device ? "the device belongs to another context"
                                 : "the device of a buffer is NULL");
}

neso_status neso_buffer_create(neso_context *context, neso_device *device,
                               size_t size, neso_buffer **out_buffer) {
  neso_status status = check_device(context, device);
  if (status)
    return status;
  if (size > PTRDIFF_MAX)
    return neso_status_make(NESO_OUT_OF_RANGE,
                            "a buffer of %zu bytes; the limit is %td", size,
                            PTRDIFF_MAX);
  neso_buffer *buffer = buffer_new(context, device, size);
  if (!buffer)
    return neso__out_of_memory("a buffer object", sizeof *buffer);
  status = device->backend->memory_allocate(device, size ? size : 1,
                                            &buffer->memory);
  if (status) {
    buffer_delete(buffer);
    return neso_status_note(status, "for a buffer on %s:%d",
                            device->backend->name, device->index);
  }
  list(buffer);
  *out_buffer = buffer;
  return NULL;
}

neso_status neso_buffer_wrap(neso_context *context, neso_device *device,
                             void *memory, size_t size,
                             void (*release)(void *release_user),
                             void *release_user, neso_buffer **out_buffer) {
  neso_status status = check_device(context, device);
  if (status)
    return status;
  if (!device->backend->host_visible)
    return neso_status_make(NESO_UNSUPPORTED,
                            "%s:%d cannot use memory of the host in place",
                            device->backend->name, device->index);
  if (!memory && size)
    return neso_status_make(NESO_INVALID_ARGUMENT,
                            "neso_buffer_wrap over NULL");
  neso_buffer *buffer = buffer_new(context, device, size);
  if (!buffer)
    return neso__out_of_memory("a buffer object", sizeof *buffer);
  buffer->memory = memory;
  buffer->wrapped = true;
  buffer->release = release;
  buffer->release_user = release_user;
  list(buffer);
  *out_buffer = buffer;
  return NULL;
}

static void memory_end(neso_buffer *buffer) {
  if (!buffer->wrapped)
    buffer->device->backend->memory_free(buffer->device, buffer->memory,
                                         buffer->size ? buffer->size : 1);
  else if (buffer->release)
    buffer->release(buffer->release_user);
}

/* `pins` falls to FREED alone more than once when late users bounce off:
 * only the one that turns it to GONE ends the memory. */
static void end_if_last(neso_buffer *buffer) {
  unsigned expected = NESO_BUFFER_FREED;
  if (atomic_compare_exchange_strong(&buffer->pins, &expected,
                                     NESO_BUFFER_FREED | NESO_BUFFER_GONE))
    memory_end(buffer);
}

void neso__buffer_leave(neso_buffer *buffer) {
  unsigned before =
      atomic_fetch_sub_explicit(&buffer->pins, 1, memory_order_release);
  if (before == (NESO_BUFFER_FREED | 1))
    end_if_last(buffer);
}

void neso_buffer_free(neso_buffer *buffer) {
  if (!buffer)
    return;
  unsigned before = atomic_fetch_or(&buffer->pins, NESO_BUFFER_FREED);
  if (before == 0)
    end_if_last(buffer);
}

void neso_buffer_retain(neso_buffer *buffer) {
  if (buffer)
    atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
}

void neso_buffer_release(neso_buffer *buffer) {
  if (!buffer ||
      atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1)
    return;
  neso_buffer_free(buffer);
  buffer_delete(buffer);
}

bool neso_buffer_is_freed(const neso_buffer *buffer) {
  return atomic_load(&buffer->pins) & NESO_BUFFER_FREED;
}

size_t neso_buffer_size(const neso_buffer *buffer) { return buffer->size; }

neso_device *neso_buffer_device(const neso_buffer *buffer) {
  return buffer->device;
}

void *neso_buffer_data(const neso_buffer *buffer) {
  if (neso_buffer_is_freed(buffer) || !buffer->device->backend->host_visible)
    return NULL;
  return buffer->memory;
}

/* Pins the buffer when [offset, offset + size) lies inside it. */
static neso_status begin_copy(neso_buffer *buffer, size_t offset, size_t size,
                              const char *what) {
  if (offset > buffer->size || size > buffer->size - offset)
    return neso_status_make(
        NESO_OUT_OF_RANGE,
        "%s of %zu bytes at offset %zu of a buffer of %zu bytes", what, size,
        offset, buffer->size);
  if (!neso__buffer_pin(buffer))
    return neso_status_make(NESO_INVALID_ARGUMENT, "%s of a freed buffer",
                            what);
  return NULL;
}

neso_status neso_buffer_read(neso_buffer *buffer, size_t offset,
                             void *destination, size_t size) {
  neso_status status = begin_copy(buffer, offset, size, "read");
  if (status)
    return status;
  if (size)
    status = buffer->device->backend->memory_read(
        buffer->device, (char *)buffer->memory + offset, destination, size);
  neso__buffer_leave(buffer);
  return status;
}

neso_status neso_buffer_write(neso_buffer *buffer, size_t offset,
                              const void *source, size_t size) {
  neso_status status = begin_copy(buffer, offset, size, "write");
  if (status)
    return status;
  if (size)
    status = buffer->device->backend->memory_write(
        buffer->device, (char *)buffer->memory + offset, source, size);
  neso__buffer_leave(buffer);
  return status;
}
