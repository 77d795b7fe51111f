#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "hash.h"
#include "launch.h"
#include "table.h"
#include "variant.h"

static neso_status check_params(const char *name, const neso_param *params,
                                size_t count) {
  if (count > NESO_MAX_PARAMS)
    return neso_status_make(NESO_OUT_OF_RANGE,
                            "kernel '%s' has %zu parameters; the limit is %d",
                            name, count, NESO_MAX_PARAMS);
  for (size_t i = 0; i < count; i++)
    if (params[i].kind == NESO_PARAM_SCALAR && params[i].dtype >= NESO_F8E5M2)
      return neso_status_make(
          NESO_UNSUPPORTED,
          "kernel '%s': parameter '%s' is declared as a scalar %s; 8-bit "
          "floats are for buffers only",
          name, params[i].name, neso_dtype_name((neso_dtype)params[i].dtype));
  return NULL;
}

/* One block: the parameters, then their names. */
static neso_param *copy_params(neso_context *context, const neso_param *params,
                               size_t count) {
  size_t size = count * sizeof *params;
  for (size_t i = 0; i < count; i++)
    size += strlen(params[i].name) + 1;
  neso_param *copy = neso__object_new(context, size);
  if (!copy)
    return NULL;
  char *text = (char *)(copy + count);
  for (size_t i = 0; i < count; i++) {
    copy[i] = params[i];
    copy[i].name = text;
    text = stpcpy(text, params[i].name) + 1;
  }
  return copy;
}

static void kernel_delete(neso_kernel *kernel) {
  neso_context *context = kernel->context;
  neso__table_delete(kernel->table);
  neso__object_free(context, kernel->params);
  neso__object_free(context, kernel->name);
  neso__object_free(context, kernel);
}

neso_status neso__kernel_create(neso_context *context, const char *name,
                                const neso_param *params, size_t param_count,
                                neso_resolve_fn resolve, void *user,
                                void (*release_user)(void *user),
                                neso_kernel **out_kernel) {
  neso_status status = check_params(name, params, param_count);
  if (status)
    return status;
  neso_kernel *kernel = neso__object_new(context, sizeof *kernel);
  if (!kernel)
    return neso__out_of_memory("a kernel", sizeof *kernel);
  atomic_init(&kernel->refs, 1);
  kernel->context = context;
  kernel->name = neso__object_new(context, strlen(name) + 1);
  kernel->params = copy_params(context, params, param_count);
  kernel->table = neso__table_new(context);
  if (!kernel->name || !kernel->params || !kernel->table) {
    kernel_delete(kernel);
    return neso__out_of_memory("a kernel", sizeof *kernel);
  }
  strcpy(kernel->name, name);
  kernel->param_count = param_count;
  kernel->resolve = resolve;
  kernel->user = user;
  kernel->release_user = release_user;
  neso__context_hold(context);
  *out_kernel = kernel;
  return NULL;
}

void neso_kernel_release(neso_kernel *kernel) {
  if (!kernel ||
      atomic_fetch_sub_explicit(&kernel->refs, 1, memory_order_acq_rel) != 1)
    return;
  if (kernel->release_user)
    kernel->release_user(kernel->user);
  neso_context *context = kernel->context;
  kernel_delete(kernel);
  neso__context_drop(context);
}

void neso__kernel_forget(neso_kernel *kernel) {
  neso__table_clear(kernel->table);
}

size_t neso__kernel_variant_count(neso_kernel *kernel) {
  return neso__table_count(kernel->table);
}

/* ------------------------------------------------------------- exports -- */

static void retain(neso_kernel *kernel) {
  atomic_fetch_add_explicit(&kernel->refs, 1, memory_order_relaxed);
}

static neso_export *find_export(neso_context *context, const char *name) {
  neso_export *row = context->exports;
  while (row && strcmp(row->name, name))
    row = row->next;
  return row;
}

