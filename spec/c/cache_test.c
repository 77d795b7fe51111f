/* link: neso_objects neso_fixture cmocka */
#include "fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cache.h"

static neso_context *open_cache(const char *folder, uint64_t max_bytes) {
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = folder;
  config.cache_max_bytes = max_bytes;
  neso_context *context;
  assert_ok(neso_context_create(&config, &context));
  return context;
}

static neso_bytes make_key(const char *text) {
  return (neso_bytes){(unsigned char *)text, strlen(text)};
}

static void put(neso_context *context, const char *key, const char *metadata,
                const char *binary) {
  neso_bytes bytes = make_key(key);
  neso_blob blob;
  assert_true(neso__blob_copy(&blob, metadata, binary, strlen(binary)));
  neso__cache_put(context->cache, &bytes, &blob);
  neso__blob_free(&blob);
}

/* The binary under `key` equals `binary`; NULL: there is none. */
static void assert_entry(neso_context *context, const char *key,
                         const char *binary) {
  neso_bytes bytes = make_key(key);
  neso_blob blob;
  bool found = neso__cache_get(context->cache, &bytes, &blob);
  assert_int_equal(found, binary != NULL);
  if (!found)
    return;
  assert_int_equal(blob.binary_size, strlen(binary));
  assert_memory_equal(blob.binary, binary, blob.binary_size);
  assert_int_equal((uintptr_t)blob.binary % 16, 0);
  neso__blob_free(&blob);
}

static neso_cache_stats stats_of(neso_context *context) {
  neso_cache_stats stats;
  assert_ok(neso__cache_stats(context, &stats));
  return stats;
}

/* Path of the only entry, owned by the caller. */
static char *only_entry(const char *folder) {
  char *path = NULL;
  DIR *rows = opendir(folder);
  for (struct dirent *row; (row = readdir(rows));)
    if (strstr(row->d_name, ".neso")) {
      assert_null(path);
      path = neso__format("%s/%s", folder, row->d_name);
    }
  closedir(rows);
  assert_non_null(path);
  return path;
}

