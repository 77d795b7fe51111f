/* A launch without a variant: the shell builds the program, libneso finds it
 * in the cache or has it compiled. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STAGES 32

/* A stage by name and its text: owned in a dump, Lua's in an override. */
typedef struct stage_text {
  char *stage, *text;
  size_t size;
} stage_text;

/* One build: all it owns dies in build_end, outside of any Lua call. */
typedef struct build_state {
  neso_context *context;
  neso_device *device;
  const neso_spec *specs;
  size_t spec_count;
  const neso_arg *args; /* NULL for a rebuild */
  neso_variant *variant;
  neso_status status;
  const char *wanted; /* ",tile,asm," */
  neso_stage stages[MAX_STAGES];
  size_t stage_count;
  stage_text dumps[MAX_STAGES];
  size_t dump_count;
  stage_text overrides[MAX_STAGES];
  size_t override_count;
} build_state;

static void build_end(build_state *state) {
  for (size_t i = 0; i < state->dump_count; i++) {
    free(state->dumps[i].text);
    free(state->dumps[i].stage);
  }
}

static bool wants_dump(void *user, const char *stage) {
  const build_state *state = user;
  size_t length = strlen(stage);
  for (const char *at = state->wanted; at && (at = strstr(at, stage)); at++) {
    if (at[-1] == ',' && at[length] == ',') {
      return true;
    }
  }
  return false;
}

static void take_dump(void *user, const char *stage, const char *text,
                      size_t size) {
  build_state *state = user;
  if (state->dump_count == MAX_STAGES) {
    return;
  }
  stage_text *dump = &state->dumps[state->dump_count];
  dump->stage = strdup(stage);
  dump->text = malloc(size + 1);
  if (!dump->stage || !dump->text) {
    free(dump->stage);
    free(dump->text);
    return;
  }
  memcpy(dump->text, text, size);
  dump->size = size;
  state->dump_count++;
}

static char *give_override(void *user, const char *stage) {
  const build_state *state = user;
  for (size_t i = 0; i < state->override_count; i++) {
    if (strcmp(state->overrides[i].stage, stage) == 0) {
      return strdup(state->overrides[i].text);
    }
  }
  return NULL;
}

static const char *text_field(lua_State *L, int table, const char *name,
                              size_t *out_length) {
  lua_getfield(L, table, name);
  const char *text = lua_tolstring(L, -1, out_length);
  lua_pop(L, 1); /* the table keeps it */
  return text;
}

