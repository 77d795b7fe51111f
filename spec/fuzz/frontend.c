/* libFuzzer target: the parser and the code generation of the frontend.
 *
 * FUZZ_TARGET is "parse" or "build" (spec/fuzz/frontend.lua). The blocks of the
 * Lua modules count in libFuzzer's extra counters, so inputs that reach new
 * ones are kept. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include "tokens.h"

#define COUNTERS 8192

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                 const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

__attribute__((
    section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

static lua_State *state;
static fuzz_words words;
static uint8_t scratch[1 << 16];

static void fail(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text ? text : "(no text)");
  abort();
}

/* The strings stay in the table `words` of frontend.lua. */
static void read_words(void) {
  lua_getfield(state, -1, "words");
  words.count = lua_objlen(state, -1);
  words.items = calloc(words.count, sizeof(*words.items));
  for (size_t i = 0; words.items && i < words.count; i++) {
    lua_rawgeti(state, -1, (int)i + 1);
    words.items[i] = lua_tostring(state, -1);
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  state = luaL_newstate();
  if (!state)
    fail("LuaJIT", "no state");
  luaL_openlibs(state);
  lua_pushlightuserdata(state, counters);
  lua_setglobal(state, "FUZZ_COUNTERS");
  lua_pushinteger(state, COUNTERS);
  lua_setglobal(state, "FUZZ_COUNT");
  if (luaL_dofile(state, FUZZ_ROOT "/spec/fuzz/frontend.lua"))
    fail("frontend.lua", lua_tostring(state, -1));
  read_words();
  lua_getfield(state, -1, FUZZ_TARGET);
  return 0;
}

/* One time in four bytes change, else tokens. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed) {
  if (seed % 4 == 0 || size > sizeof(scratch))
    return LLVMFuzzerMutate(data, size, max_size);
  memcpy(scratch, data, size);
  return fuzz_tokens_mutate(scratch, size, scratch, size, &words, seed, data,
                            max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                 const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t room, unsigned seed) {
  return fuzz_tokens_mutate(data, size, other, other_size, &words, seed, out,
                            room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lua_pushvalue(state, -1);
  lua_pushlstring(state, (const char *)data, size);
  if (lua_pcall(state, 1, 1, 0))
    fail("error outside of the frontend", lua_tostring(state, -1));
  if (!lua_isnil(state, -1))
    fail("not a message for a person", lua_tostring(state, -1));
  lua_pop(state, 1);
  return 0;
}
