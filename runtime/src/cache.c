#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache_folder.h"
#include "hash.h"
#include "neso_identity.h"

#define DEFAULT_MAX (UINT64_C(256) << 20)
#define ENTRY_LIMIT ((off_t)1 << 30)
#define TOUCH_SECONDS 60
#define SWEEP_EVERY 64

struct neso_cache {
  neso_context *context; /* borrowed: the context owns the cache */
  char *path;            /* owned */
  uint64_t max_bytes;
  /* Bytes in the folder as of the last sweep and our own stores since. */
  _Atomic uint64_t bytes, stores_since;
  _Atomic uint64_t aside; /* numbers the files written aside */
  _Atomic uint64_t hits, misses, stores, damaged, evicted, failures;
};

/* ------------------------------------------------------------- opening -- */

static char *default_path(const neso_config *config) {
  if (config->cache_dir)
    return strdup(config->cache_dir);
  const char *own = secure_getenv("NESO_CACHE_DIR");
  if (own)
    return strdup(own);
  const char *xdg = secure_getenv("XDG_CACHE_HOME");
  if (xdg && xdg[0] == '/')
    return neso__format("%s/neso", xdg);
  const char *home = secure_getenv("HOME");
  return home && home[0] ? neso__format("%s/.cache/neso", home) : NULL;
}

static uint64_t parse_size(const char *text) {
  char *end;
  if (!text || text[0] < '0' || text[0] > '9')
    return 0;
  uint64_t value = strtoull(text, &end, 10);
  switch (*end) {
  case 'k':
  case 'K':
    return value << 10;
  case 'm':
  case 'M':
    return value << 20;
  case 'g':
  case 'G':
    return value << 30;
  case 0:
    return value;
  default:
    return 0;
  }
}

static uint64_t limit_of(const neso_config *config) {
  if (config->cache_max_bytes)
    return config->cache_max_bytes;
  uint64_t own = parse_size(secure_getenv("NESO_CACHE_SIZE"));
  return own ? own : DEFAULT_MAX;
}

neso_cache *neso__cache_open(neso_context *context) {
  char *path = default_path(&context->config);
  char reason[NESO_FOLDER_REASON] = "";
  if (!path || !path[0])
    goto fail;
  if (!neso__folder_make(path, reason)) {
    neso__log(context, NESO_LOG_WARN, "no disk cache in %s: %s", path, reason);
    goto fail;
  }
  neso_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    goto fail;
  cache->context = context;
  cache->path = path;
  cache->max_bytes = limit_of(&context->config);
  atomic_init(&cache->stores_since, SWEEP_EVERY);
  return cache;
fail:
  free(path);
  return NULL;
}

void neso__cache_close(neso_cache *cache) {
  if (!cache)
    return;
  free(cache->path);
  free(cache);
}

/* ----------------------------------------------------------------- key -- */

static void put(neso_bytes *key, const void *bytes, size_t size) {
  if (key->data)
    memcpy(key->data + key->size, bytes, size);
  key->size += size;
}

