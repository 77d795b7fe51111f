/* Pass strings: "canonicalize,cse,neso-cpu-layout,func.func(a,b)". */
#include <stdarg.h>
#include <string.h>

#include "context.h"
#include "host.h"
#include "pass.h"

static const char *place(neso_pass_env *env, unsigned line) {
  const char *file = env->request->file ? env->request->file : "kernel";
  if (line)
    return neso__arena_format(env->arena, "%s:%u", file, line);
  return file;
}

static neso_status fail_at(neso_pass_env *env, neso_code code, unsigned line,
                           const char *message) {
  return neso__fail(code, "%s: kernel '%s': %s", place(env, line),
                    env->request->kernel ? env->request->kernel : "?", message);
}

neso_status neso__pass_fail(neso_pass_env *env, neso_code code,
                            MlirOperation op, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const char *message = neso__arena_vformat(env->arena, format, values);
  va_end(values);
  unsigned line = mlirOperationIsNull(op)
                      ? 0
                      : neso__location_line(mlirOperationGetLocation(op));
  return fail_at(env, code, line, message);
}

neso_status neso__pass_fail_mlir(neso_pass_env *env, neso_code code,
                                 const char *format, ...) {
  va_list values;
  va_start(values, format);
  const char *message = neso__arena_vformat(env->arena, format, values);
  va_end(values);
  const neso_diagnostics *d = env->diagnostics;
  message = neso__arena_format(
      env->arena, "%s%s%s (stage %s%s%s)", message, d->used ? ": " : "",
      d->text, env->stage ? env->stage : "?", env->pass ? ", pass " : "",
      env->pass ? env->pass : "");
  return fail_at(env, code, d->line, message);
}

static neso_status verify_each(neso_pass_env *env, MlirModule module) {
  if (!env->request->verify_each)
    return NULL;
  if (!mlirOperationVerify(mlirModuleGetOperation(module)))
    return neso__pass_fail_mlir(env, NESO_INTERNAL, "invalid IR after a pass");
  return neso__verify(env, module);
}

static neso_status run_upstream(neso_pass_env *env, MlirModule module,
                                const char *passes) {
  env->pass = passes;
  MlirPassManager manager = neso__context_pipeline(env->context, passes);
  if (mlirPassManagerIsNull(manager))
    return neso__pass_fail_mlir(env, NESO_INVALID_ARGUMENT,
                                "passes that MLIR does not know");
  mlirPassManagerEnableVerifier(manager, env->request->verify_each);
  if (mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))))
    return neso__pass_fail_mlir(env, NESO_COMPILE_ERROR, "a pass failed");
  return verify_each(env, module);
}

static neso_status run_own(neso_pass_env *env, MlirModule module,
                           const char *name) {
  env->pass = name;
  neso_pass_fn pass = neso__pass_find(name);
  if (!pass)
    return neso__pass_fail_mlir(env, NESO_INVALID_ARGUMENT,
                                "no pass of that name");
  neso_status status = pass(env, module);
  return status ? status : verify_each(env, module);
}

/* Length of the first element of a comma separated list with brackets. */
static size_t element_length(const char *text) {
  size_t at = 0;
  for (int depth = 0; text[at]; at++) {
    if (text[at] == '(' || text[at] == '{')
      depth++;
    else if (text[at] == ')' || text[at] == '}')
      depth--;
    else if (text[at] == ',' && depth == 0)
      break;
  }
  return at;
}

neso_status neso__pipeline_run(neso_pass_env *env, MlirModule module,
                               const char *passes) {
  const char *run = NULL, *at = passes; /* start of a run of MLIR's passes */
  neso_status status = NULL;
  while (!status) {
    at += strspn(at, ", \n\t");
    size_t length = element_length(at);
    bool own = !strncmp(at, "neso-", 5);
    if (run && (own || !length)) {
      size_t run_length = (size_t)(at - run);
      while (strchr(", \n\t", run[run_length - 1]))
        run_length--;
      status = run_upstream(env, module,
                            neso__arena_copy(env->arena, run, run_length));
      run = NULL;
    } else if (own) {
      while (length && strchr(" \n\t", at[length - 1]))
        length--;
      status = run_own(env, module, neso__arena_copy(env->arena, at, length));
      at += length;
    } else if (!length) {
      break;
    } else {
      run = run ? run : at;
      at += length;
    }
  }
  env->pass = NULL;
  return status;
}
