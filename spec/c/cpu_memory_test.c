/* link: neso_compiler_static cmocka */
/* The CPU lowering, run: control flow, and what loads and stores see of each
 * other and of masks. */
#include "cpu_kernel.h"

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
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loop_carries_two_blocks_that_swap),
      cmocka_unit_test(branches_give_blocks),
      cmocka_unit_test(while_doubles_a_block),
      cmocka_unit_test(loads_come_before_later_stores),
      cmocka_unit_test(a_shifted_copy_in_place),
      cmocka_unit_test(a_transpose_in_place),
      cmocka_unit_test(strides_and_gathers),
      cmocka_unit_test(masked_off_rows_touch_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
