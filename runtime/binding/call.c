/* Lua values become the arguments of a launch. */
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 16
#define EXACT (INT64_C(1) << 53) /* numbers hold integers up to here */

static int bad_argument(neso_lua_call *call, int i, int index,
                        const char *wanted) {
  lua_State *L = call->L;
  const char *title = neso__handle_title(L, call->handle);
  bool is_tensor = neso__tensor_test(L, call->handle->binding, index) != NULL;
  return neso__error(L, "%s: parameter '%s' (argument %d): got %s, wanted %s",
                     title, call->handle->params[i].name, i + 1,
                     is_tensor ? "a tensor" : luaL_typename(L, index), wanted);
}

static const char *wanted_of(uint8_t kind) {
  switch (kind) {
  case NESO_PARAM_POINTER:
    return "a tensor";
  case NESO_PARAM_SCALAR:
    return "a number";
  case NESO_PARAM_CONST:
    return "a compile-time value";
  default:
    return "a tensor, a number or a boolean";
  }
}

/* An int64 or uint64 cdata, or a decimal string. */
static bool integer_argument(neso_lua_call *call, neso_arg *arg, int index) {
  neso_wide_kind kind;
  neso_wide value;
  if (!neso__read_integer(call->L, index, &kind, &value)) {
    return false;
  }
  bool large = kind == NESO_WIDE_UINT && value.u > INT64_MAX;
  arg->kind = NESO_ARG_INTEGER;
  arg->dtype = large ? NESO_U64 : NESO_I64;
  arg->value.integer = value.i;
  return true;
}

static void number_argument(neso_lua_call *call, neso_arg *arg, int index) {
  arg->kind = NESO_ARG_NUMBER;
  arg->value.number = lua_tonumber(call->L, index);
  if (neso_lua_is_integer(call->L, index)) {
    int64_t integer = (int64_t)lua_tointeger(call->L, index);
    if (integer > EXACT || integer < -EXACT) {
      arg->kind = NESO_ARG_INTEGER;
      arg->dtype = NESO_I64;
      arg->value.integer = integer;
    }
  }
}

static void tensor_argument(neso_lua_call *call, int i, int index) {
  lua_State *L = call->L;
  const neso_tensor *tensor =
      neso__tensor_test(L, call->handle->binding, index);
  uint8_t kind = call->handle->params[i].kind;
  if (tensor && kind == NESO_PARAM_CONST) {
    const char *title = neso__handle_title(L, call->handle);
    neso__error(L,
                "%s: parameter '%s' (argument %d): got a tensor for a "
                "constant; parameters in CAPITALS are constants, give it a "
                "name with small letters",
                title, call->handle->params[i].name, i + 1);
  }
  if (!tensor || kind == NESO_PARAM_SCALAR) {
    bad_argument(call, i, index, wanted_of(kind));
  }
  if (!tensor->buffer || neso_buffer_is_freed(tensor->buffer)) {
    const char *title = neso__handle_title(L, call->handle);
    neso__error(L, "%s: parameter '%s' (argument %d): the tensor was freed",
                title, call->handle->params[i].name, i + 1);
  }
  neso_arg *arg = &call->args[i];
  arg->kind = NESO_ARG_BUFFER;
  arg->dtype = tensor->dtype;
  arg->value.buffer = tensor->buffer;
  arg->offset = tensor->offset;
  call->has_buffer = true;
}

static void text_argument(neso_lua_call *call, int i, int index) {
  neso_arg *arg = &call->args[i];
  uint8_t kind = call->handle->params[i].kind;
  if (kind == NESO_PARAM_CONST) {
    size_t length;
    arg->kind = NESO_ARG_STRING;
    arg->value.text = lua_tolstring(call->L, index, &length);
    arg->length = (uint32_t)length;
  } else if (kind != NESO_PARAM_SCALAR || !integer_argument(call, arg, index)) {
    bad_argument(call, i, index, wanted_of(kind));
  }
}

static void cdata_argument(neso_lua_call *call, int i, int index) {
  if (!integer_argument(call, &call->args[i], index)) {
    bad_argument(call, i, index,
                 "a tensor (neso.from_cdata makes one) or an int64");
  }
}

