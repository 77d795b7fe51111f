#include "cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STALE_SECONDS 3600

static bool make_parents(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    int rc = mkdir(path, 0700);
    int error = errno;
    *slash = '/';
    if (rc != 0 && error != EEXIST && error != EROFS && error != EACCES) {
      errno = error;
      return false;
    }
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool private(const char *path, char reason[NESO_FOLDER_REASON]) {
  struct stat info;
  if (stat(path, &info) != 0)
    snprintf(reason, NESO_FOLDER_REASON, "%s", strerror(errno));
  else if (!S_ISDIR(info.st_mode))
    snprintf(reason, NESO_FOLDER_REASON, "it is no folder");
  else if (info.st_uid != geteuid())
    snprintf(reason, NESO_FOLDER_REASON, "it belongs to another user (id %u)",
             (unsigned)info.st_uid);
  else if (info.st_mode & 022)
    snprintf(reason, NESO_FOLDER_REASON, "others may write it (mode %03o)",
             (unsigned)info.st_mode & 0777);
  else
    return true;
  return false;
}

bool neso__folder_make(const char *path, char reason[NESO_FOLDER_REASON]) {
  char *copy = strdup(path);
  bool made = copy && make_parents(copy);
  if (!made)
    snprintf(reason, NESO_FOLDER_REASON, "%s", strerror(errno));
  free(copy);
  return made && private(path, reason);
}

/* -------------------------------------------------------------- sweep -- */

typedef struct item {
  char *name; /* owned */
  uint64_t bytes;
  int64_t used; /* ns */
} item;

typedef struct items {
  item *rows;
  size_t count, capacity;
} items;

static bool has_suffix(const char *name, const char *suffix) {
  size_t a = strlen(name), b = strlen(suffix);
  return a > b && !strcmp(name + a - b, suffix);
}

static int64_t used_ns(const struct stat *info) {
  return (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
}

static void items_add(items *list, const char *name, const struct stat *info) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    item *rows = realloc(list->rows, capacity * sizeof *rows);
    if (!rows)
      return;
    list->rows = rows;
    list->capacity = capacity;
  }
  char *copy = strdup(name);
  if (copy)
    list->rows[list->count++] =
        (item){copy, (uint64_t)info->st_size, used_ns(info)};
}

static void items_free(items *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->rows[i].name);
  free(list->rows);
}

static int by_use(const void *a, const void *b) {
  int64_t x = ((const item *)a)->used, y = ((const item *)b)->used;
  return (x > y) - (x < y);
}

static void look_at(int folder, const char *name, time_t now, items *list,
                    neso_folder_sum *sum) {
  struct stat info;
  bool aside = !strncmp(name, NESO_ASIDE_PREFIX, strlen(NESO_ASIDE_PREFIX));
  if (!aside && !has_suffix(name, NESO_ENTRY_SUFFIX))
    return;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return;
  if (!aside) {
    sum->entries++;
    sum->bytes += (uint64_t)info.st_size;
    items_add(list, name, &info);
  } else if (info.st_mtim.tv_sec < now - STALE_SECONDS) {
    unlinkat(folder, name, 0);
  }
}

static void evict(int folder, items *list, uint64_t keep_bytes,
                  neso_folder_sum *sum) {
  qsort(list->rows, list->count, sizeof *list->rows, by_use);
  for (size_t i = 0; i < list->count && sum->bytes > keep_bytes; i++) {
    if (unlinkat(folder, list->rows[i].name, 0) != 0 && errno != ENOENT)
      continue;
    sum->bytes -= list->rows[i].bytes;
    sum->entries--;
    sum->removed++;
  }
}

bool neso__folder_sweep(const char *path, uint64_t max_bytes,
                        uint64_t keep_bytes, neso_folder_sum *out_sum) {
  *out_sum = (neso_folder_sum){0};
  DIR *folder = opendir(path);
  if (!folder)
    return false;
  items list = {0};
  time_t now = time(NULL);
  for (struct dirent *row; (row = readdir(folder));)
    look_at(dirfd(folder), row->d_name, now, &list, out_sum);
  if (out_sum->bytes > max_bytes)
    evict(dirfd(folder), &list, keep_bytes, out_sum);
  items_free(&list);
  closedir(folder);
  return true;
}
