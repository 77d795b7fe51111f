/* 8-bit floats, as integers: to f32 exactly, from f32 to nearest, ties to
 * even. The formats are those of runtime/src/formats.c. */
#include "lower.h"

#include <string.h>

typedef enum flavour { IEEE, FINITE, UNSIGNED_ZERO, CLAMPED } flavour;

typedef struct format {
  const char *name;
  int mantissa, bias;
  flavour flavour;
} format;

static const format formats[] = {{"e5m2", 2, 15, IEEE},
                                 {"e4m3fn", 3, 7, FINITE},
                                 {"e4b15", 3, 15, CLAMPED},
                                 {"e4m3fnuz", 3, 8, UNSIGNED_ZERO},
                                 {"e5m2fnuz", 2, 16, UNSIGNED_ZERO}};

static const format *find(cpu_lower *l, MlirOperation op) {
  MlirStringRef name = mlirStringAttrGetValue(cpu_attr(op, "format"));
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strlen(formats[i].name) == name.length &&
        !memcmp(formats[i].name, name.data, name.length))
      return &formats[i];
  cpu_fail(l, op, "no 8-bit float '%.*s'", (int)name.length, name.data);
  return &formats[0];
}

/* The first magnitude that is no finite number (CLAMPED: no number). */
static int64_t overflow_code(const format *f) {
  if (f->flavour == IEEE)
    return 0x80 - (1 << f->mantissa);
  return f->flavour == UNSIGNED_ZERO ? 0x80 : 0x7f;
}

static MlirValue op_int(cpu_builder *b, const char *name, MlirValue x,
                        int64_t y) {
  return cpu_binary(b, name, x, cpu_int(b, cpu_type(x), y));
}

static MlirValue shifted(cpu_builder *b, MlirValue x, int64_t by) {
  return op_int(b, by < 0 ? "arith.shrui" : "arith.shli", x, by < 0 ? -by : by);
}

MlirValue cpu_from_f8(cpu_lower *l, MlirOperation op, MlirValue x) {
  cpu_builder *b = &l->b;
  const format *f = find(l, op);
  int64_t lanes = cpu_lanes(cpu_type(x)), over = overflow_code(f);
  MlirType words = cpu_vector(b->i32, lanes),
           floats = cpu_vector(b->f32, lanes);
  MlirValue code = cpu_unary(b, "arith.extui", words, x);
  MlirValue size = op_int(b, "arith.andi", code, 0x7f);
  MlirValue sign = shifted(b, op_int(b, "arith.andi", code, 0x80), 24);
  if (f->flavour == CLAMPED)
    size = op_int(b, "arith.minui", size, over - 1);
  MlirValue y =
      cpu_unary(b, "arith.bitcast", floats, shifted(b, size, 23 - f->mantissa));
  double scale = 1;
  for (int i = f->bias; i < 127; i++)
    scale *= 2;
  y = cpu_binary(b, "arith.mulf", y, cpu_float(b, floats, scale));
  y = cpu_unary(b, "arith.bitcast", words, y);
  MlirValue nan = cpu_int(b, words, 0x7fc00000);
  if (f->flavour == IEEE) {
    MlirValue infinity = cpu_int(b, words, 0x7f800000);
    y = cpu_select(b, cpu_cmpi(b, CPU_EQ, size, cpu_int(b, words, over)),
                   infinity, y);
    y = cpu_select(b, cpu_cmpi(b, CPU_UGT, size, cpu_int(b, words, over)), nan,
                   y);
  } else if (f->flavour == FINITE) {
    y = cpu_select(b, cpu_cmpi(b, CPU_EQ, size, cpu_int(b, words, over)), nan,
                   y);
  }
  y = cpu_binary(b, "arith.ori", y, sign);
  if (f->flavour == UNSIGNED_ZERO)
    y = cpu_select(b, cpu_cmpi(b, CPU_EQ, code, cpu_int(b, words, 0x80)), nan,
                   y);
  return cpu_unary(b, "arith.bitcast", floats, y);
}

/* mantissa >> shift to nearest, ties to even. */
static MlirValue round_shift(cpu_builder *b, MlirValue mantissa,
                             MlirValue shift) {
  MlirValue one = cpu_int(b, cpu_type(shift), 1);
  MlirValue kept = cpu_binary(b, "arith.shrui", mantissa, shift);
  MlirValue half =
      cpu_binary(b, "arith.shli", one, cpu_binary(b, "arith.subi", shift, one));
  MlirValue odd = cpu_binary(b, "arith.andi", kept, one);
  MlirValue up = cpu_binary(b, "arith.subi", half, one);
  up = cpu_binary(b, "arith.addi", up, odd);
  return cpu_binary(b, "arith.shrui", cpu_binary(b, "arith.addi", mantissa, up),
                    shift);
}

/* Code of the magnitude `size`, the bits of an f32 without its sign. */
static MlirValue magnitude(cpu_builder *b, const format *f, MlirValue size) {
  MlirType words = cpu_type(size);
  MlirValue target =
      op_int(b, "arith.subi", shifted(b, size, -23), 127 - f->bias);
  MlirValue mantissa =
      op_int(b, "arith.ori", op_int(b, "arith.andi", size, 0x7fffff), 0x800000);
  MlirValue one = cpu_int(b, words, 1);
  /* 7 places deeper than the least normal number nothing is left. */
  MlirValue deep = cpu_binary(b, "arith.subi", one, target);
  deep = op_int(b, "arith.maxsi", deep, 0);
  deep = op_int(b, "arith.minsi", deep, 7);
  MlirValue shift = op_int(b, "arith.addi", deep, 23 - f->mantissa);
  MlirValue code = round_shift(b, mantissa, shift);
  MlirValue exponent =
      op_int(b, "arith.maxsi", cpu_binary(b, "arith.subi", target, one), 0);
  return cpu_binary(b, "arith.addi", code, shifted(b, exponent, f->mantissa));
}

MlirValue cpu_to_f8(cpu_lower *l, MlirOperation op, MlirValue x) {
  cpu_builder *b = &l->b;
  const format *f = find(l, op);
  int64_t lanes = cpu_lanes(cpu_type(x)), over = overflow_code(f);
  MlirType words = cpu_vector(b->i32, lanes);
  MlirValue bits = cpu_unary(b, "arith.bitcast", words, x);
  MlirValue size = op_int(b, "arith.andi", bits, 0x7fffffff);
  MlirValue sign = op_int(b, "arith.andi", shifted(b, bits, -24), 0x80);
  MlirValue limit = cpu_int(b, words, over), code = magnitude(b, f, size);
  int64_t most = f->flavour == CLAMPED ? over - 1 : over;
  code = cpu_select(b, cpu_cmpi(b, CPU_UGE, code, limit),
                    cpu_int(b, words, most), code);
  int64_t nan = f->flavour == IEEE ? over | 1 << (f->mantissa - 1) : over;
  code =
      cpu_select(b, cpu_cmpi(b, CPU_UGT, size, cpu_int(b, words, 0x7f800000)),
                 cpu_int(b, words, nan), code);
  if (f->flavour == UNSIGNED_ZERO) {
    MlirValue none = cpu_cmpi(b, CPU_EQ, code, cpu_int(b, words, 0));
    sign = cpu_select(b, none, cpu_int(b, words, 0), sign);
  }
  code = cpu_binary(b, "arith.ori", code, sign);
  return cpu_unary(b, "arith.trunci", cpu_vector(b->i8, lanes), code);
}
