/* link: neso_objects neso_fixture cmocka */
/* Contexts: hooks, two in one process, failing memory, the compiler's library,
 * and what the disk cache spares. */
#include "fixture.h"

#include <dlfcn.h>
#include <sys/wait.h>

#include "cache.h"

static const neso_param scale_params[] = {{"out", NESO_PARAM_AUTO, 0},
                                          {"x", NESO_PARAM_AUTO, 0},
                                          {"factor", NESO_PARAM_AUTO, 0},
                                          {"count", NESO_PARAM_AUTO, 0}};

typedef struct heap {
  long calls, fail_at; /* the call that fails, from 1; 0: none */
  long blocks;
  size_t bytes;
} heap;

static void *heap_allocate(void *user, size_t size, size_t alignment) {
  heap *h = user;
  if (++h->calls == h->fail_at)
    return NULL;
  void *memory;
  if (posix_memalign(&memory, alignment < 8 ? 8 : alignment, size) != 0)
    return NULL;
  memset(memory, 0xab, size);
  h->blocks++;
  h->bytes += size;
  return memory;
}

static void heap_free(void *user, void *memory, size_t size) {
  heap *h = user;
  h->blocks--;
  h->bytes -= size;
  memset(memory, 0xcd, size);
  free(memory);
}

static void bad_configs(void **state) {
  (void)state;
  neso_config config;
  neso_context *context;
  memset(&config, 0, sizeof config);
  assert_refused(neso_context_create(&config, &context), NESO_INVALID_ARGUMENT,
                 "neso_config_init");
  neso_config_init(&config);
  config.allocate = heap_allocate;
  assert_refused(neso_context_create(&config, &context), NESO_INVALID_ARGUMENT,
                 "both");
  neso_context_release(NULL);
}

static void devices(void **state) {
  (void)state;
  unsetenv("NESO_NULL_DEVICES");
  neso_context *context = fixture_context("");
  neso_backend_info info;
  assert_ok(neso_backend_query(context, "cpu", &info));
  assert_true(info.active);
  assert_int_equal(info.device_count, 1);
  assert_true(info.reason[0] != 0);
  assert_ok(neso_backend_query(context, "null", &info));
  assert_false(info.active);
  assert_non_null(strstr(info.reason, "NESO_NULL_DEVICES"));
  assert_refused(neso_backend_query(context, "abacus", &info), NESO_NOT_FOUND,
                 "'abacus'", "cpu", "null");
  neso_device *device, *again;
  assert_refused(neso_device_get(context, "null", 0, &device), NESO_UNAVAILABLE,
                 "null");
  assert_refused(neso_device_get(context, "cpu", 1, &device), NESO_NOT_FOUND,
                 "cpu:1");
  assert_refused(neso_device_get(context, "cpu", -1, &device), NESO_NOT_FOUND,
                 "cpu:-1");
  assert_ok(neso_device_get(context, "cpu", 0, &device));
  assert_ok(neso_device_get(context, "cpu", 0, &again));
  assert_ptr_equal(device, again);
  assert_string_equal(neso_device_backend(device), "cpu");
  assert_int_equal(neso_device_index(device), 0);
  assert_true(neso_device_name(device)[0] != 0);
  assert_int_equal(strncmp(neso_device_target(device), "host ", 5), 0);
  assert_int_equal(strlen(neso_device_target(device)), 5 + 16);
  neso_context_release(context);
}

/* -------------------------------------------------- the whole of a run -- */

/* Everything of the public path once; the first failure is returned. */
static neso_status whole_run(const neso_config *config) {
  neso_context *context = NULL;
  neso_device *device;
  neso_buffer *x = NULL, *out = NULL;
  neso_kernel *kernel = NULL;
  neso_status status = neso_context_create(config, &context);
  if (status)
    return status;
  status = neso_device_get(context, "cpu", 0, &device);
  if (!status)
    status = neso_buffer_create(context, device, 4000, &x);
  if (!status)
    status = neso_buffer_create(context, device, 4000, &out);
  if (!status)
    status = neso__kernel_create(context, "scale", scale_params, 4,
                                 fixture_resolve, "scale", NULL, &kernel);
  if (!status)
    status = neso__kernel_export(context, "scale", kernel);
  if (!status) {
    float *from = neso_buffer_data(x), *to = neso_buffer_data(out);
    for (int i = 0; i < 1000; i++)
      from[i] = (float)i;
    const neso_arg args[] = {neso_arg_buffer(out, NESO_F32),
                             neso_arg_buffer(x, NESO_F32), neso_arg_number(0.5),
                             neso_arg_number(1000)};
    const int64_t grid[3] = {16, 1, 1};
    status = neso_kernel_launch(kernel, grid, args, 4);
    if (!status)
      for (int i = 0; i < 1000; i++)
        assert_true(to[i] == 0.5f * (float)i);
  }
  neso_kernel_release(kernel);
  neso_buffer_release(x);
  neso_buffer_release(out);
  neso_context_release(context);
  return status;
}