neso_status neso__kernel_export(neso_context *context, const char *name,
                                neso_kernel *kernel) {
  neso_export *made =
      neso__object_new(context, sizeof *made + strlen(name) + 1);
  if (!made)
    return neso__out_of_memory("an exported kernel", sizeof *made);
  made->name = strcpy((char *)(made + 1), name);
  retain(kernel);
  pthread_mutex_lock(&context->lock);
  neso_export *row = find_export(context, name);
  neso_kernel *replaced = row ? row->kernel : NULL;
  if (row) {
    row->kernel = kernel;
  } else {
    made->kernel = kernel;
    made->next = context->exports;
    context->exports = made;
  }
  pthread_mutex_unlock(&context->lock);
  if (row)
    neso__object_free(context, made);
  neso_kernel_release(replaced);
  return NULL;
}

neso_status neso_kernel_get(neso_context *context, const char *name,
                            neso_kernel **out_kernel) {
  pthread_mutex_lock(&context->lock);
  neso_export *row = find_export(context, name);
  neso_kernel *kernel = row ? row->kernel : NULL;
  if (kernel)
    retain(kernel);
  pthread_mutex_unlock(&context->lock);
  if (!kernel)
    return neso_status_make(
        NESO_NOT_FOUND,
        "no kernel is exported as '%s' (neso.export(name, kernel) does)", name);
  *out_kernel = kernel;
  return NULL;
}

/* ------------------------------------------------------------ launches -- */

/* The variant of a call, one reference. */
static neso_status find_variant(neso_kernel *kernel, const neso_call *call,
                                neso_variant **out_variant) {
  uint64_t hash = neso__hash64(call->key, call->key_size);
  unsigned generation;
  neso_variant *variant = neso__table_find(kernel->table, call->key,
                                           call->key_size, hash, &generation);
  if (!variant) {
    neso_status status =
        kernel->resolve(kernel->user, kernel, call->device, call->specs,
                        call->args, call->arg_count, &variant);
    if (status)
      return status;
    neso__table_put(kernel->table, call->key, call->key_size, hash, generation,
                    variant);
  }
  *out_variant = variant;
  return NULL;
}

static neso_status run(neso_kernel *kernel, const neso_call *call,
                       const int64_t grid[3]) {
  neso_variant *variant;
  neso_status status = find_variant(kernel, call, &variant);
  if (status)
    return status;
  neso_launch launch = {
      kernel->name,
      neso__variant_code(variant),
      {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]},
      (uint64_t)grid[0],
      call->packed,
      call->packed_size,
      call};
  if (neso__variant_packed_size(variant) != call->packed_size)
    status = neso_status_make(
        NESO_INTERNAL,
        "kernel '%s': the variant takes %zu bytes of arguments, the launch "
        "has %zu",
        kernel->name, neso__variant_packed_size(variant), call->packed_size);
  else if (__builtin_mul_overflow(launch.programs, grid[1], &launch.programs) ||
           __builtin_mul_overflow(launch.programs, grid[2], &launch.programs))
    status = neso_status_make(NESO_OUT_OF_RANGE,
                              "kernel '%s': the grid has more than 2^64 "
                              "programs",
                              kernel->name);
  else
    status = call->device->backend->launch(call->device, &launch);
  neso__variant_release(variant);
  return status;
}

neso_status neso__kernel_launch(neso_kernel *kernel,
                                neso_device *device_or_null,
                                const int64_t grid[3], const char *options,
                                size_t options_length, const neso_arg *args,
                                size_t count) {
  neso_call call;
  neso_status status = neso__call_begin(&call, kernel, device_or_null, options,
                                        options_length, args, count);
  if (!status)
    status = neso__grid_check(kernel->name, call.device, grid);
  if (!status && grid[0] && grid[1] && grid[2])
    status = run(kernel, &call, grid);
  neso__call_end(&call);
  return status;
}

neso_status neso_kernel_launch(neso_kernel *kernel, const int64_t grid[3],
                               const neso_arg *args, size_t arg_count) {
  return neso__kernel_launch(kernel, NULL, grid, "", 0, args, arg_count);
}

neso_status neso__kernel_variant(neso_kernel *kernel,
                                 neso_device *device_or_null,
                                 const char *options, size_t options_length,
                                 const neso_arg *args, size_t count,
                                 neso_variant **out_variant) {
  neso_call call;
  neso_status status = neso__call_begin(&call, kernel, device_or_null, options,
                                        options_length, args, count);
  if (!status)
    status = find_variant(kernel, &call, out_variant);
  neso__call_end(&call);
  return status;
}
