/* link: neso_objects neso_fixture cmocka */
/* How the arguments of a launch are read, and how a kernel keeps its variants.
 * The resolve hook here records what it is asked and refuses to build. */
#include "fixture.h"

#include "call.h"
#include "table.h"

static neso_context *context;

static int setup(void **state) {
  (void)state;
  setenv("NESO_NULL_DEVICES", "2", 1);
  context = fixture_context("");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  neso_context_release(context);
  return 0;
}

/* ----------------------------------------------------------- launches -- */

typedef struct record {
  int calls;
  neso_spec specs[NESO_MAX_PARAMS];
  const neso_device *device;
} record;

static neso_status record_resolve(void *user, neso_kernel *kernel,
                                  neso_device *device, const neso_spec *specs,
                                  const neso_arg *args, size_t count,
                                  neso_variant **out_variant) {
  (void)kernel;
  (void)args;
  (void)out_variant;
  record *r = user;
  r->calls++;
  r->device = device;
  memcpy(r->specs, specs, count * sizeof *specs);
  return neso_status_make(NESO_UNSUPPORTED, "recorded");
}

static const neso_param params[] = {
    {"out", NESO_PARAM_AUTO, 0},        {"x", NESO_PARAM_POINTER, NESO_F32},
    {"n", NESO_PARAM_SCALAR, NESO_I16}, {"alpha", NESO_PARAM_AUTO, 0},
    {"BLOCK", NESO_PARAM_CONST, 0},
};
#define PARAM_COUNT (sizeof params / sizeof params[0])

static neso_kernel *record_kernel(record *r) {
  neso_kernel *kernel;
  *r = (record){0};
  assert_ok(neso__kernel_create(context, "add", params, PARAM_COUNT,
                                record_resolve, r, NULL, &kernel));
  return kernel;
}

static neso_status launch(neso_kernel *kernel, const neso_arg *args,
                          size_t count) {
  const int64_t grid[3] = {1, 1, 1};
  return neso_kernel_launch(kernel, grid, args, count);
}

static void specs_of_a_launch(void **state) {
  (void)state;
  record r;
  neso_kernel *kernel = record_kernel(&r);
  neso_buffer *buffer = fixture_buffer(context, 64);
  neso_arg args[] = {neso_arg_buffer(buffer, NESO_F16),
                     neso_arg_buffer(buffer, NESO_F32), neso_arg_number(7),
                     neso_arg_number(0.5), neso_arg_number(1024)};
  assert_refused(launch(kernel, args, 5), NESO_UNSUPPORTED, "recorded");
  const neso_spec expected[] = {{NESO_SPEC_POINTER, NESO_F16, NESO_FACT_SMALL},
                                {NESO_SPEC_POINTER, NESO_F32, NESO_FACT_SMALL},
                                {NESO_SPEC_SCALAR, NESO_I16, 0},
                                {NESO_SPEC_SCALAR, NESO_F32, 0},
                                {NESO_SPEC_CONST, 0, 0}};
  assert_memory_equal(r.specs, expected, sizeof expected);
  assert_ptr_equal(r.device, fixture_cpu(context));
  neso_buffer_release(buffer);
  neso_kernel_release(kernel);
}

