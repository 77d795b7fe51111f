#include "stages.h"

#include <stdlib.h>
#include <string.h>

#include "foreign.h"
#include "llvm.h"
#include "mlir-c/BuiltinAttributes.h"
#include "program.h"

/* What a compile holds: the form that the last stage gave. */
typedef struct state {
  neso_pass_env *env;
  MlirModule module;
  neso_llvm llvm;
  LLVMMemoryBufferRef object;     /* NULL before the last stage */
  int64_t scratch, args, reports; /* metadata */
  const char *externs;            /* lines of it, in the arena; may be NULL */
} state;

static void set_module(state *s, MlirModule module) {
  if (!mlirModuleIsNull(s->module))
    mlirModuleDestroy(s->module);
  s->module = module;
}

/* --------------------------------------------------- dump and override -- */

static bool wants_dump(state *s) {
  const neso_compile_request *r = s->env->request;
  return r->wants_dump && r->dump && r->wants_dump(r->user, s->env->stage);
}

static void dump(state *s, const char *text, size_t size) {
  const neso_compile_request *r = s->env->request;
  r->dump(r->user, s->env->stage, text, size);
}

typedef struct printed {
  char *text; /* owned; NULL when memory is short */
  size_t size, room;
} printed;

static void append(MlirStringRef part, void *user) {
  printed *p = user;
  if (p->size + part.length > p->room) {
    size_t room = 2 * p->room + part.length + 4096;
    char *text = realloc(p->text, room);
    if (!text)
      return;
    p->text = text;
    p->room = room;
  }
  memcpy(p->text + p->size, part.data, part.length);
  p->size += part.length;
}

static void dump_mlir(state *s) {
  if (!wants_dump(s))
    return;
  printed p = {NULL, 0, 0};
  mlirOperationPrint(mlirModuleGetOperation(s->module), append, &p);
  dump(s, p.text ? p.text : "", p.size);
  free(p.text);
}

static void dump_llvm(state *s) {
  if (!wants_dump(s))
    return;
  char *text = LLVMPrintModuleToString(s->llvm.module);
  dump(s, text, strlen(text));
  LLVMDisposeMessage(text);
}

