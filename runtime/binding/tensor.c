/* Tensors: typed, strided views of buffers. */
#include "binding.h"

#include <string.h>

static const char meta_key = 0;

neso_tensor *neso__tensor_test(lua_State *L, const neso_binding *binding,
                               int index) {
  neso_tensor *tensor = lua_touserdata(L, index);
  if (!tensor || !lua_getmetatable(L, index)) {
    return NULL;
  }
  bool same = lua_topointer(L, -1) == binding->tensor_meta;
  lua_pop(L, 1);
  return same ? tensor : NULL;
}

neso_tensor *neso__tensor_check(lua_State *L, int index, const char *what) {
  neso_tensor *tensor = neso__tensor_test(L, neso__binding_of(L), index);
  if (!tensor) {
    neso__error(L, "%s: expected a tensor, got %s", what,
                luaL_typename(L, index));
    return NULL;
  }
  if (!tensor->buffer || neso_buffer_is_freed(tensor->buffer)) {
    neso__error(L, "%s: the tensor's memory was freed", what);
  }
  return tensor;
}

int64_t neso__tensor_numel(const neso_tensor *tensor) {
  int64_t numel = 1;
  for (int d = 0; d < tensor->rank; d++) {
    numel *= tensor->shape[d];
  }
  return numel;
}

char *neso__tensor_data(lua_State *L, const neso_tensor *tensor) {
  char *data = neso_buffer_data(tensor->buffer);
  if (!data && neso_buffer_size(tensor->buffer) > 0) {
    neso__error(L, "the tensor's memory on %s:%d is not visible to the host",
                neso_device_backend(neso_buffer_device(tensor->buffer)),
                neso_device_index(neso_buffer_device(tensor->buffer)));
  }
  return data ? data + tensor->offset : NULL;
}

/* Pushes an empty tensor; the caller fills in buffer, dtype, shape. */
static neso_tensor *tensor_push(lua_State *L, neso_binding *binding) {
  neso_tensor *tensor = lua_newuserdata(L, sizeof *tensor);
  memset(tensor, 0, sizeof *tensor);
  lua_pushlightuserdata(L, (void *)&meta_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_setmetatable(L, -2);
  atomic_fetch_add(&binding->references, 1);
  tensor->binding = binding;
  return tensor;
}

static void make_contiguous(neso_tensor *tensor) {
  int64_t stride = 1;
  for (int d = tensor->rank - 1; d >= 0; d--) {
    tensor->strides[d] = stride;
    stride *= tensor->shape[d];
  }
}

bool neso__tensor_is_contiguous(const neso_tensor *tensor) {
  int64_t stride = 1;
  for (int d = tensor->rank - 1; d >= 0; d--) {
    if (tensor->shape[d] != 1 && tensor->strides[d] != stride) {
      return neso__tensor_numel(tensor) == 0;
    }
    stride *= tensor->shape[d];
  }
  return true;
}

void neso__walk_start(neso_walk *walk, const neso_tensor *tensor) {
  memset(walk, 0, sizeof *walk);
  int last = tensor->rank - 1;
  walk->run_length = tensor->rank ? tensor->shape[last] : 1;
  walk->run_stride = tensor->rank ? tensor->strides[last] : 1;
  int64_t numel = neso__tensor_numel(tensor);
  walk->runs = numel ? numel / walk->run_length : 0;
}

void neso__walk_next(neso_walk *walk, const neso_tensor *tensor) {
  for (int d = tensor->rank - 2; d >= 0; d--) {
    walk->offset += tensor->strides[d];
    if (++walk->index[d] < tensor->shape[d]) {
      return;
    }
    walk->offset -= tensor->strides[d] * tensor->shape[d];
    walk->index[d] = 0;
  }
}

static neso_dtype check_dtype(lua_State *L, int index) {
  lua_Integer code = luaL_checkinteger(L, index);
  luaL_argcheck(L, code >= 0 && code < NESO_DTYPE_COUNT, index, "no dtype");
  return (neso_dtype)code;
}

/* A list of integers into `out`; extents of a shape must not be negative. */
static int read_list(lua_State *L, int index, const char *what, bool extents,
                     int64_t *out) {
  luaL_checktype(L, index, LUA_TTABLE);
  size_t rank = lua_rawlen(L, index);
  if (rank > NESO_MAX_RANK) {
    return neso__error(L, "%s: %d dimensions, at most %d are supported", what,
                       (int)rank, NESO_MAX_RANK);
  }
  for (size_t d = 0; d < rank; d++) {
    lua_rawgeti(L, index, (int)d + 1);
    double value = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER || value != (double)(int64_t)value ||
        value > 9007199254740992.0 || value < -9007199254740992.0) {
      return neso__error(L, "%s[%d] is not an integer", what, (int)d + 1);
    }
    if (extents && value < 0) {
      return neso__error(L, "%s[%d] is negative (%d)", what, (int)d + 1,
                         (int)value);
    }
    out[d] = (int64_t)value;
    lua_pop(L, 1);
  }
  return (int)rank;
}

