/* neso/core.so: the C half of the Lua module. The shell (lua/neso) is its only
 * user; every table and code that crosses here is private to the two.
 *
 * Ownership: a C function of this folder raises a Lua error only while all it
 * owns belongs to the collector; statuses are turned into errors last. */
#ifndef NESO_BINDING_H
#define NESO_BINDING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lua_compat.h"
#include "neso.h"
#include "src/formats.h"
#include "src/kernel.h"

#define NESO_MAX_RANK 16

/* Lua functions and tables of the shell that C calls; set by core.bind. */
typedef enum neso_port {
  NESO_PORT_DTYPES,    /* list of dtype objects, index = code + 1 */
  NESO_PORT_WIDE,      /* (high, low, unsigned) -> 64-bit integer of this Lua */
  NESO_PORT_DEVICE,    /* () -> the device that serves; light userdata */
  NESO_PORT_DEVICE_OF, /* (backend, index) -> device object */
  NESO_PORT_SERIALIZE, /* (value) -> text that tells it from others, or nil */
  NESO_PORT_RESOLVE,   /* jit.resolve */
  NESO_PORT_RECAPTURE, /* (kernel) -> number of the captured state */
  NESO_PORT_UNKNOWN,   /* (kernel, name): raises the did-you-mean error */
  NESO_PORT_PREPARE,   /* (kernel): gives the handle its name and place */
  NESO_PORT_INTERPRET, /* interpreter.launch */
  NESO_PORT_DESCRIBED, /* descriptor.launch */
  NESO_PORT_COUNT
} neso_port;

/* What one lua_State knows of neso. Counted: the state holds one, and every
 * kernel, since a C host may hold kernels longer than the state lives. */
typedef struct neso_binding {
  atomic_int references;
  atomic_bool closed;    /* the lua_State is gone */
  lua_State *thread;     /* a coroutine of the state's own for calls from C */
  pthread_t owner;       /* may resolve launches that come from C */
  neso_context *context; /* owned; NULL until first needed */
  neso_device *device;   /* borrowed; default of launches, NULL until asked */
  int ports[NESO_PORT_COUNT]; /* registry references, 0 when unset */
  int resolve; /* registry reference of the protected part of resolve.c */
  char *own; /* owned; how the chunk names of the shell begin; NULL: unknown */
  const void *tensor_meta; /* address of the metatable of tensors */
  size_t live_bytes;       /* in tensors' own buffers */
  size_t collect_at;       /* live_bytes that start a collection */
  bool interprets;         /* NESO_INTERPRET: no launch runs compiled code */
} neso_binding;

neso_binding *neso__binding_of(lua_State *L);
void neso__binding_release(neso_binding *binding);
/* The context, made at the first call. Raises. */
neso_context *neso__binding_context(lua_State *L, neso_binding *binding);
/* The device that serves when no argument names one. Raises. */
neso_device *neso__binding_device(lua_State *L, neso_binding *binding);
/* Pushes a port; raises when the shell has not set it. */
void neso__port_push(lua_State *L, neso_binding *binding, neso_port port);
/* Tells the collector about bytes outside of it; may collect. Balanced by
 * subtracting from live_bytes. */
void neso__binding_account(lua_State *L, neso_binding *binding, size_t bytes);

/* luaL_error with the place of the user's code that called the shell. */
int neso__error(lua_State *L, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
/* Frees the status and raises its text behind the same place; does nothing
 * for NULL. A text that starts with its own place is raised as it is. */
void neso__raise(lua_State *L, neso_status status);

typedef struct neso_tensor {
  neso_buffer *buffer; /* owned reference; NULL only while being made */
  neso_binding *binding;
  size_t accounted; /* bytes in binding->live_bytes */
  size_t offset;    /* bytes from the start of the buffer */
  uint8_t dtype;
  uint8_t rank;
  int64_t shape[NESO_MAX_RANK];
  int64_t strides[NESO_MAX_RANK]; /* in elements */
} neso_tensor;

/* NULL when the value is no tensor of this state. */
neso_tensor *neso__tensor_test(lua_State *L, const neso_binding *binding,
                               int index);
/* Raises naming `what`, also for a freed tensor. */
neso_tensor *neso__tensor_check(lua_State *L, int index, const char *what);
int64_t neso__tensor_numel(const neso_tensor *tensor);
/* Host address of element 0; raises when freed or not visible to the host. */
char *neso__tensor_data(lua_State *L, const neso_tensor *tensor);
bool neso__tensor_is_contiguous(const neso_tensor *tensor);

/* Element i of a run: base + sum(index * stride); walks all of `tensor` in
 * row-major order, a run along the last dimension at a time. */
typedef struct neso_walk {
  int64_t index[NESO_MAX_RANK];
  int64_t offset; /* elements */
  int64_t runs, run_length, run_stride;
} neso_walk;
void neso__walk_start(neso_walk *walk, const neso_tensor *tensor);
void neso__walk_next(neso_walk *walk, const neso_tensor *tensor);

/* One run of both when both are row-major, so that short rows do not cost. */
void neso__flatten(neso_tensor *a, neso_tensor *b);
/* Raises naming `what` when they differ. */
void neso__check_same_shape(lua_State *L, const neso_tensor *a,
                            const neso_tensor *b, const char *what);

/* Pushes an exact 64-bit integer in this Lua's way. */
void neso__push_int64(lua_State *L, neso_binding *binding, int64_t value);
/* The exact integer that a string ("12", "-12LL", "12ULL") or a cdata spells;
 * false when it spells none. */
bool neso__read_integer(lua_State *L, int index, neso_wide_kind *kind,
                        neso_wide *out);

void neso__push_element(lua_State *L, neso_binding *binding, neso_dtype dtype,
                        const void *source);
/* Stores the Lua value as an element; or stores nothing and says why the
 * dtype cannot hold it ("is out of range"). */
const char *neso__write_element(lua_State *L, int index, neso_dtype dtype,
                                void *destination);

/* Registers a file's functions in the table on the top of the stack. */
void neso__open_tensor(lua_State *L);
void neso__open_values(lua_State *L);
void neso__open_compare(lua_State *L);
void neso__open_random(lua_State *L);
void neso__open_file(lua_State *L);
void neso__open_device(lua_State *L);
void neso__open_kernel(lua_State *L);

#endif
