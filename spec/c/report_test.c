/* link: neso_objects neso_fixture cmocka */
/* Prints, asserts and checked accesses of the programs of a launch. */
#include "fixture.h"

#include <math.h>
#include <stdatomic.h>

#include "access.h"
#include "buffer.h"
#include "call.h"
#include "report.h"

static char printed[8 << 20];
static size_t printed_size, calls;
static pthread_t printed_by;

static void take(void *user, const char *text, size_t length) {
  assert_ptr_equal(user, printed);
  assert_true(length > 0 && text[length - 1] == '\n');
  memcpy(printed + printed_size, text, length);
  printed_size += length;
  printed[printed_size] = 0;
  printed_by = pthread_self();
  calls++;
}

static neso_context *context;

static int setup(void **state) {
  (void)state;
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = "";
  config.workers = 4;
  config.print = take;
  config.user = printed;
  assert_ok(neso_context_create(&config, &context));
  printed_size = calls = 0;
  printed[0] = 0;
  return 0;
}

static int teardown(void **state) {
  (void)state;
  neso_context_release(context);
  return 0;
}

static const uint32_t lines[] = {0, 12, 0};
static const neso_source source = {"demo.lua", lines, 3};

static neso_status run(neso_entry_fn entry, const void *args, uint32_t x,
                       uint32_t y, const neso_source *where) {
  _Atomic uint32_t ns = 0;
  neso_launch launch = {.kernel = "k",
                        .grid = {x, y, 1},
                        .programs = (uint64_t)x * y,
                        .args = args};
  neso_grid_run grid = {.entry = entry,
                        .launch = &launch,
                        .program_ns = &ns,
                        .reports = true,
                        .source = where};
  return neso__grid_run(context, &grid);
}

#define REPORT(at, site, ordinal, ...)                                         \
  (at)->report(at, site, ordinal, (const void *const[]){__VA_ARGS__})

/* -------------------------------------------------------------- elements -- */

static void is_printed(neso_dtype dtype, uint64_t bits, const char *wanted,
                       bool hex) {
  char text[NESO_REPORT_ELEMENT];
  neso_report_value value = {.dtype = dtype};
  neso__report_element(text, &value, &bits, hex);
  assert_string_equal(text, wanted);
}

static uint64_t f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

static uint64_t f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}

