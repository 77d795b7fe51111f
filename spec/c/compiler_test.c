/* link: neso_compiler_static cmocka */
/* libneso_compiler behind its table: hostile programs, errors that name the
 * kernel's line, dump and override, LLVM's fatal errors, threads. */
#include <pthread.h>

#include "compiler_fixture.h"
#include "program_writer.h"

/* out[i] = x[i] + y[i], 128 elements a program, masked by n. */
static bytes add_program(unsigned mask_extent) {
  program p = {0};
  char mask[16];
  snprintf(mask, sizeof(mask), "i1:%u", mask_extent);
  put_string(&p, "add");
  put(&p.body, 4);
  param(&p, "ptr", "x"), param(&p, "ptr", "y");   /* 0, 1 */
  param(&p, "ptr", "out"), param(&p, "i32", "n"); /* 2, 3 */
  region(&p, "", 14);
  op(&p, "neso.program_id", "", "i32", 1); /* 4 */
  number(&p, "axis", 'i', "i32", "0"), regions(&p, 0);
  op(&p, "arith.constant", "", "i32", 1); /* 5 */
  number(&p, "value", 'i', "i32", "128"), regions(&p, 0);
  op(&p, "arith.muli", "4 5", "i32", 0), regions(&p, 0); /* 6 */
  op(&p, "neso.arange", "", "i32:128", 2);               /* 7 */
  number(&p, "start", 'i', "i32", "0"), number(&p, "end", 'i', "i32", "128");
  regions(&p, 0);
  op(&p, "tensor.splat", "6", "i32:128", 0), regions(&p, 0); /* 8 */
  op(&p, "arith.addi", "8 7", "i32:128", 0), regions(&p, 0); /* 9 */
  op(&p, "tensor.splat", "3", "i32:128", 0), regions(&p, 0); /* 10 */
  op(&p, "arith.cmpi", "9 10", mask, 1);                     /* 11 */
  number(&p, "predicate", 'i', "i64", "2"), regions(&p, 0);
  op(&p, "arith.constant", "", "f32:128", 1); /* 12 */
  number(&p, "value", 'f', "f32:128", "0.0"), regions(&p, 0);
  op(&p, "neso.masked_load", "0 9 11 12", "f32:128", 3), memory(&p); /* 13 */
  op(&p, "neso.masked_load", "1 9 11 12", "f32:128", 3), memory(&p); /* 14 */
  op(&p, "arith.addf", "13 14", "f32:128", 0), regions(&p, 0);       /* 15 */
  op(&p, "neso.masked_store", "2 9 15 11", "", 3), memory(&p);
  op(&p, "func.return", "", "", 0), regions(&p, 0);
  return finish(&p);
}

/* Every control flow operation, a transposition and reductions. */
static bytes control_program(void) {
  program p = {0};
  put_string(&p, "control");
  put(&p.body, 2);
  param(&p, "ptr", "p"), param(&p, "i32", "n"); /* 0, 1 */
  region(&p, "", 12);
  op(&p, "arith.constant", "", "i32", 1); /* 2 */
  number(&p, "value", 'i', "i32", "0"), regions(&p, 0);
  op(&p, "arith.constant", "", "i32", 1); /* 3 */
  number(&p, "value", 'i', "i32", "1"), regions(&p, 0);
  op(&p, "arith.constant", "", "f32:8x4", 1); /* 4 */
  number(&p, "value", 'f', "f32:8x4", "-1.5e3"), regions(&p, 0);
  op(&p, "scf.for", "2 1 3 4", "f32:8x4", 0), regions(&p, 1);
  region(&p, "i32 f32:8x4", 2);                              /* 5, 6 */
  op(&p, "arith.addf", "6 4", "f32:8x4", 0), regions(&p, 0); /* 7 */
  op(&p, "scf.yield", "7", "", 0), regions(&p, 0);           /* the loop is 8 */
  op(&p, "arith.cmpi", "1 2", "i1", 1);                      /* 9 */
  number(&p, "predicate", 'i', "i64", "2"), regions(&p, 0);
  op(&p, "scf.if", "9", "f32:8x4", 0), regions(&p, 2); /* 10 */
  region(&p, "", 1), op(&p, "scf.yield", "8", "", 0), regions(&p, 0);
  region(&p, "", 1), op(&p, "scf.yield", "4", "", 0), regions(&p, 0);
  op(&p, "scf.if", "9", "", 0), regions(&p, 2);
  region(&p, "", 1), op(&p, "scf.yield", "", "", 0), regions(&p, 0);
  region(&p, "", 0);
  op(&p, "scf.while", "1", "i32", 0), regions(&p, 2);
  region(&p, "i32", 2);                  /* 11 */
  op(&p, "arith.cmpi", "11 2", "i1", 1); /* 12 */
  number(&p, "predicate", 'i', "i64", "4"), regions(&p, 0);
  op(&p, "scf.condition", "12 11", "", 0), regions(&p, 0);
  region(&p, "i32", 1);                             /* 13 */
  op(&p, "scf.yield", "13", "", 0), regions(&p, 0); /* the loop is 14 */
  op(&p, "neso.trans", "10", "f32:4x8", 1);         /* 15 */
  attribute(&p, "order", 'a');
  put(&p.body, 2), put(&p.body, 2), put(&p.body, 0), regions(&p, 0);
  op(&p, "neso.reduce", "15", "f32:8", 2); /* 16 */
  number(&p, "axis", 'i', "i32", "0"), word(&p, "kind", "sum");
  regions(&p, 0);
  op(&p, "neso.arg_reduce", "16", "f32 i32", 3); /* 17, 18 */
  number(&p, "axis", 'i', "i32", "0"), word(&p, "kind", "max");
  boolean(&p, "propagate_nan", true), regions(&p, 0);
  op(&p, "func.return", "", "", 0), regions(&p, 0);
  return finish(&p);
}

