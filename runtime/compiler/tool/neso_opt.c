/* neso-opt: runs passes over MLIR text. For tests and for looking.
 *
 *   neso-opt [--passes LIST] [--target TEXT] [--no-verify] [--generic]
 *            [file.mlir | -]
 *
 * Prints the module. An error is printed to stderr and the exit status is 1;
 * with --expect-error it goes to stdout and the exit status is turned round.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "guard.h"
#include "host.h"
#include "pass.h"

typedef struct options {
  const char *passes, *target, *file;
  bool verify, generic, expect_error;
} options;

static FILE *error_stream;

static neso_status print_status(neso_code code, const char *format, ...) {
  (void)code;
  va_list values;
  va_start(values, format);
  vfprintf(error_stream, format, values);
  va_end(values);
  fputc('\n', error_stream);
  return (neso_status)&error_stream;
}

static char *read_all(const char *path, size_t *out_size) {
  FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  if (!file)
    return NULL;
  size_t size = 0, room = 1 << 16;
  char *text = malloc(room);
  for (size_t got; text && (got = fread(text + size, 1, room - size, file));) {
    size += got;
    if (size == room)
      text = realloc(text, room *= 2);
  }
  if (file != stdin)
    fclose(file);
  if (text)
    text[size] = 0;
  *out_size = size;
  return text;
}

static void print_part(MlirStringRef part, void *user) {
  fwrite(part.data, 1, part.length, user);
}

static void print_module(MlirModule module, const options *o) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (o->generic)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, print_part,
                              stdout);
  mlirOpPrintingFlagsDestroy(flags);
}

static neso_status run(const options *o) {
  size_t size;
  char *text = read_all(o->file, &size);
  if (!text)
    return neso__fail(NESO_IO_ERROR, "%s: cannot be read", o->file);
  neso_compile_request request = {
      .kernel = "test", .file = o->file, .verify_each = o->verify};
  neso_compile_context *context = neso__context_acquire();
  neso_pass_env env = {.ctx = neso__context_mlir(context),
                       .request = &request,
                       .arena = neso__arena_create(),
                       .context = context,
                       .diagnostics = neso__context_diagnostics(context),
                       .stage = "neso-opt"};
  neso_status status = neso__context_target(context, o->target, &env.target);
  if (!status) {
    MlirModule module =
        mlirModuleCreateParse(env.ctx, mlirStringRefCreate(text, size));
    if (mlirModuleIsNull(module))
      status = neso__pass_fail_mlir(&env, NESO_COMPILE_ERROR, "not a module");
    else
      status = neso__pipeline_run(&env, module, o->passes);
    if (!status)
      print_module(module, o);
    if (!mlirModuleIsNull(module))
      mlirModuleDestroy(module);
  }
  neso__arena_free(env.arena);
  neso__context_release(context);
  free(text);
  return status;
}

typedef struct call {
  const options *options;
  neso_status status;
} call;

static void guarded(void *user) {
  call *c = user;
  c->status = run(c->options);
}

static bool parse_options(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(arg, "--passes") && next)
      o->passes = next, i++;
    else if (!strcmp(arg, "--target") && next)
      o->target = next, i++;
    else if (!strcmp(arg, "--no-verify"))
      o->verify = false;
    else if (!strcmp(arg, "--generic"))
      o->generic = true;
    else if (!strcmp(arg, "--expect-error"))
      o->expect_error = true;
    else if (arg[0] == '-' && arg[1])
      return false;
    else
      o->file = arg;
  }
  return true;
}

int main(int argc, char **argv) {
  options o = {.passes = "", .target = "host", .file = "-", .verify = true};
  if (!parse_options(argc, argv, &o)) {
    fprintf(stderr, "usage: neso-opt [--passes LIST] [--target TEXT] "
                    "[--no-verify] [--generic] [--expect-error] [FILE]\n");
    return 2;
  }
  error_stream = o.expect_error ? stdout : stderr;
  neso__host_set(&(neso_compiler_host){.status_make = print_status});
  call c = {&o, NULL};
  neso_guard_result result;
  if (!neso__guard_run(guarded, &c, &result))
    c.status = neso__fail(result.code, "%s", result.text);
  return (c.status != NULL) != o.expect_error;
}
