/* Line editing over libedit: its own reading of characters, so that Ctrl-C
 * drops the line, a resized window is drawn again, and a stopped program
 * continues with the terminal as it was. */
#include "cli.h"

#include <errno.h>
#include <histedit.h>
#include <lauxlib.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#define EDITOR "neso.editor"
#define HISTORY_LINES 2000

struct editor {
  EditLine *line;   /* owned */
  History *history; /* owned */
  char *path;       /* owned; file of the history, or NULL */
  lua_State *L;     /* the reader's, during read */
  char *prompt;     /* owned; what `ask` shows */
  int completer;    /* reference in the registry, or LUA_NOREF */
};

static volatile sig_atomic_t resized, continued;

static void on_resize(int number) {
  (void)number;
  resized = 1;
}

static void on_continue(int number) {
  (void)number;
  continued = 1;
}

static struct editor *editor_of(EditLine *line) {
  struct editor *editor;
  el_get(line, EL_CLIENTDATA, &editor);
  return editor;
}

static char *ask(EditLine *line) { return editor_of(line)->prompt; }

/* A signal ended the wait for a character: draws again if that is all. */
static bool goes_on(EditLine *line) {
  if (neso__interrupt_marked())
    return false;
  if (continued) {
    el_set(line, EL_PREP_TERM, 0);
    el_set(line, EL_PREP_TERM, 1);
  }
  if (resized)
    el_resize(line);
  if (continued || resized) {
    putchar('\r'); /* over what is shown now */
    fflush(stdout);
    el_set(line, EL_REFRESH);
  }
  continued = resized = 0;
  return true;
}

static int read_byte(EditLine *line, char *byte) {
  for (;;) {
    if (neso__interrupt_marked()) {
      errno = EINTR;
      return -1;
    }
    ssize_t got = read(STDIN_FILENO, byte, 1);
    if (got >= 0)
      return (int)got;
    if (errno != EINTR || !goes_on(line))
      return -1;
  }
}

static int read_character(EditLine *line, wchar_t *out) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  for (;;) {
    char byte;
    int got = read_byte(line, &byte);
    if (got <= 0)
      return got;
    size_t used = mbrtowc(out, &byte, 1, &state);
    if (used == (size_t)-2)
      continue;
    if (used == (size_t)-1) { /* no such character: the byte is dropped */
      memset(&state, 0, sizeof state);
      continue;
    }
    return 1;
  }
}

/* What the completer says: text to insert and a list, either may be nil. */
static unsigned char apply_completion(struct editor *editor) {
  lua_State *L = editor->L;
  const char *insert = lua_tostring(L, -2);
  const char *list = lua_tostring(L, -1);
  bool inserted = insert && *insert;
  if (inserted)
    el_insertstr(editor->line, insert);
  if (list) {
    printf("\n%s", list);
    fflush(stdout);
    return CC_REDISPLAY;
  }
  return inserted ? CC_REFRESH : CC_REFRESH_BEEP;
}

static unsigned char on_tab(EditLine *line, int key) {
  (void)key;
  struct editor *editor = editor_of(line);
  lua_State *L = editor->L;
  if (editor->completer == LUA_NOREF)
    return CC_ERROR;
  const LineInfo *info = el_line(line);
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, editor->completer);
  lua_pushlstring(L, info->buffer, (size_t)(info->cursor - info->buffer));
  unsigned char result = CC_ERROR;
  if (lua_pcall(L, 1, 2, 0) == 0)
    result = apply_completion(editor);
  lua_settop(L, top);
  return result;
}

/* Makes the folders above the file; what fails shows when it is written. */
static void make_folders(char *path) {
  for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(path, 0700);
    *at = '/';
  }
}

static void open_history(struct editor *editor, const char *path) {
  HistEvent event;
  history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
  history(editor->history, &event, H_SETUNIQUE, 1);
  el_set(editor->line, EL_HIST, history, editor->history);
  editor->path = path ? strdup(path) : NULL;
  if (!editor->path)
    return;
  make_folders(editor->path);
  history(editor->history, &event, H_LOAD, editor->path);
}