static void stores_and_finds(void **state) {
  (void)state;
  char *folder = fixture_folder();
  char *inner = neso__format("%s/a/b/neso", folder);
  neso_context *context = open_cache(inner, 0);
  assert_string_equal(neso__cache_path(context), inner);
  assert_entry(context, "key", NULL);
  put(context, "key", "scratch 3\n", "binary");
  put(context, "other", "", "");
  assert_entry(context, "key", "binary");
  assert_entry(context, "other", "");
  assert_entry(context, "ke", NULL);
  neso_context_release(context);
  context = open_cache(inner, 0);
  assert_entry(context, "key", "binary");
  struct stat info;
  assert_int_equal(stat(inner, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  neso_cache_stats stats = stats_of(context);
  assert_int_equal(stats.entries, 2);
  assert_int_equal(stats.hits, 1);
  assert_int_equal(stats.max_bytes, 256 << 20);
  uint64_t removed;
  assert_ok(neso__cache_clear(context, &removed));
  assert_int_equal(removed, 2);
  assert_entry(context, "key", NULL);
  neso_context_release(context);
  free(inner);
  fixture_remove(folder);
}

static void rewrite(const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

/* Each single byte changed, each length cut, zeros, and more at the end: never
 * a hit, never an error, and the entry can be stored again. */
static void damage_is_a_miss(void **state) {
  (void)state;
  char *folder = fixture_folder();
  neso_context *context = open_cache(folder, 0);
  put(context, "key", "scratch 3\n", "binary of some length");
  char *path = only_entry(folder);
  unsigned char good[1024], bad[1024] = {0};
  FILE *file = fopen(path, "rb");
  size_t size = fread(good, 1, sizeof good, file);
  fclose(file);
  for (size_t i = 0; i < size; i++) {
    memcpy(bad, good, size);
    bad[i] ^= 1 << i % 8;
    rewrite(path, bad, size);
    assert_entry(context, "key", NULL);
    assert_int_not_equal(access(path, F_OK), 0);
    rewrite(path, good, i);
    assert_entry(context, "key", NULL);
  }
  memset(bad, 0, sizeof bad);
  rewrite(path, bad, size);
  assert_entry(context, "key", NULL);
  memcpy(bad, good, size);
  rewrite(path, bad, size + 16);
  assert_entry(context, "key", NULL);
  put(context, "key", "scratch 3\n", "binary of some length");
  assert_entry(context, "key", "binary of some length");
  assert_int_equal(stats_of(context).damaged, 2 * size + 2);
  neso_context_release(context);
  free(path);
  fixture_remove(folder);
}

/* An entry under the name of another key is not taken for it. */
static void key_is_compared_whole(void **state) {
  (void)state;
  char *folder = fixture_folder();
  neso_context *context = open_cache(folder, 0);
  put(context, "one", "", "1");
  char *one = only_entry(folder);
  char *aside = neso__format("%s/kept", folder);
  assert_int_equal(rename(one, aside), 0);
  put(context, "two", "", "2");
  char *two = only_entry(folder);
  assert_int_equal(rename(aside, two), 0);
  assert_entry(context, "two", NULL);
  neso_context_release(context);
  free(one);
  free(two);
  free(aside);
  fixture_remove(folder);
}

static void odd_files_do_no_harm(void **state) {
  (void)state;
  char *folder = fixture_folder();
  neso_context *context = open_cache(folder, 0);
  put(context, "key", "", "binary");
  char *path = only_entry(folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_entry(context, "key", NULL);
  put(context, "key", "", "binary");
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(symlink("/dev/zero", path), 0);
  assert_entry(context, "key", NULL);
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_entry(context, "key", NULL);
  unlink(path);
  put(context, "key", "", "binary");
  assert_entry(context, "key", "binary");
  neso_context_release(context);
  free(path);
  fixture_remove(folder);
}

static char logged[1024];

static void keep_log(void *user, neso_log_level level, const char *text) {
  (void)user;
  (void)level;
  snprintf(logged, sizeof logged, "%s", text);
}

static neso_context *open_logged(const char *folder) {
  neso_config config;
  neso_config_init(&config);
  config.cache_dir = folder;
  config.log = keep_log;
  logged[0] = 0;
  neso_context *context;
  assert_ok(neso_context_create(&config, &context));
  return context;
}

static void folder_is_refused(void **state) {
  (void)state;
  char *folder = fixture_folder();
  assert_int_equal(chmod(folder, 0777), 0);
  neso_context *context = open_logged(folder);
  assert_null(neso__cache_path(context));
  assert_non_null(strstr(logged, "others may write"));
  neso_context_release(context);
  assert_int_equal(chmod(folder, 0700), 0);
  char *file = neso__format("%s/file", folder);
  rewrite(file, (const unsigned char *)"", 0);
  context = open_logged(file);
  assert_null(neso__cache_path(context));
  assert_non_null(strstr(logged, "no folder"));
  neso_context_release(context);
  if (geteuid() == 0) {
    assert_int_equal(chown(folder, 12345, 12345), 0);
    context = open_logged(folder);
    assert_null(neso__cache_path(context));
    assert_non_null(strstr(logged, "another user"));
    neso_context_release(context);
  }
  context = open_logged("/proc/neso/cache");
  assert_null(neso__cache_path(context));
  neso_cache_stats stats = stats_of(context);
  assert_int_equal(stats.entries, 0);
  neso_context_release(context);
  free(file);
  fixture_remove(folder);
}

static void none_when_asked(void **state) {
  (void)state;
  neso_context *context = open_cache("", 0);
  uint64_t removed;
  assert_null(neso__cache_path(context));
  assert_ok(neso__cache_prune(context, 0, &removed));
  assert_int_equal(removed, 0);
  neso_context_release(context);
}

/* In a child: as an ordinary user, for whom permissions hold. */
static void in_child(void (*body)(const char *), const char *folder) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    body(folder);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      _exit(__LINE__ % 255 + 1);                                               \
  } while (0)

static bool try_put(neso_context *context, const char *key) {
  neso_bytes bytes = make_key(key);
  neso_blob blob;
  CHECK(neso__blob_copy(&blob, "", "0123456789", 10));
  neso__cache_put(context->cache, &bytes, &blob);
  neso__blob_free(&blob);
  bool found = neso__cache_get(context->cache, &bytes, &blob);
  if (found)
    neso__blob_free(&blob);
  return found;
}

static void no_permission(const char *folder) {
  CHECK(geteuid() != 0 ||
        (chown(folder, 12345, 12345) == 0 && setuid(12345) == 0));
  neso_context *context = open_logged(folder);
  CHECK(context->cache);
  CHECK(try_put(context, "one"));
  CHECK(chmod(folder, 0500) == 0);
  CHECK(!try_put(context, "two"));
  CHECK(strstr(logged, "Permission denied"));
  CHECK(try_put(context, "one"));
  CHECK(chmod(folder, 0) == 0);
  CHECK(!try_put(context, "one"));
  CHECK(chmod(folder, 0700) == 0);
  CHECK(try_put(context, "two"));
  neso_context_release(context);
}

static void disk_full(const char *folder) {
  neso_context *context = open_logged(folder);
  struct rlimit limit = {50, 50};
  signal(SIGXFSZ, SIG_IGN);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(!try_put(context, "key"));
  CHECK(strstr(logged, "too large"));
  neso_cache_stats stats;
  CHECK(!neso__cache_stats(context, &stats) && stats.entries == 0);
  CHECK(stats.failures == 1);
  DIR *rows = opendir(folder);
  int count = 0;
  while (readdir(rows))
    count++;
  CHECK(count == 2);
  closedir(rows);
  neso_context_release(context);
}

static void folder_removed(const char *folder) {
  neso_context *context = open_logged(folder);
  CHECK(try_put(context, "key"));
  char command[512];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK(system(command) == 0);
  CHECK(try_put(context, "key"));
  neso_context_release(context);
}

static void no_descriptor(const char *folder) {
  neso_context *context = open_logged(folder);
  struct rlimit limit = {3, 3};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(!try_put(context, "key"));
  neso_context_release(context);
}

static void failing_disks(void **state) {
  (void)state;
  void (*const bodies[])(const char *) = {no_permission, disk_full,
                                          folder_removed, no_descriptor};
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    char *folder = fixture_folder();
    in_child(bodies[i], folder);
    fixture_remove(folder);
  }
}

static void cap_and_use(void **state) {
  (void)state;
  char *folder = fixture_folder();
  neso_context *context = open_cache(folder, 20000);
  char binary[1001], key[16];
  memset(binary, 'b', 1000);
  binary[1000] = 0;
  put(context, "used", "", binary);
  for (int i = 0; i < 200; i++) {
    snprintf(key, sizeof key, "key %d", i);
    put(context, key, "", binary);
    if (i == 0)
      continue;
    /* Long ago, so that the next use counts. */
    char command[512];
    snprintf(command, sizeof command,
             "find %s -name '*.neso' -mmin -1 "
             "-exec touch -d '1 hour ago' {} +",
             folder);
    if (i % 10 == 5) {
      assert_int_equal(system(command), 0);
      assert_entry(context, "used", binary);
    }
    assert_true(stats_of(context).bytes <= 20000);
  }
  assert_entry(context, "used", binary);
  assert_entry(context, "key 199", binary);
  assert_entry(context, "key 3", NULL);
  assert_true(stats_of(context).evicted > 150);
  uint64_t removed;
  assert_ok(neso__cache_prune(context, 5000, &removed));
  assert_true(removed > 0);
  assert_true(stats_of(context).bytes <= 5000);
  neso_context_release(context);
  fixture_remove(folder);
}

static void too_large_for_the_cap(void **state) {
  (void)state;
  char *folder = fixture_folder();
  neso_context *context = open_cache(folder, 200);
  char binary[1001];
  memset(binary, 'b', 1000);
  binary[1000] = 0;
  put(context, "key", "", binary);
  assert_int_equal(stats_of(context).entries, 0);
  neso_context_release(context);
  fixture_remove(folder);
}

static void leftovers_go(void **state) {
  (void)state;
  char *folder = fixture_folder();
  char *old = neso__format("%s/.aside-1-2-3", folder);
  char *foreign = neso__format("%s/notes.txt", folder);
  rewrite(old, (const unsigned char *)"x", 1);
  rewrite(foreign, (const unsigned char *)"x", 1);
  struct timespec times[2] = {{1000, 0}, {1000, 0}};
  assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
  neso_context *context = open_cache(folder, 0);
  uint64_t removed;
  assert_ok(neso__cache_clear(context, &removed));
  assert_int_not_equal(access(old, F_OK), 0);
  assert_int_equal(access(foreign, F_OK), 0);
  neso_context_release(context);
  free(old);
  free(foreign);
  fixture_remove(folder);
}

static void racer(const char *folder) {
  neso_context *context = open_logged(folder);
  char key[16], binary[400];
  for (int round = 0; round < 50; round++)
    for (int i = 0; i < 20; i++) {
      neso_blob blob;
      snprintf(key, sizeof key, "key %d", i);
      memset(binary, 'a' + i, sizeof binary);
      neso_bytes bytes = make_key(key);
      if (neso__cache_get(context->cache, &bytes, &blob)) {
        CHECK(blob.binary_size == sizeof binary);
        CHECK(!memcmp(blob.binary, binary, sizeof binary));
        neso__blob_free(&blob);
        if (round % 10)
          continue;
      }
      CHECK(neso__blob_copy(&blob, "", binary, sizeof binary));
      neso__cache_put(context->cache, &bytes, &blob);
      neso__blob_free(&blob);
    }
  neso_cache_stats stats;
  CHECK(!neso__cache_stats(context, &stats));
  CHECK(stats.failures == 0 && stats.damaged == 0);
  neso_context_release(context);
}

static void sixteen_processes(void **state) {
  (void)state;
  char *folder = fixture_folder();
  pid_t children[16];
  fflush(NULL);
  for (int i = 0; i < 16; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      racer(folder);
      _exit(0);
    }
  }
  for (int i = 0; i < 16; i++) {
    int status;
    waitpid(children[i], &status, 0);
    assert_int_equal(status, 0);
  }
  neso_context *context = open_cache(folder, 0);
  assert_int_equal(stats_of(context).entries, 20);
  neso_context_release(context);
  fixture_remove(folder);
}

static void environment(void **state) {
  (void)state;
  char *folder = fixture_folder();
  setenv("NESO_CACHE_DIR", folder, 1);
  setenv("NESO_CACHE_SIZE", "3M", 1);
  neso_context *context = open_cache(NULL, 0);
  assert_string_equal(neso__cache_path(context), folder);
  assert_int_equal(stats_of(context).max_bytes, 3 << 20);
  neso_context_release(context);
  unsetenv("NESO_CACHE_DIR");
  setenv("NESO_CACHE_SIZE", "many", 1);
  setenv("XDG_CACHE_HOME", folder, 1);
  context = open_cache(NULL, 0);
  char *inner = neso__format("%s/neso", folder);
  assert_string_equal(neso__cache_path(context), inner);
  assert_int_equal(stats_of(context).max_bytes, 256 << 20);
  neso_context_release(context);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("NESO_CACHE_SIZE");
  free(inner);
  fixture_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stores_and_finds),
      cmocka_unit_test(damage_is_a_miss),
      cmocka_unit_test(key_is_compared_whole),
      cmocka_unit_test(odd_files_do_no_harm),
      cmocka_unit_test(folder_is_refused),
      cmocka_unit_test(none_when_asked),
      cmocka_unit_test(failing_disks),
      cmocka_unit_test(cap_and_use),
      cmocka_unit_test(too_large_for_the_cap),
      cmocka_unit_test(leftovers_go),
      cmocka_unit_test(sixteen_processes),
      cmocka_unit_test(environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
