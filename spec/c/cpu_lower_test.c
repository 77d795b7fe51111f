/* link: neso_compiler_static cmocka m */
/* The CPU lowering, run: kernels in tile IR against plain C. */
#include "cpu_kernel.h"

#include <math.h>

/* -------------------------------------------------------- elementwise -- */

static const char elementwise[] =
    "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
    "%x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
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
    "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
    "%x: !llvm.ptr, %stride: i32, %n: i32) {\n"
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
    "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
    "%x: !llvm.ptr) {\n"
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
    "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
    "%x: !llvm.ptr) {\n"
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
    "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
    "%x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
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
/* Mean and variance of f16 rows, in f32. */
static void f16_normalization(void **state) {
  static const char text[] =
      "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
      "%x: !llvm.ptr, %stride: i32, %n: i32) {\n"
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
      "func.func @k(%o: !llvm.ptr {neso.facts = 4 : i32}, "
      "%x: !llvm.ptr) {\n"
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
      cmocka_unit_test(f16_normalization),
      cmocka_unit_test(three_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