/* Code generation uses its module up, so assembly comes from a copy. */
static neso_status dump_assembly(state *s) {
  if (!wants_dump(s))
    return NULL;
  LLVMMemoryBufferRef buffer;
  neso_llvm copy = {NULL, LLVMCloneModule(s->llvm.module)};
  neso_status status =
      neso__llvm_emit(s->env, &copy, LLVMAssemblyFile, &buffer);
  neso__llvm_free(&copy);
  if (status)
    return status;
  dump(s, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  LLVMDisposeMemoryBuffer(buffer);
  return NULL;
}

static char *override_text(state *s) {
  const neso_compile_request *r = s->env->request;
  return r->override ? r->override(r->user, s->env->stage) : NULL;
}

static neso_status verify_module(state *s) {
  if (!mlirOperationVerify(mlirModuleGetOperation(s->module)))
    return neso__pass_fail_mlir(s->env, NESO_COMPILE_ERROR, "invalid IR");
  return neso__verify(s->env, s->module);
}

static neso_status override_mlir(state *s) {
  char *text = override_text(s);
  if (!text)
    return NULL;
  neso__diagnostics_clear(s->env->diagnostics);
  MlirModule module =
      mlirModuleCreateParse(s->env->ctx, mlirStringRefCreateFromCString(text));
  free(text);
  if (mlirModuleIsNull(module))
    return neso__pass_fail_mlir(s->env, NESO_INVALID_ARGUMENT,
                                "the replaced text is no module");
  set_module(s, module);
  return neso__verify(s->env, module);
}

static neso_status override_llvm(state *s) {
  char *text = override_text(s);
  if (!text)
    return NULL;
  neso_status status = neso__llvm_parse(s->env, text, &s->llvm);
  free(text);
  return status;
}

/* -------------------------------------------------------------- stages -- */

static int64_t module_number(state *s, const char *name) {
  MlirAttribute a = mlirOperationGetDiscardableAttributeByName(
      mlirModuleGetOperation(s->module), mlirStringRefCreateFromCString(name));
  return !mlirAttributeIsNull(a) && mlirAttributeIsAInteger(a)
             ? mlirIntegerAttrGetValueInt(a)
             : 0;
}

static neso_status start(state *s) {
  s->env->stage = "program";
  neso_status status = neso__program_decode(s->env, &s->module);
  if (!status)
    status = verify_module(s);
  if (!status)
    status = override_mlir(s);
  if (!status)
    dump_mlir(s);
  return status;
}

static neso_status needs_llvm(state *s) {
  if (s->llvm.module)
    return NULL;
  return neso__pass_fail(s->env, NESO_INVALID_ARGUMENT, (MlirOperation){NULL},
                         "stage '%s' must come after stage 'llvm'",
                         s->env->stage);
}

static neso_status run_mlir(state *s, const char *passes) {
  if (s->llvm.module)
    return neso__pass_fail(s->env, NESO_INVALID_ARGUMENT, (MlirOperation){NULL},
                           "stage '%s' comes after the stage 'llvm'",
                           s->env->stage);
  return neso__pipeline_run(s->env, s->module, passes);
}

static neso_status stage_mlir(state *s, const char *passes) {
  neso_status status = run_mlir(s, passes);
  if (!status)
    status = override_mlir(s);
  if (!status)
    dump_mlir(s);
  return status;
}

static neso_status stage_llvm(state *s, const char *passes) {
  neso_status status = run_mlir(s, passes);
  if (status)
    return status;
  s->scratch = module_number(s, "neso.scratch");
  s->args = module_number(s, "neso.args");
  s->reports = module_number(s, "neso.reports");
  s->externs = neso__foreign_externs(s->env, s->module);
  status = neso__llvm_translate(s->env, s->module, &s->llvm);
  if (!status)
    status = neso__foreign_link(s->env, s->module, &s->llvm);
  if (!status)
    status = override_llvm(s);
  if (!status)
    dump_llvm(s);
  return status;
}

static neso_status stage_opt(state *s, const char *passes) {
  neso_status status = needs_llvm(s);
  if (!status)
    status = neso__llvm_optimize(s->env, &s->llvm, passes);
  if (!status)
    status = override_llvm(s);
  if (!status)
    dump_llvm(s);
  return status;
}

static neso_status stage_asm(state *s) {
  neso_status status = needs_llvm(s);
  if (status)
    return status;
  char *text = override_text(s);
  if (text) {
    status = neso__llvm_assemble(s->env, text, &s->llvm);
    free(text);
  }
  if (!status)
    status = dump_assembly(s);
  if (!status)
    status = neso__llvm_emit(s->env, &s->llvm, LLVMObjectFile, &s->object);
  return status;
}

static neso_status run_stage(state *s, const neso_stage *stage) {
  const char *passes = stage->passes ? stage->passes : "";
  s->env->stage = stage->name;
  s->env->pass = NULL;
  neso__diagnostics_clear(s->env->diagnostics);
  if (!strcmp(stage->name, "llvm"))
    return stage_llvm(s, passes);
  if (!strcmp(stage->name, "opt"))
    return stage_opt(s, passes);
  if (!strcmp(stage->name, "asm"))
    return stage_asm(s);
  return stage_mlir(s, passes);
}

/* -------------------------------------------------------------- result -- */

static neso_status fill_result(state *s, neso_compile_result *out) {
  neso_status status = NULL;
  if (!s->object)
    return neso__pass_fail(s->env, NESO_INVALID_ARGUMENT, (MlirOperation){NULL},
                           "the stages end without stage 'asm'");
  bool has_externs = s->externs && *s->externs;
  const char *metadata = neso__arena_format(
      s->env->arena, "scratch %lld\nargs %lld\n%s%s", (long long)s->scratch,
      (long long)s->args, s->reports ? "reports 1\n" : "",
      has_externs ? s->externs : "");
  out->binary_size = LLVMGetBufferSize(s->object);
  out->binary = malloc(out->binary_size);
  out->metadata = strdup(metadata);
  if (!out->binary || !out->metadata)
    return neso__pass_fail(s->env, NESO_OUT_OF_MEMORY, (MlirOperation){NULL},
                           "out of memory");
  memcpy(out->binary, LLVMGetBufferStart(s->object), out->binary_size);
  if (!s->env->target->is_host || has_externs)
    return NULL;
  neso_linked *linked;
  status = neso__jit_link(s->env, out->binary, out->binary_size, &linked,
                          &out->entry);
  out->linked = status ? NULL : linked;
  return status;
}

static void free_state(state *s) {
  if (s->object)
    LLVMDisposeMemoryBuffer(s->object);
  neso__llvm_free(&s->llvm);
  set_module(s, (MlirModule){NULL});
}

neso_status neso__stages_run(neso_pass_env *env,
                             neso_compile_result *out_result) {
  state s = {.env = env};
  neso_status status = start(&s);
  for (size_t i = 0; !status && i < env->request->stage_count; i++)
    status = run_stage(&s, &env->request->stages[i]);
  env->stage = "link";
  if (!status)
    status = fill_result(&s, out_result);
  if (status) {
    free(out_result->binary);
    free(out_result->metadata);
    *out_result = (neso_compile_result){0};
  }
  free_state(&s);
  return status;
}