static size_t checked_bytes(lua_State *L, const neso_tensor *tensor) {
  int64_t bytes = (int64_t)neso_dtype_size((neso_dtype)tensor->dtype);
  for (int d = 0; d < tensor->rank; d++) {
    if (__builtin_mul_overflow(bytes, tensor->shape[d], &bytes) ||
        bytes > INT64_C(1) << 47) {
      neso__error(L, "the tensor is too large for this machine");
    }
  }
  return (size_t)bytes;
}

static neso_device *check_device(lua_State *L, int index,
                                 neso_binding *binding) {
  if (lua_isnoneornil(L, index)) {
    return neso__binding_device(L, binding);
  }
  luaL_checktype(L, index, LUA_TLIGHTUSERDATA);
  return lua_touserdata(L, index);
}

/* core.empty(dtype code, shape, device handle or nil) */
static int tensor_empty(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  lua_settop(L, 3);
  neso_context *context = neso__binding_context(L, binding);
  neso_device *device = check_device(L, 3, binding);
  neso_tensor *tensor = tensor_push(L, binding);
  tensor->dtype = (uint8_t)check_dtype(L, 1);
  tensor->rank = (uint8_t)read_list(L, 2, "shape", true, tensor->shape);
  make_contiguous(tensor);
  size_t bytes = checked_bytes(L, tensor);
  neso__binding_account(L, binding, bytes);
  tensor->accounted = bytes;
  neso_status status =
      neso_buffer_create(context, device, bytes, &tensor->buffer);
  if (status && neso_status_code(status) == NESO_OUT_OF_MEMORY) {
    neso_status_free(status);
    lua_gc(L, LUA_GCCOLLECT, 0);
    status = neso_buffer_create(context, device, bytes, &tensor->buffer);
  }
  neso__raise(L, status);
  return 1;
}

/* core.wrap(address, bytes, dtype code, shape, anchor, device handle or nil):
 * memory of the host, kept alive by `anchor` (any value) */
static int tensor_wrap(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  neso_context *context = neso__binding_context(L, binding);
  lua_settop(L, 6);
  uintptr_t address = (uintptr_t)luaL_checknumber(L, 1);
  size_t size = (size_t)luaL_checknumber(L, 2);
  neso_device *device = check_device(L, 6, binding);
  neso_tensor *tensor = tensor_push(L, binding);
  tensor->dtype = (uint8_t)check_dtype(L, 3);
  tensor->rank = (uint8_t)read_list(L, 4, "shape", true, tensor->shape);
  make_contiguous(tensor);
  size_t bytes = checked_bytes(L, tensor);
  if (bytes > size) {
    return neso__error(L, "the shape needs %.0f bytes, the memory has %.0f",
                       (double)bytes, (double)size);
  }
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 5);
  lua_rawseti(L, -2, 1);
  neso_lua_set_anchor(L, -2);
  neso__raise(L, neso_buffer_wrap(context, device, (void *)address, bytes, NULL,
                                  NULL, &tensor->buffer));
  return 1;
}