static void messages_name_the_argument(void **state) {
  (void)state;
  record r;
  neso_kernel *kernel = record_kernel(&r);
  neso_buffer *buffer = fixture_buffer(context, 64);
  const neso_arg good[] = {
      neso_arg_buffer(buffer, NESO_F16), neso_arg_buffer(buffer, NESO_F32),
      neso_arg_number(7), neso_arg_number(0.5), neso_arg_number(1024)};
  neso_arg args[6];
#define RESET() memcpy(args, good, sizeof good)
  RESET();
  assert_refused(launch(kernel, args, 3), NESO_INVALID_ARGUMENT,
                 "kernel 'add' takes 5 arguments, got 3", "'alpha'");
  assert_refused(launch(kernel, args, 6), NESO_INVALID_ARGUMENT, "got 6");
  args[3].kind = NESO_ARG_NIL;
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "kernel 'add'",
                 "'alpha' is nil");
  args[3] = (neso_arg){NESO_ARG_STRING, 0, 3, {.text = "abc"}, 0};
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'alpha'",
                 "a string", "CAPITALS");
  RESET();
  args[1].dtype = NESO_I32;
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'x'",
                 "pointer to f32", "buffer of i32");
  args[1] = neso_arg_number(3);
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'x'",
                 "a number");
  RESET();
  args[2] = neso_arg_number(40000);
  assert_refused(launch(kernel, args, 5), NESO_OUT_OF_RANGE, "'n' is 40000",
                 "i16", "-32768 to 32767");
  args[2] = neso_arg_buffer(buffer, NESO_I16);
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'n'",
                 "declared i16", "a buffer");
  RESET();
  args[4] = neso_arg_buffer(buffer, NESO_I16);
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'BLOCK'",
                 "constant", "a buffer");
  RESET();
  args[1].offset = 2;
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'x'",
                 "multiple of 4");
  args[1].offset = 68;
  assert_refused(launch(kernel, args, 5), NESO_OUT_OF_RANGE, "byte 68", "64");
  RESET();
  args[0].value.buffer = NULL;
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'out'",
                 "NULL");
  assert_int_equal(r.calls, 0);
  RESET();
  neso_buffer_free(buffer);
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'out'",
                 "freed");
  neso_buffer_release(buffer);
  neso_kernel_release(kernel);
}

static void devices_come_from_buffers(void **state) {
  (void)state;
  record r;
  neso_kernel *kernel = record_kernel(&r);
  neso_device *first, *second;
  neso_buffer *a, *b;
  assert_ok(neso_device_get(context, "null", 0, &first));
  assert_ok(neso_device_get(context, "null", 1, &second));
  assert_ok(neso_buffer_create(context, first, 64, &a));
  assert_ok(neso_buffer_create(context, second, 64, &b));
  neso_arg args[] = {neso_arg_buffer(b, NESO_F32), neso_arg_buffer(b, NESO_F32),
                     neso_arg_number(7), neso_arg_number(0.5),
                     neso_arg_number(1024)};
  const int64_t grid[3] = {1, 1, 1};
  assert_refused(neso__kernel_launch(kernel, first, grid, "", 0, args, 5),
                 NESO_UNSUPPORTED);
  assert_ptr_equal(r.device, second);
  args[0].value.buffer = a;
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT,
                 "'out' is on null:0", "'x' is on null:1");
  const int64_t tall[3] = {1, 70000, 1};
  args[0].value.buffer = b;
  assert_refused(neso_kernel_launch(kernel, tall, args, 5), NESO_OUT_OF_RANGE,
                 "extent y is 70000", "65535", "null:1");
  neso_context *other = fixture_context("");
  neso_buffer *c = fixture_buffer(other, 64);
  args[1].value.buffer = c;
  assert_refused(launch(kernel, args, 5), NESO_INVALID_ARGUMENT, "'x'",
                 "another context");
  neso_buffer_release(c);
  neso_context_release(other);
  neso_buffer_release(a);
  neso_buffer_release(b);
  neso_kernel_release(kernel);
}

static void large_buffers_are_not_small(void **state) {
  (void)state;
  record r;
  neso_kernel *kernel = record_kernel(&r);
  static char memory[64] __attribute__((aligned(64)));
  neso_buffer *buffer; /* nothing is read through it */
  assert_ok(neso_buffer_wrap(context, fixture_cpu(context), memory,
                             (size_t)1 << 31, NULL, NULL, &buffer));
  neso_arg args[] = {neso_arg_buffer(buffer, NESO_F32),
                     neso_arg_buffer(buffer, NESO_F32), neso_arg_number(7),
                     neso_arg_number(0.5), neso_arg_number(1024)};
  assert_refused(launch(kernel, args, 5), NESO_UNSUPPORTED);
  assert_int_equal(r.specs[0].facts, 0);
  neso_buffer_release(buffer);
  neso_kernel_release(kernel);
}

