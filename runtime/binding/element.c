/* One element of a tensor as a Lua value, and back. */
#include "binding.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT (UINT64_C(1) << 53) /* numbers hold integers up to here */

/* A 64-bit integer that a Lua number cannot hold: as the shell's port makes
 * it (int64 cdata, Lua 5.3 integer, or a decimal string). */
static void push_wide_integer(lua_State *L, neso_binding *binding,
                              uint64_t bits, bool is_unsigned) {
  neso__port_push(L, binding, NESO_PORT_WIDE);
  lua_pushnumber(L, (lua_Number)(bits >> 32));
  lua_pushnumber(L, (lua_Number)(bits & UINT32_MAX));
  lua_pushboolean(L, is_unsigned);
  char text[24];
  if (is_unsigned) {
    snprintf(text, sizeof text, "%llu", (unsigned long long)bits);
  } else {
    snprintf(text, sizeof text, "%lld", (long long)bits);
  }
  lua_pushstring(L, text);
  lua_call(L, 4, 1);
}

static void push_integer(lua_State *L, neso_binding *binding, neso_wide value,
                         bool is_unsigned) {
#if LUA_VERSION_NUM >= 503
  if (!is_unsigned || value.u <= INT64_MAX) {
    lua_pushinteger(L, (lua_Integer)value.i);
    return;
  }
#endif
  bool exact = is_unsigned
                   ? value.u <= EXACT
                   : value.i >= -(int64_t)EXACT && value.i <= (int64_t)EXACT;
  if (exact) {
    lua_pushnumber(L, is_unsigned ? (double)value.u : (double)value.i);
  } else {
    push_wide_integer(L, binding, value.u, is_unsigned);
  }
}

void neso__push_int64(lua_State *L, neso_binding *binding, int64_t value) {
  push_integer(L, binding, (neso_wide){.i = value}, false);
}

void neso__push_element(lua_State *L, neso_binding *binding, neso_dtype dtype,
                        const void *source) {
  neso_wide value;
  neso__decode(dtype, source, 0, 1, &value);
  switch (neso__wide_kind_of(dtype)) {
  case NESO_WIDE_FLOAT:
    lua_pushnumber(L, value.f);
    break;
  case NESO_WIDE_INT:
    push_integer(L, binding, value, false);
    break;
  default:
    if (dtype == NESO_I1) {
      lua_pushboolean(L, value.u != 0);
    } else {
      push_integer(L, binding, value, true);
    }
  }
}

/* "12", "-12", "12LL", "12ULL" */
static bool parse_integer(const char *text, neso_wide_kind *kind,
                          neso_wide *out) {
  char *end;
  bool negative = *text == '-';
  if (text[negative] < '0' || text[negative] > '9') {
    return false;
  }
  errno = 0;
  if (negative) {
    *kind = NESO_WIDE_INT;
    out->i = strtoll(text, &end, 10);
  } else {
    *kind = NESO_WIDE_UINT;
    out->u = strtoull(text, &end, 10);
  }
  return errno == 0 &&
         (!*end || strcmp(end, "LL") == 0 || strcmp(end, "ULL") == 0);
}

bool neso__read_integer(lua_State *L, int index, neso_wide_kind *kind,
                        neso_wide *out) {
  if (lua_type(L, index) == LUA_TSTRING) {
    return parse_integer(lua_tostring(L, index), kind, out);
  }
  index = neso_lua_absindex(L, index);
  lua_getglobal(L, "tostring");
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  bool ok = parse_integer(lua_tostring(L, -1), kind, out);
  lua_pop(L, 1);
  return ok;
}

static bool parse_value(lua_State *L, int index, neso_wide_kind *kind,
                        neso_wide *out) {
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    if (neso_lua_is_integer(L, index)) {
      *kind = NESO_WIDE_INT;
      out->i = lua_tointeger(L, index);
    } else {
      *kind = NESO_WIDE_FLOAT;
      out->f = lua_tonumber(L, index);
    }
    return true;
  case LUA_TBOOLEAN:
    *kind = NESO_WIDE_UINT;
    out->u = (uint64_t)lua_toboolean(L, index);
    return true;
  case LUA_TSTRING:
  case NESO_LUA_TCDATA:
    return neso__read_integer(L, index, kind, out);
  default:
    return false;
  }
}

/* NULL, or why an element of `dtype` cannot hold the value. */
static const char *misfit(neso_dtype dtype, neso_wide_kind kind,
                          neso_wide value) {
  neso_wide_kind wanted = neso__wide_kind_of(dtype);
  if (wanted == NESO_WIDE_FLOAT || dtype == NESO_I1) {
    return NULL;
  }
  if (kind == NESO_WIDE_FLOAT &&
      (value.f != floor(value.f) || isinf(value.f))) {
    return "is not an integer";
  }
  int bits = 8 * (int)neso_dtype_size(dtype);
  bool negative = kind == NESO_WIDE_FLOAT
                      ? value.f < 0
                      : kind == NESO_WIDE_INT && value.i < 0;
  double low = wanted == NESO_WIDE_INT ? -ldexp(1, bits - 1) : 0;
  double high = ldexp(1, wanted == NESO_WIDE_INT ? bits - 1 : bits);
  bool fits;
  if (kind == NESO_WIDE_FLOAT) {
    fits = value.f >= low && value.f < high;
  } else if (negative) {
    fits = wanted == NESO_WIDE_INT && (double)value.i >= low;
  } else {
    int width = wanted == NESO_WIDE_INT ? bits - 1 : bits;
    fits = width == 64 || value.u >> width == 0;
  }
  return fits ? NULL : "is out of range";
}

const char *neso__write_element(lua_State *L, int index, neso_dtype dtype,
                                void *destination) {
  neso_wide_kind kind;
  neso_wide value;
  if (!parse_value(L, index, &kind, &value)) {
    return "is not a number";
  }
  const char *why = misfit(dtype, kind, value);
  if (!why) {
    neso__encode(dtype, destination, 0, 1, kind, &value);
  }
  return why;
}
