/* The folder of the disk cache: what is in it, and what leaves. */
#ifndef NESO_SRC_CACHE_FOLDER_H
#define NESO_SRC_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#define NESO_ENTRY_SUFFIX ".neso"
#define NESO_ASIDE_PREFIX ".aside-"
#define NESO_FOLDER_REASON 256

/* Makes `path` with its parents, 0700, and checks that it is a folder of this
 * user that nobody else can write. On false `reason` says why not. */
bool neso__folder_make(const char *path, char reason[NESO_FOLDER_REASON]);

typedef struct neso_folder_sum {
  uint64_t entries, bytes, removed;
} neso_folder_sum;

/* Sums the entries up. When they have more than `max_bytes`, removes the least
 * recently used until at most `keep_bytes` are left. Files written aside that
 * are older than an hour go too. false: the folder cannot be read. */
bool neso__folder_sweep(const char *path, uint64_t max_bytes,
                        uint64_t keep_bytes, neso_folder_sum *out_sum);

#endif