static void too_many_parameters(void **state) {
  (void)state;
  neso_param many[NESO_MAX_PARAMS + 1];
  neso_kernel *kernel;
  for (int i = 0; i <= NESO_MAX_PARAMS; i++)
    many[i] = (neso_param){"p", NESO_PARAM_AUTO, 0};
  assert_refused(neso__kernel_create(context, "k", many, NESO_MAX_PARAMS + 1,
                                     record_resolve, NULL, NULL, &kernel),
                 NESO_OUT_OF_RANGE, "65", "64");
  many[0] = (neso_param){"p", NESO_PARAM_SCALAR, NESO_F8E5M2};
  assert_refused(neso__kernel_create(context, "k", many, 1, record_resolve,
                                     NULL, NULL, &kernel),
                 NESO_UNSUPPORTED, "f8e5m2");
}

/* ----------------------------------------------------------- variants -- */

static int resolved;

static neso_status counting_resolve(void *user, neso_kernel *kernel,
                                    neso_device *device, const neso_spec *specs,
                                    const neso_arg *args, size_t count,
                                    neso_variant **out_variant) {
  resolved++;
  return fixture_resolve(user, kernel, device, specs, args, count, out_variant);
}

static neso_kernel *counting_kernel(const neso_param *rows, size_t count) {
  neso_kernel *kernel;
  resolved = 0;
  assert_ok(neso__kernel_create(context, "empty", rows, count, counting_resolve,
                                "empty", NULL, &kernel));
  return kernel;
}

static neso_arg text_arg(const char *text) {
  return (neso_arg){
      NESO_ARG_STRING, 0, (uint32_t)strlen(text), {.text = text}, 0};
}

/* Each row is a variant of its own; launching all again adds none. */
static void constants_by_type_and_bits(void **state) {
  (void)state;
  const neso_param row = {"C", NESO_PARAM_CONST, 0};
  neso_kernel *kernel = counting_kernel(&row, 1);
  char *long_text = malloc(10001);
  memset(long_text, 'x', 10000);
  long_text[10000] = 0;
  const neso_arg args[] = {neso_arg_number(0),
                           neso_arg_number(-0.0),
                           neso_arg_number(1),
                           neso_arg_integer(1),
                           {NESO_ARG_INTEGER, NESO_U64, 0, {.integer = 1}, 0},
                           neso_arg_bool(true),
                           neso_arg_bool(false),
                           text_arg(""),
                           text_arg("1"),
                           text_arg(long_text),
                           text_arg(long_text + 1),
                           {NESO_ARG_OBJECT, 0, 1, {.text = "1"}, 0},
                           {NESO_ARG_NIL, 0, 0, {0}, 0}};
  int count = sizeof args / sizeof args[0];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < count; i++)
      assert_ok(launch(kernel, &args[i], 1));
    assert_int_equal(resolved, count);
  }
  assert_int_equal(neso__kernel_variant_count(kernel), count);
  free(long_text);
  neso_kernel_release(kernel);
}

/* 1,000 integers of one scalar: one variant a type. */
static void values_do_not_recompile(void **state) {
  (void)state;
  const neso_param row = {"n", NESO_PARAM_AUTO, 0};
  neso_kernel *kernel = counting_kernel(&row, 1);
  for (int i = 0; i < 1000; i++) {
    neso_arg arg = neso_arg_number(i);
    assert_ok(launch(kernel, &arg, 1));
  }
  assert_int_equal(resolved, 1);
  neso_arg arg = neso_arg_number(0.5);
  assert_ok(launch(kernel, &arg, 1));
  assert_int_equal(resolved, 2);
  neso_kernel_release(kernel);
}

static void options_tell_variants_apart(void **state) {
  (void)state;
  neso_kernel *kernel = counting_kernel(NULL, 0);
  const int64_t grid[3] = {1, 1, 1};
  const char *options[] = {"", "num_warps=4", "num_warps=8", "num_warps=4"};
  for (int i = 0; i < 4; i++)
    assert_ok(neso__kernel_launch(kernel, NULL, grid, options[i],
                                  strlen(options[i]), NULL, 0));
  assert_int_equal(resolved, 3);
  neso__kernel_forget(kernel);
  assert_int_equal(neso__kernel_variant_count(kernel), 0);
  assert_ok(launch(kernel, NULL, 0));
  assert_int_equal(resolved, 4);
  neso_kernel_release(kernel);
}

