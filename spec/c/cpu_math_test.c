/* link: neso_compiler_static cmocka m */
/* The CPU lowering, run: elementary functions, quotients and conversions
 * against the C library. */
#include "cpu_kernel.h"

#include <float.h>
#include <math.h>

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
  check_f64("sin", sin, -1e300, 1e300, 4e-16);
  check_f64("cos", cos, -1e9, 1e9, 4e-16);
  check_f64("erf", erf, -6, 6, 4e-16);
}

/* Past the polynomials' reduction. */
static void large_angles(void **state) {
  (void)state;
  assert_true(worst_ulp("sin", sin, -1e38f, 1e38f) < 0.6);
  assert_true(worst_ulp("cos", cos, 1e6f, 1e12f) < 0.6);
  assert_true(worst_ulp("tan", tan, 1e6f, 1e30f) < 0.6);
}

static const char angle[] =
    "func.func @k(%o: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {\n"
    "  %i = \"neso.arange\"() {start = 0 : i32, end = 4096 : i32}"
    " : () -> tensor<4096xi32>\n"
    "  %v = \"neso.load\"(%x, %i) $M : (!llvm.ptr, tensor<4096xi32>)"
    " -> tensor<4096x$E>\n"
    "  %w = \"neso.load\"(%y, %i) $M : (!llvm.ptr, tensor<4096xi32>)"
    " -> tensor<4096x$E>\n"
    "  %a = math.atan2 %w, %v : tensor<4096x$E>\n"
    "  \"neso.store\"(%o, %i, %a) $M : (!llvm.ptr, tensor<4096xi32>, "
    "tensor<4096x$E>) -> ()\n"
    "  return\n}\n";

/* All directions, at many ratios; then every pair of the ends. */
static double angle_input(int i, bool is_y) {
  static const double ends[] = {0,  -0.0, INFINITY, -INFINITY, NAN,
                                -1, 1,    1e-30,    -1e30};
  int count = sizeof ends / sizeof ends[0];
  if (i < count * count)
    return ends[is_y ? i / count : i % count];
  double turn = 6.2831853071795862 * i / 4096;
  return is_y ? ldexp(sin(turn), i % 37 - 18) : cos(turn);
}

static void angles(void **state) {
  static float x[4096], y[4096], o[4096];
  static double x64[4096], y64[4096], o64[4096];
  (void)state;
  for (int i = 0; i < 4096; i++) {
    x[i] = (float)(x64[i] = angle_input(i, false));
    y[i] = (float)(y64[i] = angle_input(i, true));
  }
  cpu_kernel k = kernel_expand(angle, PAIRS("E", "f32"));
  kernel_run(&k, &(pointers3){o, x, y, 0}, 1, 1);
  kernel_free(&k);
  k = kernel_expand(angle, PAIRS("E", "f64"));
  kernel_run(&k, &(pointers3){o64, x64, y64, 0}, 1, 1);
  kernel_free(&k);
  for (int i = 0; i < 4096; i++) {
    double want = atan2(y[i], x[i]), want64 = atan2(y64[i], x64[i]);
    if (isnan(want)) {
      assert_true(isnan(o[i]) && isnan(o64[i]));
      continue;
    }
    assert_true(!signbit(o[i]) == !signbit(want));
    assert_true(!signbit(o64[i]) == !signbit(want64));
    if (fabs(o[i] - want) > 0.6 * ulp_of(want) ||
        fabs(o64[i] - want64) > 4e-16 * fabs(want64))
      fail_msg("atan2(%.17g, %.17g): %.9g and %.17g, not %.17g", y64[i], x64[i],
               o[i], o64[i], want64);
  }
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
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementary_functions),
      cmocka_unit_test(elementary_ends),
      cmocka_unit_test(f64_functions),
      cmocka_unit_test(large_angles),
      cmocka_unit_test(angles),
      cmocka_unit_test(quotients_are_exact),
      cmocka_unit_test(bf16_rounds_to_even),
      cmocka_unit_test(integers_saturate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
