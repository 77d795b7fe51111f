/* Comparisons of tensors, of any two dtypes. */
#include "binding.h"

#include <math.h>

#define CHUNK 512

typedef struct comparison {
  double rtol, atol;
  bool nan_equal, exact;
  int64_t mismatches, first; /* -1 when none */
  double max_difference;
} comparison;

static double wide_number(neso_wide_kind kind, neso_wide value) {
  return kind == NESO_WIDE_FLOAT ? value.f
         : kind == NESO_WIDE_INT ? (double)value.i
                                 : (double)value.u;
}

static bool wide_equal(neso_wide_kind ka, neso_wide a, neso_wide_kind kb,
                       neso_wide b) {
  if (ka == NESO_WIDE_FLOAT || kb == NESO_WIDE_FLOAT) {
    return wide_number(ka, a) == wide_number(kb, b);
  }
  bool negative_a = ka == NESO_WIDE_INT && a.i < 0;
  bool negative_b = kb == NESO_WIDE_INT && b.i < 0;
  return negative_a == negative_b && a.u == b.u;
}

static void compare_one(comparison *c, int64_t at, neso_wide_kind ka,
                        neso_wide a, neso_wide_kind kb, neso_wide b) {
  double x = wide_number(ka, a), y = wide_number(kb, b);
  bool both_nan = isnan(x) && isnan(y);
  bool equal = wide_equal(ka, a, kb, b) || (both_nan && c->nan_equal);
  double difference = equal ? 0 : fabs(x - y);
  if (isnan(difference) ||
      (!isnan(c->max_difference) && difference > c->max_difference)) {
    c->max_difference = difference;
  }
  bool close = equal || (!c->exact && isfinite(y) &&
                         difference <= c->atol + c->rtol * fabs(y));
  if (!close) {
    c->mismatches++;
    c->first = c->first < 0 ? at : c->first;
  }
}

static void compare_run(comparison *c, int64_t at, const neso_tensor *a,
                        const char *pa, ptrdiff_t sa, const neso_tensor *b,
                        const char *pb, ptrdiff_t sb, int64_t count) {
  neso_wide ca[CHUNK], cb[CHUNK];
  neso_wide_kind ka = neso__wide_kind_of((neso_dtype)a->dtype);
  neso_wide_kind kb = neso__wide_kind_of((neso_dtype)b->dtype);
  for (int64_t done = 0; done < count; done += CHUNK) {
    size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;
    neso__decode((neso_dtype)a->dtype, pa + done * sa, sa, n, ca);
    neso__decode((neso_dtype)b->dtype, pb + done * sb, sb, n, cb);
    for (size_t i = 0; i < n; i++) {
      compare_one(c, at + done + (int64_t)i, ka, ca[i], kb, cb[i]);
    }
  }
}

/* core.compare(a, b, rtol or nil for exact, atol, nan equal) ->
 * mismatches, row-major number of the first or -1, largest difference */
static int value_compare(lua_State *L) {
  neso_tensor a = *neso__tensor_check(L, 1, "compare");
  neso_tensor b = *neso__tensor_check(L, 2, "compare");
  neso__check_same_shape(L, &a, &b, "compare");
  comparison c = {.exact = lua_isnoneornil(L, 3), .first = -1};
  c.rtol = luaL_optnumber(L, 3, 0);
  c.atol = luaL_optnumber(L, 4, 0);
  c.nan_equal = lua_toboolean(L, 5);
  char *pa = neso__tensor_data(L, &a), *pb = neso__tensor_data(L, &b);
  int64_t size_a = (int64_t)neso_dtype_size((neso_dtype)a.dtype);
  int64_t size_b = (int64_t)neso_dtype_size((neso_dtype)b.dtype);
  neso__flatten(&a, &b);
  neso_walk wa, wb;
  neso__walk_start(&wa, &a);
  neso__walk_start(&wb, &b);
  for (int64_t r = 0; r < wa.runs; r++) {
    compare_run(&c, r * wa.run_length, &a, pa + wa.offset * size_a,
                wa.run_stride * size_a, &b, pb + wb.offset * size_b,
                wb.run_stride * size_b, wa.run_length);
    neso__walk_next(&wa, &a);
    neso__walk_next(&wb, &b);
  }
  neso_lua_push_number(L, (double)c.mismatches);
  neso_lua_push_number(L, (double)c.first);
  lua_pushnumber(L, c.max_difference);
  return 3;
}

void neso__open_compare(lua_State *L) {
  static const luaL_Reg functions[] = {{"compare", value_compare},
                                       {NULL, NULL}};
  neso_lua_setfuncs(L, functions);
}