/* Every element of the view lies inside of the buffer. */
static bool view_fits(const neso_tensor *view, int64_t offset) {
  int64_t low = offset, high = offset;
  for (int d = 0; d < view->rank; d++) {
    if (view->shape[d] == 0) {
      return true;
    }
    int64_t reach;
    if (__builtin_mul_overflow(view->shape[d] - 1, view->strides[d], &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach,
                               reach < 0 ? &low : &high)) {
      return false;
    }
  }
  int64_t size = (int64_t)neso_dtype_size((neso_dtype)view->dtype);
  int64_t start = (int64_t)view->offset / size;
  int64_t elements = (int64_t)neso_buffer_size(view->buffer) / size;
  return low + start >= 0 && high + start < elements;
}

/* core.view(tensor, shape, strides, offset in elements from the tensor's own
 * first, dtype code or nil) */
static int tensor_view(lua_State *L) {
  neso_tensor *base = neso__tensor_check(L, 1, "view");
  lua_settop(L, 5);
  neso_tensor *view = tensor_push(L, base->binding);
  view->dtype =
      lua_isnoneornil(L, 5) ? base->dtype : (uint8_t)check_dtype(L, 5);
  view->rank = (uint8_t)read_list(L, 2, "shape", true, view->shape);
  int strides = read_list(L, 3, "strides", false, view->strides);
  luaL_argcheck(L, strides == view->rank, 3, "one stride a dimension");
  int64_t offset = (int64_t)luaL_checknumber(L, 4);
  neso_buffer_retain(base->buffer);
  view->buffer = base->buffer;
  view->offset = base->offset;
  if (!view_fits(view, offset)) {
    return neso__error(L, "the view reaches outside of the tensor's memory");
  }
  view->offset +=
      (size_t)(offset * (int64_t)neso_dtype_size((neso_dtype)view->dtype));
  neso_lua_get_anchor(L, 1);
  if (lua_istable(L, -1)) {
    neso_lua_set_anchor(L, -2);
  } else {
    lua_pop(L, 1);
  }
  return 1;
}

static void forget_bytes(neso_tensor *tensor) {
  tensor->binding->live_bytes -= tensor->accounted;
  tensor->accounted = 0;
}

static int tensor_gc(lua_State *L) {
  neso_tensor *tensor = lua_touserdata(L, 1);
  if (tensor->binding) {
    forget_bytes(tensor);
    neso_buffer_release(tensor->buffer);
    tensor->buffer = NULL;
    neso__binding_release(tensor->binding);
    tensor->binding = NULL;
  }
  return 0;
}

/* core.free(tensor): gives the memory back now; views see it too */
static int tensor_free(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "free");
  neso_buffer_free(tensor->buffer);
  forget_bytes(tensor);
  return 0;
}

static int tensor_is_freed(lua_State *L) {
  neso_tensor *tensor = neso__tensor_test(L, neso__binding_of(L), 1);
  luaL_argcheck(L, tensor, 1, "tensor expected");
  lua_pushboolean(L, !tensor->buffer || neso_buffer_is_freed(tensor->buffer));
  return 1;
}

static int tensor_is(lua_State *L) {
  lua_pushboolean(L, neso__tensor_test(L, neso__binding_of(L), 1) != NULL);
  return 1;
}

/* An integer where this Lua has them. */
static int push_count(lua_State *L, int64_t count) {
#if LUA_VERSION_NUM >= 503
  lua_pushinteger(L, (lua_Integer)count);
#else
  lua_pushnumber(L, (lua_Number)count);
#endif
  return 1;
}