/* ------------------------------------------------------------- requests -- */

static const neso_stage stages[] = {
    {"tile", "neso-verify,canonicalize,cse,loop-invariant-code-motion"},
    {"cpu", ""},
    {"llvm", "convert-scf-to-cf,convert-arith-to-llvm,convert-cf-to-llvm,"
             "convert-func-to-llvm,reconcile-unrealized-casts"},
    {"opt", "function(sroa,instcombine,simplifycfg)"},
    {"asm", ""},
};

/* What the lowering of the backend would give: one element at a time. */
static const char lowered[] =
    "module attributes {neso.scratch = 64 : i64, neso.args = 28 : i64} {\n"
    "llvm.func @neso_kernel(%args: !llvm.ptr, %at: !llvm.ptr) -> i32 {\n"
    "  %x = llvm.load %args : !llvm.ptr -> !llvm.ptr\n"
    "  %yp = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8\n"
    "  %y = llvm.load %yp : !llvm.ptr -> !llvm.ptr\n"
    "  %op = llvm.getelementptr %args[16] : (!llvm.ptr) -> !llvm.ptr, i8\n"
    "  %out = llvm.load %op : !llvm.ptr -> !llvm.ptr\n"
    "  %a = llvm.load %x : !llvm.ptr -> f32\n"
    "  %b = llvm.load %y : !llvm.ptr -> f32\n"
    "  %c = arith.addf %a, %b : f32\n"
    "  llvm.store %c, %out : f32, !llvm.ptr\n"
    "  %zero = arith.constant 0 : i32\n"
    "  llvm.return %zero : i32\n"
    "}\n}\n";

typedef struct texts {
  const char *override_stage, *override_text;
  char dumped[512]; /* names of the dumped stages */
  char last[1 << 16];
  const char *keep; /* stage whose dump is kept in `last` */
} texts;

static bool wants_dump(void *user, const char *stage) {
  texts *t = user;
  (void)stage;
  return t->keep != NULL;
}

static void take_dump(void *user, const char *stage, const char *text,
                      size_t size) {
  texts *t = user;
  strcat(strcat(t->dumped, stage), " ");
  if (!strcmp(stage, t->keep))
    snprintf(t->last, sizeof(t->last), "%.*s", (int)size, text);
}

static char *give_override(void *user, const char *stage) {
  texts *t = user;
  if (t->override_stage && !strcmp(stage, t->override_stage))
    return strdup(t->override_text);
  return !strcmp(stage, "cpu") ? strdup(lowered) : NULL;
}

static const uint32_t lines[] = {10, 11, 11, 12, 12, 12, 13,
                                 13, 14, 14, 15, 16, 17, 18};

static neso_compile_request request_of(const bytes *program, texts *t) {
  return (neso_compile_request){.kernel = "add",
                                .file = "add.lua",
                                .program = program->at,
                                .program_size = program->size,
                                .lines = lines,
                                .line_count = sizeof(lines) / sizeof(lines[0]),
                                .backend = "cpu",
                                .target = "host 1234",
                                .stages = stages,
                                .stage_count =
                                    sizeof(stages) / sizeof(stages[0]),
                                .verify_each = true,
                                .user = t,
                                .wants_dump = wants_dump,
                                .dump = take_dump,
                                .override = give_override};
}

