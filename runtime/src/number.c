/* Numbers of the host as run-time scalars: typed by value, or converted to a
 * declared type with a check of the range. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "call.h"
#include "formats.h"

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

/* An integer from -2^63 to 2^64 - 1: sign and magnitude bits apart. */
typedef struct whole {
  bool negative; /* `bits` is then an int64 below zero */
  uint64_t bits;
} whole;

static bool whole_of(const neso_arg *arg, whole *out) {
  if (arg->kind == NESO_ARG_BOOL) {
    *out = (whole){false, arg->value.boolean};
    return true;
  }
  if (arg->kind == NESO_ARG_INTEGER) {
    int64_t value = arg->value.integer;
    *out = (whole){value < 0 && arg->dtype != NESO_U64, (uint64_t)value};
    return true;
  }
  double value = arg->value.number;
  if (!(value >= -TWO_63 && value < TWO_64) || value != trunc(value))
    return false;
  if (value < 0)
    *out = (whole){true, (uint64_t)(int64_t)value};
  else
    *out = (whole){false, (uint64_t)value};
  return true;
}

static bool fits_signed(whole number, int bits) {
  uint64_t top = UINT64_C(1) << (bits - 1);
  return number.negative ? -number.bits <= top : number.bits < top;
}

static bool fits_unsigned(whole number, int bits) {
  return !number.negative && (bits == 64 || number.bits >> bits == 0);
}

static double double_of(const neso_arg *arg) {
  if (arg->kind == NESO_ARG_NUMBER)
    return arg->value.number;
  if (arg->kind == NESO_ARG_BOOL)
    return arg->value.boolean;
  return arg->dtype == NESO_U64 ? (double)(uint64_t)arg->value.integer
                                : (double)arg->value.integer;
}

/* f32 serves unless the magnitude is outside its normal range. */
static bool f32_serves(double value) {
  double size = fabs(value);
  return !(size < FLT_MIN && size > 0) && !(size > FLT_MAX && isfinite(size));
}

static void put_float(neso_dtype *out_dtype, double value, void *out_bytes) {
  *out_dtype = f32_serves(value) ? NESO_F32 : NESO_F64;
  float single = (float)value;
  if (*out_dtype == NESO_F32)
    memcpy(out_bytes, &single, sizeof single);
  else
    memcpy(out_bytes, &value, sizeof value);
}

bool neso__number_by_value(const neso_arg *arg, neso_dtype *out_dtype,
                           void *out_bytes) {
  whole number = {false, 0};
  if (arg->kind == NESO_ARG_NUMBER) {
    double value = arg->value.number;
    if (value >= INT32_MIN && value <= INT32_MAX) {
      int32_t integer = (int32_t)value;
      if (integer == value) {
        *out_dtype = NESO_I32;
        memcpy(out_bytes, &integer, sizeof integer);
        return true;
      }
    }
    if (!(value >= -TWO_63 && value < TWO_63) || !whole_of(arg, &number)) {
      put_float(out_dtype, value, out_bytes);
      return true;
    }
  } else {
    whole_of(arg, &number);
  }
  memcpy(out_bytes, &number.bits, sizeof number.bits);
  *out_dtype = arg->kind == NESO_ARG_BOOL ? NESO_I1
               : fits_signed(number, 32)  ? NESO_I32
               : fits_signed(number, 64)  ? NESO_I64
                                          : NESO_U64;
  return true;
}

/* Whether it was in the range of the float type. */
static bool as_float(neso_dtype dtype, double value, void *out_bytes) {
  neso_wide wide = {.f = value};
  neso__encode(dtype, out_bytes, 0, 1, NESO_WIDE_FLOAT, &wide);
  neso__decode(dtype, out_bytes, 0, 1, &wide);
  return !isfinite(value) || isfinite(wide.f);
}

bool neso__number_as(neso_dtype dtype, const neso_arg *arg, void *out_bytes) {
  whole number = {false, 0};
  switch (dtype) {
  case NESO_F16:
  case NESO_BF16:
  case NESO_F32:
  case NESO_F64:
    return as_float(dtype, double_of(arg), out_bytes);
  default:
    break;
  }
  if (!whole_of(arg, &number))
    return false;
  memcpy(out_bytes, &number.bits, sizeof number.bits);
  int bits = (int)neso_dtype_size(dtype) * 8;
  switch (dtype) {
  case NESO_I1:
    return fits_unsigned(number, 1);
  case NESO_I8:
  case NESO_I16:
  case NESO_I32:
  case NESO_I64:
    return fits_signed(number, bits);
  case NESO_U8:
  case NESO_U16:
  case NESO_U32:
  case NESO_U64:
    return fits_unsigned(number, bits);
  default:
    return false;
  }
}

const char *neso__dtype_limits(neso_dtype dtype) {
  switch (dtype) {
  case NESO_I1:
    return "false or true, 0 or 1";
  case NESO_I8:
    return "integers from -128 to 127";
  case NESO_I16:
    return "integers from -32768 to 32767";
  case NESO_I32:
    return "integers from -2147483648 to 2147483647";
  case NESO_I64:
    return "integers from -2^63 to 2^63 - 1";
  case NESO_U8:
    return "integers from 0 to 255";
  case NESO_U16:
    return "integers from 0 to 65535";
  case NESO_U32:
    return "integers from 0 to 4294967295";
  case NESO_U64:
    return "integers from 0 to 2^64 - 1";
  case NESO_F16:
    return "magnitudes up to 65504";
  case NESO_BF16:
    return "magnitudes up to 3.39e38";
  case NESO_F32:
    return "magnitudes up to 3.40e38";
  default:
    return "numbers";
  }
}
