/* link: neso_objects neso_fixture cmocka */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "launch.h"
#include "pool.h"

static neso_context *context;

static int setup(void **state) {
  (void)state;
  context = fixture_context("");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  neso_context_release(context);
  return 0;
}

static const neso_param scale_params[] = {{"out", NESO_PARAM_AUTO, 0},
                                          {"x", NESO_PARAM_AUTO, 0},
                                          {"factor", NESO_PARAM_AUTO, 0},
                                          {"count", NESO_PARAM_AUTO, 0}};

/* Runs the kernel `scale` over `count` elements and checks the result. */
static void scale(neso_context *in, neso_kernel *kernel, int count) {
  size_t size = (size_t)count * sizeof(float);
  neso_buffer *out = fixture_buffer(in, size), *x = fixture_buffer(in, size);
  float *from = neso_buffer_data(x), *to = neso_buffer_data(out);
  for (int i = 0; i < count; i++)
    from[i] = (float)i;
  memset(to, 0xff, size);
  const neso_arg args[] = {neso_arg_buffer(out, NESO_F32),
                           neso_arg_buffer(x, NESO_F32), neso_arg_number(1.5),
                           neso_arg_number(count)};
  const int64_t grid[3] = {(count + 63) / 64, 1, 1};
  assert_ok(neso_kernel_launch(kernel, grid, args, 4));
  for (int i = 0; i < count; i++)
    assert_true(to[i] == 1.5f * (float)i);
  neso_buffer_release(out);
  neso_buffer_release(x);
}

static void one_program_and_many(void **state) {
  (void)state;
  neso_kernel *kernel = fixture_kernel(context, "scale", scale_params, 4);
  const int counts[] = {1, 63, 64, 65, 1000, 64 * 777, 1 << 20};
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
      scale(context, kernel, counts[i]);
  neso_kernel_release(kernel);
}

/* ---------------------------------------------------------------- grid -- */

static void zero_and_negative(void **state) {
  (void)state;
  neso_kernel *kernel = fixture_kernel(context, "assert", NULL, 0);
  for (int round = 0; round < 2; round++) { /* cold, then warm */
    for (int axis = 0; axis < 3; axis++) {
      int64_t grid[3] = {1, 1, 1};
      char name[] = {"xyz"[axis], 0};
      grid[axis] = 0;
      assert_ok(neso_kernel_launch(kernel, grid, NULL, 0));
      assert_int_equal(neso__kernel_variant_count(kernel), round);
      grid[axis] = -1;
      assert_refused(neso_kernel_launch(kernel, grid, NULL, 0),
                     NESO_OUT_OF_RANGE, "'assert'", name, "negative (-1)");
      grid[axis] = INT64_C(1) << 31;
      assert_refused(neso_kernel_launch(kernel, grid, NULL, 0),
                     NESO_OUT_OF_RANGE, name, "2147483648", "2147483647",
                     "cpu:0");
    }
    const int64_t one[3] = {1, 1, 1};
    assert_ok(neso_kernel_launch(kernel, one, NULL, 0));
  }
  neso_kernel_release(kernel);
}

static atomic_int seen[7][5][3];

static int32_t see(const void *args, const struct neso_program_at *at) {
  (void)args;
  if (at->count[0] != 7 || at->count[1] != 5 || at->count[2] != 3)
    return 1;
  atomic_fetch_add(&seen[at->id[0]][at->id[1]][at->id[2]], 1);
  *(volatile char *)at->scratch = 1;
  return (uintptr_t)at->scratch % 64 != 0;
}

static neso_status run_entry(neso_context *in, neso_entry_fn entry, uint32_t x,
                             uint32_t y, uint32_t z, size_t scratch,
                             uint32_t program_ns) {
  neso_launch launch = {
      .kernel = "k", .grid = {x, y, z}, .programs = (uint64_t)x * y * z};
  _Atomic uint32_t ns = program_ns;
  neso_grid_run run = {
      .entry = entry, .launch = &launch, .scratch = scratch, .program_ns = &ns};
  return neso__grid_run(in, &run);
}

