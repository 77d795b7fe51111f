/* Common ground of the runtime's C tests. */
#ifndef NESO_SPEC_FIXTURE_H
#define NESO_SPEC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "context.h"

#define assert_ok(expression)                                                  \
  do {                                                                         \
    neso_status status_ = (expression);                                        \
    if (status_)                                                               \
      fail_msg("%s", neso_status_text(status_));                               \
  } while (0)

/* The status has that code and its text holds each of the NULL-ended list. */
static inline void fixture_refused(neso_status status, neso_code code, ...) {
  assert_non_null(status);
  if (neso_status_code(status) != code)
    fail_msg("code %s: %s", neso_code_name(neso_status_code(status)),
             neso_status_text(status));
  va_list pieces;
  va_start(pieces, code);
  for (const char *piece; (piece = va_arg(pieces, const char *));)
    if (!strstr(neso_status_text(status), piece))
      fail_msg("'%s' is not in: %s", piece, neso_status_text(status));
  va_end(pieces);
  neso_status_free(status);
}
#define assert_refused(status, ...) fixture_refused(status, __VA_ARGS__, NULL)

static inline char *fixture_folder(void) {
  char *path = strdup("/tmp/neso-test-XXXXXX");
  assert_non_null(mkdtemp(path));
  return path;
}

static inline void fixture_remove(char *folder) {
  char command[512];
  snprintf(command, sizeof command, "chmod -R u+rwX '%s'; rm -rf '%s'", folder,
           folder);
  assert_int_equal(system(command), 0);
  free(folder);
}

/* "" : no disk cache. */
static inline neso_context *fixture_context(const char *cache_dir) {
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = cache_dir;
  config.compiler = FIXTURE_COMPILER;
  config.workers = 2;
  neso_context *context;
  assert_ok(neso_context_create(&config, &context));
  return context;
}

static inline neso_device *fixture_cpu(neso_context *context) {
  neso_device *device;
  assert_ok(neso_device_get(context, "cpu", 0, &device));
  return device;
}

static inline neso_buffer *fixture_buffer(neso_context *context, size_t size) {
  neso_buffer *buffer;
  assert_ok(neso_buffer_create(context, fixture_cpu(context), size, &buffer));
  return buffer;
}

/* Builds what `user` (a string) names, with the cache. */
static inline neso_status fixture_resolve(void *user, neso_kernel *kernel,
                                          neso_device *device,
                                          const neso_spec *specs,
                                          const neso_arg *args, size_t count,
                                          neso_variant **out_variant) {
  (void)kernel;
  (void)args;
  neso_stage stage = {"asm", ""};
  neso_build build = {.compile = {.kernel = user,
                                  .file = "test.lua",
                                  .program = user,
                                  .program_size = strlen(user),
                                  .stages = &stage,
                                  .stage_count = 1},
                      .specs = specs,
                      .spec_count = count,
                      .use_cache = true};
  return neso__variant_build(device->context, device, &build, out_variant);
}

static inline neso_kernel *fixture_kernel(neso_context *context,
                                          const char *object,
                                          const neso_param *params,
                                          size_t count) {
  neso_kernel *kernel;
  assert_ok(neso__kernel_create(context, object, params, count, fixture_resolve,
                                (void *)object, NULL, &kernel));
  return kernel;
}

#endif
