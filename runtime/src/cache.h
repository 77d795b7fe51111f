/* The disk cache: one checksummed file a variant, in one folder private to the
 * user. Written aside and renamed, so readers in any number of processes see
 * whole entries only; verified on read, damaged entries are removed and built
 * again. No failure of the disk is an error of the caller: it is logged and
 * counted. The `neso__cache_*` functions of the second part are for tools. */
#ifndef NESO_SRC_CACHE_H
#define NESO_SRC_CACHE_H

#include "context.h"

/* Bytes of malloc. */
typedef struct neso_bytes {
  unsigned char *data;
  size_t size;
} neso_bytes;

/* Binary and metadata of a variant in one piece of memory. */
typedef struct neso_blob {
  void *memory;         /* owned, of malloc; the two below point into it */
  const char *metadata; /* ends with a zero */
  const void *binary;   /* aligned to 16 */
  size_t binary_size;
} neso_blob;

bool neso__blob_copy(neso_blob *blob, const char *metadata, const void *binary,
                     size_t binary_size);
void neso__blob_free(neso_blob *blob);

/* NULL when the configuration asks for none or the folder cannot serve. */
neso_cache *neso__cache_open(neso_context *context);
void neso__cache_close(neso_cache *cache);

/* Everything that decides the code: program, target, stages, identity of the
 * compiler. false without memory; else `out_key->data` is the caller's. */
bool neso__cache_key(const neso_device *device,
                     const neso_compile_request *request, neso_bytes *out_key);
bool neso__cache_get(neso_cache *cache, const neso_bytes *key,
                     neso_blob *out_blob);
void neso__cache_put(neso_cache *cache, const neso_bytes *key,
                     const neso_blob *blob);

/* cache_entry.c: the file format. `encode` gives memory of malloc or NULL;
 * `decode` takes `file` over (freeing it when it answers false: damaged, of
 * another version, or of another key). */
unsigned char *neso__entry_encode(const neso_bytes *key, const neso_blob *blob,
                                  size_t *out_size);
bool neso__entry_decode(unsigned char *file, size_t size, const neso_bytes *key,
                        neso_blob *out_blob);

/* ---------------------------------------------------------- for tools -- */

typedef struct neso_cache_stats {
  uint64_t entries, bytes; /* in the folder now */
  uint64_t max_bytes;
  /* By this context. */
  uint64_t hits, misses, stores, damaged, evicted, failures;
} neso_cache_stats;

/* The folder, borrowed from the context; NULL: no disk cache. */
NESO_API const char *neso__cache_path(neso_context *context);
NESO_API NESO_MUST_USE neso_status
neso__cache_stats(neso_context *context, neso_cache_stats *out_stats);
/* Removes the least recently used entries until at most `max_bytes` are left,
 * and what dead processes left behind. */
NESO_API NESO_MUST_USE neso_status neso__cache_prune(neso_context *context,
                                                     uint64_t max_bytes,
                                                     uint64_t *out_removed);
/* Removes every entry; the folder stays. */
NESO_API NESO_MUST_USE neso_status neso__cache_clear(neso_context *context,
                                                     uint64_t *out_removed);

#endif
