#include "binding.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESO_EXPORT __attribute__((visibility("default")))
#define FIRST_COLLECTION ((size_t)64 << 20)

static const char binding_key = 0;

/* The context of every lua_State that no host attached. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static neso_context *shared_context;

static void log_to_stderr(void *user, neso_log_level level, const char *text) {
  static const char *const names[] = {"error", "warning", "info"};
  if ((int)level <= (int)(intptr_t)user) {
    fprintf(stderr, "neso: %s: %s\n", names[level], text);
  }
}

/* NESO_LOG=error|warn|info; without it nothing is written. */
static void configure_log(neso_config *config) {
  const char *wanted = getenv("NESO_LOG");
  if (!wanted || !*wanted || strcmp(wanted, "0") == 0) {
    return;
  }
  neso_log_level level = strcmp(wanted, "error") == 0  ? NESO_LOG_ERROR
                         : strcmp(wanted, "warn") == 0 ? NESO_LOG_WARN
                                                       : NESO_LOG_INFO;
  config->log = log_to_stderr;
  config->user = (void *)(intptr_t)level;
}

static neso_status shared_context_get(neso_context **out_context) {
  pthread_mutex_lock(&shared_lock);
  neso_status status = NULL;
  if (!shared_context) {
    neso_config config;
    neso_config_init(&config);
    configure_log(&config);
    status = neso_context_create(&config, &shared_context);
  }
  *out_context = shared_context;
  pthread_mutex_unlock(&shared_lock);
  return status;
}

neso_context *neso__binding_context(lua_State *L, neso_binding *binding) {
  if (!binding->context) {
    neso__raise(L, shared_context_get(&binding->context));
    neso__context_retain(binding->context);
  }
  return binding->context;
}

neso_device *neso__binding_device(lua_State *L, neso_binding *binding) {
  if (!binding->device) {
    neso__port_push(L, binding, NESO_PORT_DEVICE);
    lua_call(L, 0, 1);
    binding->device = lua_touserdata(L, -1);
    lua_pop(L, 1);
  }
  return binding->device;
}

neso_binding *neso__binding_of(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&binding_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  neso_binding **box = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return box ? *box : NULL;
}

void neso__binding_release(neso_binding *binding) {
  if (binding && atomic_fetch_sub(&binding->references, 1) == 1) {
    neso_context_release(binding->context);
    free(binding->own);
    free(binding);
  }
}

static int binding_gc(lua_State *L) {
  neso_binding **box = lua_touserdata(L, 1);
  if (*box) {
    /* Exported kernels outlive the state through the context: it must not
     * live through them. */
    neso_context *context = (*box)->context;
    atomic_store(&(*box)->closed, true);
    (*box)->context = NULL;
    neso_context_release(context);
    neso__binding_release(*box);
    *box = NULL;
  }
  return 0;
}

static neso_binding *binding_create(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&binding_key);
  neso_binding **box = lua_newuserdata(L, sizeof *box);
  *box = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, binding_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  neso_binding *binding = calloc(1, sizeof *binding);
  if (!binding) {
    neso__error(L, "neso: out of memory");
    return NULL;
  }
  *box = binding;
  atomic_init(&binding->references, 1);
  binding->owner = pthread_self();
  binding->collect_at = FIRST_COLLECTION;
  const char *interpret = getenv("NESO_INTERPRET");
  binding->interprets = interpret && *interpret && strcmp(interpret, "0") != 0;
  lua_createtable(L, 1, 0);
  binding->thread = lua_newthread(L);
  lua_rawseti(L, -2, 1);
  neso_lua_set_anchor(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  return binding;
}

void neso__port_push(lua_State *L, neso_binding *binding, neso_port port) {
  if (!binding->ports[port]) {
    neso__error(L, "neso.core: port %d is not bound", (int)port);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding->ports[port]);
}

