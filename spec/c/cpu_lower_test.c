/* link: neso_compiler_static cmocka m */
/* The CPU lowering, run: kernels in tile IR against plain C. */
#include "cpu_kernel.h"

#include <float.h>
#include <math.h>

/* -------------------------------------------------------- elementwise -- */

static const char elementwise[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
    "  %pid = \"neso.program_id\"() {axis = 0 : i32} : () -> i32\n"
    "  %c = arith.constant $N : i32\n"
    "  %b = arith.muli %pid, %c : i32\n"
    "  %r = \"neso.arange\"() {start = 0 : i32, end = $N : i32} : () -> $I\n"
    "  %bs = tensor.splat %b : $I\n"
    "  %off = arith.addi %bs, %r : $I\n"
    "  %ns = tensor.splat %n : $I\n"
    "  %m = arith.cmpi slt, %off, %ns : $I\n"
    "  %z = arith.constant dense<$Z> : $T\n"
    "  %a = \"neso.masked_load\"(%x, %off, %m, %z) $M"
    " : (!llvm.ptr, $I, $B, $T) -> $T\n"
    "  %d = \"neso.masked_load\"(%y, %off, %m, %z) $M"
    " : (!llvm.ptr, $I, $B, $T) -> $T\n"
    "  %s = arith.$O %a, %d : $T\n"
    "  \"neso.masked_store\"(%o, %off, %s, %m) $M"
    " : (!llvm.ptr, $I, $T, $B) -> ()\n"
    "  return\n}\n";

typedef struct pointers3 {
  void *o, *x, *y;
  int32_t n;
} pointers3;

static cpu_kernel make_elementwise(int n, const char *type, const char *op,
                                   const char *zero) {
  char count[64], index[64], flags[64], block[64];
  return kernel_expand(elementwise,
                       PAIRS("N", format(count, "%d", n), "I",
                             format(index, "tensor<%dxi32>", n), "B",
                             format(flags, "tensor<%dxi1>", n), "T",
                             format(block, "tensor<%dx%s>", n, type), "Z", zero,
                             "O", op));
}

static void elementwise_f32(void **state) {
  static const int blocks[] = {1, 3, 16, 33, 48, 100, 128, 257, 1024};
  (void)state;
  for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++) {
    int block = blocks[b];
    cpu_kernel k = make_elementwise(block, "f32", "addf", "0.0");
    for (int n = 0; n <= 2 * block + 3; n += 1 + n / 7) {
      float *x = malloc(4 * (size_t)(n + 1)), *y = malloc(4 * (size_t)(n + 1)),
            *o = malloc(4 * (size_t)(n + 1));
      for (int i = 0; i < n; i++)
        x[i] = random_float(), y[i] = random_float();
      o[n] = 77;
      pointers3 args = {o, x, y, n};
      kernel_run(&k, &args, n / block + 2, 1);
      for (int i = 0; i < n; i++)
        assert_true(o[i] == x[i] + y[i]);
      assert_true(o[n] == 77);
      free(x), free(y), free(o);
    }
    kernel_free(&k);
  }
}

static void check_bytes(const char *type, const char *op, size_t size,
                        const void *x, const void *y, const void *want) {
  uint8_t o[2048];
  const char *zero =
      type[0] == 'i' ? (strcmp(type, "i1") ? "0" : "false") : "0.0";
  cpu_kernel k = make_elementwise(100, type, op, zero);
  pointers3 args = {o, (void *)x, (void *)y, 150};
  kernel_run(&k, &args, 2, 1);
  assert_memory_equal(o, want, 150 * size);
  kernel_free(&k);
}

#define CHECK_INTEGERS(type, name, operator, op)                               \
  do {                                                                         \
    type x[150], y[150], want[150];                                            \
    for (int i = 0; i < 150; i++) {                                            \
      x[i] = (type)(i * 7919 - 500), y[i] = (type)(i * 104729 + 3);            \
      want[i] = (type)(x[i] operator y[i]);                                    \
    }                                                                          \
    check_bytes(name, op, sizeof(type), x, y, want);                           \
  } while (0)

static void elementwise_integers(void **state) {
  (void)state;
  CHECK_INTEGERS(uint8_t, "i8", +, "addi");
  CHECK_INTEGERS(uint16_t, "i16", *, "muli");
  CHECK_INTEGERS(uint32_t, "i32", *, "muli");
  CHECK_INTEGERS(uint64_t, "i64", -, "subi");
  CHECK_INTEGERS(double, "f64", +, "addf");
  CHECK_INTEGERS(_Bool, "i1", &, "andi");
}