/* Is the argument a descriptor (neso.descriptor)? Raises where none can be. */
static bool take_descriptor(neso_lua_call *call, int i, int index) {
  lua_State *L = call->L;
  uint8_t kind = call->handle->params[i].kind;
  if (!luaL_getmetafield(L, index, "__descriptor")) {
    return false;
  }
  lua_pop(L, 1);
  if (kind == NESO_PARAM_CONST || kind == NESO_PARAM_SCALAR) {
    const char *title = neso__handle_title(L, call->handle);
    neso__error(L, "%s: parameter '%s' (argument %d): got a descriptor%s",
                title, call->handle->params[i].name, i + 1,
                kind == NESO_PARAM_SCALAR
                    ? ", wanted a number"
                    : " for a constant; parameters in CAPITALS are constants, "
                      "give it a name with small letters");
  }
  call->args[i].kind = NESO_ARG_NIL;
  call->has_descriptor = true;
  return true;
}

static void object_argument(neso_lua_call *call, int i, int index) {
  lua_State *L = call->L;
  neso_arg *arg = &call->args[i];
  if (take_descriptor(call, i, index)) {
    return;
  }
  if (call->handle->params[i].kind != NESO_PARAM_CONST) {
    const char *title = neso__handle_title(L, call->handle);
    neso__error(L,
                "%s: parameter '%s' (argument %d): got a %s, which only a "
                "compile-time parameter takes: name it in capitals "
                "(neso.tensor makes a tensor of a table)",
                title, call->handle->params[i].name, i + 1,
                luaL_typename(L, index));
  }
  int slot = call->slots + 2 * i + 1;
  lua_pushvalue(L, index);
  lua_replace(L, slot);
  neso__port_push(L, call->handle->binding, NESO_PORT_SERIALIZE);
  lua_pushvalue(L, slot);
  lua_call(L, 1, 1);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  lua_replace(L, slot + 1);
  if (!text) {
    bad_argument(call, i, index, "a compile-time value");
  }
  arg->kind = NESO_ARG_OBJECT;
  arg->length = (uint32_t)length;
  arg->value.text = text;
}

static void read_argument(neso_lua_call *call, int i, int index) {
  lua_State *L = call->L;
  neso_arg *arg = &call->args[i];
  arg->dtype = 0;
  arg->length = 0;
  arg->offset = 0;
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    number_argument(call, arg, index);
    break;
  case LUA_TUSERDATA:
    tensor_argument(call, i, index);
    break;
  case LUA_TBOOLEAN:
    arg->kind = NESO_ARG_BOOL;
    arg->value.boolean = lua_toboolean(L, index);
    break;
  case LUA_TSTRING:
    text_argument(call, i, index);
    break;
  case LUA_TTABLE:
  case LUA_TFUNCTION:
    object_argument(call, i, index);
    break;
  case NESO_LUA_TCDATA:
    cdata_argument(call, i, index);
    break;
  default:
    if (lua_isnil(L, index) &&
        call->handle->params[i].kind == NESO_PARAM_CONST) {
      arg->kind = NESO_ARG_NIL;
      break;
    }
    bad_argument(call, i, index, wanted_of(call->handle->params[i].kind));
  }
}

static int count_error(neso_lua_call *call, int given) {
  lua_State *L = call->L;
  const neso_handle *handle = call->handle;
  neso__handle_prepare(L, call->handle, call->kernel);
  const char *title = neso__handle_title(L, handle);
  const char *list = "";
  for (int i = 0; i < handle->param_count; i++) {
    list = lua_pushfstring(L, "%s%s%s", list, i ? ", " : "",
                           handle->params[i].name);
  }
  return neso__error(L, "%s takes %d arguments (%s), got %d", title,
                     handle->param_count, list, given);
}

/* The default of parameter `i` on the stack; raises without one. */
static void push_default(neso_lua_call *call, int i, int given) {
  lua_State *L = call->L;
  int defaults = lua_upvalueindex(NESO_UP_DEFAULTS);
  if (lua_istable(L, defaults)) {
    lua_rawgeti(L, defaults, i + 1);
    if (!lua_isnil(L, -1)) {
      return;
    }
    lua_pop(L, 1);
  }
  if (given >= 0) {
    count_error(call, given);
  }
  neso__handle_prepare(L, call->handle, call->kernel);
  const char *title = neso__handle_title(L, call->handle);
  neso__error(L, "%s: parameter '%s' (argument %d) is missing", title,
              call->handle->params[i].name, i + 1);
}

