/* One entry of the disk cache as bytes: header, key, metadata with its zero,
 * padding to 16, binary. The checksum covers all but itself. */
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "hash.h"

#define ENTRY_VERSION 1

typedef struct header {
  neso_hash checksum;
  char magic[8];
  uint32_t version, reserved;
  uint64_t key_size, metadata_size, binary_size, file_size;
} header;

static const char entry_magic[8] = "nesovar";

static size_t align16(size_t size) { return (size + 15) & ~(size_t)15; }

static neso_hash checksum(const unsigned char *file, size_t size) {
  return neso__hash128(file + sizeof(neso_hash), size - sizeof(neso_hash));
}

bool neso__blob_copy(neso_blob *blob, const char *metadata, const void *binary,
                     size_t binary_size) {
  if (!metadata)
    metadata = "";
  size_t start = align16(strlen(metadata) + 1);
  char *memory =
      binary_size < SIZE_MAX / 2 ? malloc(start + binary_size) : NULL;
  if (!memory)
    return false;
  strcpy(memory, metadata);
  if (binary_size)
    memcpy(memory + start, binary, binary_size);
  *blob = (neso_blob){memory, memory, memory + start, binary_size};
  return true;
}

void neso__blob_free(neso_blob *blob) {
  free(blob->memory);
  *blob = (neso_blob){0};
}

unsigned char *neso__entry_encode(const neso_bytes *key, const neso_blob *blob,
                                  size_t *out_size) {
  size_t metadata_size = strlen(blob->metadata) + 1;
  size_t binary_at = align16(sizeof(header) + key->size + metadata_size);
  size_t size = binary_at + blob->binary_size;
  header head = {.version = ENTRY_VERSION,
                 .key_size = key->size,
                 .metadata_size = metadata_size,
                 .binary_size = blob->binary_size,
                 .file_size = size};
  memcpy(head.magic, entry_magic, sizeof head.magic);
  unsigned char *file = calloc(1, size);
  if (!file)
    return NULL;
  memcpy(file, &head, sizeof head);
  memcpy(file + sizeof head, key->data, key->size);
  memcpy(file + sizeof head + key->size, blob->metadata, metadata_size);
  if (blob->binary_size)
    memcpy(file + binary_at, blob->binary, blob->binary_size);
  head.checksum = checksum(file, size);
  memcpy(file, &head.checksum, sizeof head.checksum);
  *out_size = size;
  return file;
}

/* No sum overflows: each size is at most the file's. */
static bool sound(const header *head, const unsigned char *file, size_t size) {
  if (memcmp(head->magic, entry_magic, sizeof head->magic) ||
      head->version != ENTRY_VERSION || head->file_size != size ||
      head->key_size > size || head->metadata_size > size ||
      head->metadata_size == 0 || head->binary_size > size)
    return false;
  size_t text_end = sizeof *head + head->key_size + head->metadata_size;
  if (align16(text_end) + head->binary_size != size)
    return false;
  neso_hash sum = checksum(file, size);
  return sum.low == head->checksum.low && sum.high == head->checksum.high &&
         file[text_end - 1] == 0;
}

bool neso__entry_decode(unsigned char *file, size_t size, const neso_bytes *key,
                        neso_blob *out_blob) {
  header head;
  if (size < sizeof head)
    goto fail;
  memcpy(&head, file, sizeof head);
  if (!sound(&head, file, size) || head.key_size != key->size ||
      memcmp(file + sizeof head, key->data, key->size))
    goto fail;
  *out_blob =
      (neso_blob){file, (const char *)file + sizeof head + head.key_size,
                  file + size - head.binary_size, (size_t)head.binary_size};
  return true;
fail:
  free(file);
  return false;
}
