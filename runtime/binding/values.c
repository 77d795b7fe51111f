/* Tensors' elements from Lua: one, a range, nested tables, and copies. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

#define CHUNK 512

static void check_element(lua_State *L, int index, neso_dtype dtype,
                          const char *what, void *destination) {
  const char *why = neso__write_element(L, index, dtype, destination);
  if (why) {
    lua_pushvalue(L, index);
    const char *text = lua_tostring(L, -1);
    neso__error(L, "%s: %s %s for %s", what,
                text ? text : luaL_typename(L, index), why,
                neso_dtype_name(dtype));
  }
}

static int64_t element_offset(lua_State *L, const neso_tensor *tensor,
                              int first, const char *what) {
  int64_t offset = 0;
  for (int d = 0; d < tensor->rank; d++) {
    int index = first + d;
    double value = lua_tonumber(L, index);
    int64_t at = (int64_t)value;
    if (lua_type(L, index) != LUA_TNUMBER || (double)at != value) {
      return neso__error(L, "%s: index %d is not an integer", what, d + 1);
    }
    if (at < 0 || at >= tensor->shape[d]) {
      return neso__error(L, "%s: index %d is %.0f, dimension %d has 0 to %.0f",
                         what, d + 1, value, d, (double)tensor->shape[d] - 1);
    }
    offset += at * tensor->strides[d];
  }
  return offset;
}

static char *element_at(lua_State *L, const neso_tensor *tensor,
                        const char *what, int extra) {
  int given = lua_gettop(L) - 1 - extra;
  if (given != tensor->rank) {
    neso__error(L, "%s: %d indices for a tensor of %d dimensions", what, given,
                tensor->rank);
  }
  int64_t offset = element_offset(L, tensor, 2, what);
  int64_t size = (int64_t)neso_dtype_size((neso_dtype)tensor->dtype);
  return neso__tensor_data(L, tensor) + offset * size;
}

/* core.get(tensor, i, j, ...) */
static int value_get(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "get");
  char *at = element_at(L, tensor, "get", 0);
  neso__push_element(L, tensor->binding, (neso_dtype)tensor->dtype, at);
  return 1;
}

/* core.set(tensor, i, j, ..., value) */
static int value_set(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "set");
  char *at = element_at(L, tensor, "set", 1);
  check_element(L, lua_gettop(L), (neso_dtype)tensor->dtype, "set", at);
  lua_settop(L, 1);
  return 1;
}

/* core.fill(tensor, value) */
static int value_fill(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "fill");
  neso_dtype dtype = (neso_dtype)tensor->dtype;
  size_t size = neso_dtype_size(dtype);
  char element[8];
  check_element(L, 2, dtype, "fill", element);
  char *data = neso__tensor_data(L, tensor);
  neso_walk walk;
  neso__walk_start(&walk, tensor);
  for (int64_t r = 0; r < walk.runs; r++, neso__walk_next(&walk, tensor)) {
    char *p = data + walk.offset * (int64_t)size;
    for (int64_t i = 0; i < walk.run_length; i++) {
      memcpy(p, element, size);
      p += walk.run_stride * (int64_t)size;
    }
  }
  lua_settop(L, 1);
  return 1;
}

static void copy_run(neso_dtype to, char *out, ptrdiff_t out_stride,
                     neso_dtype from, const char *in, ptrdiff_t in_stride,
                     int64_t count) {
  size_t size = neso_dtype_size(to);
  if (to == from && out_stride == (ptrdiff_t)size && in_stride == out_stride) {
    memmove(out, in, (size_t)count * size);
    return;
  }
  neso_wide chunk[CHUNK];
  for (int64_t done = 0; done < count; done += CHUNK) {
    size_t n = count - done < CHUNK ? (size_t)(count - done) : CHUNK;
    neso__decode(from, in + done * in_stride, in_stride, n, chunk);
    neso__encode(to, out + done * out_stride, out_stride, n,
                 neso__wide_kind_of(from), chunk);
  }
}

void neso__flatten(neso_tensor *a, neso_tensor *b) {
  if (neso__tensor_is_contiguous(a) && neso__tensor_is_contiguous(b)) {
    a->shape[0] = b->shape[0] = neso__tensor_numel(a);
    a->strides[0] = b->strides[0] = 1;
    a->rank = b->rank = 1;
  }
}

void neso__check_same_shape(lua_State *L, const neso_tensor *a,
                            const neso_tensor *b, const char *what) {
  bool same = a->rank == b->rank;
  for (int d = 0; same && d < a->rank; d++) {
    same = a->shape[d] == b->shape[d];
  }
  if (!same) {
    neso__error(L, "%s: the shapes differ", what);
  }
}

/* core.copy(destination, source): same shape, converts */
static int value_copy(lua_State *L) {
  neso_tensor to = *neso__tensor_check(L, 1, "copy");
  neso_tensor from = *neso__tensor_check(L, 2, "copy");
  neso__check_same_shape(L, &to, &from, "copy");
  char *out = neso__tensor_data(L, &to);
  char *in = neso__tensor_data(L, &from);
  int64_t to_size = (int64_t)neso_dtype_size((neso_dtype)to.dtype);
  int64_t from_size = (int64_t)neso_dtype_size((neso_dtype)from.dtype);
  neso__flatten(&to, &from);
  neso_walk a, b;
  neso__walk_start(&a, &to);
  neso__walk_start(&b, &from);
  for (int64_t r = 0; r < a.runs; r++) {
    copy_run((neso_dtype)to.dtype, out + a.offset * to_size,
             a.run_stride * to_size, (neso_dtype)from.dtype,
             in + b.offset * from_size, b.run_stride * from_size, a.run_length);
    neso__walk_next(&a, &to);
    neso__walk_next(&b, &from);
  }
  lua_settop(L, 1);
  return 1;
}

