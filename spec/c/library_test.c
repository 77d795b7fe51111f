/* link: cmocka */
/* libneso.so as it is installed: what it needs, shows and weighs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <dlfcn.h>

static char path[4096];

static int setup(void **state) {
  (void)state;
  const char *stage = getenv("NESO_STAGE");
  if (!stage)
    return -1;
  snprintf(path, sizeof path, "%s/lib/libneso.so", stage);
  return 0;
}

/* Lines of the output of `tool path` that hold `word`. */
static int count_lines(const char *tool, const char *word) {
  char command[4200], line[4096];
  snprintf(command, sizeof command, "%s '%s'", tool, path);
  FILE *output = popen(command, "r");
  assert_non_null(output);
  int lines = 0, found = 0;
  while (fgets(line, sizeof line, output)) {
    lines++;
    found += strstr(line, word) != NULL;
  }
  assert_int_equal(pclose(output), 0);
  assert_true(lines > 3);
  return found;
}

static void needs_no_lua_and_no_llvm(void **state) {
  (void)state;
  const char *const words[] = {" lua_", " luaL_", "LLVM", "mlir", "_ZN"};
  for (int i = 0; i < 5; i++)
    assert_int_equal(count_lines("nm -D", words[i]), 0);
}

static void shows_only_its_own(void **state) {
  (void)state;
  const char *tool = "nm -D --defined-only";
  int own = count_lines(tool, " T neso_");
  assert_true(own > 40);
  if (!getenv("NESO_SANITIZED"))
    assert_int_equal(count_lines(tool, " "), own);
}

static void is_small(void **state) {
  (void)state;
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  if (!getenv("NESO_SANITIZED"))
    assert_true(info.st_size < 500000);
}

/* A host may close it (through a Lua state that ends) while threads of a
 * context that lives on are in it. */
static void stays_when_closed(void **state) {
  (void)state;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(library);
  dlclose(library);
  assert_non_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(needs_no_lua_and_no_llvm),
      cmocka_unit_test(shows_only_its_own),
      cmocka_unit_test(is_small),
      cmocka_unit_test(stays_when_closed),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