static void free_result(neso_compile_result *result) {
  compiler()->unlink(result->linked);
  compiler()->free(result->binary);
  compiler()->free(result->metadata);
}

static float run_add(const neso_compile_result *result, float a, float b) {
  float out = 0;
  struct {
    const float *x, *y;
    float *out;
    int32_t n;
  } args = {&a, &b, &out, 1};
  int32_t (*kernel)(const void *, const void *);
  *(void **)&kernel = result->entry;
  assert_int_equal(kernel(&args, NULL), 0);
  return out;
}

static void expect_error(neso_status status, neso_code code, const char *part) {
  assert_non_null(status);
  if (!strstr(status->text, part))
    fail_msg("'%s' is not in: %s", part, status->text);
  assert_int_equal(status->code, code);
  free(status);
}

static void expect_ok(neso_status status) {
  if (status)
    fail_msg("%s", status->text);
}

/* --------------------------------------------------------------- tests -- */

static void compiles_and_runs(void **state) {
  (void)state;
  texts t = {0};
  bytes program = add_program(128);
  neso_compile_request request = request_of(&program, &t);
  neso_compile_result result;
  expect_ok(compiler()->compile(&request, &result));
  assert_true(run_add(&result, 1.5f, 2.25f) == 3.75f);
  assert_string_equal(result.metadata, "scratch 64\nargs 28\n");
  assert_memory_equal(result.binary, "\177ELF", 4);
  free_result(&result);
}

static void code_stays_until_unlinked(void **state) {
  (void)state;
  texts t = {0};
  bytes program = add_program(128);
  neso_compile_request request = request_of(&program, &t);
  neso_compile_result results[3];
  for (int i = 0; i < 3; i++)
    expect_ok(compiler()->compile(&request, &results[i]));
  assert_true(results[0].entry != results[1].entry);
  free_result(&results[1]);
  expect_ok(compiler()->compile(&request, &results[1]));
  for (int i = 0; i < 3; i++) {
    assert_true(run_add(&results[i], 1, (float)i) == 1 + (float)i);
    free_result(&results[i]);
  }
}

static void identity_names_llvm(void **state) {
  (void)state;
  assert_int_equal(compiler()->abi, NESO_COMPILER_ABI);
  assert_non_null(strstr(compiler()->identity, "llvm 22.1"));
}

static void truncate_everywhere(const bytes *whole) {
  texts t = {0};
  neso_compile_request request = request_of(whole, &t);
  for (size_t size = 0; size < whole->size; size++) {
    uint8_t *exact = malloc(size + !size);
    neso_compile_result result;
    memcpy(exact, whole->at, size);
    request.program = exact;
    request.program_size = size;
    expect_error(compiler()->compile(&request, &result), NESO_INVALID_ARGUMENT,
                 "the tile program is damaged at byte");
    free(exact);
  }
}

static void every_truncation_is_an_error(void **state) {
  (void)state;
  const bytes add = add_program(128), control = control_program();
  truncate_everywhere(&add);
  truncate_everywhere(&control);
}

/* Flips bits or sets bytes, mostly in the second half: after the names. */
static bytes garble(bytes b, uint32_t *seed, int round) {
  for (int flips = 1 + round % 3; flips; flips--) {
    *seed = *seed * 1664525u + 1013904223u;
    size_t back = (*seed >> 8) % (round % 4 ? b.size / 2 : b.size);
    *seed = *seed * 1664525u + 1013904223u;
    uint8_t *at = &b.at[b.size - 1 - back];
    *at = round % 2 ? (*seed >> 24) % 20 : *at ^ (1u << (*seed >> 29));
  }
  return b;
}

static void garble_often(const bytes *whole) {
  static const neso_stage stage = {"tile", "canonicalize,cse,sccp"};
  texts t = {0};
  neso_compile_request request = request_of(whole, &t);
  uint32_t seed = 12345;
  request.stages = &stage;
  request.stage_count = 1;
  for (int round = 0; round < 10000; round++) {
    bytes garbled = garble(*whole, &seed, round);
    neso_compile_result result;
    request.program = garbled.at;
    neso_status status = compiler()->compile(&request, &result);
    assert_non_null(status); /* at best: no stage 'asm' */
    free(status);
  }
}

static void garbled_programs_never_crash(void **state) {
  (void)state;
  const bytes add = add_program(128), control = control_program();
  garble_often(&add);
  garble_often(&control);
}