/* core.arange(tensor, start, step): element i is start + i * step */
static int value_arange(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "arange");
  double start = luaL_checknumber(L, 2), step = luaL_checknumber(L, 3);
  char *data = neso__tensor_data(L, tensor);
  neso_dtype dtype = (neso_dtype)tensor->dtype;
  ptrdiff_t size = (ptrdiff_t)neso_dtype_size(dtype);
  int64_t count = neso__tensor_numel(tensor);
  for (int64_t i = 0; i < count; i++) {
    neso_wide value = {.f = start + (double)i * step};
    neso__encode(dtype, data + i * size, size, 1, NESO_WIDE_FLOAT, &value);
  }
  lua_settop(L, 1);
  return 1;
}

static int nested_error(lua_State *L, const int64_t *index, int depth,
                        const char *format, int64_t a, int64_t b) {
  char path[16 * NESO_MAX_RANK] = "", text[128];
  size_t length = 0;
  for (int d = 0; d < depth; d++) {
    length += (size_t)snprintf(path + length, sizeof path - length, "[%lld]",
                               (long long)index[d] + 1);
  }
  snprintf(text, sizeof text, format, (long long)a, (long long)b);
  return neso__error(L, "table%s %s", path, text);
}

/* core.nested_shape(table): the list of extents along the first elements */
static int value_nested_shape(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, 1);
  for (int depth = 1; lua_istable(L, -1); depth++) {
    if (depth > NESO_MAX_RANK) {
      return neso__error(L, "the table is nested more than %d deep",
                         NESO_MAX_RANK);
    }
    size_t extent = lua_rawlen(L, -1);
    lua_pushinteger(L, (lua_Integer)extent);
    lua_rawseti(L, 2, depth);
    lua_rawgeti(L, -1, 1);
    lua_replace(L, -2);
  }
  lua_settop(L, 2);
  return 1;
}

static char *read_nested(lua_State *L, const neso_tensor *tensor, int depth,
                         int64_t *index, char *out) {
  int64_t extent = tensor->shape[depth];
  int table = lua_gettop(L);
  if (!lua_istable(L, table)) {
    nested_error(L, index, depth, "is no table, but others at its depth are", 0,
                 0);
  }
  if ((int64_t)lua_rawlen(L, table) != extent) {
    nested_error(L, index, depth, "has %lld elements, expected %lld",
                 (int64_t)lua_rawlen(L, table), extent);
  }
  neso_dtype dtype = (neso_dtype)tensor->dtype;
  for (int64_t i = 0; i < extent; i++) {
    index[depth] = i;
    lua_rawgeti(L, table, (int)i + 1);
    if (depth + 1 < tensor->rank) {
      out = read_nested(L, tensor, depth + 1, index, out);
    } else if (lua_istable(L, -1)) {
      nested_error(L, index, depth + 1,
                   "is a table, but others at its depth are none", 0, 0);
    } else {
      const char *why = neso__write_element(L, -1, dtype, out);
      if (why) {
        char text[64];
        snprintf(text, sizeof text, "%s (%s)", why, neso_dtype_name(dtype));
        nested_error(L, index, depth + 1, text, 0, 0);
      }
      out += neso_dtype_size(dtype);
    }
    lua_settop(L, table);
  }
  return out;
}

/* core.read_table(tensor, table): a contiguous tensor of the table's shape */
static int value_read_table(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "tensor");
  int64_t index[NESO_MAX_RANK];
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  luaL_checkstack(L, 2 * NESO_MAX_RANK + 8, "tensor");
  read_nested(L, tensor, 0, index, neso__tensor_data(L, tensor));
  lua_settop(L, 1);
  return 1;
}

static void push_nested(lua_State *L, const neso_tensor *tensor, int depth,
                        const char *data) {
  neso_dtype dtype = (neso_dtype)tensor->dtype;
  if (depth == tensor->rank) {
    neso__push_element(L, tensor->binding, dtype, data);
    return;
  }
  int64_t step = tensor->strides[depth] * (int64_t)neso_dtype_size(dtype);
  lua_createtable(L, (int)tensor->shape[depth], 0);
  for (int64_t i = 0; i < tensor->shape[depth]; i++) {
    push_nested(L, tensor, depth + 1, data + i * step);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

/* core.totable(tensor): nested tables; a value for rank 0 */
static int value_totable(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "totable");
  luaL_checkstack(L, 2 * NESO_MAX_RANK + 8, "totable");
  push_nested(L, tensor, 0, neso__tensor_data(L, tensor));
  return 1;
}

void neso__open_values(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"get", value_get},
      {"set", value_set},
      {"fill", value_fill},
      {"copy", value_copy},
      {"arange", value_arange},
      {"nested_shape", value_nested_shape},
      {"read_table", value_read_table},
      {"totable", value_totable},
      {NULL, NULL},
  };
  neso_lua_setfuncs(L, functions);
}
