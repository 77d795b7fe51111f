/* link: neso_objects neso_fixture cmocka m */
/* How numbers of Lua become types and bytes of parameters. */
#include "fixture.h"

#include <float.h>
#include <math.h>

#include "call.h"

/* ---------------------------------------------------- numbers by value -- */

static neso_arg unsigned_arg(uint64_t value) {
  neso_arg arg = neso_arg_integer((int64_t)value);
  arg.dtype = NESO_U64;
  return arg;
}

static void by_value(void **state) {
  (void)state;
  const struct {
    neso_arg arg;
    neso_dtype dtype;
  } rows[] = {
      {neso_arg_number(0), NESO_I32},
      {neso_arg_number(-0.0), NESO_I32},
      {neso_arg_number(2147483647.0), NESO_I32},
      {neso_arg_number(-2147483648.0), NESO_I32},
      {neso_arg_number(2147483648.0), NESO_I64},
      {neso_arg_number(-2147483649.0), NESO_I64},
      {neso_arg_number(9007199254740993.0), NESO_I64},
      {neso_arg_number(-9223372036854775808.0), NESO_I64},
      {neso_arg_number(9223372036854775808.0), NESO_F32},
      {neso_arg_number(1e30), NESO_F32},
      {neso_arg_number(0.1), NESO_F32},
      {neso_arg_number(2147483647.5), NESO_F32},
      {neso_arg_number(FLT_MAX), NESO_F32},
      {neso_arg_number(nextafter(FLT_MAX, INFINITY)), NESO_F64},
      {neso_arg_number(1e300), NESO_F64},
      {neso_arg_number(FLT_MIN), NESO_F32},
      {neso_arg_number(-FLT_MIN / 2), NESO_F64},
      {neso_arg_number(INFINITY), NESO_F32},
      {neso_arg_number(NAN), NESO_F32},
      {neso_arg_integer(-1), NESO_I32},
      {neso_arg_integer(INT64_MIN), NESO_I64},
      {neso_arg_integer(INT64_C(1) << 31), NESO_I64},
      {unsigned_arg(5), NESO_I32},
      {unsigned_arg(UINT64_MAX), NESO_U64},
      {neso_arg_bool(true), NESO_I1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    neso_dtype dtype;
    uint64_t bytes = 0;
    assert_true(neso__number_by_value(&rows[i].arg, &dtype, &bytes));
    if (dtype != rows[i].dtype)
      fail_msg("row %zu is %s", i, neso_dtype_name(dtype));
  }
}

static void values_bit_for_bit(void **state) {
  (void)state;
  neso_dtype dtype;
  uint64_t bytes = 0;
  float single;
  neso_arg arg = neso_arg_number(0.1);
  neso__number_by_value(&arg, &dtype, &bytes);
  memcpy(&single, &bytes, 4);
  assert_true(single == 0.1f);
  arg = neso_arg_number(-3);
  neso__number_by_value(&arg, &dtype, &bytes);
  assert_int_equal((int32_t)bytes, -3);
  arg = neso_arg_number(-9007199254740992.0);
  neso__number_by_value(&arg, &dtype, &bytes);
  assert_true((int64_t)bytes == -9007199254740992);
  arg = neso_arg_number(1e300);
  neso__number_by_value(&arg, &dtype, &bytes);
  double wide;
  memcpy(&wide, &bytes, 8);
  assert_true(wide == 1e300);
}

/* ---------------------------------------------------- declared numbers -- */

static bool fits(neso_dtype dtype, neso_arg arg) {
  uint64_t bytes;
  return neso__number_as(dtype, &arg, &bytes);
}

static void declared_limits(void **state) {
  (void)state;
  const struct {
    neso_dtype dtype;
    double low, high;
  } rows[] = {
      {NESO_I1, 0, 1},
      {NESO_I8, -128, 127},
      {NESO_U8, 0, 255},
      {NESO_I16, -32768, 32767},
      {NESO_U16, 0, 65535},
      {NESO_I32, -2147483648.0, 2147483647.0},
      {NESO_U32, 0, 4294967295.0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    neso_dtype dtype = rows[i].dtype;
    assert_true(fits(dtype, neso_arg_number(rows[i].low)));
    assert_true(fits(dtype, neso_arg_number(rows[i].high)));
    assert_false(fits(dtype, neso_arg_number(rows[i].low - 1)));
    assert_false(fits(dtype, neso_arg_number(rows[i].high + 1)));
    assert_false(fits(dtype, neso_arg_number(0.5)));
    assert_false(fits(dtype, neso_arg_number(NAN)));
    assert_false(fits(dtype, neso_arg_number(INFINITY)));
  }
  assert_true(fits(NESO_I64, neso_arg_number(-9223372036854775808.0)));
  assert_false(fits(NESO_I64, neso_arg_number(9223372036854775808.0)));
  assert_true(fits(NESO_U64, neso_arg_number(9223372036854775808.0)));
  assert_false(fits(NESO_U64, neso_arg_number(18446744073709551616.0)));
  assert_false(fits(NESO_U64, neso_arg_integer(-1)));
  assert_true(fits(NESO_U64, unsigned_arg(UINT64_MAX)));
  assert_false(fits(NESO_I64, unsigned_arg(UINT64_MAX)));
  assert_true(fits(NESO_I1, neso_arg_bool(true)));
  assert_true(fits(NESO_F16, neso_arg_number(65519)));
  assert_false(fits(NESO_F16, neso_arg_number(65520)));
  assert_true(fits(NESO_F16, neso_arg_number(-INFINITY)));
  assert_true(fits(NESO_BF16, neso_arg_number(3.39e38)));
  assert_false(fits(NESO_BF16, neso_arg_number(3.4e38)));
  assert_false(fits(NESO_BF16, neso_arg_number(1e300)));
  assert_false(fits(NESO_F32, neso_arg_number(1e39)));
  assert_true(fits(NESO_F64, neso_arg_number(1e300)));
}

static uint16_t half_bits(neso_dtype dtype, double value) {
  neso_arg arg = neso_arg_number(value);
  uint64_t bytes = 0;
  neso__number_as(dtype, &arg, &bytes);
  return (uint16_t)bytes;
}

static double half_value(uint16_t bits, int mantissa, int bias) {
  int exponent = (bits & 0x7fff) >> mantissa;
  int fraction = bits & ((1 << mantissa) - 1);
  double value =
      exponent ? ldexp(fraction + (1 << mantissa), exponent - bias - mantissa)
               : ldexp(fraction, 1 - bias - mantissa);
  return bits & 0x8000 ? -value : value;
}

/* All finite values of both formats, and the midpoints to their neighbours. */
static void halves_are_rounded_to_even(void **state) {
  (void)state;
  const struct {
    neso_dtype dtype;
    int mantissa, bias;
    uint16_t infinity;
  } rows[] = {{NESO_F16, 10, 15, 0x7c00}, {NESO_BF16, 7, 127, 0x7f80}};
  for (size_t k = 0; k < 2; k++)
    for (uint16_t bits = 0; bits < rows[k].infinity; bits++) {
      double value = half_value(bits, rows[k].mantissa, rows[k].bias);
      assert_int_equal(half_bits(rows[k].dtype, value), bits);
      assert_int_equal(half_bits(rows[k].dtype, -value), bits | 0x8000);
      if (bits + 1 == rows[k].infinity)
        continue;
      double next = half_value(bits + 1, rows[k].mantissa, rows[k].bias);
      double middle = (value + next) / 2;
      uint16_t even = bits & 1 ? bits + 1 : bits;
      assert_int_equal(half_bits(rows[k].dtype, middle), even);
      assert_int_equal(half_bits(rows[k].dtype, nextafter(middle, 0)), bits);
      assert_int_equal(half_bits(rows[k].dtype, nextafter(middle, INFINITY)),
                       bits + 1);
    }
  assert_int_equal(half_bits(NESO_F16, INFINITY), 0x7c00);
  assert_int_equal(half_bits(NESO_BF16, -INFINITY), 0xff80);
  assert_true((half_bits(NESO_F16, NAN) & 0x7fff) > 0x7c00);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_value),
      cmocka_unit_test(values_bit_for_bit),
      cmocka_unit_test(declared_limits),
      cmocka_unit_test(halves_are_rounded_to_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