static void put_text(neso_bytes *key, const char *text) {
  put(key, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void put_all(neso_bytes *key, const neso_device *device,
                    const neso_compile_request *request) {
  put_text(key, NESO_COMPILER_IDENTITY);
  put_text(key, device->backend->name);
  put_text(key, device->info.target);
  for (size_t i = 0; i < request->stage_count; i++) {
    put_text(key, request->stages[i].name);
    put_text(key, request->stages[i].passes);
  }
  put(key, "", 1);
  put(key, request->program, request->program_size);
}

bool neso__cache_key(const neso_device *device,
                     const neso_compile_request *request, neso_bytes *out_key) {
  neso_bytes key = {0};
  put_all(&key, device, request);
  key.data = malloc(key.size);
  if (!key.data)
    return false;
  key.size = 0;
  put_all(&key, device, request);
  *out_key = key;
  return true;
}

static char *entry_path(const neso_cache *cache, const neso_bytes *key) {
  char name[33];
  neso__hash_text(neso__hash128(key->data, key->size), name);
  return neso__format("%s/%s" NESO_ENTRY_SUFFIX, cache->path, name);
}

/* ------------------------------------------------------------- reading -- */

static void failed(neso_cache *cache, const char *what, const char *path) {
  int error = errno;
  atomic_fetch_add(&cache->failures, 1);
  neso__log(cache->context, NESO_LOG_WARN, "disk cache: cannot %s %s: %s", what,
            path, strerror(error));
}

static bool read_all(int file, unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t got = read(file, bytes, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    bytes += got;
    size -= (size_t)got;
  }
  return true;
}

/* The time of the last use is the time of the file: entries of old use go
 * first. Rewritten at most once a minute. */
static void touch(int file, const struct stat *info) {
  struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  if (time(NULL) - info->st_mtim.tv_sec >= TOUCH_SECONDS)
    (void)futimens(file, now);
}

/* The whole file in memory of malloc; NULL: `errno` tells, or 0 when the file
 * is no entry at all. */
static unsigned char *read_entry(const char *path, size_t *out_size) {
  struct stat info;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return NULL;
  unsigned char *bytes = NULL;
  errno = 0;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_uid == geteuid() && info.st_size > 0 &&
      info.st_size < ENTRY_LIMIT && (bytes = malloc((size_t)info.st_size))) {
    *out_size = (size_t)info.st_size;
    if (read_all(file, bytes, *out_size)) {
      touch(file, &info);
    } else {
      free(bytes);
      bytes = NULL;
    }
  }
  int error = errno;
  close(file);
  errno = error;
  return bytes;
}

static bool get(neso_cache *cache, const char *path, const neso_bytes *key,
                neso_blob *out_blob) {
  size_t size = 0;
  unsigned char *file = read_entry(path, &size);
  if (!file && errno == ENOENT)
    return false;
  if (!file && errno) {
    failed(cache, "read", path);
    return false;
  }
  if (file && neso__entry_decode(file, size, key, out_blob))
    return true;
  atomic_fetch_add(&cache->damaged, 1);
  neso__log(cache->context, NESO_LOG_INFO, "disk cache: %s is damaged", path);
  if (unlink(path) != 0 && errno != ENOENT)
    failed(cache, "remove", path);
  return false;
}

bool neso__cache_get(neso_cache *cache, const neso_bytes *key,
                     neso_blob *out_blob) {
  char *path = entry_path(cache, key);
  bool hit = path && get(cache, path, key, out_blob);
  free(path);
  atomic_fetch_add(hit ? &cache->hits : &cache->misses, 1);
  return hit;
}

/* ------------------------------------------------------------- writing -- */

static bool write_all(int file, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t put = write(file, bytes, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    bytes += put;
    size -= (size_t)put;
  }
  return true;
}

static bool write_aside(const char *aside, const unsigned char *bytes,
                        size_t size) {
  int file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return false;
  bool written = write_all(file, bytes, size);
  int error = errno;
  if (close(file) != 0 && written)
    return false;
  errno = error;
  return written;
}

static void sweep_when_due(neso_cache *cache, uint64_t added) {
  uint64_t bytes = atomic_fetch_add(&cache->bytes, added) + added;
  if (atomic_fetch_add(&cache->stores_since, 1) < SWEEP_EVERY &&
      bytes <= cache->max_bytes)
    return;
  neso_folder_sum sum;
  atomic_store(&cache->stores_since, 0);
  if (!neso__folder_sweep(cache->path, cache->max_bytes,
                          cache->max_bytes / 10 * 9, &sum)) {
    failed(cache, "read", cache->path);
    return;
  }
  atomic_store(&cache->bytes, sum.bytes);
  atomic_fetch_add(&cache->evicted, sum.removed);
}

static bool store(neso_cache *cache, const char *path,
                  const unsigned char *bytes, size_t size) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char *aside = neso__format(
      "%s/" NESO_ASIDE_PREFIX "%ld-%llu-%lx%09lx", cache->path, (long)getpid(),
      (unsigned long long)atomic_fetch_add(&cache->aside, 1),
      (unsigned long)now.tv_sec, (unsigned long)now.tv_nsec);
  char reason[NESO_FOLDER_REASON];
  bool stored = aside &&
                (write_aside(aside, bytes, size) ||
                 (errno == ENOENT && neso__folder_make(cache->path, reason) &&
                  write_aside(aside, bytes, size))) &&
                rename(aside, path) == 0;
  if (!stored) {
    failed(cache, "write", path);
    if (aside)
      unlink(aside);
  }
  free(aside);
  return stored;
}

void neso__cache_put(neso_cache *cache, const neso_bytes *key,
                     const neso_blob *blob) {
  size_t size = 0;
  char *path = entry_path(cache, key);
  unsigned char *file = neso__entry_encode(key, blob, &size);
  if (path && file && size <= cache->max_bytes &&
      store(cache, path, file, size)) {
    atomic_fetch_add(&cache->stores, 1);
    sweep_when_due(cache, size);
  }
  free(file);
  free(path);
}

/* --------------------------------------------------------------- tools -- */

const char *neso__cache_path(neso_context *context) {
  return context->cache ? context->cache->path : NULL;
}

static neso_status sweep(neso_context *context, uint64_t max_bytes,
                         neso_folder_sum *out_sum) {
  *out_sum = (neso_folder_sum){0};
  neso_cache *cache = context->cache;
  if (!cache)
    return NULL;
  if (!neso__folder_sweep(cache->path, max_bytes, max_bytes, out_sum))
    return neso_status_make(NESO_IO_ERROR, "cannot read %s: %s", cache->path,
                            strerror(errno));
  atomic_store(&cache->bytes, out_sum->bytes);
  return NULL;
}

neso_status neso__cache_stats(neso_context *context,
                              neso_cache_stats *out_stats) {
  *out_stats = (neso_cache_stats){0};
  neso_folder_sum sum;
  neso_status status = sweep(context, UINT64_MAX, &sum);
  neso_cache *cache = context->cache;
  if (status || !cache)
    return status;
  *out_stats = (neso_cache_stats){
      sum.entries,
      sum.bytes,
      cache->max_bytes,
      atomic_load(&cache->hits),
      atomic_load(&cache->misses),
      atomic_load(&cache->stores),
      atomic_load(&cache->damaged),
      atomic_load(&cache->evicted),
      atomic_load(&cache->failures),
  };
  return NULL;
}

neso_status neso__cache_prune(neso_context *context, uint64_t max_bytes,
                              uint64_t *out_removed) {
  neso_folder_sum sum;
  neso_status status = sweep(context, max_bytes, &sum);
  *out_removed = sum.removed;
  return status;
}

neso_status neso__cache_clear(neso_context *context, uint64_t *out_removed) {
  return neso__cache_prune(context, 0, out_removed);
}
