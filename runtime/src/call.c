#include "call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"

static const char *const kind_names[] = {
    [NESO_ARG_NIL] = "nil",         [NESO_ARG_BUFFER] = "a buffer",
    [NESO_ARG_NUMBER] = "a number", [NESO_ARG_INTEGER] = "an integer",
    [NESO_ARG_BOOL] = "a boolean",  [NESO_ARG_STRING] = "a string",
    [NESO_ARG_OBJECT] = "an object"};

static const char *kind_name(const neso_arg *arg) {
  return arg->kind <= NESO_ARG_OBJECT ? kind_names[arg->kind] : "unknown";
}

static const char *param_name(const neso_call *call, size_t i) {
  return call->kernel->params[i].name;
}

#define REFUSE(call, i, code, format, ...)                                     \
  neso_status_make(code, "kernel '%s': argument '%s' " format,                 \
                   (call)->kernel->name, param_name(call, i), __VA_ARGS__)

/* ---------------------------------------------------------------- key -- */

static bool key_grow(neso_call *call, size_t more) {
  size_t capacity = (call->key_size + more) * 2;
  unsigned char *key =
      realloc(call->key == call->own_key ? NULL : call->key, capacity);
  if (!key)
    return false;
  if (call->key == call->own_key)
    memcpy(key, call->own_key, call->key_size);
  call->key = key;
  call->key_capacity = capacity;
  return true;
}

static inline bool key_put(neso_call *call, const void *bytes, size_t size) {
  if (size > call->key_capacity - call->key_size && !key_grow(call, size))
    return false;
  memcpy(call->key + call->key_size, bytes, size);
  call->key_size += size;
  return true;
}

static bool key_put_const(neso_call *call, const neso_arg *arg) {
  unsigned char head[2] = {arg->kind, arg->dtype};
  if (!key_put(call, head, sizeof head))
    return false;
  switch (arg->kind) {
  case NESO_ARG_NUMBER:
    return key_put(call, &arg->value.number, 8);
  case NESO_ARG_INTEGER:
    return key_put(call, &arg->value.integer, 8);
  case NESO_ARG_BOOL:
    return key_put(call, &arg->value.boolean, 1);
  case NESO_ARG_STRING:
  case NESO_ARG_OBJECT:
    return key_put(call, &arg->length, sizeof arg->length) &&
           key_put(call, arg->value.text, arg->length);
  default:
    return true;
  }
}

/* ------------------------------------------------------------- packing -- */

static inline void pack(neso_call *call, const void *bytes, size_t size) {
  size_t at = (call->packed_size + size - 1) & ~(size - 1);
  memcpy(call->packed + at, bytes, size);
  call->packed_size = at + size;
}

size_t neso__packed_size(const neso_spec *specs, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    if (specs[i].kind == NESO_SPEC_CONST)
      continue;
    size_t size = specs[i].kind == NESO_SPEC_POINTER
                      ? 8
                      : neso_dtype_size((neso_dtype)specs[i].dtype);
    at = ((at + size - 1) & ~(size - 1)) + size;
  }
  return at;
}

/* -------------------------------------------------------------- typing -- */

static neso_status mixed_devices(const neso_call *call, size_t i,
                                 const neso_device *other) {
  return neso_status_make(
      NESO_INVALID_ARGUMENT,
      "kernel '%s': argument '%s' is on %s:%d, but argument '%s' is on %s:%d",
      call->kernel->name, param_name(call, call->first_buffer),
      call->device->backend->name, call->device->index, param_name(call, i),
      other->backend->name, other->index);
}

static neso_status check_pointer(const neso_call *call, size_t i,
                                 uintptr_t address) {
  const neso_arg *arg = &call->args[i];
  const neso_param *param = &call->kernel->params[i];
  if (param->kind == NESO_PARAM_POINTER && param->dtype != arg->dtype)
    return REFUSE(call, i, NESO_INVALID_ARGUMENT,
                  "is declared as a pointer to %s, got a buffer of %s",
                  neso_dtype_name((neso_dtype)param->dtype),
                  neso_dtype_name((neso_dtype)arg->dtype));
  size_t size = neso_dtype_size((neso_dtype)arg->dtype);
  if (size == 0)
    return REFUSE(call, i, NESO_INVALID_ARGUMENT, "has unknown dtype %d",
                  arg->dtype);
  if (arg->offset > arg->value.buffer->size)
    return REFUSE(call, i, NESO_OUT_OF_RANGE,
                  "begins at byte %zu of a buffer of %zu", arg->offset,
                  arg->value.buffer->size);
  if (address & (size - 1))
    return REFUSE(call, i, NESO_INVALID_ARGUMENT,
                  "is at address 0x%" PRIxPTR ", no multiple of %zu (%s)",
                  address, size, neso_dtype_name((neso_dtype)arg->dtype));
  return NULL;
}

