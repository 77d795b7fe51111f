/* Kernels of a lua_State: the handle behind a kernel object of lua/neso/jit.lua
 * and one launch on its way. */
#ifndef NESO_BINDING_KERNEL_H
#define NESO_BINDING_KERNEL_H

#include "binding.h"

#define NESO_OPTIONS_SIZE 256

/* Counted: by the Lua handle and by the neso_kernel that calls resolve. */
typedef struct neso_handle {
  atomic_int references;
  neso_binding *binding; /* counted reference */
  neso_kernel *kernel;   /* owned by the Lua handle; made by the first launch */
  char *name, *place;    /* owned; NULL until prepared: "softmax", "a.lua:3" */
  int param_count;
  bool has_consts;
  int capture_count; /* rows of the kernel's table `captures` */
  int epoch;         /* number of the captured state in use; 0 the first */
  neso_param params[NESO_MAX_PARAMS]; /* names owned by `names` */
  char *names;                        /* owned; one block */
  /* The same names as Lua's strings, kept by the kernel's table of names: a
   * key that is one of these pointers needs no look-up. */
  const char *interned[NESO_MAX_PARAMS];
} neso_handle;

/* A launch on its way. Lives in the C frame of the launcher; the values that
 * its arguments point to lie on that frame's Lua stack or in its upvalues. */
typedef struct neso_lua_call {
  lua_State *L;
  neso_handle *handle;
  int kernel; /* index of the kernel object */
  int slots;  /* parameter i keeps its object at slots + 2i + 1 and the text
                 that tells it from others behind it */
  int anchor; /* index of a table that has the slots instead, or 0 */
  bool has_buffer;
  bool has_descriptor; /* the shell has to launch this with other arguments */
  bool interpreted;    /* not by compiled code */
  size_t options_length;
  struct neso_lua_call *outer;
  neso_arg args[NESO_MAX_PARAMS];
  char options[NESO_OPTIONS_SIZE];
} neso_lua_call;

/* The userdata's handle; raises when it is none. */
neso_handle *neso__handle_check(lua_State *L, int index);
/* Gives the handle its name, place and neso_kernel. Raises. */
void neso__handle_prepare(lua_State *L, neso_handle *handle, int kernel);

/* Pushes the kernel object of a handle; false (and nil) when it is gone. */
bool neso__handle_object(lua_State *L, const neso_handle *handle);

/* Pushes an argument as Lua gave it; nil for tensors and objects. */
void neso__push_argument(lua_State *L, neso_binding *binding,
                         const neso_arg *arg);
/* Replaces a table of arguments by name by a copy that nobody else can
 * change. */
void neso__call_own_keywords(lua_State *L);
/* Reads the arguments 1 to the top of the launcher's stack. Raises. */
void neso__call_read(neso_lua_call *call, lua_State *L, neso_handle *handle);
/* Compares the captured values with those compiled in; `captures` is the index
 * of the kernel's list. Raises. */
void neso__call_captures(neso_lua_call *call, int captures);
/* "kernel 'softmax' (a.lua:3)" on the stack. */
const char *neso__handle_title(lua_State *L, const neso_handle *handle);

/* The call of `handle` in progress on this thread, NULL for one from C. */
neso_lua_call *neso__call_current(const neso_handle *handle);
neso_status neso__resolve(void *user, neso_kernel *kernel, neso_device *device,
                          const neso_spec *specs, const neso_arg *args,
                          size_t count, neso_variant **out_variant);

/* Pushes the objects among the arguments of `call`, and gives how many;
 * allocates nothing. */
int neso__push_objects(lua_State *L, const neso_lua_call *call);
/* Pushes a list of {name, kind, dtype, facts, value}; the objects among the
 * arguments lie from index `object` on. */
void neso__push_params(lua_State *L, const neso_handle *handle,
                       const neso_spec *specs, const neso_arg *args,
                       size_t count, int object);
/* A launch in the interpreter; `grid` NULL: only what it needs is prepared. */
neso_status neso__interpret(neso_lua_call *call, neso_device *device,
                            const int64_t *grid);

/* Upvalues of a launcher. */
enum {
  NESO_UP_LAUNCHER = 1, /* userdata neso_launcher */
  NESO_UP_KERNEL,       /* kernel object */
  NESO_UP_CAPTURES,     /* list: owner, key, value a row */
  NESO_UP_NAMES,        /* parameter name -> position */
  NESO_UP_DEFAULTS,     /* position -> default value */
  NESO_UP_GRID          /* grid function, or nil */
};

void neso__open_resolve(lua_State *L);
void neso__open_launch(lua_State *L);
void neso__open_interpret(lua_State *L);

#endif