/* Thousands of variants under the cap; the early ones are callable again. */
static void bounded(void **state) {
  (void)state;
  const neso_param row = {"C", NESO_PARAM_CONST, 0};
  neso_kernel *kernel = counting_kernel(&row, 1);
  neso_arg hot = neso_arg_number(-1);
  for (int i = 0; i < 2000; i++) {
    neso_arg arg = neso_arg_number(i);
    assert_ok(launch(kernel, &arg, 1));
    assert_ok(launch(kernel, &hot, 1));
  }
  assert_int_equal(resolved, 2001);
  assert_int_equal(neso__kernel_variant_count(kernel), NESO_TABLE_LIMIT);
  neso_arg early = neso_arg_number(3);
  assert_ok(launch(kernel, &early, 1));
  assert_int_equal(resolved, 2002);
  neso_kernel_release(kernel);
}

/* A held variant works on after its kernel forgot it. */
static void variants_are_counted(void **state) {
  (void)state;
  neso_kernel *kernel = counting_kernel(NULL, 0);
  neso_variant *variant;
  assert_ok(neso__kernel_variant(kernel, NULL, "", 0, NULL, 0, &variant));
  neso_kernel_release(kernel);
  size_t size;
  assert_non_null(neso__variant_binary(variant, &size));
  assert_true(size > 0);
  assert_int_equal(neso__variant_info(variant)->binary_size, size);
  assert_string_equal(neso__variant_metadata(variant), "scratch 0\n");
  neso__variant_release(variant);
}

static neso_status forgetting_resolve(void *user, neso_kernel *kernel,
                                      neso_device *device,
                                      const neso_spec *specs,
                                      const neso_arg *args, size_t count,
                                      neso_variant **out_variant) {
  resolved++;
  neso__kernel_forget(kernel);
  return fixture_resolve(user, kernel, device, specs, args, count, out_variant);
}

/* What was resolved from captures of before a forget is used once, not kept. */
static void forget_during_resolve(void **state) {
  (void)state;
  neso_kernel *kernel;
  resolved = 0;
  assert_ok(neso__kernel_create(context, "empty", NULL, 0, forgetting_resolve,
                                "empty", NULL, &kernel));
  assert_ok(launch(kernel, NULL, 0));
  assert_int_equal(neso__kernel_variant_count(kernel), 0);
  assert_ok(launch(kernel, NULL, 0));
  assert_int_equal(resolved, 2);
  neso_kernel_release(kernel);
}

static void exports(void **state) {
  (void)state;
  neso_kernel *first = counting_kernel(NULL, 0), *got;
  neso_kernel *second = counting_kernel(NULL, 0);
  assert_refused(neso_kernel_get(context, "step", &got), NESO_NOT_FOUND,
                 "'step'");
  assert_ok(neso__kernel_export(context, "step", first));
  assert_ok(neso_kernel_get(context, "step", &got));
  assert_ptr_equal(got, first);
  assert_ok(neso__kernel_export(context, "step", second));
  assert_ok(launch(got, NULL, 0));
  neso_kernel_release(got);
  assert_ok(neso_kernel_get(context, "step", &got));
  assert_ptr_equal(got, second);
  neso_kernel_release(got);
  neso_kernel_release(first);
  neso_kernel_release(second);
}

static void compile_errors_come_through(void **state) {
  (void)state;
  neso_kernel *kernel = fixture_kernel(context, "refuse", NULL, 0);
  for (int i = 0; i < 2; i++)
    assert_refused(launch(kernel, NULL, 0), NESO_COMPILE_ERROR,
                   "test.lua:7:3: refused");
  neso_kernel_release(kernel);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(specs_of_a_launch),
      cmocka_unit_test(messages_name_the_argument),
      cmocka_unit_test(devices_come_from_buffers),
      cmocka_unit_test(large_buffers_are_not_small),
      cmocka_unit_test(too_many_parameters),
      cmocka_unit_test(constants_by_type_and_bits),
      cmocka_unit_test(values_do_not_recompile),
      cmocka_unit_test(options_tell_variants_apart),
      cmocka_unit_test(bounded),
      cmocka_unit_test(variants_are_counted),
      cmocka_unit_test(forget_during_resolve),
      cmocka_unit_test(exports),
      cmocka_unit_test(compile_errors_come_through),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
