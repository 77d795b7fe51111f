/* Kernel handles: made when a kernel is defined, filled at its first launch. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

static const char handle_key = 0;
static const char objects_key = 0; /* handle -> kernel object, weak values */

static void handle_release(void *user) {
  neso_handle *handle = user;
  if (atomic_fetch_sub(&handle->references, 1) == 1) {
    neso__binding_release(handle->binding);
    free(handle->names);
    free(handle->name);
    free(handle->place);
    free(handle);
  }
}

static int handle_gc(lua_State *L) {
  neso_handle **box = lua_touserdata(L, 1);
  if (*box) {
    neso_kernel_release((*box)->kernel);
    (*box)->kernel = NULL;
    handle_release(*box);
    *box = NULL;
  }
  return 0;
}

neso_handle *neso__handle_check(lua_State *L, int index) {
  neso_handle **box = lua_touserdata(L, index);
  bool ours = false;
  if (box && lua_getmetatable(L, index)) {
    lua_pushlightuserdata(L, (void *)&handle_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    ours = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  if (!ours || !*box) {
    neso__error(L, "neso.core: kernel handle expected");
    return NULL;
  }
  return *box;
}

static neso_handle *handle_push(lua_State *L, neso_binding *binding) {
  neso_handle **box = lua_newuserdata(L, sizeof *box);
  *box = NULL;
  lua_pushlightuserdata(L, (void *)&handle_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_setmetatable(L, -2);
  neso_handle *handle = calloc(1, sizeof *handle);
  if (!handle) {
    neso__error(L, "neso: out of memory");
    return NULL;
  }
  *box = handle;
  atomic_init(&handle->references, 1);
  atomic_fetch_add(&binding->references, 1);
  handle->binding = binding;
  return handle;
}

/* core.kernel(names, kinds, dtype codes) -> handle */
static int kernel_new(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  size_t count = lua_rawlen(L, 1), bytes = 1;
  if (count > NESO_MAX_PARAMS) {
    return neso__error(L, "a kernel takes at most %d parameters, this has %d",
                       NESO_MAX_PARAMS, (int)count);
  }
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (int)i + 1);
    bytes += strlen(luaL_checkstring(L, -1)) + 1;
    lua_pop(L, 1);
  }
  neso_handle *handle = handle_push(L, binding);
  char *at = handle->names = malloc(bytes);
  if (!at) {
    return neso__error(L, "neso: out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (int)i + 1);
    lua_rawgeti(L, 2, (int)i + 1);
    lua_rawgeti(L, 3, (int)i + 1);
    size_t length = strlen(lua_tostring(L, -3)) + 1;
    memcpy(at, lua_tostring(L, -3), length);
    handle->interned[i] = lua_tostring(L, -3);
    handle->params[i].name = at;
    handle->params[i].kind = (uint8_t)lua_tointeger(L, -2);
    handle->params[i].dtype = (uint8_t)lua_tointeger(L, -1);
    handle->has_consts |= handle->params[i].kind == NESO_PARAM_CONST;
    at += length;
    lua_pop(L, 3);
  }
  handle->param_count = (int)count;
  return 1;
}

/* core.name(handle, name, place) */
static int kernel_name(lua_State *L) {
  neso_handle *handle = neso__handle_check(L, 1);
  const char *texts[2] = {luaL_checkstring(L, 2), luaL_checkstring(L, 3)};
  if (handle->name) {
    return 0;
  }
  handle->name = strdup(texts[0]);
  handle->place = strdup(texts[1]);
  if (!handle->name || !handle->place) {
    return neso__error(L, "neso: out of memory");
  }
  return 0;
}

void neso__handle_prepare(lua_State *L, neso_handle *handle, int kernel) {
  if (!handle->name) {
    lua_pushvalue(L, kernel);
    neso__port_push(L, handle->binding, NESO_PORT_PREPARE);
    lua_insert(L, -2);
    lua_call(L, 1, 0);
  }
  if (handle->kernel) {
    return;
  }
  neso_context *context = neso__binding_context(L, handle->binding);
  lua_pushvalue(L, kernel);
  lua_pushlightuserdata(L, (void *)&objects_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(L, handle);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
  atomic_fetch_add(&handle->references, 1);
  neso_status status = neso__kernel_create(
      context, handle->name, handle->params, (size_t)handle->param_count,
      neso__resolve, handle, handle_release, &handle->kernel);
  if (status) {
    handle_release(handle);
  }
  neso__raise(L, status);
}

bool neso__handle_object(lua_State *L, const neso_handle *handle) {
  lua_pushlightuserdata(L, (void *)&objects_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(L, (void *)handle);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  return !lua_isnil(L, -1);
}

const char *neso__handle_title(lua_State *L, const neso_handle *handle) {
  if (!handle->name) {
    return lua_pushfstring(L, "kernel");
  }
  return lua_pushfstring(L, "kernel '%s' (%s)", handle->name, handle->place);
}

/* core.set_captures(handle, rows, epoch) */
static int kernel_set_captures(lua_State *L) {
  neso_handle *handle = neso__handle_check(L, 1);
  handle->capture_count = (int)luaL_checkinteger(L, 2);
  handle->epoch = (int)luaL_checkinteger(L, 3);
  return 0;
}

/* core.forget(handle): drops the compiled variants */
static int kernel_forget(lua_State *L) {
  neso_handle *handle = neso__handle_check(L, 1);
  if (handle->kernel) {
    neso__kernel_forget(handle->kernel);
  }
  return 0;
}

/* core.export(name, handle, kernel): publishes for C hosts */
static int kernel_export(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  neso_handle *handle = neso__handle_check(L, 2);
  lua_settop(L, 3);
  neso__handle_prepare(L, handle, 3);
  neso__raise(L, neso__kernel_export(neso__binding_context(L, handle->binding),
                                     name, handle->kernel));
  return 0;
}

void neso__open_kernel(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"kernel", kernel_new},
      {"name", kernel_name},
      {"set_captures", kernel_set_captures},
      {"forget", kernel_forget},
      {"export", kernel_export},
      {NULL, NULL},
  };
  neso_lua_setfuncs(L, functions);
  lua_pushlightuserdata(L, (void *)&handle_key);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, handle_gc);
  lua_setfield(L, -2, "__gc");
  lua_rawset(L, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(L, (void *)&objects_key);
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  neso__open_launch(L);
  neso__open_resolve(L);
  neso__open_interpret(L);
}
