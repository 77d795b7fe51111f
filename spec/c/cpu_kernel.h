/* Kernels from tile IR text, compiled by the stages of the cpu backend and run
 * here. For tests of the lowering. */
#ifndef NESO_SPEC_CPU_KERNEL_H
#define NESO_SPEC_CPU_KERNEL_H

#include "compiler_fixture.h"

static const neso_stage cpu_stages[] = {
#include "neso_cpu_stages.h"
};
#define CPU_STAGE_COUNT (sizeof cpu_stages / sizeof cpu_stages[0])

typedef struct program_at {
  int32_t id[3], count[3];
  void *scratch;
} program_at;

typedef int32_t (*kernel_entry)(const void *args, const program_at *at);

typedef struct cpu_kernel {
  neso_compile_result result;
  kernel_entry entry;
  void *scratch; /* of one thread */
} cpu_kernel;

static char *override_text(void *user, const char *stage) {
  return strcmp(stage, "program") == 0 ? strdup(user) : NULL;
}

static bool wants_dump(void *user, const char *stage) {
  (void)user;
  const char *wanted = getenv("CPU_KERNEL_DUMP");
  return wanted && strcmp(stage, wanted) == 0;
}

static void dump(void *user, const char *stage, const char *text, size_t size) {
  (void)user, (void)stage;
  fwrite(text, 1, size, stderr);
}

/* An empty program: the text takes its place. */
static const uint8_t empty_program[] = {
    'N', 'T', 'P', '1', 2, 1, 'k', 11, 'f', 'u', 'n', 'c', '.', 'r', 'e',
    't', 'u', 'r', 'n', 0, 0, 0,   0,  1,   1,   0,   0,   0,   0};

static neso_status kernel_compile(const char *text, cpu_kernel *out) {
  static const uint32_t line = 1;
  const char *target = getenv("CPU_KERNEL_TARGET");
  neso_compile_request request = {.kernel = "k",
                                  .file = "text",
                                  .program = empty_program,
                                  .program_size = sizeof(empty_program),
                                  .lines = &line,
                                  .line_count = 1,
                                  .backend = "cpu",
                                  .target = target ? target : "host",
                                  .stages = cpu_stages,
                                  .stage_count = CPU_STAGE_COUNT,
                                  .verify_each = true,
                                  .user = (void *)text,
                                  .wants_dump = wants_dump,
                                  .dump = dump,
                                  .override = override_text};
  if (getenv("CPU_KERNEL_FAST"))
    request.verify_each = false;
  memset(out, 0, sizeof(*out));
  neso_status status = compiler()->compile(&request, &out->result);
  if (status)
    return status;
  memcpy(&out->entry, &out->result.entry, sizeof(out->entry));
  const char *scratch = strstr(out->result.metadata, "scratch ");
  size_t size = scratch ? strtoull(scratch + 8, NULL, 10) : 0;
  out->scratch = size ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
  if (size)
    memset(out->scratch, 0xff, size); /* NaN: nothing may rely on it */
  return NULL;
}

static cpu_kernel kernel_make(const char *text) {
  cpu_kernel k;
  neso_status status = kernel_compile(text, &k);
  if (status)
    fail_msg("%s\n%s", status->text, text);
  return k;
}

static void kernel_free(cpu_kernel *k) {
  compiler()->unlink(k->result.linked);
  compiler()->free(k->result.binary);
  compiler()->free(k->result.metadata);
  free(k->scratch);
}

static void kernel_run(cpu_kernel *k, const void *args, int32_t x, int32_t y) {
  for (int32_t j = 0; j < y; j++)
    for (int32_t i = 0; i < x; i++) {
      program_at at = {{i, j, 0}, {x, y, 1}, k->scratch};
      assert_int_equal(k->entry(args, &at), 0);
    }
}

/* Replaces "$A" by the string after "A" in `pairs` ("A", "tensor<...>", ...,
 * NULL); $M is the attributes of a memory operation. Freed by the caller. */
static char *expand(const char *text, const char *const *pairs) {
  static const char memory[] = "{cache = \"\", evict = \"\", volatile = false}";
  char *out = calloc(1, 1 << 16), *end = out;
  for (const char *p = text; *p; p++) {
    const char *by = NULL;
    if (*p == '$' && p[1] == 'M')
      by = memory;
    for (int i = 0; *p == '$' && pairs[i]; i += 2)
      if (pairs[i][0] == p[1])
        by = pairs[i + 1];
    if (by) {
      end = stpcpy(end, by);
      p++;
    } else {
      *end++ = *p;
    }
  }
  return out;
}

static cpu_kernel kernel_expand(const char *text, const char *const *pairs) {
  char *expanded = expand(text, pairs);
  cpu_kernel k = kernel_make(expanded);
  free(expanded);
  return k;
}

/* Arguments of the kernels: an output, inputs, an extent. */
typedef struct pointers3 {
  void *o, *x, *y;
  int32_t n;
} pointers3;

typedef struct pointers_ox {
  void *o, *x;
} pointers_ox;

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline const char *format(char *to, const char *pattern, ...) {
  va_list values;
  va_start(values, pattern);
  vsnprintf(to, 64, pattern, values);
  va_end(values);
  return to;
}

static uint32_t random_state = 12345;
static inline float random_float(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return (float)(random_state >> 8) / (float)(1 << 24) * 4.0f - 2.0f;
}

#endif
