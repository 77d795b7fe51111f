/* The `neso` program: a LuaJIT that knows where neso is installed, and hands
 * its arguments to the Lua module neso.repl.program. */
#include "cli.h"

#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folder above the one that holds this program: PREFIX of PREFIX/bin/neso. */
static bool find_prefix(char prefix[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
  if (length <= 0)
    return false;
  prefix[length] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(prefix, '/');
    if (!slash)
      return false;
    *slash = '\0';
  }
  return true;
}

/* package[field] = patterns under the prefix, then what was there. */
static void prepend_path(lua_State *L, const char *field, const char *format,
                         const char *prefix) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, field);
  const char *old = lua_tostring(L, -1);
  luaL_gsub(L, format, "@", prefix);
  lua_pushfstring(L, "%s;%s", lua_tostring(L, -1), old ? old : "");
  lua_setfield(L, -4, field);
  lua_pop(L, 3);
}

static void set_paths(lua_State *L) {
  char prefix[PATH_MAX];
  if (!find_prefix(prefix))
    return;
  prepend_path(L, "path",
               "@/" NESO_LUA_FOLDER "/?.lua;@/" NESO_LUA_FOLDER "/?/init.lua",
               prefix);
  prepend_path(L, "cpath", "@/" NESO_CMOD_FOLDER "/?.so", prefix);
}

static void push_arguments(lua_State *L, char **argv) {
  lua_newtable(L);
  for (int i = 0; argv[i]; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i);
  }
}

/* argv (light userdata) -> exit status. */
static int run(lua_State *L) {
  char **argv = lua_touserdata(L, 1);
  luaL_openlibs(L);
  set_paths(L);
  neso__terminal_preload(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "neso.repl.program");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "main");
  push_arguments(L, argv);
  lua_call(L, 1, 1);
  return 1;
}

int main(int argc, char **argv) {
  (void)argc;
  lua_State *L = luaL_newstate();
  if (!L) {
    fputs("neso: not enough memory\n", stderr);
    return EXIT_FAILURE;
  }
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, argv);
  int status = EXIT_FAILURE;
  if (lua_pcall(L, 1, 1, 0))
    fprintf(stderr, "neso: %s\n", lua_tostring(L, -1));
  else
    status = (int)lua_tointeger(L, -1);
  lua_close(L);
  return status;
}
