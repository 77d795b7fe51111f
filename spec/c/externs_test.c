/* link: neso_objects neso_fixture cmocka */
/* Functions of other libraries that a kernel calls. */
#include "fixture.h"

#include "code.h"
#include "externs.h"
#include "launch.h"

static void *read_object(const char *name, size_t *out_size) {
  char path[4096];
  snprintf(path, sizeof path, FIXTURE_OBJECTS "/%s.o", name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *out_size = (size_t)ftell(file);
  rewind(file);
  void *bytes = malloc(*out_size);
  assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
  fclose(file);
  return bytes;
}

static void finds_and_calls(void **state) {
  (void)state;
  neso_externs externs;
  assert_ok(neso__externs_open("scratch 0\nextern sqrt libm.so.6\nargs 8\n"
                               "extern labs \n",
                               &externs));
  assert_int_equal(externs.count, 2);
  size_t size;
  void *object = read_object("extern", &size);
  neso_code_map map;
  assert_ok(
      neso__code_load(object, size, externs.addresses, externs.count, &map));
  double x[3] = {81};
  const void *args = x;
  struct neso_program_at at = {.count = {1, 1, 1}};
  neso_entry_fn entry;
  *(void **)&entry = map.entry;
  assert_int_equal(entry(&args, &at), 0);
  assert_true(x[1] == 9);
  assert_true(x[2] == 5);
  neso__code_unload(&map);
  assert_refused(neso__code_load(object, size, externs.addresses, 1, &map),
                 NESO_UNSUPPORTED, "neso_extern1");
  neso__externs_close(&externs);
  neso__externs_close(&externs);
  free(object);
}

static void refused(const char *metadata, neso_code code, const char *text) {
  neso_externs externs;
  assert_refused(neso__externs_open(metadata, &externs), code, text);
  neso__externs_close(&externs);
}

static void names_what_is_missing(void **state) {
  (void)state;
  neso_externs externs;
  assert_ok(neso__externs_open("", &externs));
  assert_int_equal(externs.count, 0);
  refused("extern nothing_here libm.so.6\n", NESO_NOT_FOUND,
          "library 'libm.so.6' has no function 'nothing_here'");
  refused("extern nothing_here \n", NESO_NOT_FOUND,
          "the process has no function 'nothing_here'");
  refused("extern f libnothing.so\n", NESO_UNAVAILABLE,
          "library 'libnothing.so' cannot be loaded: ");
  char many[65 * 16 + 1] = "";
  for (int i = 0; i < 65; i++)
    strcat(many, "extern labs \n");
  refused(many, NESO_OUT_OF_RANGE, "at most 64 outside functions");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_and_calls),
      cmocka_unit_test(names_what_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