static void read_stages(lua_State *L, int table, build_state *state) {
  lua_getfield(L, table, "stages");
  luaL_checktype(L, -1, LUA_TTABLE);
  state->stage_count = lua_rawlen(L, -1);
  if (state->stage_count > MAX_STAGES) {
    neso__error(L, "at most %d stages", MAX_STAGES);
  }
  for (size_t i = 0; i < state->stage_count; i++) {
    lua_rawgeti(L, -1, (int)i + 1);
    int row = lua_gettop(L);
    state->stages[i].name = text_field(L, row, "name", NULL);
    state->stages[i].passes = text_field(L, row, "passes", NULL);
    if (!state->stages[i].name) {
      neso__error(L, "stage %d has no name", (int)i + 1);
    }
    if (!state->stages[i].passes) {
      state->stages[i].passes = "";
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void read_overrides(lua_State *L, int table, build_state *state) {
  lua_getfield(L, table, "overrides");
  if (lua_istable(L, -1)) {
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      if (state->override_count < MAX_STAGES) {
        stage_text *entry = &state->overrides[state->override_count++];
        entry->stage = (char *)lua_tostring(L, -2);
        entry->text = (char *)lua_tostring(L, -1);
      }
    }
  }
  lua_pop(L, 1);
}

static bool flag_field(lua_State *L, int table, const char *name) {
  lua_getfield(L, table, name);
  bool flag = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return flag;
}

/* Builds from the table at `table`; never raises after the build began. */
static void build(lua_State *L, int table, build_state *state) {
  neso_build request = {0};
  neso_compile_request *compile = &request.compile;
  size_t line_bytes = 0;
  compile->kernel = text_field(L, table, "name", NULL);
  compile->file = text_field(L, table, "file", NULL);
  compile->program = text_field(L, table, "program", &compile->program_size);
  compile->lines = (const uint32_t *)(const void *)text_field(L, table, "lines",
                                                              &line_bytes);
  compile->line_count = line_bytes / sizeof(uint32_t);
  if (!compile->program || !compile->lines || !compile->kernel) {
    neso__error(L, "the frontend gave no program");
  }
  read_stages(L, table, state);
  read_overrides(L, table, state);
  compile->stages = state->stages;
  compile->stage_count = state->stage_count;
  compile->verify_each = flag_field(L, table, "verify");
  state->wanted = text_field(L, table, "wanted", NULL);
  compile->user = state;
  compile->wants_dump = state->wanted ? wants_dump : NULL;
  compile->dump = state->wanted ? take_dump : NULL;
  compile->override = state->override_count ? give_override : NULL;
  request.specs = state->specs;
  request.spec_count = state->spec_count;
  request.use_cache = !state->wanted && !state->override_count &&
                      !flag_field(L, table, "uncached");
  state->status = neso__variant_build(state->context, state->device, &request,
                                      &state->variant);
}

/* Writes what happened into the table of the build. */
static void report(lua_State *L, int table, const build_state *state) {
  if (state->variant) {
    const neso_build_info *info = neso__variant_info(state->variant);
    lua_pushboolean(L, info->cached);
    lua_setfield(L, table, "cached");
    lua_pushnumber(L, info->compile_ms);
    lua_setfield(L, table, "compile_ms");
    lua_pushnumber(L, info->load_ms);
    lua_setfield(L, table, "load_ms");
    lua_pushnumber(L, (lua_Number)info->binary_size);
    lua_setfield(L, table, "binary_size");
    lua_pushstring(L, neso__variant_metadata(state->variant));
    lua_setfield(L, table, "metadata");
  } else {
    lua_pushstring(L, neso_status_text(state->status));
    lua_setfield(L, table, "error");
  }
  lua_createtable(L, 0, (int)state->dump_count);
  for (size_t i = 0; i < state->dump_count; i++) {
    lua_pushlstring(L, state->dumps[i].text, state->dumps[i].size);
    lua_setfield(L, -2, state->dumps[i].stage);
  }
  lua_setfield(L, table, "dumps");
}

void neso__push_params(lua_State *L, const neso_handle *handle,
                       const neso_spec *specs, const neso_arg *args,
                       size_t count, int object) {
  static const char *const kinds[] = {"const", "scalar", "pointer"};
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    const neso_spec *spec = &specs[i];
    lua_createtable(L, 0, 4);
    lua_pushstring(L, handle->params[i].name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, kinds[spec->kind]);
    lua_setfield(L, -2, "kind");
    if (spec->kind == NESO_SPEC_CONST) {
      if (args[i].kind == NESO_ARG_OBJECT) {
        lua_pushvalue(L, object++);
      } else {
        neso__push_argument(L, handle->binding, &args[i]);
      }
      lua_setfield(L, -2, "value");
    } else {
      lua_pushstring(L, neso_dtype_name((neso_dtype)spec->dtype));
      lua_setfield(L, -2, "dtype");
      lua_pushinteger(L, spec->facts);
      lua_setfield(L, -2, "facts");
    }
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_pushlstring(L, (const char *)specs, count * sizeof(neso_spec));
  lua_setfield(L, -2, "specs");
}

typedef struct resolve_state {
  build_state build;
  neso_handle *handle;
  const char *options;
  size_t options_length;
} resolve_state;

/* (resolve_state, kernel, objects...) */
static int resolve_protected(lua_State *L) {
  resolve_state *state = lua_touserdata(L, 1);
  neso_device *device = state->build.device;
  neso_binding *binding = state->handle->binding;
  luaL_checkstack(L, 24, "resolve");
  neso__port_push(L, binding, NESO_PORT_RESOLVE);
  lua_pushvalue(L, 2);
  neso__push_params(L, state->handle, state->build.specs, state->build.args,
                    state->build.spec_count, 3);
  lua_pushlstring(L, state->options, state->options_length);
  neso__port_push(L, binding, NESO_PORT_DEVICE_OF);
  lua_pushstring(L, neso_device_backend(device));
  lua_pushinteger(L, neso_device_index(device));
  lua_call(L, 2, 1);
  lua_call(L, 4, 1);
  int table = lua_gettop(L);
  luaL_checktype(L, table, LUA_TTABLE);
  build(L, table, &state->build);
  report(L, table, &state->build);
  lua_getfield(L, table, "done");
  if (lua_isfunction(L, -1)) {
    lua_pushvalue(L, table);
    lua_call(L, 1, 0);
  }
  return 0;
}

int neso__push_objects(lua_State *L, const neso_lua_call *call) {
  int pushed = 0;
  for (int i = 0; i < call->handle->param_count; i++) {
    if (call->args[i].kind == NESO_ARG_OBJECT) {
      int slot = call->slots + 2 * i + 1;
      if (call->anchor) {
        lua_rawgeti(L, call->anchor, slot);
      } else {
        lua_pushvalue(L, slot);
      }
      pushed++;
    }
  }
  return pushed;
}

static neso_status check_caller(const neso_handle *handle) {
  neso_binding *binding = handle->binding;
  if (atomic_load(&binding->closed)) {
    return neso_status_make(NESO_UNAVAILABLE,
                            "kernel '%s' must be compiled for these arguments, "
                            "but the Lua state that defined it is closed",
                            handle->name);
  }
  if (!pthread_equal(binding->owner, pthread_self())) {
    return neso_status_make(
        NESO_UNAVAILABLE,
        "kernel '%s' must be compiled for these arguments, which only the "
        "thread that attached its Lua state may do: launch it there once",
        handle->name);
  }
  return NULL;
}

static neso_status run_protected(lua_State *L, resolve_state *state,
                                 const neso_lua_call *call) {
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->handle->binding->resolve);
  lua_pushlightuserdata(L, state);
  int objects = 0;
  if (call) {
    lua_pushvalue(L, call->kernel);
    objects = neso__push_objects(L, call);
  } else if (!neso__handle_object(L, state->handle)) {
    lua_settop(L, top);
    return neso_status_make(NESO_UNAVAILABLE,
                            "kernel '%s' must be compiled for these arguments, "
                            "but its script has dropped it",
                            state->handle->name);
  }
  neso_status status = NULL;
  if (lua_pcall(L, 2 + objects, 0, 0) != 0) {
    const char *text = lua_tostring(L, -1);
    status = neso_status_make(NESO_COMPILE_ERROR, "%s",
                              text ? text : "error without a message");
  }
  lua_settop(L, top);
  return status;
}

neso_status neso__resolve(void *user, neso_kernel *kernel, neso_device *device,
                          const neso_spec *specs, const neso_arg *args,
                          size_t count, neso_variant **out_variant) {
  (void)kernel;
  neso_handle *handle = user;
  neso_lua_call *call = neso__call_current(handle);
  neso_status status = call ? NULL : check_caller(handle);
  if (status) {
    return status;
  }
  lua_State *L = call ? call->L : handle->binding->thread;
  resolve_state state = {0};
  state.handle = handle;
  state.options = call ? call->options : "";
  state.options_length = call ? call->options_length : 0;
  state.build.context = handle->binding->context;
  state.build.device = device;
  state.build.specs = specs;
  state.build.spec_count = count;
  state.build.args = args;
  if (!lua_checkstack(L, NESO_MAX_PARAMS + 16)) {
    return neso_status_make(NESO_OUT_OF_MEMORY, "the Lua stack is full");
  }
  status = run_protected(L, &state, call);
  build_end(&state.build);
  if (status || state.build.status) {
    neso_status_free(status ? state.build.status : NULL);
    neso__variant_release(state.build.variant);
    return status ? status : state.build.status;
  }
  *out_variant = state.build.variant;
  return NULL;
}

static int rebuild_protected(lua_State *L) {
  build_state *state = lua_touserdata(L, 2);
  build(L, 1, state);
  report(L, 1, state);
  return 0;
}

/* core.rebuild(build, device handle): builds again as the table now says and
 * writes the outcome into it; nothing is kept for launches */
static int core_rebuild(lua_State *L) {
  neso_binding *binding = neso__binding_of(L);
  build_state state = {0};
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TLIGHTUSERDATA);
  state.context = neso__binding_context(L, binding);
  state.device = lua_touserdata(L, 2);
  size_t size = 0;
  state.specs =
      (const neso_spec *)(const void *)text_field(L, 1, "specs", &size);
  state.spec_count = size / sizeof(neso_spec);
  lua_pushcfunction(L, rebuild_protected);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, &state);
  int failed = lua_pcall(L, 2, 0, 0);
  build_end(&state);
  neso__variant_release(state.variant);
  neso_status_free(state.status);
  return failed ? lua_error(L) : 0;
}

void neso__open_resolve(lua_State *L) {
  static const luaL_Reg functions[] = {{"rebuild", core_rebuild}, {NULL, NULL}};
  neso_lua_setfuncs(L, functions);
  lua_pushcfunction(L, resolve_protected);
  neso__binding_of(L)->resolve = luaL_ref(L, LUA_REGISTRYINDEX);
}
