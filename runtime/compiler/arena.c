#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

#define BLOCK_SIZE ((size_t)64 << 10)

typedef struct block {
  struct block *next; /* owned */
  size_t used, size;
  _Alignas(16) char bytes[];
} block;

struct neso_arena {
  block *blocks; /* owned; the first is the one in use */
};

static block *block_create(block *next, size_t size) {
  block *b = calloc(1, sizeof(block) + size);
  if (b) {
    b->next = next;
    b->size = size;
  }
  return b;
}

neso_arena *neso__arena_create(void) { return calloc(1, sizeof(neso_arena)); }

void neso__arena_free(neso_arena *arena) {
  if (!arena)
    return;
  for (block *b = arena->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(arena);
}

void *neso__arena_alloc(neso_arena *arena, size_t size) {
  if (size > SIZE_MAX / 2)
    neso__guard_raise(NESO_OUT_OF_MEMORY, "out of memory");
  size = (size + 15) & ~(size_t)15;
  block *b = arena->blocks;
  if (!b || b->size - b->used < size) {
    b = block_create(arena->blocks, size > BLOCK_SIZE ? size : BLOCK_SIZE);
    if (!b)
      neso__guard_raise(NESO_OUT_OF_MEMORY, "out of memory");
    arena->blocks = b;
  }
  void *memory = b->bytes + b->used;
  b->used += size;
  return memory;
}

char *neso__arena_copy(neso_arena *arena, const char *text, size_t length) {
  char *copy = neso__arena_alloc(arena, length + 1);
  if (length)
    memcpy(copy, text, length);
  return copy;
}

char *neso__arena_vformat(neso_arena *arena, const char *format,
                          va_list values) {
  va_list again;
  va_copy(again, values);
  int length = vsnprintf(NULL, 0, format, values);
  char *text = neso__arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
  if (length >= 0)
    vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

char *neso__arena_format(neso_arena *arena, const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *text = neso__arena_vformat(arena, format, values);
  va_end(values);
  return text;
}
