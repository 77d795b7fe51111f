/* Elementary functions by own polynomials. f16 and bf16 go
 * through f32; f32 functions that need more room go through f64. Sines of huge
 * arguments, erf and pow of f64 are the C library's. Errors are in spec/cpu.md.
 */
#include "lower.h"

#include <math.h>

typedef struct fn {
  cpu_lower *l;
  cpu_builder *b;
  MlirType type, bits; /* of x, and integers of that width */
  bool wide;           /* f64 */
} fn;

static fn fn_of(cpu_lower *l, MlirValue x) {
  MlirType type = cpu_type(x);
  bool wide = cpu_bits(cpu_element(type)) == 64;
  MlirType bits = cpu_vector(wide ? l->b.i64 : l->b.i32, cpu_lanes(type));
  return (fn){l, &l->b, type, bits, wide};
}

static MlirValue num(fn *f, double value) {
  return cpu_float(f->b, f->type, value);
}
static MlirValue whole(fn *f, int64_t value) {
  return cpu_int(f->b, f->bits, value);
}
static MlirValue add(fn *f, MlirValue x, MlirValue y) {
  return cpu_binary(f->b, "arith.addf", x, y);
}
static MlirValue sub(fn *f, MlirValue x, MlirValue y) {
  return cpu_binary(f->b, "arith.subf", x, y);
}
static MlirValue mul(fn *f, MlirValue x, MlirValue y) {
  return cpu_binary(f->b, "arith.mulf", x, y);
}
static MlirValue divide(fn *f, MlirValue x, MlirValue y) {
  return cpu_binary(f->b, "arith.divf", x, y);
}
static MlirValue mad(fn *f, MlirValue x, MlirValue y, MlirValue z) {
  if (neso__target_has(f->l->env->target, "fma"))
    return cpu_fma(f->b, x, y, z);
  return add(f, mul(f, x, y), z);
}
static MlirValue to_bits(fn *f, MlirValue x) {
  return cpu_unary(f->b, "arith.bitcast", f->bits, x);
}
static MlirValue from_bits(fn *f, MlirValue x) {
  return cpu_unary(f->b, "arith.bitcast", f->type, x);
}
static MlirValue integer(fn *f, const char *name, MlirValue x, int64_t y) {
  return cpu_binary(f->b, name, x, whole(f, y));
}
static MlirValue pick(fn *f, int predicate, MlirValue x, double limit,
                      MlirValue yes, MlirValue no) {
  return cpu_select(f->b, cpu_cmpf(f->b, predicate, x, num(f, limit)), yes, no);
}
static MlirValue magnitude(fn *f, MlirValue x) {
  return cpu_unary(f->b, "math.absf", f->type, x);
}

static MlirValue horner(fn *f, MlirValue x, const double *c, int count) {
  MlirValue sum = num(f, c[count - 1]);
  for (int i = count - 2; i >= 0; i--)
    sum = mad(f, sum, x, num(f, c[i]));
  return sum;
}

/* ----------------------------------------------------------------- exp -- */

/* x times factor rounded to an integer, as a float; *out_int the same as an
 * integer. Adding 1.5 * 2^mantissa puts the integer into the low bits. */
static MlirValue nearest(fn *f, MlirValue x, double factor,
                         MlirValue *out_int) {
  double magic = f->wide ? 6755399441055744.0 : 12582912.0;
  MlirValue shifted = mad(f, x, num(f, factor), num(f, magic));
  *out_int = cpu_binary(f->b, "arith.subi", to_bits(f, shifted),
                        to_bits(f, num(f, magic)));
  return sub(f, shifted, num(f, magic));
}

static MlirValue power_of_two(fn *f, MlirValue n) {
  return from_bits(f, integer(f, "arith.shli",
                              integer(f, "arith.addi", n, f->wide ? 1023 : 127),
                              f->wide ? 52 : 23));
}

/* One vscalefps a register. */
static MlirValue scale_avx512(fn *f, MlirValue p, MlirValue k) {
  MlirType type = cpu_vector(f->b->f32, 16);
  MlirValue out = p;
  for (int64_t at = 0; at < cpu_lanes(f->type); at += 16) {
    MlirValue x = cpu_slice(f->b, p, at, 16);
    MlirValue operands[] = {x, cpu_slice(f->b, k, at, 16), x,
                            cpu_int(f->b, f->b->i16, -1),
                            cpu_int(f->b, f->b->i32, 4)};
    x = cpu_intrinsic(f->b, "llvm.x86.avx512.mask.scalef.ps.512", type, 5,
                      operands);
    out = cpu_put_slice(f->b, out, x, at);
  }
  return out;
}