/* core.bind(port, value) */
static int core_bind(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  lua_Integer port = luaL_checkinteger(L, 1);
  luaL_argcheck(L, port >= 0 && port < NESO_PORT_COUNT, 1, "no such port");
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  if (binding->ports[port]) {
    luaL_unref(L, LUA_REGISTRYINDEX, binding->ports[port]);
  }
  binding->ports[port] = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

void neso__binding_account(lua_State *L, neso_binding *binding, size_t bytes) {
  binding->live_bytes += bytes;
  if (binding->live_bytes > binding->collect_at) {
    lua_gc(L, LUA_GCCOLLECT, 0);
    size_t next = 2 * binding->live_bytes;
    binding->collect_at = next > FIRST_COLLECTION ? next : FIRST_COLLECTION;
  }
}

/* core.own(prefix): how the chunk names of the shell begin */
static int core_own(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  const char *prefix = luaL_checkstring(L, 1);
  free(binding->own);
  binding->own = strdup(prefix);
  return 0;
}

/* Pushes "file:line: " of the innermost Lua function that is not the shell's,
 * "" without one. */
static void push_place(lua_State *L) {
  const neso_binding *binding = neso__binding_of(L);
  const char *own = binding && binding->own ? binding->own : "\n";
  lua_Debug at;
  for (int level = 1; lua_getstack(L, level, &at); level++) {
    if (lua_getinfo(L, "Sl", &at) && at.currentline > 0 &&
        strncmp(at.source, own, strlen(own)) != 0) {
      lua_pushfstring(L, "%s:%d: ", at.short_src, at.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

int neso__error(lua_State *L, const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  push_place(L);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  lua_error(L);
  __builtin_unreachable();
}

/* "name:12:3: ..." and "name:12: ..." say themselves where they come from. */
static bool has_place(const char *text) {
  const char *end = strchr(text, '\n');
  size_t length = end ? (size_t)(end - text) : strlen(text);
  for (size_t i = 1; i + 1 < length; i++) {
    if (text[i] == ' ') {
      return false;
    }
    if (text[i] == ':' && text[i + 1] >= '0' && text[i + 1] <= '9') {
      return true;
    }
  }
  return false;
}

void neso__raise(lua_State *L, neso_status status) {
  if (!status) {
    return;
  }
  const char *text = neso_status_text(status);
  if (has_place(text)) {
    lua_pushliteral(L, "");
  } else {
    push_place(L);
  }
  lua_pushstring(L, text);
  neso_status_free(status);
  lua_concat(L, 2);
  lua_error(L);
}

NESO_EXPORT int luaopen_neso_core(lua_State *L);
int luaopen_neso_core(lua_State *L) {
  if (!neso__binding_of(L)) {
    binding_create(L);
  }
  lua_createtable(L, 0, 48);
  lua_pushcfunction(L, core_bind);
  lua_setfield(L, -2, "bind");
  lua_pushcfunction(L, core_own);
  lua_setfield(L, -2, "own");
  lua_pushfstring(L, "%d.%d.%d", NESO_VERSION_MAJOR, NESO_VERSION_MINOR,
                  NESO_VERSION_PATCH);
  lua_setfield(L, -2, "version");
  neso__open_tensor(L);
  neso__open_values(L);
  neso__open_compare(L);
  neso__open_random(L);
  neso__open_file(L);
  neso__open_device(L);
  neso__open_kernel(L);
  return 1;
}

/* package[field] = first .. ";" .. package[field], unless it begins so. */
static void prepend_path(lua_State *L, const char *field, const char *first) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, field);
  const char *old = lua_tostring(L, -1);
  if (!old || strncmp(old, first, strlen(first)) != 0) {
    lua_pushfstring(L, "%s;%s", first, old ? old : "");
    lua_setfield(L, -3, field);
  }
  lua_pop(L, 2);
}

/* Lets `require "neso"` find the tree that this file was installed with, and
 * this very file as neso.core. */
static void extend_package(lua_State *L) {
  Dl_info info;
  char prefix[PATH_MAX];
  if (!dladdr((const void *)&binding_key, &info) ||
      !realpath(info.dli_fname, prefix)) {
    return;
  }
  for (int up = 0; up < 5; up++) { /* lib/lua/5.1/neso/core.so */
    char *slash = strrchr(prefix, '/');
    if (!slash) {
      return;
    }
    *slash = 0;
  }
  int version = LUA_VERSION_NUM % 100;
  const char *modules =
      lua_pushfstring(L, "%s/share/lua/5.%d/?.lua;%s/share/lua/5.%d/?/init.lua",
                      prefix, version, prefix, version);
  prepend_path(L, "path", modules);
  lua_pop(L, 1);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_neso_core);
  lua_setfield(L, -2, "neso.core");
  lua_pop(L, 2);
}

static int attach_protected(lua_State *L) {
  neso_context *context = lua_touserdata(L, 1);
  neso_binding *binding = neso__binding_of(L);
  if (!binding) {
    binding = binding_create(L);
  }
  binding->owner = pthread_self();
  if (binding->context && binding->context != context) {
    return neso__error(L, "this Lua state already uses another neso context");
  }
  if (!binding->context) {
    neso__context_retain(context);
    binding->context = context;
  }
  extend_package(L);
  return 0;
}

/* Called by neso_attach; the state stays as it was when this fails. */
NESO_EXPORT neso_status neso_core_attach(neso_context *context, lua_State *L);
neso_status neso_core_attach(neso_context *context, lua_State *L) {
  if (!lua_checkstack(L, 4)) {
    return neso_status_make(NESO_OUT_OF_MEMORY, "the Lua stack is full");
  }
  lua_pushcfunction(L, attach_protected);
  lua_pushlightuserdata(L, context);
  if (lua_pcall(L, 1, 0, 0) == 0) {
    return NULL;
  }
  neso_status status = neso_status_make(
      NESO_INVALID_ARGUMENT, "%s",
      lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "a Lua error");
  lua_pop(L, 1);
  return status;
}
