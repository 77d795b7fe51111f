/* Launchers: what `kernel[grid]` gives, a C closure per grid. */
#include "kernel.h"

#include <math.h>
#include <string.h>

typedef struct neso_launcher {
  neso_handle *handle; /* alive as long as the kernel object, an upvalue */
  int64_t grid[3];
  bool interprets;
} neso_launcher;

static _Thread_local neso_lua_call *current_call;

neso_lua_call *neso__call_current(const neso_handle *handle) {
  return current_call && current_call->handle == handle ? current_call : NULL;
}

/* Launches over `grid`, or only finds the variant when it is NULL. Raises. */
static void run(neso_lua_call *call, const int64_t grid[3]) {
  lua_State *L = call->L;
  neso_handle *handle = call->handle;
  neso_device *device =
      call->has_buffer ? NULL : neso__binding_device(L, handle->binding);
  size_t count = (size_t)handle->param_count;
  neso_status status;
  call->outer = current_call;
  current_call = call;
  if (call->interpreted) {
    status = neso__interpret(call, device, grid);
  } else if (grid) {
    status = neso__kernel_launch(handle->kernel, device, grid, call->options,
                                 call->options_length, call->args, count);
  } else {
    neso_variant *variant = NULL;
    status =
        neso__kernel_variant(handle->kernel, device, call->options,
                             call->options_length, call->args, count, &variant);
    neso__variant_release(variant);
  }
  current_call = call->outer;
  neso__raise(L, status);
}

static int64_t grid_extent(lua_State *L, int index, int axis) {
  double value = lua_tonumber(L, index);
  if (lua_type(L, index) != LUA_TNUMBER || value != floor(value) ||
      fabs(value) > 9007199254740992.0) {
    return neso__error(L, "grid[%d] must be an integer, got %s", axis + 1,
                       lua_type(L, index) == LUA_TNUMBER
                           ? lua_tostring(L, index)
                           : luaL_typename(L, index));
  }
  return (int64_t)value;
}

/* A number or a table of one to three. Raises. */
static void read_grid(lua_State *L, int index, int64_t grid[3]) {
  grid[0] = grid[1] = grid[2] = 1;
  index = neso_lua_absindex(L, index);
  if (lua_type(L, index) == LUA_TNUMBER) {
    grid[0] = grid_extent(L, index, 0);
    return;
  }
  if (!lua_istable(L, index)) {
    neso__error(L,
                "a grid is a number, a table of up to three, or a function, "
                "got %s",
                luaL_typename(L, index));
  }
  size_t length = lua_rawlen(L, index);
  if (length < 1 || length > 3) {
    neso__error(L, "a grid has one to three extents, got %d", (int)length);
  }
  for (int axis = 0; axis < (int)length; axis++) {
    lua_rawgeti(L, index, axis + 1);
    grid[axis] = grid_extent(L, -1, axis);
    lua_pop(L, 1);
  }
}

/* Calls the grid function with the scalar and compile-time arguments. */
static void computed_grid(neso_lua_call *call, int64_t grid[3]) {
  lua_State *L = call->L;
  const neso_handle *handle = call->handle;
  lua_pushvalue(L, lua_upvalueindex(NESO_UP_GRID));
  lua_createtable(L, 0, handle->param_count);
  for (int i = 0; i < handle->param_count; i++) {
    if (call->args[i].kind == NESO_ARG_OBJECT) {
      lua_pushvalue(L, call->slots + 2 * i + 1);
    } else {
      neso__push_argument(L, handle->binding, &call->args[i]);
    }
    lua_setfield(L, -2, handle->params[i].name);
  }
  lua_call(L, 1, 1);
  read_grid(L, -1, grid);
  lua_pop(L, 1);
}

static neso_launcher *launcher_of(lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(NESO_UP_LAUNCHER));
}

static void push_grid(lua_State *L, const neso_launcher *launcher) {
  if (!lua_isnil(L, lua_upvalueindex(NESO_UP_GRID))) {
    lua_pushvalue(L, lua_upvalueindex(NESO_UP_GRID));
    return;
  }
  lua_createtable(L, 3, 0);
  for (int axis = 0; axis < 3; axis++) {
    lua_pushnumber(L, (lua_Number)launcher->grid[axis]);
    lua_rawseti(L, -2, axis + 1);
  }
}

/* A call with descriptors among its arguments goes to the shell, whose results
 * are those of the call. */
static int hand_over(neso_lua_call *call, const char *verb) {
  lua_State *L = call->L;
  int given = call->slots;
  lua_settop(L, given);
  neso__port_push(L, call->handle->binding, NESO_PORT_DESCRIBED);
  lua_pushvalue(L, call->kernel);
  lua_pushstring(L, verb);
  push_grid(L, launcher_of(L));
  for (int i = 1; i <= given; i++) {
    lua_pushvalue(L, i);
  }
  lua_call(L, given + 3, LUA_MULTRET);
  return lua_gettop(L) - given;
}

static int launcher_call(lua_State *L) {
  neso_launcher *launcher = launcher_of(L);
  neso_lua_call call;
  neso__call_read(&call, L, launcher->handle);
  if (call.has_descriptor) {
    return hand_over(&call, launcher->interprets ? "interpret" : "launch");
  }
  neso__call_captures(&call, lua_upvalueindex(NESO_UP_CAPTURES));
  call.interpreted |= launcher->interprets;
  run(&call, launcher->grid);
  return 0;
}

