/* link: neso_objects neso_fixture cmocka */
#include "fixture.h"

#include <pthread.h>

#include "buffer.h"

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

static void reads_and_writes(void **state) {
  (void)state;
  neso_buffer *buffer = fixture_buffer(context, 16);
  char back[16] = {0};
  assert_int_equal((uintptr_t)neso_buffer_data(buffer) % 64, 0);
  assert_int_equal(neso_buffer_size(buffer), 16);
  assert_ptr_equal(neso_buffer_device(buffer), fixture_cpu(context));
  assert_ok(neso_buffer_write(buffer, 0, "0123456789abcdef", 16));
  assert_ok(neso_buffer_write(buffer, 4, "XY", 2));
  assert_ok(neso_buffer_read(buffer, 2, back, 6));
  assert_string_equal(back, "23XY67");
  assert_ok(neso_buffer_read(buffer, 16, back, 0));
  neso_buffer_release(buffer);
}

static void bounds(void **state) {
  (void)state;
  neso_buffer *buffer = fixture_buffer(context, 16);
  char bytes[32];
  const size_t rows[][2] = {{0, 17},       {16, 1},       {17, 0},      {8, 9},
                            {1, SIZE_MAX}, {SIZE_MAX, 1}, {SIZE_MAX, 2}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_refused(neso_buffer_read(buffer, rows[i][0], bytes, rows[i][1]),
                   NESO_OUT_OF_RANGE, "read", "16 bytes");
    assert_refused(neso_buffer_write(buffer, rows[i][0], bytes, rows[i][1]),
                   NESO_OUT_OF_RANGE, "write");
  }
  neso_buffer_release(buffer);
}

static void empty_buffer(void **state) {
  (void)state;
  neso_buffer *buffer = fixture_buffer(context, 0);
  assert_non_null(neso_buffer_data(buffer));
  assert_ok(neso_buffer_read(buffer, 0, NULL, 0));
  neso_buffer_release(buffer);
}

static void freed_is_noticed(void **state) {
  (void)state;
  neso_buffer *buffer = fixture_buffer(context, 16);
  char byte;
  assert_false(neso_buffer_is_freed(buffer));
  neso_buffer_free(buffer);
  neso_buffer_free(buffer);
  assert_true(neso_buffer_is_freed(buffer));
  assert_null(neso_buffer_data(buffer));
  assert_refused(neso_buffer_read(buffer, 0, &byte, 1), NESO_INVALID_ARGUMENT,
                 "freed");
  assert_refused(neso_buffer_write(buffer, 0, &byte, 1), NESO_INVALID_ARGUMENT,
                 "freed");
  neso_buffer_release(buffer);
  neso_buffer_free(NULL);
  neso_buffer_release(NULL);
}

static void count_release(void *count) { ++*(int *)count; }

static void wrapping(void **state) {
  (void)state;
  int released = 0;
  char memory[8] = "abcdefg";
  neso_buffer *buffer;
  assert_ok(neso_buffer_wrap(context, fixture_cpu(context), memory, 8,
                             count_release, &released, &buffer));
  assert_ptr_equal(neso_buffer_data(buffer), memory);
  assert_ok(neso_buffer_write(buffer, 1, "Z", 1));
  assert_string_equal(memory, "aZcdefg");
  neso_buffer_retain(buffer);
  neso_buffer_release(buffer);
  assert_int_equal(released, 0);
  neso_buffer_release(buffer);
  assert_int_equal(released, 1);
  assert_refused(neso_buffer_wrap(context, fixture_cpu(context), NULL, 8, NULL,
                                  NULL, &buffer),
                 NESO_INVALID_ARGUMENT);
}

/* The memory outlives a free until the last user leaves, and goes once. */
static void free_waits_for_users(void **state) {
  (void)state;
  int released = 0;
  char memory[8];
  neso_buffer *buffer;
  assert_ok(neso_buffer_wrap(context, fixture_cpu(context), memory, 8,
                             count_release, &released, &buffer));
  assert_true(neso__buffer_pin(buffer));
  assert_true(neso__buffer_pin(buffer));
  neso_buffer_free(buffer);
  assert_false(neso__buffer_pin(buffer));
  neso__buffer_leave(buffer);
  assert_int_equal(released, 0);
  neso__buffer_leave(buffer);
  assert_int_equal(released, 1);
  assert_false(neso__buffer_pin(buffer));
  neso_buffer_release(buffer);
  assert_int_equal(released, 1);
}

static void *hammer(void *buffer) {
  char byte = 0;
  for (int i = 0; i < 20000; i++)
    neso_status_free(neso_buffer_read(buffer, 0, &byte, 1));
  return NULL;
}

static void free_races_with_reads(void **state) {
  (void)state;
  int released = 0;
  char memory[8] = {0};
  neso_buffer *buffer;
  assert_ok(neso_buffer_wrap(context, fixture_cpu(context), memory, 8,
                             count_release, &released, &buffer));
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, hammer, buffer);
  neso_buffer_free(buffer);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(released, 1);
  neso_buffer_release(buffer);
}

static void outlives_its_context(void **state) {
  (void)state;
  neso_context *other = fixture_context("");
  neso_buffer *buffer = fixture_buffer(other, 4);
  neso_context_release(other);
  assert_ok(neso_buffer_write(buffer, 0, "abcd", 4));
  assert_string_equal(neso_device_backend(neso_buffer_device(buffer)), "cpu");
  neso_buffer_release(buffer);
}

static void other_contexts_device(void **state) {
  (void)state;
  neso_context *other = fixture_context("");
  neso_buffer *buffer;
  assert_refused(neso_buffer_create(context, fixture_cpu(other), 4, &buffer),
                 NESO_INVALID_ARGUMENT, "another context");
  assert_refused(neso_buffer_create(context, NULL, 4, &buffer),
                 NESO_INVALID_ARGUMENT, "NULL");
  neso_context_release(other);
}

static void impossible_sizes(void **state) {
  (void)state;
  neso_buffer *buffer;
  assert_refused(
      neso_buffer_create(context, fixture_cpu(context), SIZE_MAX, &buffer),
      NESO_OUT_OF_RANGE);
#ifndef __SANITIZE_ADDRESS__
  assert_refused(neso_buffer_create(context, fixture_cpu(context),
                                    (size_t)PTRDIFF_MAX - 4096, &buffer),
                 NESO_OUT_OF_MEMORY, "cpu:0");
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_and_writes),
      cmocka_unit_test(bounds),
      cmocka_unit_test(empty_buffer),
      cmocka_unit_test(freed_is_noticed),
      cmocka_unit_test(wrapping),
      cmocka_unit_test(free_waits_for_users),
      cmocka_unit_test(free_races_with_reads),
      cmocka_unit_test(outlives_its_context),
      cmocka_unit_test(other_contexts_device),
      cmocka_unit_test(impossible_sizes),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
