/* Ctrl-C. While Lua code runs, the handler plants a hook that raises an error
 * at the next instruction; while a line is read, it only leaves a mark. */
#include "cli.h"

#include <lauxlib.h>
#include <signal.h>
#include <unistd.h>

static lua_State *watched;
static volatile sig_atomic_t presses;
static struct sigaction previous;

static void stop(lua_State *L, lua_Debug *at) {
  (void)at;
  lua_sethook(L, NULL, 0, 0);
  presses = 0;
  luaL_error(L, "interrupted");
}

static void warn(void) {
  static const char text[] =
      "\nstill running (compiled loops cannot be stopped); once more ends "
      "neso\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
}

static void on_press_running(int number) {
  presses++;
  if (presses == 2)
    warn();
  if (presses > 2) {
    signal(number, SIG_DFL);
    raise(number);
  }
  lua_sethook(watched, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

static void on_press_reading(int number) {
  (void)number;
  presses++;
}

static void install(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  presses = 0;
  sigaction(SIGINT, &action, &previous);
}

void neso__interrupt_watch(lua_State *L) {
  watched = L;
  install(on_press_running);
}

void neso__interrupt_unwatch(void) {
  sigaction(SIGINT, &previous, NULL);
  lua_sethook(watched, NULL, 0, 0);
}

void neso__interrupt_catch(void) { install(on_press_reading); }

bool neso__interrupt_pending(void) { return presses > 0; }

bool neso__interrupt_caught(void) {
  sigaction(SIGINT, &previous, NULL);
  return presses > 0;
}