static void every_dtype(void **state) {
  (void)state;
  static const struct {
    neso_dtype dtype;
    uint64_t bits;
    const char *text;
  } rows[] = {{NESO_I1, 1, "true"},
              {NESO_I1, 0, "false"},
              {NESO_I8, 0x80, "-128"},
              {NESO_I16, 0xffff, "-1"},
              {NESO_I32, 0x80000000, "-2147483648"},
              {NESO_I64, UINT64_C(1) << 63, "-9223372036854775808"},
              {NESO_U8, 0xff, "255"},
              {NESO_U16, 0xffff, "65535"},
              {NESO_U32, 0xffffffff, "4294967295"},
              {NESO_U64, UINT64_MAX, "18446744073709551615"},
              {NESO_F16, 0x3555, "0.3333"},
              {NESO_F16, 0x0001, "6e-08"},
              {NESO_F16, 0x7c00, "inf"},
              {NESO_F16, 0x8000, "-0.0"},
              {NESO_BF16, 0x3eab, "0.334"},
              {NESO_BF16, 0xff80, "-inf"},
              {NESO_F8E5M2, 0x3c, "1.0"},
              {NESO_F8E4M3FN, 0x7e, "448.0"},
              {NESO_F8E4M3FN, 0x7f, "nan"},
              {NESO_F8E4B15, 0x78, "1.0"},
              {NESO_F8E4M3FNUZ, 0x80, "nan"},
              {NESO_F8E5M2FNUZ, 0x40, "1.0"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    is_printed(rows[i].dtype, rows[i].bits, rows[i].text, false);
  is_printed(NESO_F32, f32(0.1f), "0.1", false);
  is_printed(NESO_F32, f32(16777216.0f), "16777216.0", false);
  is_printed(NESO_F32, f32(1e-45f), "1e-45", false);
  is_printed(NESO_F32, f32(3.4028235e38f), "3.4028235e+38", false);
  is_printed(NESO_F32, f32(NAN), "nan", false);
  is_printed(NESO_F64, f64(0.1), "0.1", false);
  is_printed(NESO_F64, f64(0.1 + 0.2), "0.30000000000000004", false);
  is_printed(NESO_I8, 0xfe, "0xfe", true);
  is_printed(NESO_I32, 0xfffffffe, "0xfffffffe", true);
  is_printed(NESO_F32, f32(1), "0x3f800000", true);
  is_printed(NESO_F64, f64(1), "0x3ff0000000000000", true);
}

/* Every f16 and bf16, and many f32, read back from their texts. */
static void floats_read_back(void **state) {
  (void)state;
  char text[NESO_REPORT_ELEMENT];
  neso_report_value value = {.dtype = NESO_F32};
  uint32_t bits = 1;
  for (int i = 0; i < 100000; i++) {
    float x;
    bits = bits * 1664525 + 1013904223;
    memcpy(&x, &bits, 4);
    neso__report_element(text, &value, &bits, false);
    if (!isnan(x) && strtof(text, NULL) != x)
      fail_msg("%08x became %s", bits, text);
  }
}

/* ---------------------------------------------------------------- prints -- */

static int32_t print_twice(const void *args, const struct neso_program_at *at) {
  (void)args;
  uint8_t yes = 1;
  REPORT(at, "print i32 i1\nid \1, \1!", 1, &at->id[0], &yes);
  for (volatile int spin = at->id[0] * 1000; spin > 0; spin--)
    ;
  REPORT(at, "print\nmore", 1, NULL);
  return 0;
}

static void in_program_order(void **state) {
  (void)state;
  assert_ok(run(print_twice, NULL, 50, 4, &source));
  const char *at = printed;
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 50; x++) {
      char wanted[80];
      int length = snprintf(wanted, sizeof wanted,
                            "(%d, %d, 0) id %d, true!\n(%d, %d, 0) more\n", x,
                            y, x, x, y);
      assert_memory_equal(at, wanted, length);
      at += length;
    }
  assert_int_equal(*at, 0);
  assert_int_equal(calls, 400);
  assert_true(pthread_equal(printed_by, pthread_self()));
}

static int32_t print_block(const void *args, const struct neso_program_at *at) {
  (void)args;
  static const float x[] = {1, 2, -1, 3, 4, -1};
  static const int16_t y[] = {5, 6, 7, 8};
  const void *address = (const void *)(uintptr_t)0x1000;
  REPORT(at, "print f32:2/3,2/1 i16:2/2,2/1 pointer\n\1 \1 \1", 1, x, y,
         &address);
  return 0;
}

static void blocks_by_element(void **state) {
  (void)state;
  assert_ok(run(print_block, NULL, 1, 1, &source));
  assert_string_equal(printed, "(0, 0, 0) {0, 0} 1.0 5 0x1000\n"
                               "(0, 0, 0) {0, 1} 2.0 6 0x1000\n"
                               "(0, 0, 0) {1, 0} 3.0 7 0x1000\n"
                               "(0, 0, 0) {1, 1} 4.0 8 0x1000\n");
}

static int32_t print_much(const void *args, const struct neso_program_at *at) {
  (void)args;
  for (int i = 0; i < 1000; i++)
    REPORT(at, "print\n0123456789012345678901234567890123456789", 1, NULL);
  return 0;
}

static void memory_is_bounded(void **state) {
  (void)state;
  assert_ok(run(print_much, NULL, 1000, 1, &source));
  assert_true(printed_size < (4 << 20) + 300);
  const char *last = strstr(printed, "kernel 'k': ");
  assert_non_null(last);
  assert_non_null(
      strstr(last, "more lines were printed; a launch keeps 4 MiB"));
  size_t dropped = strtoull(last + strlen("kernel 'k': "), NULL, 10);
  assert_int_equal(dropped + calls - 1, 1000000);
}

/* -------------------------------------------------------------- failures -- */

static int32_t fail_some(const void *args, const struct neso_program_at *at) {
  (void)args;
  int32_t index = 11;
  REPORT(at, "print\nstarted", 1, NULL);
  if (at->id[0] >= 20)
    REPORT(at, "assert 4,8\ntoo large", 1, &index);
  return 0;
}

static void a_failed_assert(void **state) {
  (void)state;
  assert_refused(run(fail_some, NULL, 21, 1, &source), NESO_DEVICE_ERROR,
                 "demo.lua:12: kernel 'k': too large, in program (20, 0, 0), "
                 "element {1, 3}");
  assert_non_null(strstr(printed, "(20, 0, 0) started\n"));
  assert_refused(run(fail_some, NULL, 100, 1, NULL), NESO_DEVICE_ERROR,
                 "kernel: kernel 'k': too large");
}

/* Deep in calls, on any thread, a thousand times: the pool serves on. */
static __attribute__((noinline)) int descend(const struct neso_program_at *at,
                                             int depth) {
  volatile char frame[256];
  frame[depth] = 1;
  if (depth == 0)
    return REPORT(at, "assert\n", 2, NULL);
  return descend(at, depth - 1) + frame[depth];
}

static int32_t fail_deep(const void *args, const struct neso_program_at *at) {
  return args ? descend(at, 100) : 0;
}

static void *fail_often(void *user) {
  (void)user;
  for (int i = 0; i < 250; i++) {
    neso_status status = run(fail_deep, context, 16, 1, &source);
    if (!status || !strstr(neso_status_text(status), "assertion failed"))
      return "no failure";
    neso_status_free(status);
    status = run(fail_deep, NULL, 16, 1, &source);
    if (status)
      return "a failure";
  }
  return NULL;
}

static void a_thousand_failures(void **state) {
  (void)state;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, fail_often, NULL), 0);
  for (int i = 0; i < 4; i++) {
    void *problem;
    pthread_join(threads[i], &problem);
    assert_null(problem);
  }
}