static neso_status type_buffer(neso_call *call, size_t i) {
  const neso_arg *arg = &call->args[i];
  neso_buffer *buffer = arg->value.buffer;
  if (!buffer)
    return REFUSE(call, i, NESO_INVALID_ARGUMENT, "is a buffer that is %s",
                  "NULL");
  neso_device *device = buffer->device;
  if (buffer->context != call->kernel->context)
    return REFUSE(call, i, NESO_INVALID_ARGUMENT, "is a buffer of %s",
                  "another context");
  if (device != call->device)
    return mixed_devices(call, i, device);
  uintptr_t address = (uintptr_t)buffer->memory + arg->offset;
  neso_status status = check_pointer(call, i, address);
  if (status)
    return status;
  if (!neso__buffer_pin(buffer))
    return REFUSE(call, i, NESO_INVALID_ARGUMENT, "is a buffer that was %s",
                  "freed");
  uint8_t facts = device->backend->facts, held = 0;
  if (facts & NESO_FACT_SMALL && buffer->size < UINT64_C(1) << 31)
    held |= NESO_FACT_SMALL;
  if (facts & NESO_FACT_DIVISIBLE_16 && address % 16 == 0)
    held |= NESO_FACT_DIVISIBLE_16;
  call->specs[i] = (neso_spec){NESO_SPEC_POINTER, arg->dtype, held};
  pack(call, &address, 8);
  return NULL;
}

/* Bytes of a pointer argument: from its address to the end of its buffer. */
static uintptr_t pointer_range(const neso_arg *arg, uintptr_t *out_end) {
  uintptr_t memory = (uintptr_t)arg->value.buffer->memory;
  *out_end = memory + arg->value.buffer->size;
  return memory + arg->offset;
}

static bool is_apart(const neso_call *call, size_t i) {
  uintptr_t end, other_end, begin = pointer_range(&call->args[i], &end);
  for (size_t k = 0; k < call->arg_count; k++) {
    if (k == i || call->specs[k].kind != NESO_SPEC_POINTER)
      continue;
    uintptr_t other = pointer_range(&call->args[k], &other_end);
    if (begin < other_end && other < end)
      return false;
  }
  return true;
}

/* Once every argument is typed. */
static void find_apart(neso_call *call) {
  if (!(call->device->backend->facts & NESO_FACT_APART))
    return;
  for (size_t i = 0; i < call->arg_count; i++)
    if (call->specs[i].kind == NESO_SPEC_POINTER && is_apart(call, i))
      call->specs[i].facts |= NESO_FACT_APART;
}

static neso_status refuse_kind(const neso_call *call, size_t i) {
  const neso_arg *arg = &call->args[i];
  const neso_param *param = &call->kernel->params[i];
  switch (param->kind) {
  case NESO_PARAM_POINTER:
    return REFUSE(call, i, NESO_INVALID_ARGUMENT,
                  "is declared as a pointer to %s, got %s",
                  neso_dtype_name((neso_dtype)param->dtype), kind_name(arg));
  case NESO_PARAM_SCALAR:
    return REFUSE(call, i, NESO_INVALID_ARGUMENT, "is declared %s, got %s",
                  neso_dtype_name((neso_dtype)param->dtype), kind_name(arg));
  case NESO_PARAM_CONST:
    return REFUSE(call, i, NESO_INVALID_ARGUMENT,
                  "is a compile-time constant, got %s", kind_name(arg));
  default:
    if (arg->kind == NESO_ARG_NIL)
      return REFUSE(call, i, NESO_INVALID_ARGUMENT, "is %s", "nil");
    return REFUSE(call, i, NESO_INVALID_ARGUMENT,
                  "is %s: such values are for compile-time parameters "
                  "(named in CAPITALS)",
                  kind_name(arg));
  }
}

static neso_status refuse_value(const neso_call *call, size_t i) {
  const neso_arg *arg = &call->args[i];
  neso_dtype dtype = (neso_dtype)call->kernel->params[i].dtype;
  char value[40];
  if (arg->kind == NESO_ARG_NUMBER)
    snprintf(value, sizeof value, "%.17g", arg->value.number);
  else if (arg->dtype == NESO_U64)
    snprintf(value, sizeof value, "%" PRIu64, (uint64_t)arg->value.integer);
  else
    snprintf(value, sizeof value, "%" PRId64, arg->value.integer);
  return REFUSE(call, i, NESO_OUT_OF_RANGE,
                "is %s, but it is declared %s, which holds %s", value,
                neso_dtype_name(dtype), neso__dtype_limits(dtype));
}

static inline bool is_number(const neso_arg *arg) {
  return arg->kind == NESO_ARG_NUMBER || arg->kind == NESO_ARG_INTEGER ||
         arg->kind == NESO_ARG_BOOL;
}

