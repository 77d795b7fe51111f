/* link: neso_objects neso_fixture cmocka */
#include "fixture.h"

static void null_is_success(void **state) {
  (void)state;
  assert_int_equal(neso_status_code(NULL), NESO_OK);
  assert_string_equal(neso_status_text(NULL), "");
  neso_status_free(NULL);
  assert_null(neso_status_note(NULL, "a note"));
}

static void text_and_notes(void **state) {
  (void)state;
  neso_status status = neso_status_make(NESO_NOT_FOUND, "no %s", "file");
  assert_ptr_equal(neso_status_note(status, "note %d", 1), status);
  assert_ptr_equal(neso_status_note(status, "%s", "%d"), status);
  assert_string_equal(neso_status_text(status), "no file\nnote 1\n%d");
  assert_int_equal(neso_status_code(status), NESO_NOT_FOUND);
  neso_status_free(status);
}

static void long_text(void **state) {
  (void)state;
  char *text = malloc(100001);
  memset(text, 'x', 100000);
  text[100000] = 0;
  neso_status status = neso_status_make(NESO_INTERNAL, "%s", text);
  assert_string_equal(neso_status_text(status), text);
  neso_status_free(status);
  free(text);
}

static void code_names(void **state) {
  (void)state;
  for (int code = NESO_OK; code <= NESO_INTERNAL; code++)
    assert_string_not_equal(neso_code_name((neso_code)code), "unknown code");
  assert_string_equal(neso_code_name((neso_code)99), "unknown code");
}

static void dtypes(void **state) {
  (void)state;
  for (int i = 0; i < NESO_DTYPE_COUNT; i++) {
    neso_dtype found;
    const char *name = neso_dtype_name((neso_dtype)i);
    assert_true(neso_dtype_parse(name, &found));
    assert_int_equal(found, i);
    size_t size = neso_dtype_size(found);
    assert_true(size == 1 || size == 2 || size == 4 || size == 8);
  }
  neso_dtype untouched = NESO_F64;
  assert_false(neso_dtype_parse("f31", &untouched));
  assert_false(neso_dtype_parse(NULL, &untouched));
  assert_int_equal(untouched, NESO_F64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_is_success), cmocka_unit_test(text_and_notes),
      cmocka_unit_test(long_text),       cmocka_unit_test(code_names),
      cmocka_unit_test(dtypes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