static void division_never_traps(void **state) {
  (void)state;
  int32_t x[150], y[150], quotient[150], rest[150];
  for (int i = 0; i < 150; i++) {
    x[i] = i % 5 == 0 ? INT32_MIN : i * 37 - 1000;
    y[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? -1 : i - 70;
    if (y[i] == 0)
      quotient[i] = 0, rest[i] = x[i];
    else if (y[i] == -1)
      quotient[i] = (int32_t)(0u - (uint32_t)x[i]), rest[i] = 0;
    else
      quotient[i] = x[i] / y[i], rest[i] = x[i] % y[i];
  }
  check_bytes("i32", "divsi", 4, x, y, quotient);
  check_bytes("i32", "remsi", 4, x, y, rest);
}

/* --------------------------------------------------------------- softmax -- */

static const char softmax[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %stride: i32, %n: i32) {\n"
    "  %row = \"neso.program_id\"() {axis = 0 : i32} : () -> i32\n"
    "  %r = \"neso.arange\"() {start = 0 : i32, end = $N : i32} : () -> $I\n"
    "  %ns = tensor.splat %n : $I\n"
    "  %m = arith.cmpi slt, %r, %ns : $I\n"
    "  %b = arith.muli %row, %stride : i32\n"
    "  %bs = tensor.splat %b : $I\n"
    "  %off = arith.addi %bs, %r : $I\n"
    "  %z = arith.constant dense<0xFF800000> : $T\n"
    "  %v = \"neso.masked_load\"(%x, %off, %m, %z) $M"
    " : (!llvm.ptr, $I, $B, $T) -> $T\n"
    "  %mx = \"neso.reduce\"(%v) {axis = 0 : i32, kind = \"max\"}"
    " : ($T) -> f32\n"
    "  %mxs = tensor.splat %mx : $T\n"
    "  %d = arith.subf %v, %mxs : $T\n"
    "  %e = math.exp %d : $T\n"
    "  %s = \"neso.reduce\"(%e) {axis = 0 : i32, kind = \"sum\"}"
    " : ($T) -> f32\n"
    "  %ss = tensor.splat %s : $T\n"
    "  %q = arith.divf %e, %ss : $T\n"
    "  \"neso.masked_store\"(%o, %off, %q, %m) $M"
    " : (!llvm.ptr, $I, $T, $B) -> ()\n"
    "  return\n}\n";

typedef struct pointers2 {
  void *o, *x;
  int32_t stride, n;
} pointers2;

static void softmax_rows(void **state) {
  static const int sizes[][2] = {{1024, 781}, {64, 64}, {100, 37}, {3, 2}};
  (void)state;
  for (int s = 0; s < 4; s++) {
    int block = sizes[s][0], n = sizes[s][1];
    char count[64], index[64], flags[64], type[64];
    cpu_kernel k = kernel_expand(
        softmax, PAIRS("N", format(count, "%d", block), "I",
                       format(index, "tensor<%dxi32>", block), "B",
                       format(flags, "tensor<%dxi1>", block), "T",
                       format(type, "tensor<%dxf32>", block)));
    float x[2 * 1024], o[2 * 1024];
    for (int i = 0; i < 2 * n; i++)
      x[i] = 5 * random_float();
    pointers2 args = {o, x, n, n};
    kernel_run(&k, &args, 2, 1);
    for (int row = 0; row < 2; row++) {
      double most = -INFINITY, sum = 0;
      for (int i = 0; i < n; i++)
        most = fmax(most, x[row * n + i]);
      for (int i = 0; i < n; i++)
        sum += exp(x[row * n + i] - most);
      for (int i = 0; i < n; i++)
        assert_float_equal(o[row * n + i], exp(x[row * n + i] - most) / sum,
                           1e-6);
    }
    kernel_free(&k);
  }
}

/* ------------------------------------------------------------ reductions -- */

static const char reduce2d[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {\n"
    "  %i = \"neso.arange\"() {start = 0 : i32, end = $R : i32} : () -> $a\n"
    "  %j = \"neso.arange\"() {start = 0 : i32, end = $C : i32} : () -> $b\n"
    "  %ic = \"neso.expand_dims\"(%i) {axis = 1 : i32} : ($a) -> $c\n"
    "  %jr = \"neso.expand_dims\"(%j) {axis = 0 : i32} : ($b) -> $d\n"
    "  %w = arith.constant dense<$C> : $c\n"
    "  %iw = arith.muli %ic, %w : $c\n"
    "  %ib = \"neso.broadcast\"(%iw) : ($c) -> $I\n"
    "  %jb = \"neso.broadcast\"(%jr) : ($d) -> $I\n"
    "  %off = arith.addi %ib, %jb : $I\n"
    "  %v = \"neso.load\"(%x, %off) $M : (!llvm.ptr, $I) -> $T\n"
    "  %s = \"neso.reduce\"(%v) {axis = $A : i32, kind = \"$K\"}"
    " : ($T) -> $S\n"
    "  %k = \"neso.arange\"() {start = 0 : i32, end = $L : i32} : () -> $e\n"
    "  \"neso.store\"(%o, %k, %s) $M : (!llvm.ptr, $e, $S) -> ()\n"
    "  return\n}\n";

typedef struct pointers_ox {
  void *o, *x;
} pointers_ox;

static float fold(const char *kind, float a, float b) {
  if (!strcmp(kind, "sum"))
    return a + b;
  if (!strcmp(kind, "prod"))
    return a * b;
  if (!strncmp(kind, "max", 3))
    return fmaxf(a, b);
  return fminf(a, b);
}

static void check_reduce(int rows, int columns, int axis, const char *kind) {
  char t[12][64];
  int left = axis == 0 ? columns : rows;
  cpu_kernel k = kernel_expand(
      reduce2d,
      PAIRS("R", format(t[0], "%d", rows), "C", format(t[1], "%d", columns),
            "a", format(t[2], "tensor<%dxi32>", rows), "b",
            format(t[3], "tensor<%dxi32>", columns), "c",
            format(t[4], "tensor<%dx1xi32>", rows), "d",
            format(t[5], "tensor<1x%dxi32>", columns), "I",
            format(t[6], "tensor<%dx%dxi32>", rows, columns), "T",
            format(t[7], "tensor<%dx%dxf32>", rows, columns), "A",
            format(t[8], "%d", axis), "K", kind, "S",
            format(t[9], "tensor<%dxf32>", left), "L",
            format(t[10], "%d", left), "e",
            format(t[11], "tensor<%dxi32>", left)));
  float *x = malloc(4 * (size_t)(rows * columns)), o[1024];
  for (int i = 0; i < rows * columns; i++)
    x[i] = random_float();
  pointers_ox args = {o, x};
  kernel_run(&k, &args, 1, 1);
  for (int i = 0; i < left; i++) {
    float want = axis == 0 ? x[i] : x[i * columns];
    for (int j = 1; j < (axis == 0 ? rows : columns); j++)
      want =
          fold(kind, want, axis == 0 ? x[j * columns + i] : x[i * columns + j]);
    assert_float_equal(o[i], want, 1e-4 * (1 + fabsf(want)));
  }
  free(x);
  kernel_free(&k);
}

static void reductions(void **state) {
  static const char *const kinds[] = {"sum", "prod",   "max",
                                      "min", "maxnum", "minnum"};
  static const int shapes[][2] = {{4, 64},  {33, 48}, {1, 100},
                                  {100, 1}, {7, 257}, {257, 3}};
  (void)state;
  for (int s = 0; s < 6; s++)
    for (int axis = 0; axis < 2; axis++)
      for (int i = 0; i < (s == 1 ? 6 : 1); i++)
        check_reduce(shapes[s][0], shapes[s][1], axis, kinds[i]);
}

static const char nan_reduce[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {\n"
    "  %i = \"neso.arange\"() {start = 0 : i32, end = 100 : i32}"
    " : () -> tensor<100xi32>\n"
    "  %v = \"neso.load\"(%x, %i) $M"
    " : (!llvm.ptr, tensor<100xi32>) -> tensor<100xf32>\n"
    "  %a = \"neso.reduce\"(%v) {axis = 0 : i32, kind = \"max\"}"
    " : (tensor<100xf32>) -> f32\n"
    "  %b = \"neso.reduce\"(%v) {axis = 0 : i32, kind = \"maxnum\"}"
    " : (tensor<100xf32>) -> f32\n"
    "  %c, %ci = \"neso.arg_reduce\"(%v) {axis = 0 : i32, kind = \"max\","
    " propagate_nan = true} : (tensor<100xf32>) -> (f32, i32)\n"
    "  %d, %di = \"neso.arg_reduce\"(%v) {axis = 0 : i32, kind = \"min\","
    " propagate_nan = false} : (tensor<100xf32>) -> (f32, i32)\n"
    "  %cf = arith.sitofp %ci : i32 to f32\n"
    "  %df = arith.sitofp %di : i32 to f32\n"
    "  %0 = arith.constant 0 : i32\n"
    "  %1 = arith.constant 1 : i32\n"
    "  %2 = arith.constant 2 : i32\n"
    "  %3 = arith.constant 3 : i32\n"
    "  \"neso.store\"(%o, %0, %a) $M : (!llvm.ptr, i32, f32) -> ()\n"
    "  \"neso.store\"(%o, %1, %b) $M : (!llvm.ptr, i32, f32) -> ()\n"
    "  \"neso.store\"(%o, %2, %cf) $M : (!llvm.ptr, i32, f32) -> ()\n"
    "  \"neso.store\"(%o, %3, %df) $M : (!llvm.ptr, i32, f32) -> ()\n"
    "  return\n}\n";

static void nan_and_ties(void **state) {
  (void)state;
  cpu_kernel k = kernel_expand(nan_reduce, PAIRS("x", ""));
  float x[100], o[4];
  pointers_ox args = {o, x};
  for (int i = 0; i < 100; i++)
    x[i] = i % 10 == 7 ? 5 : i % 10 == 2 ? -5 : 0;
  kernel_run(&k, &args, 1, 1);
  assert_true(o[0] == 5 && o[1] == 5 && o[2] == 7 && o[3] == 2);
  x[60] = x[40] = NAN;
  kernel_run(&k, &args, 1, 1);
  assert_true(isnan(o[0]) && o[1] == 5 && o[2] == 40 && o[3] == 2);
  for (int i = 0; i < 100; i++)
    x[i] = -INFINITY;
  kernel_run(&k, &args, 1, 1);
  assert_true(o[0] == -INFINITY && o[1] == -INFINITY && o[2] == 0 && o[3] == 0);
  kernel_free(&k);
}

/* ------------------------------------------------------------------ dot -- */

static const char matmul[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
    "  %i = \"neso.arange\"() {start = 0 : i32, end = $R : i32} : () -> $a\n"
    "  %j = \"neso.arange\"() {start = 0 : i32, end = $C : i32} : () -> $b\n"
    "  %k = \"neso.arange\"() {start = 0 : i32, end = $K : i32} : () -> $k\n"
    "  %ic = \"neso.expand_dims\"(%i) {axis = 1 : i32} : ($a) -> $c\n"
    "  %jr = \"neso.expand_dims\"(%j) {axis = 0 : i32} : ($b) -> $d\n"
    "  %kr = \"neso.expand_dims\"(%k) {axis = 0 : i32} : ($k) -> $e\n"
    "  %kc = \"neso.expand_dims\"(%k) {axis = 1 : i32} : ($k) -> $f\n"
    "  %ns = tensor.splat %n : $c\n"
    "  %in = arith.muli %ic, %ns : $c\n"
    "  %inb = \"neso.broadcast\"(%in) : ($c) -> $A\n"
    "  %krb = \"neso.broadcast\"(%kr) : ($e) -> $A\n"
    "  %w = arith.constant dense<$C> : $f\n"
    "  %kw = arith.muli %kc, %w : $f\n"
    "  %kwb = \"neso.broadcast\"(%kw) : ($f) -> $B\n"
    "  %jrb = \"neso.broadcast\"(%jr) : ($d) -> $B\n"
    "  %bo = arith.addi %kwb, %jrb : $B\n"
    "  %z = arith.constant dense<0.0> : $T\n"
    "  %c0 = arith.constant 0 : i32\n"
    "  %step = arith.constant $K : i32\n"
    "  %acc = scf.for %p = %c0 to %n step %step iter_args(%s = %z)"
    " -> ($T) : i32 {\n"
    "    %ps = tensor.splat %p : $A\n"
    "    %ao0 = arith.addi %inb, %krb : $A\n"
    "    %ao = arith.addi %ao0, %ps : $A\n"
    "    %ka = arith.constant dense<$C> : $B\n"
    "    %pb = tensor.splat %p : $B\n"
    "    %pw = arith.muli %pb, %ka : $B\n"
    "    %bo2 = arith.addi %bo, %pw : $B\n"
    "    %av = \"neso.load\"(%x, %ao) $M : (!llvm.ptr, $A) -> $U\n"
    "    %bv = \"neso.load\"(%y, %bo2) $M : (!llvm.ptr, $B) -> $V\n"
    "    %t = \"neso.dot\"(%av, %bv, %s) {precision = \"ieee\"}"
    " : ($U, $V, $T) -> $T\n"
    "    scf.yield %t : $T\n"
    "  }\n"
    "  %ow = arith.constant dense<$C> : $c\n"
    "  %oi = arith.muli %ic, %ow : $c\n"
    "  %oib = \"neso.broadcast\"(%oi) : ($c) -> $O\n"
    "  %ojb = \"neso.broadcast\"(%jr) : ($d) -> $O\n"
    "  %oo = arith.addi %oib, %ojb : $O\n"
    "  \"neso.store\"(%o, %oo, %acc) $M : (!llvm.ptr, $O, $T) -> ()\n"
    "  return\n}\n";

static cpu_kernel make_matmul(int m, int n, int k, const char *in,
                              const char *out) {
  char t[18][64];
  return kernel_expand(matmul,
                       PAIRS("R", format(t[0], "%d", m), "C",
                             format(t[1], "%d", n), "K", format(t[2], "%d", k),
                             "a", format(t[3], "tensor<%dxi32>", m), "b",
                             format(t[4], "tensor<%dxi32>", n), "k",
                             format(t[5], "tensor<%dxi32>", k), "c",
                             format(t[6], "tensor<%dx1xi32>", m), "d",
                             format(t[7], "tensor<1x%dxi32>", n), "e",
                             format(t[8], "tensor<1x%dxi32>", k), "f",
                             format(t[9], "tensor<%dx1xi32>", k), "A",
                             format(t[10], "tensor<%dx%dxi32>", m, k), "B",
                             format(t[11], "tensor<%dx%dxi32>", k, n), "T",
                             format(t[12], "tensor<%dx%dx%s>", m, n, out), "U",
                             format(t[13], "tensor<%dx%dx%s>", m, k, in), "V",
                             format(t[14], "tensor<%dx%dx%s>", k, n, in), "O",
                             format(t[15], "tensor<%dx%dxi32>", m, n)));
}

static void products(void **state) {
  static const int shapes[][3] = {
      {16, 32, 16}, {64, 64, 32}, {33, 48, 5}, {1, 100, 3}, {28, 7, 16}};
  (void)state;
  for (int s = 0; s < 5; s++) {
    int m = shapes[s][0], n = shapes[s][1], k = shapes[s][2], depth = 3 * k;
    cpu_kernel kernel = make_matmul(m, n, k, "f32", "f32");
    float *a = malloc(4 * (size_t)(m * depth)),
          *b = malloc(4 * (size_t)(depth * n)),
          *c = malloc(4 * (size_t)(m * n));
    for (int i = 0; i < m * depth; i++)
      a[i] = random_float();
    for (int i = 0; i < depth * n; i++)
      b[i] = random_float();
    pointers3 args = {c, a, b, depth};
    kernel_run(&kernel, &args, 1, 1);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int p = 0; p < depth; p++)
          sum += (double)a[i * depth + p] * b[p * n + j];
        assert_float_equal(c[i * n + j], sum, 1e-4);
      }
    free(a), free(b), free(c);
    kernel_free(&kernel);
  }
}

/* ---------------------------------------------------- control and memory -- */

#define HEAD                                                                   \
  "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"     \
  "  %r = \"neso.arange\"() {start = 0 : i32, end = 100 : i32}"                \
  " : () -> tensor<100xi32>\n"
#define LOAD(to, from)                                                         \
  "  %" to " = \"neso.load\"(%" from ", %r) $M"                                \
  " : (!llvm.ptr, tensor<100xi32>) -> tensor<100xf32>\n"
#define STORE(to, value)                                                       \
  "  \"neso.store\"(%" to ", %r, %" value ") $M"                               \
  " : (!llvm.ptr, tensor<100xi32>, tensor<100xf32>) -> ()\n"

typedef struct memory {
  float o[256], x[256], y[256];
} memory;

static void run_text(const char *text, memory *m, int32_t n) {
  cpu_kernel k = kernel_expand(text, PAIRS("x", ""));
  pointers3 args = {m->o, m->x, m->y, n};
  kernel_run(&k, &args, 1, 1);
  kernel_free(&k);
}

static void fill(memory *m) {
  for (int i = 0; i < 256; i++)
    m->o[i] = random_float(), m->x[i] = random_float(),
    m->y[i] = random_float();
}

static void loop_carries_two_blocks_that_swap(void **state) {
  static const char text[] = HEAD LOAD("a", "x")
      LOAD("b", "y") "  %0 = arith.constant 0 : i32\n"
                     "  %1 = arith.constant 1 : i32\n"
                     "  %p, %q = scf.for %i = %0 to %n step %1"
                     " iter_args(%c = %a, %d = %b)"
                     " -> (tensor<100xf32>, tensor<100xf32>) : i32 {\n"
                     "    %s = arith.addf %c, %d : tensor<100xf32>\n"
                     "    scf.yield %d, %s : tensor<100xf32>, tensor<100xf32>\n"
                     "  }\n" STORE("o", "q") "  return\n}\n";
  (void)state;
  memory m;
  fill(&m);
  run_text(text, &m, 3);
  for (int i = 0; i < 100; i++) {
    float c = m.x[i], d = m.y[i];
    for (int j = 0; j < 3; j++) {
      float s = c + d;
      c = d;
      d = s;
    }
    assert_true(m.o[i] == d);
  }
}

static void branches_give_blocks(void **state) {
  static const char text[] = HEAD LOAD("a", "x")
      LOAD("b", "y") "  %0 = arith.constant 0 : i32\n"
                     "  %c = arith.cmpi sgt, %n, %0 : i32\n"
                     "  %q, %w = scf.if %c -> (tensor<100xf32>, i32) {\n"
                     "    %s = arith.addf %a, %b : tensor<100xf32>\n"
                     "    scf.yield %s, %n : tensor<100xf32>, i32\n"
                     "  } else {\n"
                     "    scf.yield %b, %0 : tensor<100xf32>, i32\n"
                     "  }\n"
                     "  %wf = arith.sitofp %w : i32 to f32\n"
                     "  %ws = tensor.splat %wf : tensor<100xf32>\n"
                     "  %z = arith.addf %q, %ws : tensor<100xf32>\n" STORE(
                         "o", "z") "  return\n}\n";
  (void)state;
  memory m;
  fill(&m);
  for (int n = -1; n < 3; n++) {
    run_text(text, &m, n);
    for (int i = 0; i < 100; i++)
      assert_true(m.o[i] == (n > 0 ? m.x[i] + m.y[i] + (float)n : m.y[i]));
  }
}

static void while_doubles_a_block(void **state) {
  static const char text[] = HEAD LOAD(
      "a", "x") "  %0 = arith.constant 0 : i32\n"
                "  %1 = arith.constant 1 : i32\n"
                "  %q, %e = scf.while (%s = %a, %i = %0)"
                " : (tensor<100xf32>, i32) -> (tensor<100xf32>, i32) {\n"
                "    %c = arith.cmpi slt, %i, %n : i32\n"
                "    scf.condition(%c) %s, %i : tensor<100xf32>, i32\n"
                "  } do {\n"
                "  ^bb0(%t: tensor<100xf32>, %j: i32):\n"
                "    %u = arith.addf %t, %t : tensor<100xf32>\n"
                "    %k = arith.addi %j, %1 : i32\n"
                "    scf.yield %u, %k : tensor<100xf32>, i32\n"
                "  }\n" STORE("o", "q") "  return\n}\n";
  (void)state;
  memory m;
  fill(&m);
  run_text(text, &m, 5);
  for (int i = 0; i < 100; i++)
    assert_true(m.o[i] == 32 * m.x[i]);
}

/* The block read before a store keeps its old values after it. */
static void loads_come_before_later_stores(void **state) {
  static const char text[] = HEAD LOAD("a", "x") LOAD("b", "y") STORE("x", "b")
      LOAD("c", "x") "  %s = arith.subf %c, %a "
                     ": tensor<100xf32>\n" STORE("o", "s") "  return\n}\n";
  (void)state;
  memory m, was;
  fill(&m);
  was = m;
  run_text(text, &m, 0);
  for (int i = 0; i < 100; i++) {
    assert_true(m.x[i] == was.y[i]);
    assert_true(m.o[i] == was.y[i] - was.x[i]);
  }
}

static void a_shifted_copy_in_place(void **state) {
  static const char text[] =
      HEAD LOAD("a", "x") "  %1 = arith.constant dense<1> : tensor<100xi32>\n"
                          "  %s = arith.addi %r, %1 : tensor<100xi32>\n"
                          "  \"neso.store\"(%x, %s, %a) $M : (!llvm.ptr, "
                          "tensor<100xi32>, tensor<100xf32>) -> ()\n"
                          "  return\n}\n";
  (void)state;
  memory m, was;
  fill(&m);
  was = m;
  run_text(text, &m, 0);
  for (int i = 0; i < 100; i++)
    assert_true(m.x[i + 1] == was.x[i]);
}

static void a_transpose_in_place(void **state) {
  static const char text[] =
      "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
      "  %r = \"neso.arange\"() {start = 0 : i32, end = 225 : i32}"
      " : () -> tensor<225xi32>\n"
      "  %i = \"neso.reshape\"(%r) : (tensor<225xi32>) -> tensor<15x15xi32>\n"
      "  %a = \"neso.load\"(%x, %i) $M : (!llvm.ptr, tensor<15x15xi32>)"
      " -> tensor<15x15xf32>\n"
      "  %t = \"neso.trans\"(%a) {order = array<i64: 1, 0>}"
      " : (tensor<15x15xf32>) -> tensor<15x15xf32>\n"
      "  \"neso.store\"(%x, %i, %t) $M : (!llvm.ptr, tensor<15x15xi32>, "
      "tensor<15x15xf32>) -> ()\n"
      "  return\n}\n";
  (void)state;
  memory m, was;
  fill(&m);
  was = m;
  run_text(text, &m, 0);
  for (int i = 0; i < 225; i++)
    assert_true(m.x[i] == was.x[i % 15 * 15 + i / 15]);
}

static void strides_and_gathers(void **state) {
  static const char text[] =
      HEAD "  %2 = arith.constant dense<2> : tensor<100xi32>\n"
           "  %e = arith.muli %r, %2 : tensor<100xi32>\n"
           "  %a = \"neso.load\"(%x, %e) $M : (!llvm.ptr, tensor<100xi32>)"
           " -> tensor<100xf32>\n"
           "  %ns = tensor.splat %n : tensor<100xi32>\n"
           "  %m7 = arith.muli %r, %ns : tensor<100xi32>\n"
           "  %mod = arith.constant dense<101> : tensor<100xi32>\n"
           "  %g = arith.remui %m7, %mod : tensor<100xi32>\n"
           "  %b = \"neso.load\"(%y, %g) $M : (!llvm.ptr, tensor<100xi32>)"
           " -> tensor<100xf32>\n"
           "  %s = arith.mulf %a, %b : tensor<100xf32>\n"
           "  \"neso.store\"(%o, %e, %s) $M : (!llvm.ptr, tensor<100xi32>, "
           "tensor<100xf32>) -> ()\n"
           "  return\n}\n";
  (void)state;
  memory m;
  fill(&m);
  run_text(text, &m, 7);
  for (int i = 0; i < 100; i++)
    assert_true(m.o[2 * i] == m.x[2 * i] * m.y[i * 7 % 101]);
}

/* A row whose mask is off touches nothing, whatever its address. */
static void masked_off_rows_touch_nothing(void **state) {
  static const char text[] =
      "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %n: i32, %w: i32) {\n"
      "  %i = \"neso.arange\"() {start = 0 : i32, end = 8 : i32}"
      " : () -> tensor<8xi32>\n"
      "  %j = \"neso.arange\"() {start = 0 : i32, end = 48 : i32}"
      " : () -> tensor<48xi32>\n"
      "  %ic = \"neso.expand_dims\"(%i) {axis = 1 : i32}"
      " : (tensor<8xi32>) -> tensor<8x1xi32>\n"
      "  %jr = \"neso.expand_dims\"(%j) {axis = 0 : i32}"
      " : (tensor<48xi32>) -> tensor<1x48xi32>\n"
      "  %ns = tensor.splat %n : tensor<8x1xi32>\n"
      "  %ws = tensor.splat %w : tensor<1x48xi32>\n"
      "  %mi = arith.cmpi slt, %ic, %ns : tensor<8x1xi32>\n"
      "  %mj = arith.cmpi slt, %jr, %ws : tensor<1x48xi32>\n"
      "  %mib = \"neso.broadcast\"(%mi) : (tensor<8x1xi1>) -> tensor<8x48xi1>\n"
      "  %mjb = \"neso.broadcast\"(%mj)"
      " : (tensor<1x48xi1>) -> tensor<8x48xi1>\n"
      "  %m = arith.andi %mib, %mjb : tensor<8x48xi1>\n"
      "  %big = arith.constant dense<16777216> : tensor<8x1xi32>\n"
      "  %wc = tensor.splat %w : tensor<8x1xi32>\n"
      "  %iw = arith.muli %ic, %wc : tensor<8x1xi32>\n"
      "  %zero = arith.constant dense<0> : tensor<8x1xi32>\n"
      "  %far = arith.select %mi, %zero, %big"
      " : tensor<8x1xi1>, tensor<8x1xi32>\n"
      "  %off = arith.addi %iw, %far : tensor<8x1xi32>\n"
      "  %offb = \"neso.broadcast\"(%off)"
      " : (tensor<8x1xi32>) -> tensor<8x48xi32>\n"
      "  %jb = \"neso.broadcast\"(%jr)"
      " : (tensor<1x48xi32>) -> tensor<8x48xi32>\n"
      "  %all = arith.addi %offb, %jb : tensor<8x48xi32>\n"
      "  %z = arith.constant dense<9.0> : tensor<8x48xf32>\n"
      "  %v = \"neso.masked_load\"(%x, %all, %m, %z) $M"
      " : (!llvm.ptr, tensor<8x48xi32>, tensor<8x48xi1>, tensor<8x48xf32>)"
      " -> tensor<8x48xf32>\n"
      "  %vt = \"neso.trans\"(%v) {order = array<i64: 1, 0>}"
      " : (tensor<8x48xf32>) -> tensor<48x8xf32>\n"
      "  %f = \"neso.reshape\"(%vt) : (tensor<48x8xf32>) -> tensor<384xf32>\n"
      "  %q = \"neso.arange\"() {start = 0 : i32, end = 384 : i32}"
      " : () -> tensor<384xi32>\n"
      "  \"neso.store\"(%o, %q, %f) $M"
      " : (!llvm.ptr, tensor<384xi32>, tensor<384xf32>) -> ()\n"
      "  return\n}\n";
  (void)state;
  cpu_kernel k = kernel_expand(text, PAIRS("x", ""));
  float x[8 * 48], o[384];
  struct {
    void *o, *x;
    int32_t n, w;
  } args = {o, x, 5, 37};
  for (int i = 0; i < 8 * 48; i++)
    x[i] = random_float();
  for (args.w = 0; args.w <= 48; args.w += 16 - args.w % 3) {
    kernel_run(&k, &args, 1, 1);
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 48; j++)
        assert_true(o[j * 8 + i] ==
                    (i < 5 && j < args.w ? x[i * args.w + j] : 9));
  }
  kernel_free(&k);
}

/* ------------------------------------------------------------------ math -- */

static const char unary[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {\n"
    "  %i = \"neso.arange\"() {start = 0 : i32, end = 4096 : i32}"
    " : () -> tensor<4096xi32>\n"
    "  %v = \"neso.load\"(%x, %i) $M : (!llvm.ptr, tensor<4096xi32>)"
    " -> tensor<4096x$E>\n"
    "  %s = math.$F %v : tensor<4096x$E>\n"
    "  \"neso.store\"(%o, %i, %s) $M : (!llvm.ptr, tensor<4096xi32>, "
    "tensor<4096x$E>) -> ()\n"
    "  return\n}\n";

static double ulp_of(double want) {
  int exponent;
  frexp(want, &exponent);
  return ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static double worst_ulp(const char *name, double (*reference)(double),
                        float low, float high) {
  cpu_kernel k = kernel_expand(unary, PAIRS("F", name, "E", "f32"));
  static float x[4096], o[4096];
  pointers_ox args = {o, x};
  double worst = 0;
  for (int round = 0; round < 64; round++) {
    for (int i = 0; i < 4096; i++)
      x[i] = low + (high - low) * ((float)(round * 4096 + i) / (64 * 4096.0f));
    kernel_run(&k, &args, 1, 1);
    for (int i = 0; i < 4096; i++) {
      double want = reference(x[i]);
      if (fabs(want) > FLT_MAX) {
        assert_true(o[i] == (float)want);
        continue;
      }
      double error = fabs(o[i] - want) / ulp_of(want);
      assert_false(isnan(error));
      worst = fmax(worst, error);
    }
  }
  kernel_free(&k);
  return worst;
}

static double rsqrt_of(double x) { return 1 / sqrt(x); }

static void elementary_functions(void **state) {
  static const struct {
    const char *name;
    double (*reference)(double);
    float low, high;
    double limit;
  } rows[] = {
      {"exp", exp, -110, 90, 1.0},          {"exp", exp, -1, 1, 1.0},
      {"exp2", exp2, -152, 129, 1.1},       {"log", log, 1e-40f, 4, 1.1},
      {"log", log, 0.5f, 2e9f, 1.1},        {"log2", log2, 1e-40f, 4, 2.0},
      {"log10", log10, 1e-40f, 40, 0.6},    {"log1p", log1p, -0.99f, 9, 0.6},
      {"expm1", expm1, -20, 88, 0.6},       {"sin", sin, -1000, 1000, 0.6},
      {"cos", cos, -1000, 1000, 0.6},       {"tan", tan, -100, 100, 0.6},
      {"tanh", tanh, -12, 12, 0.6},         {"erf", erf, -5, 5, 8},
      {"rsqrt", rsqrt_of, 1e-6f, 1e6f, 1.5}};
  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    double worst =
        worst_ulp(rows[i].name, rows[i].reference, rows[i].low, rows[i].high);
    if (getenv("CPU_KERNEL_SHOW"))
      fprintf(stderr, "%s: %.3f ulp\n", rows[i].name, worst);
    if (worst > rows[i].limit)
      fail_msg("%s is off by %.2f ulp", rows[i].name, worst);
  }
}

static void elementary_ends(void **state) {
  static float x[4096] = {0, -0.0f, INFINITY, -INFINITY, NAN, -1, 1e-45f};
  static float o[4096];
  pointers_ox args = {o, x};
  (void)state;
  cpu_kernel k = kernel_expand(unary, PAIRS("F", "exp", "E", "f32"));
  kernel_run(&k, &args, 1, 1);
  assert_true(o[0] == 1 && o[1] == 1 && o[2] == INFINITY && o[3] == 0);
  assert_true(isnan(o[4]) && o[6] == 1);
  kernel_free(&k);
  k = kernel_expand(unary, PAIRS("F", "log", "E", "f32"));
  kernel_run(&k, &args, 1, 1);
  assert_true(o[0] == -INFINITY && o[1] == -INFINITY && o[2] == INFINITY);
  assert_true(isnan(o[3]) && isnan(o[4]) && isnan(o[5]));
  assert_float_equal(o[6], -103.27893, 1e-4);
  kernel_free(&k);
}

static void check_f64(const char *name, double (*reference)(double), double low,
                      double high, double limit) {
  static double x[4096], o[4096];
  pointers_ox args = {o, x};
  cpu_kernel k = kernel_expand(unary, PAIRS("F", name, "E", "f64"));
  for (int i = 0; i < 4096; i++)
    x[i] = low + (high - low) * i / 4096;
  kernel_run(&k, &args, 1, 1);
  for (int i = 0; i < 4096; i++) {
    double want = reference(x[i]);
    if (fabs(o[i] - want) > limit * fabs(want) + 5e-324)
      fail_msg("%s(%.17g) is %.17g, not %.17g", name, x[i], o[i], want);
  }
  kernel_free(&k);
}

static void f64_functions(void **state) {
  cpu_kernel k;
  (void)state;
  check_f64("exp", exp, -740, 708, 4e-16);
  check_f64("exp2", exp2, -1070, 1023, 4e-16);
  check_f64("log", log, 1e-300, 3, 4e-16);
  check_f64("log2", log2, 1e-300, 3, 1e-15);
  check_f64("log10", log10, 1e-300, 3, 1e-15);
  check_f64("log1p", log1p, -0.99, 3, 1e-15);
  check_f64("expm1", expm1, -3, 30, 1e-15);
  check_f64("tanh", tanh, -5, 20, 2e-15);
  check_f64("sin", sin, -30, 30, 1e-14);
  check_f64("cos", cos, -30, 30, 1e-14);
  check_f64("tan", tan, -1.5, 1.5, 1e-14);
  neso_status status;
  char *text = expand(unary, PAIRS("F", "erf", "E", "f64"));
  status = kernel_compile(text, &k);
  assert_non_null(status);
  assert_non_null(strstr(status->text, "math.erf of f64"));
  free(status);
  free(text);
}

/* One divisor for many lanes: the same bits as a division. */
static void quotients_are_exact(void **state) {
  static const char text[] =
      "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
      "  %i = \"neso.arange\"() {start = 0 : i32, end = 4096 : i32}"
      " : () -> tensor<4096xi32>\n"
      "  %v = \"neso.load\"(%x, %i) $M : (!llvm.ptr, tensor<4096xi32>)"
      " -> tensor<4096xf32>\n"
      "  %d = \"neso.load\"(%y, %n) $M : (!llvm.ptr, i32) -> f32\n"
      "  %ds = tensor.splat %d : tensor<4096xf32>\n"
      "  %q = arith.divf %v, %ds : tensor<4096xf32>\n"
      "  \"neso.store\"(%o, %i, %q) $M : (!llvm.ptr, tensor<4096xi32>, "
      "tensor<4096xf32>) -> ()\n"
      "  return\n}\n";
  static float x[4096], o[4096], y[64];
  static const float odd[] = {0, -0.0f, INFINITY, NAN, 1e-42f, 3e38f, 1, -1};
  (void)state;
  cpu_kernel k = kernel_expand(text, PAIRS("x", ""));
  for (int i = 0; i < 64; i++) {
    uint32_t bits = (uint32_t)(random_float() * 1e9f) * 2654435761u;
    bits = i < 56 ? (bits & 0x807fffff) | (uint32_t)(i + 100) << 23 : 0;
    memcpy(&y[i], &bits, 4);
    if (i >= 56)
      y[i] = odd[i - 56];
    if (i % 8 == 0) /* mantissas near 2 are the hard ones */
      y[i] = ldexpf(0x1.fffffep0f, i - 30);
  }
  for (int round = 0; round < 640; round++) {
    for (int i = 0; i < 4096; i++)
      x[i] = ldexpf(random_float(), (round + i) % 40 - 20);
    if (round % 4 == 0)
      memcpy(x + 100, odd, sizeof(odd));
    pointers3 args = {o, x, y, round % 64};
    kernel_run(&k, &args, 1, 1);
    for (int i = 0; i < 4096; i++) {
      float want = x[i] / y[round % 64];
      if (isnan(want))
        assert_true(isnan(o[i]));
      else
        assert_memory_equal(&o[i], &want, 4);
    }
  }
  kernel_free(&k);
}

/* --------------------------------------------------------- small floats -- */

static const char convert[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {\n"
    "  %i = \"neso.arange\"() {start = 0 : i32, end = 4096 : i32}"
    " : () -> tensor<4096xi32>\n"
    "  %v = \"neso.load\"(%x, %i) $M : (!llvm.ptr, tensor<4096xi32>)"
    " -> tensor<4096x$S>\n"
    "  %s = arith.$O %v : tensor<4096x$S> to tensor<4096x$T>\n"
    "  \"neso.store\"(%o, %i, %s) $M : (!llvm.ptr, tensor<4096xi32>, "
    "tensor<4096x$T>) -> ()\n"
    "  return\n}\n";

static uint16_t bf16_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  if (isnan(x))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void bf16_rounds_to_even(void **state) {
  static float x[4096], back[4096];
  static uint16_t o[4096];
  pointers_ox args = {o, x}, widen = {back, o};
  (void)state;
  cpu_kernel down =
      kernel_expand(convert, PAIRS("O", "truncf", "S", "f32", "T", "bf16"));
  cpu_kernel up =
      kernel_expand(convert, PAIRS("O", "extf", "S", "bf16", "T", "f32"));
  for (uint32_t round = 0; round < 256; round++) {
    for (uint32_t i = 0; i < 4096; i++) {
      uint32_t bits = (round << 12 | i) * 4093u;
      memcpy(&x[i], &bits, 4);
    }
    kernel_run(&down, &args, 1, 1);
    kernel_run(&up, &widen, 1, 1);
    for (int i = 0; i < 4096; i++) {
      uint32_t wide = (uint32_t)o[i] << 16;
      if (isnan(x[i])) {
        assert_true(isnan(back[i]));
        continue;
      }
      assert_int_equal(o[i], bf16_of(x[i]));
      assert_memory_equal(&back[i], &wide, 4);
    }
  }
  kernel_free(&down);
  kernel_free(&up);
}

static void integers_saturate(void **state) {
  static float x[4096] = {1e10f, -1e10f, NAN, INFINITY, -INFINITY, 1.9f, -1.9f};
  static int32_t o[4096];
  static const int32_t want[] = {INT32_MAX, INT32_MIN, 0, INT32_MAX,
                                 INT32_MIN, 1,         -1};
  pointers_ox args = {o, x};
  (void)state;
  cpu_kernel k =
      kernel_expand(convert, PAIRS("O", "fptosi", "S", "f32", "T", "i32"));
  kernel_run(&k, &args, 1, 1);
  assert_memory_equal(o, want, sizeof(want));
  kernel_free(&k);
}

/* Mean and variance of f16 rows, in f32. */
static void f16_normalization(void **state) {
  static const char text[] =
      "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %stride: i32, %n: i32) {\n"
      "  %row = \"neso.program_id\"() {axis = 0 : i32} : () -> i32\n"
      "  %r = \"neso.arange\"() {start = 0 : i32, end = 256 : i32}"
      " : () -> tensor<256xi32>\n"
      "  %ns = tensor.splat %n : tensor<256xi32>\n"
      "  %m = arith.cmpi slt, %r, %ns : tensor<256xi32>\n"
      "  %b = arith.muli %row, %stride : i32\n"
      "  %b64 = arith.extsi %b : i32 to i64\n"
      "  %r64 = arith.extsi %r : tensor<256xi32> to tensor<256xi64>\n"
      "  %bs = tensor.splat %b64 : tensor<256xi64>\n"
      "  %off = arith.addi %bs, %r64 : tensor<256xi64>\n"
      "  %z = arith.constant dense<0.0> : tensor<256xf16>\n"
      "  %h = \"neso.masked_load\"(%x, %off, %m, %z) $M : (!llvm.ptr, "
      "tensor<256xi64>, tensor<256xi1>, tensor<256xf16>) -> tensor<256xf16>\n"
      "  %v = arith.extf %h : tensor<256xf16> to tensor<256xf32>\n"
      "  %nf = arith.sitofp %n : i32 to f32\n"
      "  %sum = \"neso.reduce\"(%v) {axis = 0 : i32, kind = \"sum\"}"
      " : (tensor<256xf32>) -> f32\n"
      "  %mean = arith.divf %sum, %nf : f32\n"
      "  %means = tensor.splat %mean : tensor<256xf32>\n"
      "  %d0 = arith.subf %v, %means : tensor<256xf32>\n"
      "  %z32 = arith.constant dense<0.0> : tensor<256xf32>\n"
      "  %d = arith.select %m, %d0, %z32"
      " : tensor<256xi1>, tensor<256xf32>\n"
      "  %dd = arith.mulf %d, %d : tensor<256xf32>\n"
      "  %ss = \"neso.reduce\"(%dd) {axis = 0 : i32, kind = \"sum\"}"
      " : (tensor<256xf32>) -> f32\n"
      "  %var = arith.divf %ss, %nf : f32\n"
      "  %rs = math.rsqrt %var : f32\n"
      "  %rss = tensor.splat %rs : tensor<256xf32>\n"
      "  %q = arith.mulf %d, %rss : tensor<256xf32>\n"
      "  %w = arith.truncf %q : tensor<256xf32> to tensor<256xf16>\n"
      "  \"neso.masked_store\"(%o, %off, %w, %m) $M : (!llvm.ptr, "
      "tensor<256xi64>, tensor<256xf16>, tensor<256xi1>) -> ()\n"
      "  return\n}\n";
  enum { N = 201 };
  static uint16_t x[3 * N], o[3 * N];
  float value[3 * N];
  (void)state;
  for (int i = 0; i < 3 * N; i++) { /* 1.m times 2^-1..2^0, either sign */
    x[i] = (uint16_t)(i * 2654435761u >> 16 & 0x83ff) | 0x3800;
    value[i] = ldexpf(1 + (float)(x[i] & 0x3ff) / 1024, -1);
    if (x[i] & 0x8000)
      value[i] = -value[i];
  }
  cpu_kernel k = kernel_expand(text, PAIRS("x", ""));
  pointers2 args = {o, x, N, N};
  kernel_run(&k, &args, 3, 1);
  for (int row = 0; row < 3; row++) {
    double mean = 0, variance = 0;
    for (int i = 0; i < N; i++)
      mean += value[row * N + i] / (double)N;
    for (int i = 0; i < N; i++)
      variance += pow(value[row * N + i] - mean, 2) / N;
    for (int i = 0; i < N; i++) {
      uint16_t h = o[row * N + i];
      int e = (h >> 10 & 31) - 15;
      double got =
          e == -15 ? ldexp(h & 0x3ff, -24) : ldexp(1 + (h & 0x3ff) / 1024.0, e);
      got = h & 0x8000 ? -got : got;
      assert_float_equal(got, (value[row * N + i] - mean) / sqrt(variance),
                         1e-3);
    }
  }
  kernel_free(&k);
}

/* A block of three dimensions reduced along each. */
static void three_dimensions(void **state) {
  static const char text[] =
      "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr) {\n"
      "  %i = \"neso.arange\"() {start = 0 : i32, end = 330 : i32}"
      " : () -> tensor<330xi32>\n"
      "  %b = \"neso.reshape\"(%i) : (tensor<330xi32>) -> tensor<5x6x11xi32>\n"
      "  %v = \"neso.load\"(%x, %b) $M : (!llvm.ptr, tensor<5x6x11xi32>)"
      " -> tensor<5x6x11xf32>\n"
      "  %s = \"neso.reduce\"(%v) {axis = $A : i32, kind = \"sum\"}"
      " : (tensor<5x6x11xf32>) -> $T\n"
      "  %f = \"neso.reshape\"(%s) : ($T) -> tensor<$Nxf32>\n"
      "  %k = \"neso.arange\"() {start = 0 : i32, end = $N : i32}"
      " : () -> tensor<$Nxi32>\n"
      "  \"neso.store\"(%o, %k, %f) $M : (!llvm.ptr, tensor<$Nxi32>, "
      "tensor<$Nxf32>) -> ()\n"
      "  return\n}\n";
  static const char *const rows[][3] = {{"0", "tensor<6x11xf32>", "66"},
                                        {"1", "tensor<5x11xf32>", "55"},
                                        {"2", "tensor<5x6xf32>", "30"}};
  float x[330], o[66], want[66];
  (void)state;
  for (int i = 0; i < 330; i++)
    x[i] = (float)(i * 7 % 19);
  for (int axis = 0; axis < 3; axis++) {
    memset(want, 0, sizeof(want));
    for (int i = 0; i < 330; i++) {
      int a = i / 66, b = i / 11 % 6, c = i % 11;
      want[axis == 0 ? b * 11 + c : axis == 1 ? a * 11 + c : a * 6 + b] += x[i];
    }
    cpu_kernel k =
        kernel_expand(text, PAIRS("A", rows[axis][0], "T", rows[axis][1], "N",
                                  rows[axis][2]));
    pointers_ox args = {o, x};
    kernel_run(&k, &args, 1, 1);
    assert_memory_equal(o, want, 4 * strtoul(rows[axis][2], NULL, 10));
    kernel_free(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise_f32),
      cmocka_unit_test(elementwise_integers),
      cmocka_unit_test(division_never_traps),
      cmocka_unit_test(softmax_rows),
      cmocka_unit_test(reductions),
      cmocka_unit_test(nan_and_ties),
      cmocka_unit_test(products),
      cmocka_unit_test(loop_carries_two_blocks_that_swap),
      cmocka_unit_test(branches_give_blocks),
      cmocka_unit_test(while_doubles_a_block),
      cmocka_unit_test(loads_come_before_later_stores),
      cmocka_unit_test(a_shifted_copy_in_place),
      cmocka_unit_test(a_transpose_in_place),
      cmocka_unit_test(strides_and_gathers),
      cmocka_unit_test(masked_off_rows_touch_nothing),
      cmocka_unit_test(elementary_functions),
      cmocka_unit_test(elementary_ends),
      cmocka_unit_test(f64_functions),
      cmocka_unit_test(quotients_are_exact),
      cmocka_unit_test(bf16_rounds_to_even),
      cmocka_unit_test(integers_saturate),
      cmocka_unit_test(f16_normalization),
      cmocka_unit_test(three_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
