#include "backend.h"

#include <string.h>

const neso_backend *const neso__backends[NESO_BACKEND_COUNT] = {
    &neso__backend_cpu,
    &neso__backend_null,
};

const neso_backend *neso__backend_find(const char *name) {
  for (int i = 0; name && i < NESO_BACKEND_COUNT; i++)
    if (!strcmp(neso__backends[i]->name, name))
      return neso__backends[i];
  return NULL;
}

const char *neso__backend_names(void) { return "cpu, null"; }