static int push_list(lua_State *L, const int64_t *list, int count) {
  lua_createtable(L, count, 0);
  for (int d = 0; d < count; d++) {
    push_count(L, list[d]);
    lua_rawseti(L, -2, d + 1);
  }
  return 1;
}

static int property_shape(lua_State *L, const neso_tensor *t) {
  return push_list(L, t->shape, t->rank);
}
static int property_strides(lua_State *L, const neso_tensor *t) {
  return push_list(L, t->strides, t->rank);
}
static int property_ndim(lua_State *L, const neso_tensor *t) {
  return push_count(L, t->rank);
}
static int property_numel(lua_State *L, const neso_tensor *t) {
  return push_count(L, neso__tensor_numel(t));
}
static int property_nbytes(lua_State *L, const neso_tensor *t) {
  return push_count(L, neso__tensor_numel(t) *
                           (int64_t)neso_dtype_size((neso_dtype)t->dtype));
}
static int property_offset(lua_State *L, const neso_tensor *t) {
  size_t size = neso_dtype_size((neso_dtype)t->dtype);
  return push_count(L, (int64_t)(t->offset / size));
}
static int property_dtype(lua_State *L, const neso_tensor *t) {
  neso__port_push(L, t->binding, NESO_PORT_DTYPES);
  lua_rawgeti(L, -1, t->dtype + 1);
  return 1;
}
static int property_device(lua_State *L, const neso_tensor *t) {
  neso_device *device = neso_buffer_device(t->buffer);
  neso__port_push(L, t->binding, NESO_PORT_DEVICE_OF);
  lua_pushstring(L, neso_device_backend(device));
  lua_pushinteger(L, neso_device_index(device));
  lua_call(L, 2, 1);
  return 1;
}

static const struct {
  const char *name;
  int (*push)(lua_State *L, const neso_tensor *t);
} properties[] = {
    {"shape", property_shape}, {"strides", property_strides},
    {"dtype", property_dtype}, {"device", property_device},
    {"numel", property_numel}, {"nbytes", property_nbytes},
    {"ndim", property_ndim},   {"offset", property_offset},
};

/* core.property(tensor, name): nil when there is none */
static int tensor_property(lua_State *L) {
  neso_tensor *tensor = neso__tensor_test(L, neso__binding_of(L), 1);
  luaL_argcheck(L, tensor && tensor->buffer, 1, "tensor expected");
  const char *name = luaL_checkstring(L, 2);
  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
    if (strcmp(properties[i].name, name) == 0) {
      return properties[i].push(L, tensor);
    }
  }
  lua_pushnil(L);
  return 1;
}

/* core.contiguous(tensor): is it row-major without gaps? */
static int tensor_contiguous(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "is_contiguous");
  lua_pushboolean(L, neso__tensor_is_contiguous(tensor));
  return 1;
}

/* core.address(tensor): of element 0, as a number; 0 for none */
static int tensor_address(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "pointer");
  uintptr_t address = (uintptr_t)neso__tensor_data(L, tensor);
  if (address >> 53) {
    return neso__error(L, "the address does not fit a Lua number");
  }
  lua_pushnumber(L, (lua_Number)address);
  return 1;
}

void neso__open_tensor(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"empty", tensor_empty},       {"wrap", tensor_wrap},
      {"view", tensor_view},         {"free", tensor_free},
      {"is_freed", tensor_is_freed}, {"is_tensor", tensor_is},
      {"property", tensor_property}, {"is_contiguous", tensor_contiguous},
      {"address", tensor_address},   {NULL, NULL},
  };
  neso_lua_setfuncs(L, functions);
  lua_createtable(L, 0, 12);
  lua_pushcfunction(L, tensor_gc);
  lua_setfield(L, -2, "__gc");
  neso__binding_of(L)->tensor_meta = lua_topointer(L, -1);
  lua_pushlightuserdata(L, (void *)&meta_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_setfield(L, -2, "tensor_meta"); /* the shell adds methods to it */
}
