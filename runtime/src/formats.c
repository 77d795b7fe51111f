#include "formats.h"

#include <math.h>
#include <string.h>

typedef enum flavour { IEEE, FINITE, UNSIGNED_ZERO, CLAMPED } flavour;

typedef struct small_float {
  uint8_t exponent_bits, mantissa_bits, bias;
  uint8_t flavour;
} small_float;

static const small_float small_floats[NESO_DTYPE_COUNT] = {
    [NESO_F16] = {5, 10, 15, IEEE},
    [NESO_BF16] = {8, 7, 127, IEEE},
    [NESO_F8E5M2] = {5, 2, 15, IEEE},
    [NESO_F8E4M3FN] = {4, 3, 7, FINITE},
    [NESO_F8E4B15] = {4, 3, 15, CLAMPED},
    [NESO_F8E4M3FNUZ] = {4, 3, 8, UNSIGNED_ZERO},
    [NESO_F8E5M2FNUZ] = {5, 2, 16, UNSIGNED_ZERO},
};

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Magnitude bits of infinity (IEEE) or the first code past the finite ones. */
static uint32_t overflow_code(const small_float *s) {
  uint32_t all = (1u << (s->exponent_bits + s->mantissa_bits)) - 1;
  switch (s->flavour) {
  case IEEE:
    return all - ((1u << s->mantissa_bits) - 1);
  case UNSIGNED_ZERO:
    return all + 1;
  default:
    return all;
  }
}

static uint32_t special(const small_float *s, uint32_t sign, bool nan) {
  uint32_t over = overflow_code(s);
  switch (s->flavour) {
  case IEEE:
    return sign | (nan ? over | 1u << (s->mantissa_bits - 1) : over);
  case CLAMPED:
    return sign | (nan ? over : over - 1);
  case UNSIGNED_ZERO:
    return over;
  default:
    return sign | over;
  }
}

/* mantissa >> shift, to nearest, ties to even; 1 <= shift. */
static uint64_t round_shift(uint64_t mantissa, int shift) {
  if (shift > 54) {
    return 0;
  }
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
  uint64_t half = UINT64_C(1) << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

static uint32_t encode(const small_float *s, double value) {
  uint64_t bits = bits_of(value);
  uint32_t sign = (uint32_t)(bits >> 63)
                  << (s->exponent_bits + s->mantissa_bits);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 1024) {
    return special(s, sign, mantissa != 0);
  }
  mantissa |= UINT64_C(1) << 52;
  int target = exponent + s->bias;
  int shift = 52 - s->mantissa_bits + (target < 1 ? 1 - target : 0);
  uint64_t code = exponent == -1023 ? 0 : round_shift(mantissa, shift);
  if (target > 1) {
    code += (uint64_t)(target - 1) << s->mantissa_bits;
  }
  if (code >= overflow_code(s)) {
    return special(s, sign, false);
  }
  if (code == 0 && s->flavour == UNSIGNED_ZERO) {
    return 0;
  }
  return sign | (uint32_t)code;
}

static double decode(const small_float *s, uint32_t bits) {
  int width = s->exponent_bits + s->mantissa_bits;
  uint32_t sign = bits >> width & 1;
  uint32_t code = bits & ((1u << width) - 1);
  uint32_t over = overflow_code(s);
  if (s->flavour == UNSIGNED_ZERO ? sign && code == 0 : code >= over) {
    if (s->flavour == CLAMPED) {
      code = over - 1;
    } else {
      bool infinite = s->flavour == IEEE && code == over;
      return infinite ? (sign ? -INFINITY : INFINITY) : NAN;
    }
  }
  uint64_t exponent = code >> s->mantissa_bits;
  uint64_t mantissa = code & ((1u << s->mantissa_bits) - 1);
  double magnitude;
  if (exponent == 0) {
    magnitude =
        (double)mantissa *
        double_of((uint64_t)(1 - s->bias - s->mantissa_bits + 1023) << 52);
  } else {
    magnitude = double_of((exponent - s->bias + 1023) << 52 |
                          mantissa << (52 - s->mantissa_bits));
  }
  return sign ? -magnitude : magnitude;
}

neso_wide_kind neso__wide_kind_of(neso_dtype dtype) {
  if (dtype >= NESO_F16) {
    return NESO_WIDE_FLOAT;
  }
  return dtype >= NESO_I8 && dtype <= NESO_I64 ? NESO_WIDE_INT : NESO_WIDE_UINT;
}

#define DECODE(type, field, expression)                                        \
  for (size_t n = 0; n < count; n++, p += stride) {                            \
    type v;                                                                    \
    memcpy(&v, p, sizeof v);                                                   \
    out[n].field = (expression);                                               \
  }                                                                            \
  break