/* Each allocation of a run fails once: the run ends in an out-of-memory
 * status, or does without; nothing leaks, and sizes come back as asked. */
static void memory_fails_at_n(void **state) {
  (void)state;
  char *folder = fixture_folder();
  neso_config config;
  neso_config_init(&config);
  heap h = {0};
  config.user = &h;
  config.allocate = heap_allocate;
  config.free = heap_free;
  config.cache_dir = folder;
  config.compiler = FIXTURE_COMPILER;
  config.workers = 2;
  for (int warm = 0; warm < 2; warm++) {
    long failed = 0;
    for (h.fail_at = 1;; h.fail_at++) {
      h.calls = 0;
      neso_status status = whole_run(&config);
      assert_int_equal(h.blocks, 0);
      assert_int_equal(h.bytes, 0);
      if (status) {
        failed++;
        if (neso_status_code(status) != NESO_OUT_OF_MEMORY)
          fail_msg("allocation %ld: %s", h.fail_at, neso_status_text(status));
        neso_status_free(status);
      }
      if (h.calls < h.fail_at)
        break;
    }
    assert_true(failed > 8);
    assert_true(h.fail_at > 10);
  }
  fixture_remove(folder);
}

static void two_contexts(void **state) {
  (void)state;
  heap h = {0};
  neso_config config;
  neso_config_init(&config);
  config.user = &h;
  config.allocate = heap_allocate;
  config.free = heap_free;
  config.cache_dir = "";
  config.compiler = FIXTURE_COMPILER;
  neso_context *hooked, *plain = fixture_context("");
  assert_ok(neso_context_create(&config, &hooked));
  assert_ptr_not_equal(fixture_cpu(hooked), fixture_cpu(plain));
  long before = h.calls;
  neso_buffer *buffer = fixture_buffer(plain, 100);
  neso_kernel *kernel = fixture_kernel(plain, "empty", NULL, 0), *got;
  assert_ok(neso__kernel_export(plain, "k", kernel));
  assert_int_equal(h.calls, before);
  assert_refused(neso_kernel_get(hooked, "k", &got), NESO_NOT_FOUND);
  neso_context_release(hooked);
  assert_int_equal(h.blocks, 0);
  const int64_t grid[3] = {100, 1, 1};
  assert_ok(neso_kernel_launch(kernel, grid, NULL, 0));
  neso_kernel_release(kernel);
  neso_buffer_release(buffer);
  neso_context_release(plain);
}

static int released;

static void count_release(void *user) {
  (void)user;
  released++;
}

/* A kernel that is exported only lives as long as its context's users. */
static void exports_end_with_the_users(void **state) {
  (void)state;
  neso_context *context = fixture_context("");
  neso_kernel *kernel;
  released = 0;
  assert_ok(neso__kernel_create(context, "empty", NULL, 0, fixture_resolve,
                                "empty", count_release, &kernel));
  assert_ok(neso__kernel_export(context, "k", kernel));
  neso_kernel_release(kernel);
  neso__context_retain(context);
  neso_context_release(context);
  assert_int_equal(released, 0);
  neso_context_release(context);
  assert_int_equal(released, 1);
}

/* ------------------------------------------------------------ compiler -- */

static int *fixture_counter(const char *name) {
  void *library = dlopen(FIXTURE_COMPILER, RTLD_NOW | RTLD_NOLOAD);
  assert_non_null(library);
  int *counter = dlsym(library, name);
  assert_non_null(counter);
  dlclose(library);
  return counter;
}

static neso_status launch_once(neso_context *context, const char *object) {
  neso_kernel *kernel = fixture_kernel(context, object, NULL, 0);
  const int64_t grid[3] = {1, 1, 1};
  neso_status status = neso_kernel_launch(kernel, grid, NULL, 0);
  neso_kernel_release(kernel);
  return status;
}

