#include "externs.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static neso_status find(const char *symbol, const char *library,
                        neso_externs *out) {
  void *handle = RTLD_DEFAULT;
  if (*library) {
    handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return neso_status_make(NESO_UNAVAILABLE,
                              "library '%s' cannot be loaded: %s", library,
                              dlerror());
    out->libraries[out->count] = handle;
  }
  void *address = dlsym(handle, symbol);
  out->addresses[out->count++] = address;
  if (address)
    return NULL;
  return neso_status_make(NESO_NOT_FOUND, "%s%s%s has no function '%s'",
                          *library ? "library '" : "the process", library,
                          *library ? "'" : "", symbol);
}

/* One line without its "extern ". */
static neso_status open_line(const char *line, size_t length,
                             neso_externs *out) {
  if (out->count == NESO_MAX_EXTERNS)
    return neso_status_make(NESO_OUT_OF_RANGE,
                            "a kernel calls at most %d outside functions",
                            NESO_MAX_EXTERNS);
  char *symbol = strndup(line, length);
  if (!symbol)
    return neso_status_make(NESO_OUT_OF_MEMORY, "out of memory");
  char *library = strchr(symbol, ' ');
  if (library)
    *library++ = 0;
  neso_status status = find(symbol, library ? library : "", out);
  free(symbol);
  return status;
}

neso_status neso__externs_open(const char *metadata,
                               neso_externs *out_externs) {
  static const char word[] = "extern ";
  *out_externs = (neso_externs){0};
  neso_status status = NULL;
  for (const char *line = metadata; line && *line && !status;) {
    size_t length = strcspn(line, "\n");
    if (!strncmp(line, word, sizeof word - 1))
      status = open_line(line + sizeof word - 1, length - (sizeof word - 1),
                         out_externs);
    line += length + (line[length] == '\n');
  }
  return status;
}

void neso__externs_close(neso_externs *externs) {
  for (size_t i = 0; i < externs->count; i++)
    if (externs->libraries[i])
      dlclose(externs->libraries[i]);
  *externs = (neso_externs){0};
}
