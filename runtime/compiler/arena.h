/* Memory that dies in one stroke at the end of a compile. One thread. */
#ifndef NESO_COMPILER_ARENA_H
#define NESO_COMPILER_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct neso_arena neso_arena;

/* NULL when there is no memory. */
neso_arena *neso__arena_create(void);
void neso__arena_free(neso_arena *arena);

/* `size` zeroed bytes, aligned to 16. Never NULL: exhaustion ends the compile
 * through neso__guard_raise. */
void *neso__arena_alloc(neso_arena *arena, size_t size);
char *neso__arena_copy(neso_arena *arena, const char *text, size_t length);
char *neso__arena_format(neso_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *neso__arena_vformat(neso_arena *arena, const char *format,
                          va_list values);

#define NESO_ARENA_NEW(arena, type, count)                                     \
  ((type *)neso__arena_alloc((arena), sizeof(type) * (size_t)(count)))

#endif