static void control_flow_is_decoded(void **state) {
  (void)state;
  static const char *const parts[] = {
      "%0 = scf.for %arg2 = %c0_i32 to %arg1 step %c1_i32 iter_args",
      "scf.if %1 -> (tensor<8x4xf32>)", "scf.while (%arg2 = %arg1)",
      "dense<-1.500000e+03> : tensor<8x4xf32>", "array<i64: 1, 0>"};
  static const neso_stage stage = {"tile", ""};
  texts t = {.keep = "program"};
  const bytes control = control_program();
  neso_compile_request request = request_of(&control, &t);
  neso_compile_result result;
  request.stages = &stage;
  request.stage_count = 1;
  expect_error(compiler()->compile(&request, &result), NESO_INVALID_ARGUMENT,
               "the stages end without stage 'asm'");
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
    if (!strstr(t.last, parts[i]))
      fail_msg("'%s' is not in: %s", parts[i], t.last);
}

static void trailing_bytes_are_an_error(void **state) {
  (void)state;
  texts t = {0};
  bytes program = add_program(128);
  neso_compile_result result;
  put(&program, 0);
  neso_compile_request request = request_of(&program, &t);
  expect_error(compiler()->compile(&request, &result), NESO_INVALID_ARGUMENT,
               "goes on after its end");
}

static void type_errors_name_kernel_and_line(void **state) {
  (void)state;
  texts t = {0};
  bytes program = add_program(64);
  neso_compile_result result;
  neso_compile_request request = request_of(&program, &t);
  expect_error(compiler()->compile(&request, &result), NESO_COMPILE_ERROR,
               "add.lua:13: kernel 'add': ");
}

static void own_rules_speak_of_shapes(void **state) {
  (void)state;
  texts t = {.override_stage = "program",
             .override_text =
                 "func.func @k(%b: tensor<128xf32>) {\n"
                 "  %0 = \"neso.broadcast\"(%b) : (tensor<128xf32>) -> "
                 "tensor<64xf32>\n"
                 "  return\n}\n"};
  bytes program = add_program(128);
  neso_compile_result result;
  neso_compile_request request = request_of(&program, &t);
  expect_error(compiler()->compile(&request, &result), NESO_COMPILE_ERROR,
               "cannot broadcast a block of shape {128} to {64}");
}

static void dumps_every_stage(void **state) {
  (void)state;
  static const struct {
    const char *stage, *part;
  } cases[] = {
      {"program", "neso.masked_load"},    {"tile", "neso.masked_load"},
      {"cpu", "llvm.func @neso_kernel"},  {"llvm", "define i32 @neso_kernel"},
      {"opt", "define i32 @neso_kernel"}, {"asm", "neso_kernel:"}};
  bytes program = add_program(128);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    texts t = {.keep = cases[i].stage};
    neso_compile_request request = request_of(&program, &t);
    neso_compile_result result;
    expect_ok(compiler()->compile(&request, &result));
    assert_string_equal(t.dumped, "program tile cpu llvm opt asm ");
    assert_non_null(strstr(t.last, cases[i].part));
    free_result(&result);
  }
}

static void overrides_llvm_ir_and_assembly(void **state) {
  (void)state;
  static const struct {
    const char *stage, *text;
  } cases[] = {
      {"llvm", "define i32 @neso_kernel(ptr %a, ptr %b) { ret i32 7 }"},
      {"opt", "define i32 @neso_kernel(ptr %a, ptr %b) { ret i32 7 }"},
      {"asm", ".globl neso_kernel\nneso_kernel: movl $7, %eax\nret\n"}};
  bytes program = add_program(128);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    texts t = {.override_stage = cases[i].stage,
               .override_text = cases[i].text};
    neso_compile_request request = request_of(&program, &t);
    neso_compile_result result;
    expect_ok(compiler()->compile(&request, &result));
    int32_t (*kernel)(const void *, const void *);
    *(void **)&kernel = result.entry;
    assert_int_equal(kernel(NULL, NULL), 7);
    free_result(&result);
  }
}

static void bad_overrides_are_errors(void **state) {
  (void)state;
  static const struct {
    const char *stage, *text, *part;
  } cases[] = {
      {"tile", "func.func @k( {", "the replaced text is no module"},
      {"llvm", "define i32 @neso_kernel( {", "the replaced text is no LLVM IR"},
      {"asm", "neso_kernel: not_an_instruction", "code generation failed"},
      {"opt", "define i32 @other() { ret i32 7 }", "neso_kernel"},
      {"opt",
       "declare float @expf(float)\n"
       "define float @neso_kernel(float %x) {\n"
       "  %y = call float @expf(float %x)\n ret float %y }",
       "expf"}};
  bytes program = add_program(128);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    texts t = {.override_stage = cases[i].stage,
               .override_text = cases[i].text};
    neso_compile_request request = request_of(&program, &t);
    neso_compile_result result;
    neso_status status = compiler()->compile(&request, &result);
    neso_code code = status ? status->code : NESO_OK;
    expect_error(status, code, cases[i].part);
    assert_int_not_equal(code, NESO_OK);
    assert_null(result.binary);
    assert_null(result.linked);
  }
}