/* p * 2^n, right down to denormals; k is n as a float. */
static MlirValue scale(fn *f, MlirValue p, MlirValue n, MlirValue k) {
  if (neso__target_has(f->l->env->target, "avx512f") && !f->wide &&
      f->l->vector_bits == 512 && cpu_lanes(f->type) >= 16)
    return scale_avx512(f, p, k);
  MlirValue half = integer(f, "arith.shrsi", n, 1);
  MlirValue rest = cpu_binary(f->b, "arith.subi", n, half);
  return mul(f, mul(f, p, power_of_two(f, half)), power_of_two(f, rest));
}

/* e^r 2^n for |r| <= ln 2 / 2. */
static MlirValue exp_reduced(fn *f, MlirValue r, MlirValue n, MlirValue k) {
  double c[14] = {1};
  int count = f->wide ? 14 : 8;
  for (int i = 1; i < count; i++)
    c[i] = c[i - 1] / i;
  return scale(f, horner(f, r, c, count), n, k);
}

/* Where the result is 0, the work is done for 0 instead: a product that
 * underflows costs a hundred cycles. */
static MlirValue cut(fn *f, MlirValue *x, double low, double high) {
  MlirValue zero = num(f, 0);
  MlirValue under = cpu_cmpf(f->b, CPU_OLT, *x, num(f, low));
  *x = cpu_select(f->b, under, zero, *x);
  *x = pick(f, CPU_OGT, *x, high, num(f, high), *x);
  return under;
}

static MlirValue emit_exp(fn *f, MlirValue x) {
  MlirValue n;
  MlirValue under = f->wide ? cut(f, &x, -746, 715) : cut(f, &x, -104, 90);
  MlirValue k = nearest(f, x, 1.4426950408889634, &n);
  MlirValue r = mad(f, k, num(f, f->wide ? -0x1.62e42feep-1 : -0x1.62e4p-1), x);
  r = mad(f, k, num(f, f->wide ? -0x1.a39ef35793c76p-33 : -0x1.7f7d1cp-20), r);
  return cpu_select(f->b, under, num(f, 0), exp_reduced(f, r, n, k));
}

static MlirValue emit_exp2(fn *f, MlirValue x) {
  MlirValue n;
  MlirValue under = f->wide ? cut(f, &x, -1076, 1030) : cut(f, &x, -151, 130);
  MlirValue k = nearest(f, x, 1, &n);
  MlirValue r = mul(f, sub(f, x, k), num(f, 0.6931471805599453));
  return cpu_select(f->b, under, num(f, 0), exp_reduced(f, r, n, k));
}

/* ----------------------------------------------------------------- log -- */

typedef struct log_parts {
  MlirValue exponent, log; /* ln x = exponent ln 2 + log */
} log_parts;

static log_parts log_reduce(fn *f, MlirValue x) {
  int mantissa = f->wide ? 52 : 23;
  double tiny = f->wide ? 0x1p-1022 : 0x1p-126;
  double up = f->wide ? 0x1p54 : 0x1p25;
  int64_t half_root = f->wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  MlirValue small = cpu_cmpf(f->b, CPU_OLT, x, num(f, tiny));
  x = cpu_select(f->b, small, mul(f, x, num(f, up)), x);
  MlirValue bits = to_bits(f, x);
  MlirValue e = integer(f, "arith.shrsi",
                        integer(f, "arith.subi", bits, half_root), mantissa);
  MlirValue m = from_bits(f, cpu_binary(f->b, "arith.subi", bits,
                                        integer(f, "arith.shli", e, mantissa)));
  MlirValue exponent = cpu_unary(f->b, "arith.sitofp", f->type, e);
  exponent = sub(f, exponent,
                 cpu_select(f->b, small, num(f, f->wide ? 54 : 25), num(f, 0)));
  /* ln m = 2 artanh s with s = (m - 1) / (m + 1) */
  MlirValue g = sub(f, m, num(f, 1));
  MlirValue s = divide(f, g, add(f, g, num(f, 2)));
  MlirValue z = mul(f, s, s);
  double c[11];
  int count = f->wide ? 11 : 5;
  for (int i = 0; i < count; i++)
    c[i] = 2.0 / (2 * i + 3);
  MlirValue tail = mul(f, z, horner(f, z, c, count));
  /* 2 s + s tail = g - (h - s (h + tail)), h = g^2 / 2 */
  MlirValue h = mul(f, mul(f, g, g), num(f, 0.5));
  MlirValue low = mad(f, s, add(f, h, tail), sub(f, num(f, 0), h));
  return (log_parts){exponent, add(f, g, low)};
}