static void fill_default(neso_lua_call *call, int i, int given) {
  push_default(call, i, given);
  read_argument(call, i, lua_gettop(call->L));
  lua_pop(call->L, 1);
}

static void read_positional(neso_lua_call *call, int given) {
  int count = call->handle->param_count;
  if (given > count) {
    count_error(call, given);
  }
  for (int i = 0; i < given; i++) {
    read_argument(call, i, i + 1);
  }
  for (int i = given; i < count; i++) {
    fill_default(call, i, given);
  }
}

typedef struct option {
  const char *name;
  char value[48];
} option;

/* A launch option: "n:4", "b:true", "s:contract". */
static void read_option(neso_lua_call *call, option *out, const char *name) {
  lua_State *L = call->L;
  int type = lua_type(L, -1);
  out->name = name;
  switch (type) {
  case LUA_TNUMBER:
    snprintf(out->value, sizeof out->value, "n:%.17g", lua_tonumber(L, -1));
    return;
  case LUA_TBOOLEAN:
    snprintf(out->value, sizeof out->value, "b:%s",
             lua_toboolean(L, -1) ? "true" : "false");
    return;
  case LUA_TSTRING:
    if (lua_rawlen(L, -1) < sizeof out->value - 3 &&
        !strpbrk(lua_tostring(L, -1), ";=@")) {
      snprintf(out->value, sizeof out->value, "s:%s", lua_tostring(L, -1));
      return;
    }
  }
  neso__handle_prepare(L, call->handle, call->kernel);
  const char *title = neso__handle_title(L, call->handle);
  neso__error(L, "%s: launch option '%s' cannot be a %s", title, name,
              lua_typename(L, type));
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const option *)a)->name, ((const option *)b)->name);
}

static void write_options(neso_lua_call *call, option *options, int count) {
  qsort(options, (size_t)count, sizeof *options, by_name);
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    length += (size_t)snprintf(call->options + length,
                               sizeof call->options - 16 - length, "%s=%s;",
                               options[i].name, options[i].value);
    if (length >= sizeof call->options - 16) {
      neso__error(call->L, "too many launch options");
    }
  }
  call->options_length = length;
}

/* Position of parameter `key` (at -2), or -1 for a launch option. */
static int keyword_position(neso_lua_call *call) {
  lua_State *L = call->L;
  if (lua_type(L, -2) == LUA_TNUMBER) {
    double position = lua_tonumber(L, -2);
    if (position < 1 || position > call->handle->param_count ||
        position != floor(position)) {
      return count_error(call, (int)lua_rawlen(L, 1));
    }
    return (int)position - 1;
  }
  const neso_handle *handle = call->handle;
  const char *key = lua_tostring(L, -2);
  for (int i = 0; i < handle->param_count; i++) {
    if (handle->interned[i] == key) {
      return i;
    }
  }
  lua_pushvalue(L, -2);
  lua_rawget(L, lua_upvalueindex(NESO_UP_NAMES));
  int position = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (position == 0) {
    neso__port_push(L, call->handle->binding, NESO_PORT_UNKNOWN);
    lua_pushvalue(L, call->kernel);
    lua_pushvalue(L, -4);
    lua_call(L, 2, 0);
    return -1;
  }
  return position - 1 < 0 ? -1 : position - 1;
}

static void read_keywords(neso_lua_call *call) {
  lua_State *L = call->L;
  option options[MAX_OPTIONS];
  int option_count = 0;
  uint64_t given = 0;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    int i = keyword_position(call);
    if (i < 0) {
      if (option_count == MAX_OPTIONS) {
        neso__error(L, "too many launch options");
      }
      read_option(call, &options[option_count++], lua_tostring(L, -2));
      continue;
    }
    if (given >> i & 1) {
      neso__handle_prepare(L, call->handle, call->kernel);
      const char *title = neso__handle_title(L, call->handle);
      neso__error(L, "%s: parameter '%s' is given twice, by place and by name",
                  title, call->handle->params[i].name);
    }
    given |= UINT64_C(1) << i;
    read_argument(call, i, lua_gettop(L));
  }
  for (int i = 0; i < call->handle->param_count; i++) {
    if (!(given >> i & 1)) {
      fill_default(call, i, -1);
    }
  }
  write_options(call, options, option_count);
}

