/* The Lua module `neso.terminal`. */
#include "cli.h"

#include <lauxlib.h>
#include <unistd.h>

static int is_terminal(lua_State *L) {
  lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
  return 1;
}

static int watch(lua_State *L) {
  neso__interrupt_watch(L);
  return 0;
}

static int unwatch(lua_State *L) {
  (void)L;
  neso__interrupt_unwatch();
  return 0;
}

static const luaL_Reg FUNCTIONS[] = {{"is_terminal", is_terminal},
                                     {"watch", watch},
                                     {"unwatch", unwatch},
                                     {"editor", neso__editor_new},
                                     {NULL, NULL}};

static int open_terminal(lua_State *L) {
  lua_newtable(L);
  luaL_register(L, NULL, FUNCTIONS);
  lua_pushstring(L, NESO_VERSION_TEXT);
  lua_setfield(L, -2, "version");
  return 1;
}

void neso__terminal_preload(lua_State *L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, open_terminal);
  lua_setfield(L, -2, "neso.terminal");
  lua_pop(L, 2);
}
