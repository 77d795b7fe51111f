/* link: neso_objects neso_fixture cmocka */
#include "fixture.h"

#include "code.h"
#include "launch.h"

static unsigned char *read_object(const char *name, size_t *out_size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.o", FIXTURE_OBJECTS, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *out_size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*out_size);
  assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
  fclose(file);
  return bytes;
}

struct scale_args {
  float *out;
  const float *x;
  float factor;
  int32_t count;
};

static void runs(void **state) {
  (void)state;
  size_t size;
  unsigned char *object = read_object("scale", &size);
  neso_code_map map;
  assert_ok(neso__code_load(object, size, NULL, 0, &map));
  memset(object, 0, size);
  free(object);
  float x[100], out[100], scratch[64];
  for (int i = 0; i < 100; i++)
    x[i] = (float)i;
  struct scale_args args = {out, x, 3, 100};
  for (int i = 0; i < 2; i++) {
    struct neso_program_at at = {
        .id = {i, 0, 0}, .count = {2, 1, 1}, .scratch = scratch};
    neso_entry_fn entry;
    *(void **)&entry = map.entry;
    assert_int_equal(entry(&args, &at), 0);
  }
  for (int i = 0; i < 100; i++)
    assert_true(out[i] == 3 * x[i]);
  neso__code_unload(&map);
  neso__code_unload(&map);
}

/* No page may be written and executed. */
static void write_xor_execute(void **state) {
  (void)state;
  size_t size;
  unsigned char *object = read_object("scale", &size);
  neso_code_map map;
  assert_ok(neso__code_load(object, size, NULL, 0, &map));
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], flags[8];
  unsigned long first, last;
  int executable = 0, inside = 0;
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx %7s", &first, &last, flags) != 3 ||
        first >= (unsigned long)map.base + map.size ||
        last <= (unsigned long)map.base)
      continue;
    inside++;
    executable += flags[2] == 'x';
    assert_false(flags[1] == 'w' && flags[2] == 'x');
  }
  fclose(maps);
  assert_true(inside >= 3);
  assert_int_equal(executable, 1);
  neso__code_unload(&map);
  free(object);
}

static void refuses_outside_symbols(void **state) {
  (void)state;
  size_t size;
  unsigned char *object = read_object("outside", &size);
  neso_code_map map;
  assert_refused(neso__code_load(object, size, NULL, 0, &map), NESO_UNSUPPORTED,
                 "getpid");
  free(object);
}

static void refuses_other_files(void **state) {
  (void)state;
  neso_code_map map;
  assert_refused(neso__code_load("", 0, NULL, 0, &map), NESO_INVALID_ARGUMENT,
                 "short");
  char zeros[4096] = {0};
  assert_refused(neso__code_load(zeros, sizeof zeros, NULL, 0, &map),
                 NESO_INVALID_ARGUMENT, "ELF");
  char self[4096];
  FILE *file = fopen("/proc/self/exe", "rb");
  assert_int_equal(fread(self, 1, sizeof self, file), sizeof self);
  fclose(file);
  assert_refused(neso__code_load(self, sizeof self, NULL, 0, &map),
                 NESO_INVALID_ARGUMENT, "relocatable");
}

/* Loading must end in a status or in code, whatever the bytes; a status tells
 * on, code is not run. The copy ends with its allocation, so that a sanitizer
 * sees a read past it. */
static void try(const unsigned char *object, size_t size) {
  unsigned char *copy = malloc(size ? size : 1);
  if (size)
    memcpy(copy, object, size);
  neso_code_map map;
  neso_status status = neso__code_load(copy, size, NULL, 0, &map);
  if (!status)
    neso__code_unload(&map);
  neso_status_free(status);
  free(copy);
}

static void any_byte_changed(void **state) {
  (void)state;
  static const unsigned char masks[] = {0x01, 0x80, 0xff};
  size_t size;
  unsigned char *object = read_object("scale", &size);
  for (size_t i = 0; i < size; i++)
    for (size_t k = 0; k < sizeof masks; k++) {
      object[i] ^= masks[k];
      try(object, size);
      object[i] ^= masks[k];
    }
  free(object);
}

static void any_word_extreme(void **state) {
  (void)state;
  size_t size;
  unsigned char *object = read_object("scale", &size);
  static const uint64_t values[] = {
      0, UINT64_MAX, UINT64_MAX / 2 + 1, UINT64_MAX - 7, UINT32_MAX, 1u << 31};
  for (size_t i = 0; i + 8 <= size; i += 4)
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      uint64_t before;
      memcpy(&before, object + i, 8);
      memcpy(object + i, &values[k], 8);
      try(object, size);
      memcpy(object + i, &before, 8);
    }
  free(object);
}

static void any_length(void **state) {
  (void)state;
  size_t size;
  unsigned char *object = read_object("scale", &size);
  for (size_t i = 0; i < size; i++)
    try(object, i);
  free(object);
}

static void random_damage(void **state) {
  (void)state;
  size_t size;
  unsigned char *object = read_object("scale", &size);
  unsigned char *copy = malloc(size);
  uint32_t seed = 1;
  for (int round = 0; round < 20000; round++) {
    memcpy(copy, object, size);
    for (int k = 0; k < 1 + round % 8; k++) {
      seed = seed * 1664525 + 1013904223;
      copy[(seed >> 8) % size] = (unsigned char)(seed >> 3);
    }
    try(copy, size);
  }
  free(copy);
  free(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs),
      cmocka_unit_test(write_xor_execute),
      cmocka_unit_test(refuses_outside_symbols),
      cmocka_unit_test(refuses_other_files),
      cmocka_unit_test(any_byte_changed),
      cmocka_unit_test(any_word_extreme),
      cmocka_unit_test(any_length),
      cmocka_unit_test(random_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
