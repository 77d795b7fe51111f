#include "access.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "call.h"

typedef struct access {
  const neso_launch *launch;
  char kind[16];
  neso_dtype dtype;
  int64_t size; /* of an element */
  neso_report_value offsets, mask;
  bool is_masked;
  const char *name;       /* of the parameter; "": an address of its own */
  const neso_arg *buffer; /* of that parameter, or NULL */
} access;

static const neso_arg *find_buffer(const neso_call *call, const char *name) {
  for (size_t i = 0; i < call->arg_count; i++)
    if (call->specs[i].kind == NESO_SPEC_POINTER &&
        !strcmp(call->kernel->params[i].name, name))
      return &call->args[i];
  return NULL;
}

static void read_site(access *a, const char *site) {
  char dtype[16];
  int read = 0;
  sscanf(site, "check %15s %15s%n", a->kind, dtype, &read);
  site += read;
  neso_dtype_parse(dtype, &a->dtype);
  a->size = (int64_t)neso_dtype_size(a->dtype);
  neso__report_value(&site, &a->offsets);
  a->is_masked = neso__report_value(&site, &a->mask);
  a->name = *site ? site + 1 : site;
  a->buffer = *a->name ? find_buffer(a->launch->call, a->name) : NULL;
}

static bool lies_inside(const access *a, uintptr_t address) {
  size_t size = (size_t)a->size;
  if (a->buffer)
    return neso__buffer_contains(a->buffer->value.buffer, address, size);
  return neso__buffers_contain(a->launch->call->kernel->context, address, size,
                               NULL);
}

static void describe(const access *a, uintptr_t base, int64_t offset,
                     char *what, size_t size) {
  const neso_arg *arg = a->buffer;
  if (!arg) {
    snprintf(what, size, "%s of %s at 0x%" PRIx64 ", which lies in no buffer",
             a->kind, neso_dtype_name(a->dtype),
             (uint64_t)base + (uint64_t)offset * (uint64_t)a->size);
    return;
  }
  uintptr_t start = (uintptr_t)arg->value.buffer->memory + arg->offset;
  int64_t count =
      (int64_t)((arg->value.buffer->size - arg->offset) / (size_t)a->size);
  snprintf(what, size,
           "%s of %s at element %" PRId64 " of '%s', which has %" PRId64,
           a->kind, neso_dtype_name(a->dtype),
           offset + (int64_t)(base - start) / a->size, a->name, count);
}

bool neso__access_holds(const neso_launch *launch, const char *site,
                        const void *const *data, char *what, size_t what_size,
                        char index[NESO_REPORT_INDEX]) {
  access a = {.launch = launch};
  read_site(&a, site);
  uintptr_t base = *(const uintptr_t *)data[0];
  int64_t count = neso__report_count(&a.offsets);
  for (int64_t i = 0; i < count; i++) {
    if (a.is_masked &&
        !((const uint8_t *)data[2])[neso__report_place(&a.mask, i)])
      continue;
    int64_t place = neso__report_place(&a.offsets, i);
    int64_t offset = a.offsets.dtype == NESO_I64
                         ? ((const int64_t *)data[1])[place]
                         : ((const int32_t *)data[1])[place];
    int64_t bytes;
    if (!__builtin_mul_overflow(offset, a.size, &bytes) &&
        lies_inside(&a, base + (uintptr_t)bytes))
      continue;
    describe(&a, base, offset, what, what_size);
    neso__report_index(index, a.offsets.rank, a.offsets.extent, i);
    return false;
  }
  return true;
}