/* Values that the reduction does not serve. */
static MlirValue log_ends(fn *f, MlirValue x, MlirValue y) {
  y = pick(f, CPU_OEQ, x, INFINITY, x, y);
  y = pick(f, CPU_OEQ, x, 0, num(f, -INFINITY), y);
  return pick(f, CPU_FULT, x, 0, num(f, NAN), y);
}

static MlirValue emit_log(fn *f, MlirValue x) {
  log_parts p = log_reduce(f, x);
  double high = f->wide ? 0x1.62e42feep-1 : 0x1.62e4p-1;
  double low = f->wide ? 0x1.a39ef35793c76p-33 : 0x1.7f7d1cp-20;
  MlirValue y =
      mad(f, p.exponent, num(f, high), mad(f, p.exponent, num(f, low), p.log));
  return log_ends(f, x, y);
}

static MlirValue emit_log2(fn *f, MlirValue x) {
  log_parts p = log_reduce(f, x);
  MlirValue y = mad(f, p.log, num(f, 1.4426950408889634), p.exponent);
  return log_ends(f, x, y);
}

/* --------------------------------------------- f32 by way of f64 (narrow) */

static MlirValue widen(fn *f, MlirValue x) {
  return cpu_unary(f->b, "arith.extf",
                   cpu_vector(f->b->f64, cpu_lanes(cpu_type(x))), x);
}

static MlirValue emit_log10(fn *f, MlirValue x) {
  return mul(f, emit_log(f, x), num(f, 0.43429448190325182));
}

/* The error of 1 + x is divided out again. */
static MlirValue emit_log1p(fn *f, MlirValue x) {
  MlirValue one = num(f, 1), u = add(f, x, one);
  MlirValue near = sub(f, u, one);
  MlirValue plain = emit_log(f, u);
  MlirValue y = mul(f, plain, divide(f, x, near));
  y = pick(f, CPU_OEQ, near, 0, x, y);
  return pick(f, CPU_OEQ, magnitude(f, plain), INFINITY, plain, y);
}

static MlirValue emit_expm1(fn *f, MlirValue x) {
  double c[14] = {1};
  for (int i = 1; i < 14; i++)
    c[i] = c[i - 1] / (i + 1);
  MlirValue y = sub(f, emit_exp(f, x), num(f, 1));
  MlirValue near = mul(f, x, horner(f, x, c, 14));
  return pick(f, CPU_OLT, magnitude(f, x), 0.35, near, y);
}

static MlirValue emit_tanh(fn *f, MlirValue x) {
  MlirValue e = emit_expm1(f, mul(f, magnitude(f, x), num(f, -2)));
  MlirValue y = divide(f, sub(f, num(f, 0), e), add(f, e, num(f, 2)));
  return cpu_binary(f->b, "math.copysign", y, x);
}

/* The reduction below is exact enough up to here. */
#define SINE_LIMIT 0x1p20

/* y, but what the C library gives where x is too large for the reduction. */
static MlirValue sine_of_large(fn *f, MlirValue x, MlirValue y, int quarter) {
  cpu_builder *b = f->b;
  MlirValue large = cpu_cmpf(b, CPU_OGT, magnitude(f, x), num(f, SINE_LIMIT));
  MlirValue any = cpu_lanes(f->type) > 0 ? cpu_any_lane(b, large) : large;
  MlirOperation branch = cpu_if(b, any, 1, &f->type);
  cpu_builder outer = *b;
  cpu_enter(b, cpu_body(branch, 0));
  MlirValue exact = cpu_call_lanes(f->l, quarter ? "cos" : "sin", x);
  exact = cpu_select(b, large, exact, y);
  *b = outer;
  cpu_yield(b, cpu_body(branch, 0), 1, &exact);
  cpu_yield(b, cpu_body(branch, 1), 1, &y);
  return mlirOperationGetResult(branch, 0);
}

