/* The parts of the `neso` program. The program itself is Lua
 * (lua/neso/repl/program.lua); C gives it a terminal and finds its files. */
#ifndef NESO_CLI_H
#define NESO_CLI_H

#include <lua.h>
#include <stdbool.h>

/* Puts the module `neso.terminal` into package.preload:
 *   is_terminal(fd) -> boolean
 *   watch(), unwatch(): between them Ctrl-C stops running Lua code with the
 *     error "interrupted"; a third one, when nothing stopped, ends the program
 *   editor(history_path or nil) -> editor, or nil and a reason
 *   version: the program's version
 * An editor has
 *   read(prompt) -> line; nil, "eof"; nil, "interrupted"
 *   remember(line): adds to the history, and saves it
 *   complete(f): f(text before the cursor) -> text to insert, list to print */
void neso__terminal_preload(lua_State *L);

/* Metatable of editors and its constructor (a lua_CFunction). */
int neso__editor_new(lua_State *L);

/* Between watch and unwatch Ctrl-C stops the Lua code that runs. */
void neso__interrupt_watch(lua_State *L);
void neso__interrupt_unwatch(void);

/* From mark(true) to mark(false) Ctrl-C at any other time leaves a mark and
 * does nothing else. */
void neso__interrupt_mark(bool on);
bool neso__interrupt_marked(void);
/* Whether there is a mark; takes it away. */
bool neso__interrupt_take(void);

#endif