static void every_program_once(void **state) {
  (void)state;
  for (uint32_t ns = 0; ns < 2; ns++) { /* over the pool, then alone */
    memset(seen, 0, sizeof seen);
    assert_ok(run_entry(context, see, 7, 5, 3, 100, ns));
    for (int x = 0; x < 7; x++)
      for (int y = 0; y < 5; y++)
        for (int z = 0; z < 3; z++)
          assert_int_equal(seen[x][y][z], 1);
  }
}

static void failed_assertion(void **state) {
  (void)state;
  neso_kernel *kernel = fixture_kernel(context, "assert", NULL, 0);
  const int64_t grid[3] = {100, 10, 2};
  for (int i = 0; i < 3; i++)
    assert_refused(neso_kernel_launch(kernel, grid, NULL, 0), NESO_DEVICE_ERROR,
                   "'assert'", "(3, 1, 0)");
  neso_kernel_release(kernel);
}

static void impossible_scratch(void **state) {
  (void)state;
  assert_refused(run_entry(context, see, 7, 5, 3, SIZE_MAX, 0),
                 NESO_OUT_OF_MEMORY, "working memory");
  assert_refused(run_entry(context, see, 7, 5, 3, SIZE_MAX / 3, 0),
                 NESO_OUT_OF_MEMORY, "working memory", "'k'");
}

/* ------------------------------------------------------------- threads -- */

static int32_t slow(const void *args, const struct neso_program_at *at) {
  (void)args;
  volatile int sum = 0;
  for (int i = 0; i < 2000; i++)
    sum += i;
  /* Nobody else may be on this scratch memory now. */
  atomic_int *busy = at->scratch;
  if (atomic_fetch_add(busy, 1) != 0)
    return 1;
  for (int i = 0; i < 2000; i++)
    sum += i;
  atomic_fetch_sub(busy, 1);
  return 0;
}

static int32_t zero_scratch(const void *args,
                            const struct neso_program_at *at) {
  (void)args;
  memset(at->scratch, 0, sizeof(atomic_int));
  return 0;
}

static void *launch_many(void *failures) {
  for (int i = 0; i < 50; i++) {
    neso_status status =
        run_entry(context, slow, 40, 1, 1, sizeof(atomic_int), 0);
    if (status)
      atomic_fetch_add((atomic_int *)failures, 1);
    neso_status_free(status);
  }
  return NULL;
}

/* The scratch of new memory is not zeroed: the counter is, by calloc. */
static void *zeroed(void *user, size_t size, size_t alignment) {
  (void)user;
  void *memory =
      aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory)
    memset(memory, 0, size);
  return memory;
}

static void give(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  free(memory);
}

static void launches_from_threads(void **state) {
  (void)state;
  neso_context *before = context;
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = "";
  config.allocate = zeroed;
  config.free = give;
  config.workers = 4;
  assert_ok(neso_context_create(&config, &context));
  assert_ok(run_entry(context, zero_scratch, 1, 1, 1, 4, 0));
  atomic_int failures = 0;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, launch_many, &failures);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(failures, 0);
  neso_context_release(context);
  context = before;
}

static int host_calls;

/* A host's pool that is no pool, backwards, all under one worker number. */
static void serial(void *user, size_t count, neso_task_fn task,
                   void *task_context) {
  assert_ptr_equal(user, &host_calls);
  host_calls++;
  assert_true(count <= 3);
  for (size_t i = count; i-- > 0;)
    task(task_context, i, 0);
}

static void hosts_own_threads(void **state) {
  (void)state;
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = "";
  config.compiler = FIXTURE_COMPILER;
  config.parallel_for = serial;
  config.user = &host_calls;
  config.workers = 3;
  neso_context *own;
  assert_ok(neso_context_create(&config, &own));
  assert_int_equal(neso__context_workers(own), 3);
  neso_kernel *kernel = fixture_kernel(own, "scale", scale_params, 4);
  host_calls = 0;
  scale(own, kernel, 64);
  assert_int_equal(host_calls, 0);
  scale(own, kernel, 64 * 5000);
  assert_int_equal(host_calls, 1);
  neso_kernel_release(kernel);
  neso_context_release(own);
}

static neso_kernel *inner;