static int launcher_call_computed(lua_State *L) {
  int64_t grid[3];
  neso_lua_call call;
  neso__call_own_keywords(L);
  neso__call_read(&call, L, launcher_of(L)->handle);
  if (call.has_descriptor) {
    return hand_over(&call,
                     launcher_of(L)->interprets ? "interpret" : "launch");
  }
  computed_grid(&call, grid);
  neso__call_captures(&call, lua_upvalueindex(NESO_UP_CAPTURES));
  call.interpreted |= launcher_of(L)->interprets;
  run(&call, grid);
  return 0;
}

static int warmup_call(lua_State *L) {
  neso_lua_call call;
  neso__call_read(&call, L, launcher_of(L)->handle);
  if (call.has_descriptor) {
    return hand_over(&call, "warmup");
  }
  neso__call_captures(&call, lua_upvalueindex(NESO_UP_CAPTURES));
  run(&call, NULL);
  return 0;
}

/* Closes over launcher (on the top) and the four tables of a kernel:
 * 1 handle, 2 kernel, 3 captures, 4 names, 5 defaults, 6 grid function */
static void push_closure(lua_State *L, lua_CFunction function) {
  for (int i = 2; i <= 6; i++) {
    lua_pushvalue(L, i);
  }
  lua_pushcclosure(L, function, 6);
}

static neso_launcher *push_launcher(lua_State *L) {
  neso_handle *handle = neso__handle_check(L, 1);
  neso_launcher *launcher = lua_newuserdata(L, sizeof *launcher);
  memset(launcher, 0, sizeof *launcher);
  launcher->handle = handle;
  return launcher;
}

/* Reads the grid at index 6 into the launcher and leaves nil there; a function
 * stays: true. Raises. */
static bool take_grid(lua_State *L, neso_launcher *launcher) {
  if (lua_isfunction(L, 6)) {
    return true;
  }
  read_grid(L, 6, launcher->grid);
  lua_pushnil(L);
  lua_replace(L, 6);
  return false;
}

/* core.launcher(handle, kernel, captures, names, defaults, grid) -> function */
static int launcher_new(lua_State *L) {
  lua_settop(L, 6);
  bool computed = take_grid(L, push_launcher(L));
  push_closure(L, computed ? launcher_call_computed : launcher_call);
  return 1;
}

/* core.warmup(handle, kernel, captures, names, defaults) -> function */
static int warmup_new(lua_State *L) {
  lua_settop(L, 6);
  push_launcher(L);
  push_closure(L, warmup_call);
  return 1;
}

/* core.interpreter(handle, kernel, captures, names, defaults, grid) ->
 * function that launches in the interpreter */
static int interpreter_new(lua_State *L) {
  lua_settop(L, 6);
  neso_launcher *launcher = push_launcher(L);
  launcher->interprets = true;
  bool computed = take_grid(L, launcher);
  push_closure(L, computed ? launcher_call_computed : launcher_call);
  return 1;
}

/* A launch with its arguments frozen. */
typedef struct neso_bound {
  int64_t grid[3];
  size_t options_length; /* without the captured state */
  neso_lua_call call;
} neso_bound;

enum { UP_BOUND = 1, UP_BOUND_KERNEL, UP_BOUND_CAPTURES, UP_BOUND_ANCHOR };

static int bound_call(lua_State *L) {
  neso_bound *bound = lua_touserdata(L, lua_upvalueindex(UP_BOUND));
  luaL_checkstack(L, NESO_MAX_PARAMS + 24, "bound launch");
  bound->call.L = L;
  bound->call.options_length = bound->options_length;
  neso__call_captures(&bound->call, lua_upvalueindex(UP_BOUND_CAPTURES));
  run(&bound->call, bound->grid);
  return 0;
}

/* Reads arguments as a launcher does and gives the bound function back. */
static int bind_call(lua_State *L) {
  neso_launcher *launcher = launcher_of(L);
  neso_lua_call call;
  neso__call_own_keywords(L);
  neso__call_read(&call, L, launcher->handle);
  if (call.has_descriptor) {
    return hand_over(&call, "bind");
  }
  int64_t grid[3];
  memcpy(grid, launcher->grid, sizeof grid);
  if (!lua_isnil(L, lua_upvalueindex(NESO_UP_GRID))) {
    computed_grid(&call, grid);
  }
  int top = lua_gettop(L);
  neso_bound *bound = lua_newuserdata(L, sizeof *bound);
  memcpy(bound->grid, grid, sizeof grid);
  bound->call = call;
  bound->options_length = call.options_length;
  bound->call.kernel = lua_upvalueindex(UP_BOUND_KERNEL);
  bound->call.anchor = lua_upvalueindex(UP_BOUND_ANCHOR);
  lua_pushvalue(L, lua_upvalueindex(NESO_UP_KERNEL));
  lua_pushvalue(L, lua_upvalueindex(NESO_UP_CAPTURES));
  lua_createtable(L, top, 0);
  for (int i = 1; i <= top; i++) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  lua_pushcclosure(L, bound_call, 4);
  return 1;
}

/* core.binder(handle, kernel, captures, names, defaults, grid) -> function of
 * the arguments that gives the bound launch */
static int binder_new(lua_State *L) {
  lua_settop(L, 6);
  take_grid(L, push_launcher(L));
  push_closure(L, bind_call);
  return 1;
}

void neso__open_launch(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"launcher", launcher_new},
      {"warmup", warmup_new},
      {"binder", binder_new},
      {"interpreter", interpreter_new},
      {NULL, NULL},
  };
  neso_lua_setfuncs(L, functions);
}
