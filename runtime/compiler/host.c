#include "host.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef neso_status (*status_make_fn)(neso_code code, const char *format, ...);

static _Atomic(status_make_fn) status_make;

void neso__host_set(const neso_compiler_host *host) {
  atomic_store(&status_make, host->status_make);
}

neso_status neso__fail(neso_code code, const char *format, ...) {
  status_make_fn make = atomic_load(&status_make);
  char *text = NULL;
  va_list values;
  va_start(values, format);
  int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0)
    return make(NESO_OUT_OF_MEMORY, "out of memory");
  neso_status status = make(code, "%s", text);
  free(text);
  return status;
}
