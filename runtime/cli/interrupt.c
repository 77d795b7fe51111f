/* Ctrl-C. While Lua code runs, the handler plants a hook that raises an error
 * at the next instruction; at other times it only leaves a mark. */
#include "cli.h"

#include <lauxlib.h>
#include <signal.h>
#include <unistd.h>

static lua_State *watched;
static volatile sig_atomic_t presses;
static struct sigaction unwatched;

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

static void on_press_elsewhere(int number) {
  (void)number;
  presses++;
}

static void install(void (*handler)(int), struct sigaction *before) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, before);
}

void neso__interrupt_watch(lua_State *L) {
  watched = L;
  presses = 0;
  install(on_press_running, &unwatched);
}

void neso__interrupt_unwatch(void) {
  sigaction(SIGINT, &unwatched, NULL);
  lua_sethook(watched, NULL, 0, 0);
}

void neso__interrupt_mark(bool on) {
  install(on ? on_press_elsewhere : SIG_DFL, NULL);
}

bool neso__interrupt_marked(void) { return presses > 0; }

bool neso__interrupt_take(void) {
  bool marked = presses > 0;
  presses = 0;
  return marked;
}