static neso_status nesting_resolve(void *user, neso_kernel *kernel,
                                   neso_device *device, const neso_spec *specs,
                                   const neso_arg *args, size_t count,
                                   neso_variant **out_variant) {
  scale(device->context, inner, 64 * 5000);
  return fixture_resolve(user, kernel, device, specs, args, count, out_variant);
}

/* The resolve hook may launch other kernels. */
static void launch_inside_a_hook(void **state) {
  (void)state;
  neso_kernel *outer;
  inner = fixture_kernel(context, "scale", scale_params, 4);
  assert_ok(neso__kernel_create(context, "outer", scale_params, 4,
                                nesting_resolve, "scale", NULL, &outer));
  scale(context, outer, 64 * 5000);
  neso_kernel_release(inner);
  neso_kernel_release(outer);
}

/* The threads of the parent do not come along: the child starts its own. */
static void forked_child(void **state) {
  (void)state;
  neso_kernel *kernel = fixture_kernel(context, "scale", scale_params, 4);
  scale(context, kernel, 64 * 5000);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    scale(context, kernel, 64 * 5000);
    scale(context, kernel, 1 << 20);
    neso_kernel_release(kernel);
    neso_context_release(context);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  scale(context, kernel, 64 * 5000);
  neso_kernel_release(kernel);
}

static void linked_code(void **state) {
  (void)state;
  const neso_param row = {"out", NESO_PARAM_AUTO, 0};
  neso_kernel *kernel = fixture_kernel(context, "linked empty", &row, 1);
  neso_buffer *out = fixture_buffer(context, 4);
  neso_arg arg = neso_arg_buffer(out, NESO_I32);
  const int64_t grid[3] = {1, 1, 1};
  assert_ok(neso_kernel_launch(kernel, grid, &arg, 1));
  assert_int_equal(*(int32_t *)neso_buffer_data(out), 42);
  neso_buffer_release(out);
  neso_kernel_release(kernel);
}

/* ------------------------------------------------------------ overhead -- */

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median over batches of the time of one launch of an empty kernel. */
static double launch_ns(int arg_count) {
  neso_param rows[19];
  neso_arg args[19];
  neso_buffer *buffer = fixture_buffer(context, 64);
  for (int i = 0; i < arg_count; i++) {
    rows[i] = (neso_param){i == 18 ? "BLOCK" : "p",
                           i == 18 ? NESO_PARAM_CONST : NESO_PARAM_AUTO, 0};
    args[i] = i % 3 == 0   ? neso_arg_buffer(buffer, NESO_F32)
              : i % 3 == 1 ? neso_arg_number(i)
                           : neso_arg_number(i + 0.5);
  }
  if (arg_count == 19)
    args[18] = neso_arg_number(1024);
  neso_kernel *kernel =
      fixture_kernel(context, "empty", rows, (size_t)arg_count);
  const int64_t grid[3] = {1, 1, 1};
  double batches[101];
  for (int b = 0; b < 101; b++) {
    double started = now_ns();
    for (int i = 0; i < 1000; i++)
      neso_status_free(
          neso_kernel_launch(kernel, grid, args, (size_t)arg_count));
    batches[b] = (now_ns() - started) / 1000;
  }
  qsort(batches, 101, sizeof batches[0], by_size);
  neso_kernel_release(kernel);
  neso_buffer_release(buffer);
  return batches[50];
}

static void overhead(void **state) {
  (void)state;
  const int counts[] = {0, 4, 8, 19};
  for (int i = 0; i < 4; i++) {
    double ns = launch_ns(counts[i]);
    print_message("empty kernel, %2d arguments: %.0f ns a launch\n", counts[i],
                  ns);
    if (!getenv("NESO_SANITIZED"))
      assert_true(ns < 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_program_and_many),
      cmocka_unit_test(zero_and_negative),
      cmocka_unit_test(every_program_once),
      cmocka_unit_test(failed_assertion),
      cmocka_unit_test(impossible_scratch),
      cmocka_unit_test(launches_from_threads),
      cmocka_unit_test(hosts_own_threads),
      cmocka_unit_test(launch_inside_a_hook),
      cmocka_unit_test(forked_child),
      cmocka_unit_test(linked_code),
      cmocka_unit_test(overhead),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