static void set_up_keys(struct editor *editor) {
  EditLine *line = editor->line;
  el_set(line, EL_CLIENTDATA, editor);
  el_set(line, EL_PROMPT, ask);
  el_set(line, EL_EDITOR, "emacs");
  el_set(line, EL_SIGNAL, 0);
  el_set(line, EL_GETCFN, read_character);
  el_set(line, EL_ADDFN, "neso-complete", "complete a name", on_tab);
  el_set(line, EL_BIND, "^I", "neso-complete", NULL);
  el_set(line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_source(line, NULL);
}

static int editor_close(lua_State *L) {
  struct editor *editor = luaL_checkudata(L, 1, EDITOR);
  if (editor->line)
    el_end(editor->line);
  if (editor->history)
    history_end(editor->history);
  free(editor->path);
  free(editor->prompt);
  luaL_unref(L, LUA_REGISTRYINDEX, editor->completer);
  neso__interrupt_mark(false);
  memset(editor, 0, sizeof *editor);
  editor->completer = LUA_NOREF;
  return 0;
}

/* Signals that redraw the line; between reads they are whose they were. */
static void catch_redraws(struct sigaction previous[2]) {
  struct sigaction resize = {.sa_handler = on_resize};
  struct sigaction resume = {.sa_handler = on_continue};
  sigaction(SIGWINCH, &resize, &previous[0]);
  sigaction(SIGCONT, &resume, &previous[1]);
}

static void release_redraws(const struct sigaction previous[2]) {
  sigaction(SIGWINCH, &previous[0], NULL);
  sigaction(SIGCONT, &previous[1], NULL);
}

static int editor_read(lua_State *L) {
  struct editor *editor = luaL_checkudata(L, 1, EDITOR);
  struct sigaction previous[2];
  int length = 0;
  free(editor->prompt);
  editor->prompt = strdup(luaL_checkstring(L, 2));
  editor->L = L;
  el_resize(editor->line);
  catch_redraws(previous);
  el_set(editor->line, EL_PREP_TERM, 1); /* before the prompt invites typing */
  const char *text = el_gets(editor->line, &length);
  bool interrupted = neso__interrupt_take();
  release_redraws(previous);
  if (text && length > 0 && !interrupted) {
    size_t n = (size_t)length;
    lua_pushlstring(L, text, text[n - 1] == '\n' ? n - 1 : n);
    return 1;
  }
  printf("\n");
  fflush(stdout);
  lua_pushnil(L);
  lua_pushstring(L, interrupted ? "interrupted" : "eof");
  return 2;
}

static int editor_remember(lua_State *L) {
  struct editor *editor = luaL_checkudata(L, 1, EDITOR);
  HistEvent event;
  history(editor->history, &event, H_ENTER, luaL_checkstring(L, 2));
  if (editor->path)
    history(editor->history, &event, H_SAVE, editor->path);
  return 0;
}

static int editor_complete(lua_State *L) {
  struct editor *editor = luaL_checkudata(L, 1, EDITOR);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  luaL_unref(L, LUA_REGISTRYINDEX, editor->completer);
  editor->completer = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static const luaL_Reg METHODS[] = {{"read", editor_read},
                                   {"remember", editor_remember},
                                   {"complete", editor_complete},
                                   {NULL, NULL}};

static void push_metatable(lua_State *L) {
  if (!luaL_newmetatable(L, EDITOR))
    return;
  lua_pushcfunction(L, editor_close);
  lua_setfield(L, -2, "__gc");
  lua_newtable(L);
  luaL_register(L, NULL, METHODS);
  lua_setfield(L, -2, "__index");
}

static void use_utf8(void) {
  const char *locale = setlocale(LC_CTYPE, "");
  if (!locale || !strcmp(locale, "C") || !strcmp(locale, "POSIX"))
    setlocale(LC_CTYPE, "C.UTF-8");
}

int neso__editor_new(lua_State *L) {
  const char *path = luaL_optstring(L, 1, NULL);
  struct editor *editor = lua_newuserdata(L, sizeof *editor);
  memset(editor, 0, sizeof *editor);
  editor->completer = LUA_NOREF;
  push_metatable(L);
  lua_setmetatable(L, -2);
  use_utf8();
  editor->line = el_init("neso", stdin, stdout, stderr);
  editor->history = history_init();
  if (!editor->line || !editor->history) {
    lua_pushnil(L);
    lua_pushstring(L, "the terminal cannot be used for line editing");
    return 2;
  }
  neso__interrupt_mark(true);
  set_up_keys(editor);
  open_history(editor, path);
  return 1;
}