static void unknown_names_are_errors(void **state) {
  (void)state;
  static const struct {
    neso_stage stage;
    const char *target, *part;
  } cases[] = {{{"tile", "canonicalise"}, "host", "canonicalise"},
               {{"tile", "neso-nothing"}, "host", "neso-nothing"},
               {{"asm", ""}, "host", "must come after stage 'llvm'"},
               {{"tile", ""}, "host", "the stages end without stage 'asm'"},
               {{"tile", ""}, "vax-dec-ultrix", "vax"},
               {{"tile", ""}, "x86_64-linux-gnu i8080", "i8080"},
               {{"tile", ""}, "x86_64-linux-gnu znver4 +warp", "+warp"}};
  bytes program = add_program(128);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    texts t = {0};
    neso_compile_request request = request_of(&program, &t);
    neso_compile_result result;
    request.stages = &cases[i].stage;
    request.stage_count = 1;
    request.target = cases[i].target;
    neso_status status = compiler()->compile(&request, &result);
    assert_non_null(status);
    expect_error(status, status->code, cases[i].part);
  }
}

static void other_cpus_get_an_object_and_no_entry(void **state) {
  (void)state;
  texts t = {.keep = "llvm"};
  bytes program = add_program(128);
  neso_compile_request request = request_of(&program, &t);
  neso_compile_result result;
  request.target = "x86_64-unknown-linux-gnu x86-64-v3";
  expect_ok(compiler()->compile(&request, &result));
  assert_non_null(strstr(t.last, "\"target-cpu\"=\"x86-64-v3\""));
  assert_memory_equal(result.binary, "\177ELF", 4);
  assert_null(result.entry);
  free_result(&result);
}

/* LLVM ends the process when it cannot select an instruction. */
static void fatal_errors_come_back(void **state) {
  (void)state;
  texts t = {.override_stage = "opt",
             .override_text =
                 "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                 "define i32 @neso_kernel(ptr %a, ptr %b) {\n"
                 "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                 "  ret i32 %t }\n"};
  bytes program = add_program(128);
  for (int i = 0; i < 3; i++) {
    neso_compile_request request = request_of(&program, &t);
    neso_compile_result result;
    expect_error(compiler()->compile(&request, &result), NESO_INTERNAL,
                 "stage asm");
    compiles_and_runs(NULL);
  }
}

static void *compile_often(void *user) {
  bytes program = add_program(128);
  size_t *good = user;
  for (int i = 0; i < 20; i++) {
    texts t = {0};
    neso_compile_request request = request_of(&program, &t);
    neso_compile_result result;
    neso_status status = compiler()->compile(&request, &result);
    float out = 0, a = (float)i, b = 2;
    struct {
      const float *x, *y;
      float *out;
    } args = {&a, &b, &out};
    if (status)
      continue;
    int32_t (*kernel)(const void *, const void *);
    *(void **)&kernel = result.entry;
    kernel(&args, NULL);
    *good += out == a + b;
    free_result(&result);
  }
  return NULL;
}

static void threads_compile_at_once(void **state) {
  (void)state;
  pthread_t threads[3];
  size_t good[3] = {0};
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, compile_often, &good[i]),
                     0);
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(good[i], 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiles_and_runs),
      cmocka_unit_test(code_stays_until_unlinked),
      cmocka_unit_test(identity_names_llvm),
      cmocka_unit_test(every_truncation_is_an_error),
      cmocka_unit_test(garbled_programs_never_crash),
      cmocka_unit_test(control_flow_is_decoded),
      cmocka_unit_test(trailing_bytes_are_an_error),
      cmocka_unit_test(type_errors_name_kernel_and_line),
      cmocka_unit_test(own_rules_speak_of_shapes),
      cmocka_unit_test(dumps_every_stage),
      cmocka_unit_test(overrides_llvm_ir_and_assembly),
      cmocka_unit_test(bad_overrides_are_errors),
      cmocka_unit_test(unknown_names_are_errors),
      cmocka_unit_test(other_cpus_get_an_object_and_no_entry),
      cmocka_unit_test(fatal_errors_come_back),
      cmocka_unit_test(threads_compile_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