/* Is the only argument a plain table? Then it carries them by name. */
static bool has_keywords(lua_State *L) {
  if (lua_gettop(L) != 1 || !lua_istable(L, 1)) {
    return false;
  }
  bool plain = !lua_getmetatable(L, 1);
  if (!plain) {
    lua_pop(L, 1);
  }
  return plain;
}

void neso__call_own_keywords(lua_State *L) {
  if (!has_keywords(L)) {
    return;
  }
  lua_createtable(L, 0, 8);
  for (lua_pushnil(L); lua_next(L, 1);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_replace(L, 1);
}

void neso__call_read(neso_lua_call *call, lua_State *L, neso_handle *handle) {
  call->L = L;
  call->handle = handle;
  call->kernel = lua_upvalueindex(NESO_UP_KERNEL);
  call->anchor = 0;
  call->has_buffer = false;
  call->has_descriptor = false;
  call->interpreted = handle->binding->interprets;
  call->options_length = 0;
  int given = lua_gettop(L);
  bool keywords = has_keywords(L);
  call->slots = given;
  luaL_checkstack(L, 2 * handle->param_count + 24, "too many arguments");
  if (!handle->kernel) {
    neso__handle_prepare(L, handle, call->kernel);
  }
  if (handle->has_consts) {
    lua_settop(L, given + 2 * handle->param_count);
  }
  if (keywords) {
    read_keywords(call);
  } else {
    read_positional(call, given);
  }
}

void neso__push_argument(lua_State *L, neso_binding *binding,
                         const neso_arg *arg) {
  switch (arg->kind) {
  case NESO_ARG_NUMBER:
    neso_lua_push_number(L, arg->value.number);
    break;
  case NESO_ARG_INTEGER:
    neso__push_int64(L, binding, arg->value.integer);
    break;
  case NESO_ARG_BOOL:
    lua_pushboolean(L, arg->value.boolean);
    break;
  case NESO_ARG_STRING:
    lua_pushlstring(L, arg->value.text, arg->length);
    break;
  default:
    lua_pushnil(L);
  }
}

static bool same_value(lua_State *L) {
  if (!lua_rawequal(L, -1, -2)) {
    return lua_type(L, -1) == LUA_TNUMBER && lua_type(L, -2) == LUA_TNUMBER &&
           isnan(lua_tonumber(L, -1)) && isnan(lua_tonumber(L, -2));
  }
  return neso_lua_is_integer(L, -1) == neso_lua_is_integer(L, -2);
}

static bool captures_hold(lua_State *L, int captures, int rows) {
  int top = lua_gettop(L);
  for (int r = 0; r < rows; r++) {
    lua_rawgeti(L, captures, 3 * r + 1);
    lua_rawgeti(L, captures, 3 * r + 2);
    if (lua_isfunction(L, -2)) {
      if (!lua_getupvalue(L, -2, (int)lua_tointeger(L, -1))) {
        lua_pushnil(L);
      }
    } else {
      lua_gettable(L, -2);
    }
    lua_rawgeti(L, captures, 3 * r + 3);
    bool same = same_value(L);
    lua_settop(L, top);
    if (!same) {
      return false;
    }
  }
  return true;
}

void neso__call_captures(neso_lua_call *call, int captures) {
  lua_State *L = call->L;
  neso_handle *handle = call->handle;
  if (handle->capture_count &&
      !captures_hold(L, captures, handle->capture_count)) {
    neso__port_push(L, handle->binding, NESO_PORT_RECAPTURE);
    lua_pushvalue(L, call->kernel);
    lua_call(L, 1, 0);
  }
  if (handle->epoch) {
    call->options_length += (size_t)snprintf(
        call->options + call->options_length, 16, "@%d", handle->epoch);
  }
}
