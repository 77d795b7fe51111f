/* Common ground of the tests that call libneso_compiler without libneso:
 * statuses of their own, and the compiler's table. */
#ifndef NESO_SPEC_COMPILER_FIXTURE_H
#define NESO_SPEC_COMPILER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/compiler.h"
#include "compiler/entry.h"

struct neso_status_object {
  neso_code code;
  char text[4096];
};

static neso_status make_status(neso_code code, const char *format, ...) {
  neso_status status = calloc(1, sizeof(*status));
  va_list values;
  va_start(values, format);
  status->code = code;
  vsnprintf(status->text, sizeof(status->text), format, values);
  va_end(values);
  return status;
}

static const neso_compiler *compiler(void) {
  static const neso_compiler_host host = {.status_make = make_status};
  const neso_compiler *table = neso__compiler_table(&host);
  assert_non_null(table);
  return table;
}

#endif