void neso__decode(neso_dtype dtype, const void *source, ptrdiff_t stride,
                  size_t count, neso_wide *out) {
  const char *p = source;
  const small_float *s = &small_floats[dtype];
  switch (dtype) {
  case NESO_I1:
    DECODE(uint8_t, u, v != 0);
  case NESO_I8:
    DECODE(int8_t, i, v);
  case NESO_I16:
    DECODE(int16_t, i, v);
  case NESO_I32:
    DECODE(int32_t, i, v);
  case NESO_I64:
    DECODE(int64_t, i, v);
  case NESO_U8:
    DECODE(uint8_t, u, v);
  case NESO_U16:
    DECODE(uint16_t, u, v);
  case NESO_U32:
    DECODE(uint32_t, u, v);
  case NESO_U64:
    DECODE(uint64_t, u, v);
  case NESO_F32:
    DECODE(float, f, v);
  case NESO_F64:
    DECODE(double, f, v);
  case NESO_F16:
  case NESO_BF16:
    DECODE(uint16_t, f, decode(s, v));
  default:
    DECODE(uint8_t, f, decode(s, v));
  }
}

/* An integer as a double that rounds on to any narrower float as the integer
 * itself would: what does not fit 53 bits leaves a trace in the last bit. */
static double sticky_double(uint64_t magnitude) {
  int excess = 0;
  while (magnitude >> excess >> 53) {
    excess++;
  }
  uint64_t kept = magnitude >> excess;
  if (kept << excess != magnitude) {
    kept |= 1;
  }
  return ldexp((double)kept, excess);
}

static double as_double(neso_wide_kind from, neso_wide value) {
  if (from == NESO_WIDE_FLOAT) {
    return value.f;
  }
  if (from == NESO_WIDE_UINT) {
    return sticky_double(value.u);
  }
  return value.i < 0 ? -sticky_double(0 - (uint64_t)value.i)
                     : sticky_double((uint64_t)value.i);
}

static float as_f32(neso_wide_kind from, neso_wide value) {
  return from == NESO_WIDE_FLOAT  ? (float)value.f
         : from == NESO_WIDE_UINT ? (float)value.u
                                  : (float)value.i;
}

static double as_f64(neso_wide_kind from, neso_wide value) {
  return from == NESO_WIDE_FLOAT  ? value.f
         : from == NESO_WIDE_UINT ? (double)value.u
                                  : (double)value.i;
}

/* The bits of an integer of `width` bits. */
static uint64_t as_int(neso_wide_kind from, neso_wide value, int width) {
  if (from != NESO_WIDE_FLOAT) {
    return value.u;
  }
  double limit = ldexp(1.0, width - 1);
  if (isnan(value.f)) {
    return 0;
  }
  if (value.f >= limit) {
    return (UINT64_C(1) << (width - 1)) - 1;
  }
  return value.f <= -limit ? UINT64_C(1) << (width - 1)
                           : (uint64_t)(int64_t)value.f;
}

static uint64_t as_uint(neso_wide_kind from, neso_wide value, int width) {
  if (from != NESO_WIDE_FLOAT) {
    return value.u;
  }
  if (!(value.f > 0)) {
    return 0;
  }
  return value.f >= ldexp(1.0, width) ? UINT64_MAX : (uint64_t)value.f;
}

static bool as_bool(neso_wide_kind from, neso_wide value) {
  return from == NESO_WIDE_FLOAT ? value.f != 0 : value.u != 0;
}

#define ENCODE(type, expression)                                               \
  for (size_t n = 0; n < count; n++, p += stride) {                            \
    type v = (type)(expression);                                               \
    memcpy(p, &v, sizeof v);                                                   \
  }                                                                            \
  break

void neso__encode(neso_dtype dtype, void *destination, ptrdiff_t stride,
                  size_t count, neso_wide_kind from, const neso_wide *in) {
  char *p = destination;
  const small_float *s = &small_floats[dtype];
  switch (dtype) {
  case NESO_I1:
    ENCODE(uint8_t, as_bool(from, in[n]));
  case NESO_I8:
    ENCODE(uint8_t, as_int(from, in[n], 8));
  case NESO_I16:
    ENCODE(uint16_t, as_int(from, in[n], 16));
  case NESO_I32:
    ENCODE(uint32_t, as_int(from, in[n], 32));
  case NESO_I64:
    ENCODE(uint64_t, as_int(from, in[n], 64));
  case NESO_U8:
    ENCODE(uint8_t, as_uint(from, in[n], 8));
  case NESO_U16:
    ENCODE(uint16_t, as_uint(from, in[n], 16));
  case NESO_U32:
    ENCODE(uint32_t, as_uint(from, in[n], 32));
  case NESO_U64:
    ENCODE(uint64_t, as_uint(from, in[n], 64));
  case NESO_F32:
    ENCODE(float, as_f32(from, in[n]));
  case NESO_F64:
    ENCODE(double, as_f64(from, in[n]));
  case NESO_F16:
  case NESO_BF16:
    ENCODE(uint16_t, encode(s, as_double(from, in[n])));
  default:
    ENCODE(uint8_t, encode(s, as_double(from, in[n])));
  }
}
