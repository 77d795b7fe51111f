/* One source for the C API of LuaJIT and PUC Lua 5.1 to 5.4: the names used
 * here are those of 5.4, or start with neso_lua. */
#ifndef NESO_LUA_COMPAT_H
#define NESO_LUA_COMPAT_H

#include <math.h>
#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

#define NESO_LUA_TCDATA 10 /* lua_type of LuaJIT's FFI objects */

#if LUA_VERSION_NUM < 502
#define lua_rawlen(L, i) lua_objlen(L, i)
#endif

/* luaL_setfuncs, which PUC Lua 5.1 does not export and LuaJIT does. */
static inline void neso_lua_setfuncs(lua_State *L, const luaL_Reg *l) {
  for (; l->name; l++) {
    lua_pushcfunction(L, l->func);
    lua_setfield(L, -2, l->name);
  }
}

/* A table tied to a userdata: environment in 5.1, user value later. */
static inline void neso_lua_set_anchor(lua_State *L, int userdata) {
#if LUA_VERSION_NUM < 502
  lua_setfenv(L, userdata);
#else
  lua_setuservalue(L, userdata);
#endif
}
static inline void neso_lua_get_anchor(lua_State *L, int userdata) {
#if LUA_VERSION_NUM < 502
  lua_getfenv(L, userdata);
#else
  lua_getuservalue(L, userdata);
#endif
}

/* True when the value is a Lua 5.3 integer. */
static inline bool neso_lua_is_integer(lua_State *L, int i) {
#if LUA_VERSION_NUM < 503
  (void)L, (void)i;
  return false;
#else
  return lua_isinteger(L, i) != 0;
#endif
}

/* A number that reads the same in every Lua: whole ones as integers where this
 * Lua has them. */
static inline void neso_lua_push_number(lua_State *L, double value) {
#if LUA_VERSION_NUM >= 503
  if (value >= -0x1p53 && value <= 0x1p53 &&
      value == (double)(lua_Integer)value && !(value == 0 && signbit(value))) {
    lua_pushinteger(L, (lua_Integer)value);
    return;
  }
#endif
  lua_pushnumber(L, value);
}

static inline int neso_lua_absindex(lua_State *L, int i) {
  return i > 0 || i <= LUA_REGISTRYINDEX ? i : lua_gettop(L) + i + 1;
}

#endif