static void no_compiler(void **state) {
  (void)state;
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = "";
  config.compiler = "/nowhere/libneso_compiler.so";
  neso_context *context;
  assert_ok(neso_context_create(&config, &context));
  assert_refused(launch_once(context, "empty"), NESO_UNAVAILABLE,
                 "/nowhere/libneso_compiler.so", "kernel 'empty'");
  neso_context_release(context);
  config.compiler = "libm.so.6";
  assert_ok(neso_context_create(&config, &context));
  assert_refused(launch_once(context, "empty"), NESO_UNAVAILABLE,
                 "no compiler of neso");
  assert_refused(launch_once(context, "empty"), NESO_UNAVAILABLE, "libm");
  neso_context_release(context);
}

/* In a child, where nothing has opened the compiler yet: a cold run does, a
 * warm one never. */
static void warm_child(void *folder) {
  neso_context *context = fixture_context(folder);
  neso_status status = launch_once(context, "empty");
  if (status || dlopen(FIXTURE_COMPILER, RTLD_NOW | RTLD_NOLOAD))
    _exit(1);
  neso_context_release(context);
}

static void cold_child(void *folder) {
  neso_context *context = fixture_context(folder);
  neso_status status = launch_once(context, "empty");
  if (status || !dlopen(FIXTURE_COMPILER, RTLD_NOW | RTLD_NOLOAD))
    _exit(1);
  neso_context_release(context);
}

static void in_child(void (*body)(void *), void *user) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    body(user);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

static void warm_runs_open_no_compiler(void **state) {
  (void)state;
  char *folder = fixture_folder();
  in_child(cold_child, folder);
  in_child(warm_child, folder);
  fixture_remove(folder);
}

static void cached_variants(void **state) {
  (void)state;
  char *folder = fixture_folder();
  for (int round = 0; round < 3; round++) {
    neso_context *context = fixture_context(folder);
    neso_kernel *kernel = fixture_kernel(context, "empty", NULL, 0);
    neso_variant *variant;
    assert_ok(neso__kernel_variant(kernel, NULL, "", 0, NULL, 0, &variant));
    assert_int_equal(neso__variant_info(variant)->cached, round > 0);
    assert_true(neso__variant_info(variant)->load_ms >= 0);
    neso__variant_release(variant);
    neso_kernel_release(kernel);
    neso_context_release(context);
  }
  fixture_remove(folder);
}

static uint64_t entries(neso_context *context) {
  neso_cache_stats stats;
  assert_ok(neso__cache_stats(context, &stats));
  return stats.entries;
}

/* Linked code runs although the loader would refuse the object beside it, but
 * is not kept, since a later run could not load it. */
static void unloadable_is_not_kept(void **state) {
  (void)state;
  const char *const objects[] = {"linked outside", "linked empty"};
  const neso_param row = {"out", NESO_PARAM_AUTO, 0};
  const int64_t grid[3] = {1, 1, 1};
  char *folder = fixture_folder();
  neso_context *context = fixture_context(folder);
  neso_buffer *out = fixture_buffer(context, 4);
  neso_arg arg = neso_arg_buffer(out, NESO_I32);
  for (unsigned i = 0; i < 2; i++) {
    neso_kernel *kernel = fixture_kernel(context, objects[i], &row, 1);
    assert_ok(neso_kernel_launch(kernel, grid, &arg, 1));
    assert_int_equal(*(int32_t *)neso_buffer_data(out), 42);
    assert_int_equal(entries(context), i);
    int before = *fixture_counter("fixture_unlinks");
    neso_kernel_release(kernel);
    assert_int_equal(*fixture_counter("fixture_unlinks"), before + 1);
  }
  assert_refused(launch_once(context, "outside"), NESO_UNSUPPORTED, "getpid");
  neso_buffer_release(out);
  neso_context_release(context);
  fixture_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warm_runs_open_no_compiler), /* first: opens none */
      cmocka_unit_test(bad_configs),
      cmocka_unit_test(devices),
      cmocka_unit_test(no_compiler),
      cmocka_unit_test(cached_variants),
      cmocka_unit_test(unloadable_is_not_kept),
      cmocka_unit_test(two_contexts),
      cmocka_unit_test(exports_end_with_the_users),
      cmocka_unit_test(memory_fails_at_n),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
