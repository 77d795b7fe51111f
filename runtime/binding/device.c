/* Backends and devices as the shell asks for them. */
#include "binding.h"

#include "src/cache.h"

/* core.backend_query(driver) -> active, reason, device count */
static int backend_query(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  const char *driver = luaL_checkstring(L, 1);
  neso_context *context = neso__binding_context(L, binding);
  neso_backend_info info = {0};
  neso_status status = neso_backend_query(context, driver, &info);
  if (status) {
    lua_pushboolean(L, 0);
    lua_pushstring(L, neso_status_text(status));
    lua_pushinteger(L, 0);
    neso_status_free(status);
    return 3;
  }
  lua_pushboolean(L, info.active);
  lua_pushstring(L, info.reason ? info.reason : "");
  lua_pushinteger(L, info.device_count);
  return 3;
}

/* core.device(driver, index) -> handle, name, target */
static int device_get(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  neso_context *context = neso__binding_context(L, binding);
  neso_device *device = NULL;
  neso__raise(L, neso_device_get(context, luaL_checkstring(L, 1),
                                 (int)luaL_checkinteger(L, 2), &device));
  lua_pushlightuserdata(L, device);
  lua_pushstring(L, neso_device_name(device));
  lua_pushstring(L, neso_device_target(device));
  return 3;
}

/* core.threads() -> how many threads a launch may use */
static int device_threads(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  lua_pushnumber(
      L, (lua_Number)neso__context_workers(neso__binding_context(L, binding)));
  return 1;
}

static void number_field(lua_State *L, const char *name, uint64_t value) {
  lua_pushnumber(L, (lua_Number)value);
  lua_setfield(L, -2, name);
}

/* core.cache_stats() -> {path, files, bytes, limit, hits, misses} */
static int cache_stats(lua_State *L) {
  neso_context *context = neso__binding_context(L, neso__binding_of(L));
  neso_cache_stats stats = {0};
  const char *path = neso__cache_path(context);
  if (path) {
    neso__raise(L, neso__cache_stats(context, &stats));
  }
  lua_createtable(L, 0, 6);
  lua_pushstring(L, path);
  lua_setfield(L, -2, "path");
  number_field(L, "files", stats.entries);
  number_field(L, "bytes", stats.bytes);
  number_field(L, "limit", stats.max_bytes);
  number_field(L, "hits", stats.hits);
  number_field(L, "misses", stats.misses);
  return 1;
}

/* core.cache_prune(bytes) */
static int cache_prune(lua_State *L) {
  neso_context *context = neso__binding_context(L, neso__binding_of(L));
  uint64_t removed;
  neso__raise(L, neso__cache_prune(context, (uint64_t)luaL_checknumber(L, 1),
                                   &removed));
  return 0;
}

/* core.cache_clear() */
static int cache_clear(lua_State *L) {
  neso_context *context = neso__binding_context(L, neso__binding_of(L));
  uint64_t removed;
  neso__raise(L, neso__cache_clear(context, &removed));
  return 0;
}

void neso__open_device(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"backend_query", backend_query},
      {"device", device_get},
      {"threads", device_threads},
      {"cache_stats", cache_stats},
      {"cache_prune", cache_prune},
      {"cache_clear", cache_clear},
      {NULL, NULL},
  };
  neso_lua_setfuncs(L, functions);
}