/* sin of x + quarter * pi / 2 */
static MlirValue emit_sine(fn *f, MlirValue x, int quarter) {
  MlirValue n;
  MlirValue k = nearest(f, x, 0.63661977236758138, &n);
  MlirValue r = mad(f, k, num(f, -0x1.921fb544p+0), x);
  r = mad(f, k, num(f, -0x1.0b4611a626331p-34), r);
  MlirValue z = mul(f, r, r);
  double sine[9] = {1}, cosine[10] = {1};
  for (int i = 1; i < 9; i++)
    sine[i] = -sine[i - 1] / ((2 * i) * (2 * i + 1));
  for (int i = 1; i < 10; i++)
    cosine[i] = -cosine[i - 1] / ((2 * i - 1) * (2 * i));
  MlirValue s = mul(f, r, horner(f, z, sine, 9));
  MlirValue c = horner(f, z, cosine, 10);
  n = integer(f, "arith.addi", n, quarter);
  MlirValue odd =
      cpu_cmpi(f->b, CPU_NE, integer(f, "arith.andi", n, 1), whole(f, 0));
  MlirValue y = cpu_select(f->b, odd, c, s);
  MlirValue sign = integer(f, "arith.shli", integer(f, "arith.andi", n, 2), 62);
  y = from_bits(f, cpu_binary(f->b, "arith.xori", to_bits(f, y), sign));
  return sine_of_large(f, x, y, quarter);
}

static MlirValue emit_tan(fn *f, MlirValue x) {
  return divide(f, emit_sine(f, x, 0), emit_sine(f, x, 1));
}

/* The angle of the lesser over the greater, in [0, pi / 4], is unfolded. */
static MlirValue emit_atan2(fn *f, MlirValue y, MlirValue x) {
  cpu_builder *b = f->b;
  MlirValue high = magnitude(f, y), wide = magnitude(f, x);
  MlirValue steep = cpu_cmpf(b, CPU_OGT, high, wide);
  MlirValue most = cpu_select(b, steep, high, wide);
  MlirValue least = cpu_select(b, steep, wide, high);
  MlirValue t = divide(f, least, most);
  t = pick(f, CPU_OEQ, most, 0, num(f, 0), t);
  t = pick(f, CPU_OEQ, least, INFINITY, num(f, 1), t);
  /* atan t = pi / 4 + atan ((t - 1) / (t + 1)), past tan (pi / 8) */
  MlirValue one = num(f, 1), r = divide(f, sub(f, t, one), add(f, t, one));
  MlirValue far = cpu_cmpf(b, CPU_OGT, t, num(f, 0.41421356237309503));
  r = cpu_select(b, far, r, t);
  double c[22];
  for (int i = 0; i < 22; i++)
    c[i] = (i % 2 ? -1.0 : 1.0) / (2 * i + 3);
  MlirValue z = mul(f, r, r), cube = mul(f, z, r);
  MlirValue angle = sub(f, r, mul(f, cube, horner(f, z, c, 22)));
  angle = cpu_select(b, far, add(f, angle, num(f, M_PI_4)), angle);
  angle = cpu_select(b, steep, sub(f, num(f, M_PI_2), angle), angle);
  MlirValue left = cpu_cmpi(b, CPU_SLT, to_bits(f, x), whole(f, 0));
  angle = cpu_select(b, left, sub(f, num(f, M_PI), angle), angle);
  angle = cpu_binary(b, "math.copysign", angle, y);
  return cpu_select(b, cpu_cmpf(b, CPU_UNO, x, y), add(f, x, y), angle);
}

static MlirValue emit_pow(fn *f, MlirValue x, MlirValue y) {
  cpu_builder *b = f->b;
  MlirValue size = magnitude(f, x), one = num(f, 1);
  MlirValue r = emit_exp2(f, mul(f, y, emit_log2(f, size)));
  r = pick(f, CPU_OEQ, size, 1, one, r);
  MlirValue trunc = cpu_unary(b, "math.trunc", f->type, y);
  MlirValue half = mul(f, y, num(f, 0.5));
  MlirValue is_whole = cpu_cmpf(b, CPU_OEQ, trunc, y);
  MlirValue is_odd = cpu_binary(
      b, "arith.andi", is_whole,
      cpu_cmpf(b, CPU_UNE, cpu_unary(b, "math.trunc", f->type, half), half));
  MlirValue below = cpu_cmpi(b, CPU_SLT, to_bits(f, x), whole(f, 0));
  MlirValue flip = cpu_binary(b, "arith.andi", below, is_odd);
  r = cpu_select(b, flip, sub(f, num(f, -0.0), r), r);
  MlirValue finite =
      cpu_binary(b, "arith.andi", cpu_cmpf(b, CPU_OLT, x, num(f, 0)),
                 cpu_cmpf(b, CPU_OGT, x, num(f, -INFINITY)));
  MlirValue bad =
      cpu_binary(b, "arith.andi", finite, cpu_cmpf(b, CPU_ONE, trunc, y));
  r = cpu_select(b, bad, num(f, NAN), r);
  r = cpu_select(b, cpu_cmpf(b, CPU_UNO, x, y), add(f, x, y), r);
  r = pick(f, CPU_OEQ, x, 1, one, r);
  return pick(f, CPU_OEQ, y, 0, one, r);
}