static uint8_t scalar_facts(const neso_call *call, neso_dtype dtype,
                            const void *bytes) {
  if (!(call->device->backend->facts & NESO_FACT_DIVISIBLE_16) ||
      dtype < NESO_I32 || dtype > NESO_U64)
    return 0;
  return *(const unsigned char *)bytes % 16 == 0 ? NESO_FACT_DIVISIBLE_16 : 0;
}

static neso_status type_scalar(neso_call *call, size_t i) {
  const neso_arg *arg = &call->args[i];
  const neso_param *param = &call->kernel->params[i];
  neso_dtype dtype = (neso_dtype)param->dtype;
  uint64_t bytes = 0;
  if (!is_number(arg))
    return refuse_kind(call, i);
  if (param->kind == NESO_PARAM_AUTO)
    neso__number_by_value(arg, &dtype, &bytes);
  else if (!neso__number_as(dtype, arg, &bytes))
    return refuse_value(call, i);
  call->specs[i] = (neso_spec){NESO_SPEC_SCALAR, (uint8_t)dtype,
                               scalar_facts(call, dtype, &bytes)};
  pack(call, &bytes, neso_dtype_size(dtype));
  return NULL;
}

static neso_status type_const(neso_call *call, size_t i) {
  const neso_arg *arg = &call->args[i];
  if (arg->kind == NESO_ARG_BUFFER || arg->kind > NESO_ARG_OBJECT)
    return refuse_kind(call, i);
  call->specs[i] = (neso_spec){NESO_SPEC_CONST, 0, 0};
  return key_put_const(call, arg)
             ? NULL
             : neso__out_of_memory("the key of a launch", arg->length);
}

static neso_status type_one(neso_call *call, size_t i) {
  switch (call->kernel->params[i].kind) {
  case NESO_PARAM_CONST:
    return type_const(call, i);
  case NESO_PARAM_SCALAR:
    return type_scalar(call, i);
  case NESO_PARAM_POINTER:
    return call->args[i].kind == NESO_ARG_BUFFER ? type_buffer(call, i)
                                                 : refuse_kind(call, i);
  default:
    return call->args[i].kind == NESO_ARG_BUFFER ? type_buffer(call, i)
                                                 : type_scalar(call, i);
  }
}

/* The first buffer decides, then the caller, then there is the CPU. */
static neso_status find_device(neso_call *call, neso_device *device_or_null) {
  call->first_buffer = SIZE_MAX;
  call->device = device_or_null;
  for (size_t i = 0; i < call->arg_count; i++) {
    const neso_arg *arg = &call->args[i];
    if (arg->kind != NESO_ARG_BUFFER || !arg->value.buffer)
      continue;
    call->first_buffer = i;
    call->device = arg->value.buffer->device;
    return NULL;
  }
  if (!device_or_null)
    return neso_device_get(call->kernel->context, "cpu", 0, &call->device);
  if (device_or_null->context == call->kernel->context)
    return NULL;
  return neso_status_make(NESO_INVALID_ARGUMENT,
                          "kernel '%s': the device belongs to another context",
                          call->kernel->name);
}

static neso_status wrong_count(const neso_call *call, size_t count) {
  const neso_kernel *kernel = call->kernel;
  neso_status status = neso_status_make(
      NESO_INVALID_ARGUMENT, "kernel '%s' takes %zu argument%s, got %zu",
      kernel->name, kernel->param_count, kernel->param_count == 1 ? "" : "s",
      count);
  if (count < kernel->param_count)
    return neso_status_note(status, "the first one missing is '%s'",
                            kernel->params[count].name);
  return status;
}

neso_status neso__call_begin(neso_call *call, const neso_kernel *kernel,
                             neso_device *device_or_null, const char *options,
                             size_t options_length, const neso_arg *args,
                             size_t count) {
  call->kernel = kernel;
  call->args = args;
  call->arg_count = count;
  call->pinned = 0;
  call->packed_size = 0;
  call->key = call->own_key;
  call->key_size = 0;
  call->key_capacity = sizeof call->own_key;
  if (count != kernel->param_count)
    return wrong_count(call, count);
  neso_status status = find_device(call, device_or_null);
  if (status)
    return status;
  for (size_t i = 0; i < count; i++) {
    status = type_one(call, i);
    if (status)
      return status;
    call->pinned = i + 1;
  }
  find_apart(call);
  uint32_t length = (uint32_t)options_length;
  if (key_put(call, call->specs, count * sizeof *call->specs) &&
      key_put(call, &call->device, sizeof call->device) &&
      key_put(call, &length, sizeof length) &&
      key_put(call, options, options_length))
    return NULL;
  return neso__out_of_memory("the key of a launch", options_length);
}

void neso__call_end(neso_call *call) {
  for (size_t i = 0; i < call->pinned; i++)
    if (call->specs[i].kind == NESO_SPEC_POINTER)
      neso__buffer_leave(call->args[i].value.buffer);
  if (call->key != call->own_key)
    free(call->key);
}
