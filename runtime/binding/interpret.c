/* Launches that the interpreter (lua/neso/interpreter) runs. */
#include "kernel.h"

#include <string.h>

typedef struct interpretation {
  neso_lua_call *call;
  const int64_t *grid; /* NULL: only what a launch needs is prepared */
  const neso_typed_call *typed;
} interpretation;

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

/* Adds to the parameter on the top where the buffer lies. */
static void add_buffer(lua_State *L, const neso_arg *arg) {
  const neso_buffer *buffer = arg->value.buffer;
  double first = (double)(uintptr_t)neso_buffer_data(buffer);
  set_number(L, "buffer", first);
  set_number(L, "size", (double)neso_buffer_size(buffer));
  set_number(L, "address", first + (double)arg->offset);
}

/* The list that a build gets, with what the arguments hold now. */
static void push_arguments(lua_State *L, const interpretation *state) {
  const neso_handle *handle = state->call->handle;
  const neso_spec *specs = state->typed->specs;
  const char *packed = state->typed->packed;
  size_t count = (size_t)handle->param_count, at = 0;
  neso__push_params(L, handle, specs, state->call->args, count, 3);
  for (size_t i = 0; i < count; i++) {
    if (specs[i].kind == NESO_SPEC_CONST) {
      continue;
    }
    bool is_pointer = specs[i].kind == NESO_SPEC_POINTER;
    size_t size = is_pointer ? 8 : neso_dtype_size((neso_dtype)specs[i].dtype);
    at = (at + size - 1) & ~(size - 1);
    lua_rawgeti(L, -1, (int)i + 1);
    if (is_pointer) {
      add_buffer(L, &state->call->args[i]);
    } else {
      lua_pushlstring(L, packed + at, size);
      lua_setfield(L, -2, "bytes");
    }
    lua_pop(L, 1);
    at += size;
  }
}

static void push_grid(lua_State *L, const int64_t *grid) {
  if (!grid) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 3, 0);
  for (int axis = 0; axis < 3; axis++) {
    lua_pushnumber(L, (lua_Number)grid[axis]);
    lua_rawseti(L, -2, axis + 1);
  }
}

/* (interpretation, kernel, objects...) */
static int interpret_protected(lua_State *L) {
  const interpretation *state = lua_touserdata(L, 1);
  const neso_lua_call *call = state->call;
  neso_binding *binding = call->handle->binding;
  neso_device *device = state->typed->device;
  luaL_checkstack(L, 24, "interpret");
  neso__port_push(L, binding, NESO_PORT_INTERPRET);
  lua_pushvalue(L, 2);
  push_arguments(L, state);
  lua_pushlstring(L, call->options, call->options_length);
  neso__port_push(L, binding, NESO_PORT_DEVICE_OF);
  lua_pushstring(L, neso_device_backend(device));
  lua_pushinteger(L, neso_device_index(device));
  lua_call(L, 2, 1);
  lua_pushlstring(L, state->typed->key, state->typed->key_size);
  push_grid(L, state->grid);
  lua_call(L, 6, 0);
  return 0;
}

/* Runs the programs; a Lua error becomes a status. */
static neso_status run(void *user, const neso_typed_call *typed) {
  interpretation *state = user;
  const neso_lua_call *call = state->call;
  lua_State *L = call->L;
  int top = lua_gettop(L);
  state->typed = typed;
  if (!lua_checkstack(L, NESO_MAX_PARAMS + 16)) {
    return neso_status_make(NESO_OUT_OF_MEMORY, "the Lua stack is full");
  }
  lua_pushcfunction(L, interpret_protected);
  lua_pushlightuserdata(L, state);
  lua_pushvalue(L, call->kernel);
  int objects = neso__push_objects(L, call);
  neso_status status = NULL;
  if (lua_pcall(L, 2 + objects, 0, 0) != 0) {
    const char *text = lua_tostring(L, -1);
    status = neso_status_make(NESO_DEVICE_ERROR, "%s",
                              text ? text : "error without a message");
  }
  lua_settop(L, top);
  return status;
}

/* core.print(text): what a program prints, in whole lines */
static int interpret_print(lua_State *L) {
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  neso_context *context = neso__binding_context(L, neso__binding_of(L));
  neso__context_print(context, text, length);
  return 0;
}

/* core.buffer_at(address, size) -> where the buffer around it begins and ends,
 * or nothing */
static int interpret_buffer_at(lua_State *L) {
  neso_context *context = neso__binding_context(L, neso__binding_of(L));
  double address = luaL_checknumber(L, 1);
  uintptr_t range[2];
  if (!(address > 0 && address < 9007199254740992.0) ||
      !neso__buffers_contain(context, (uintptr_t)address,
                             (size_t)luaL_checknumber(L, 2), range)) {
    return 0;
  }
  lua_pushnumber(L, (lua_Number)range[0]);
  lua_pushnumber(L, (lua_Number)range[1]);
  return 2;
}

void neso__open_interpret(lua_State *L) {
  static const luaL_Reg functions[] = {{"buffer_at", interpret_buffer_at},
                                       {"print", interpret_print},
                                       {NULL, NULL}};
  neso_lua_setfuncs(L, functions);
}

neso_status neso__interpret(neso_lua_call *call, neso_device *device,
                            const int64_t *grid) {
  interpretation state = {call, grid, NULL};
  return neso__kernel_interpret(call->handle->kernel, device, grid,
                                call->options, call->options_length, call->args,
                                (size_t)call->handle->param_count, run, &state);
}