/* ------------------------------------------------------------- dispatch -- */

static MlirValue emit_wide(fn *f, neso_op op, const MlirValue *x) {
  switch (op) {
  case NESO_OP_MATH_SIN:
    return emit_sine(f, x[0], 0);
  case NESO_OP_MATH_COS:
    return emit_sine(f, x[0], 1);
  case NESO_OP_MATH_TAN:
    return emit_tan(f, x[0]);
  case NESO_OP_MATH_TANH:
    return emit_tanh(f, x[0]);
  case NESO_OP_MATH_LOG10:
    return emit_log10(f, x[0]);
  case NESO_OP_MATH_LOG1P:
    return emit_log1p(f, x[0]);
  case NESO_OP_MATH_EXPM1:
    return emit_expm1(f, x[0]);
  case NESO_OP_MATH_ATAN2:
    return emit_atan2(f, x[0], x[1]);
  default:
    return emit_pow(f, x[0], x[1]);
  }
}

static MlirValue by_f64(fn *f, neso_op op, const MlirValue *x) {
  bool binary = op == NESO_OP_MATH_POWF || op == NESO_OP_MATH_ATAN2;
  MlirValue wide[2];
  for (int i = 0; i < (binary ? 2 : 1); i++)
    wide[i] = widen(f, x[i]);
  fn g = fn_of(f->l, wide[0]);
  return cpu_unary(f->b, "arith.truncf", f->type, emit_wide(&g, op, wide));
}

static MlirValue emit(fn *f, const cpu_value *v, const MlirValue *x) {
  switch (v->op) {
  case NESO_OP_MATH_EXP:
    return emit_exp(f, x[0]);
  case NESO_OP_MATH_EXP2:
    return emit_exp2(f, x[0]);
  case NESO_OP_MATH_LOG:
    return emit_log(f, x[0]);
  case NESO_OP_MATH_LOG2:
    return emit_log2(f, x[0]);
  case NESO_OP_MATH_RSQRT:
    return divide(f, num(f, 1), cpu_unary(f->b, "math.sqrt", f->type, x[0]));
  case NESO_OP_MATH_ERF:
    if (!f->wide) /* MLIR's gives 0 for -0 */
      return cpu_binary(f->b, "math.copysign",
                        cpu_unary(f->b, "math.erf", f->type, x[0]), x[0]);
    return cpu_call_lanes(f->l, "erf", x[0]);
  default:
    if (!f->wide)
      return by_f64(f, v->op, x);
    if (v->op == NESO_OP_MATH_POWF)
      return cpu_binary(f->b, "llvm.intr.pow", x[0], x[1]);
    return emit_wide(f, v->op, x);
  }
}

static bool is_elementary(neso_op op) {
  switch (op) {
  case NESO_OP_MATH_EXP:
  case NESO_OP_MATH_EXP2:
  case NESO_OP_MATH_EXPM1:
  case NESO_OP_MATH_LOG:
  case NESO_OP_MATH_LOG2:
  case NESO_OP_MATH_LOG10:
  case NESO_OP_MATH_LOG1P:
  case NESO_OP_MATH_SIN:
  case NESO_OP_MATH_COS:
  case NESO_OP_MATH_TAN:
  case NESO_OP_MATH_TANH:
  case NESO_OP_MATH_ERF:
  case NESO_OP_MATH_ATAN2:
  case NESO_OP_MATH_RSQRT:
  case NESO_OP_MATH_POWF:
    return true;
  default:
    return false;
  }
}

MlirValue cpu_math(cpu_lower *l, const cpu_value *v,
                   const MlirValue *operands) {
  if (!is_elementary(v->op))
    return (MlirValue){NULL};
  MlirType type = cpu_type(operands[0]);
  bool narrow = cpu_bits(cpu_element(type)) < 32;
  intptr_t count = mlirOperationGetNumOperands(v->def);
  MlirValue x[2];
  MlirType single = cpu_vector(l->b.f32, cpu_lanes(type));
  for (intptr_t i = 0; i < count && i < 2; i++)
    x[i] = narrow ? cpu_unary(&l->b, "arith.extf", single, operands[i])
                  : operands[i];
  fn f = fn_of(l, x[0]);
  MlirValue y = emit(&f, v, x);
  return narrow ? cpu_truncf(l, y, cpu_element(type)) : y;
}
