/* libFuzzer target: decoder, verifiers and CPU lowering of tile programs.
 *
 * Any bytes must give a module or an error; what the verifiers let through must
 * be lowered or refused. NESO_INTERNAL is a fault, whatever the input. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compiler.h"
#include "compiler/entry.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct neso_status_object {
  neso_code code;
  char text[4096];
};

static struct neso_status_object last;
static const neso_compiler *compiler;

static neso_status make_status(neso_code code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  last.code = code;
  vsnprintf(last.text, sizeof(last.text), format, values);
  va_end(values);
  return &last;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static const neso_compiler_host host = {.status_make = make_status};
  (void)argc;
  (void)argv;
  compiler = neso__compiler_table(&host);
  return compiler ? 0 : 1;
}

static const neso_stage stages[] = {
    {"tile", "neso-verify,canonicalize,cse"},
    {"cpu", "neso-cpu-layout,neso-cpu-lower"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  neso_compile_request request = {.kernel = "fuzz",
                                  .file = "fuzz",
                                  .program = data,
                                  .program_size = size,
                                  .backend = "cpu",
                                  .target = "host fuzz",
                                  .stages = stages,
                                  .stage_count =
                                      sizeof(stages) / sizeof(stages[0]),
                                  .verify_each = true};
  neso_compile_result result;
  neso_status status = compiler->compile(&request, &result);
  if (!status || status->code == NESO_INTERNAL || !status->text[0]) {
    fprintf(stderr, "fault: %s\n", status ? status->text : "an object");
    abort();
  }
  return 0;
}