static atomic_int ran;

static int32_t count_or_fail(const void *args,
                             const struct neso_program_at *at) {
  (void)args;
  atomic_fetch_add(&ran, 1);
  REPORT(at, "assert\nat once", 2, NULL);
  return 0;
}

static void the_launch_stops(void **state) {
  (void)state;
  assert_refused(run(count_or_fail, NULL, 1000000, 1, &source),
                 NESO_DEVICE_ERROR, "demo.lua: kernel 'k': at once");
  assert_true(atomic_load(&ran) <= 4);
}

/* ---------------------------------------------------------------- access -- */

static void accesses(void **state) {
  (void)state;
  neso_buffer *x = fixture_buffer(context, 40), *y = fixture_buffer(context, 8);
  neso_param params[] = {{"x", NESO_PARAM_AUTO, 0}};
  neso_kernel kernel = {.context = context, .params = params, .name = "k"};
  neso_arg args[] = {neso_arg_buffer(x, NESO_F32)};
  args[0].offset = 4;
  neso_call call = {.kernel = &kernel, .args = args, .arg_count = 1};
  call.specs[0] = (neso_spec){NESO_SPEC_POINTER, NESO_F32, 0};
  neso_launch launch = {.kernel = "k", .call = &call};
  char what[200], index[NESO_REPORT_INDEX];
  const char *base = (const char *)x->memory + 4;
  int32_t offsets[] = {0, 8, -1, 9};
  int64_t huge = INT64_MAX;
  uint8_t mask[] = {1, 1, 1, 0};
#define HOLDS(site, base, offsets, mask)                                       \
  neso__access_holds(&launch, site, (const void *[]){&(base), offsets, mask},  \
                     what, sizeof what, index)
  assert_true(HOLDS("check load f32 i32:2/1\nx", base, offsets, NULL));
  assert_true(HOLDS("check load f32 i32:4/1 i1:4/1\nx", base, offsets, mask));
  assert_false(HOLDS("check store f32 i32:2/2,2/1\nx", base, offsets, NULL));
  assert_string_equal(what, "store of f32 at element 9 of 'x', which has 9");
  assert_string_equal(index, "{1, 1}");
  assert_false(HOLDS("check load f32 i64\nx", base, &huge, NULL));
  assert_string_equal(index, "");
  base = y->memory;
  offsets[0] = 1;
  assert_false(HOLDS("check load f32 i32\nx", base, offsets, NULL));
  assert_true(HOLDS("check load f32 i32\n", base, offsets, NULL));
  offsets[0] = 2;
  assert_false(HOLDS("check atomic f32 i32\n", base, offsets, NULL));
  assert_non_null(strstr(what, "atomic of f32 at 0x"));
  neso_buffer_release(y);
  offsets[0] = 0;
  assert_false(HOLDS("check load f32 i32\n", base, offsets, NULL));
  neso_buffer_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_dtype),
      cmocka_unit_test(floats_read_back),
      cmocka_unit_test_setup_teardown(in_program_order, setup, teardown),
      cmocka_unit_test_setup_teardown(blocks_by_element, setup, teardown),
      cmocka_unit_test_setup_teardown(memory_is_bounded, setup, teardown),
      cmocka_unit_test_setup_teardown(a_failed_assert, setup, teardown),
      cmocka_unit_test_setup_teardown(a_thousand_failures, setup, teardown),
      cmocka_unit_test_setup_teardown(the_launch_stops, setup, teardown),
      cmocka_unit_test_setup_teardown(accesses, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
