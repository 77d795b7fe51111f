/* neso: tiled kernels written in Lua, for C hosts. This header is the manual.
 *
 * Objects are opaque and reference counted: every `neso_*_create`, `_wrap`,
 * `_get`, `_load` gives the caller one reference, `neso_*_release` ends it.
 * NULL is accepted by every release function.
 *
 * Errors are values: a function that can fail returns a `neso_status`, NULL
 * for success. A status that is not NULL must be read and then freed with
 * `neso_status_free`. No function exits, aborts, or prints, but for what
 * kernels print (neso_config.print).
 *
 * Threads: a context and everything made from it may be used from any thread,
 * except where a function says otherwise. The library starts no thread before
 * the first launch that needs one, and keeps no global state.
 */
#ifndef NESO_H
#define NESO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NESO_VERSION_MAJOR 0
#define NESO_VERSION_MINOR 1
#define NESO_VERSION_PATCH 0
#define NESO_VERSION_NUMBER 3 /* grows with every change of this header */

#if defined(__GNUC__)
#define NESO_API __attribute__((visibility("default")))
#define NESO_MUST_USE __attribute__((warn_unused_result))
#else
#define NESO_API
#define NESO_MUST_USE
#endif

/* ------------------------------------------------------------- status -- */

typedef enum neso_code {
  NESO_OK = 0,
  NESO_INVALID_ARGUMENT, /* the caller's value is wrong */
  NESO_NOT_FOUND,        /* no such device, kernel, file, backend */
  NESO_UNAVAILABLE,      /* a driver or library is missing or inactive */
  NESO_OUT_OF_MEMORY,
  NESO_OUT_OF_RANGE,  /* offset, grid or extent beyond its limit */
  NESO_COMPILE_ERROR, /* the program was refused; text has the line */
  NESO_DEVICE_ERROR,  /* the driver or the kernel failed */
  NESO_UNSUPPORTED,   /* valid, but not on this target */
  NESO_IO_ERROR,
  NESO_INTERNAL /* a fault of the library */
} neso_code;

/* Owned by whoever receives it. One that allocation failure made is static
 * and freeing it does nothing. */
typedef struct neso_status_object *neso_status;

NESO_API neso_code neso_status_code(neso_status status);
/* The message with its notes, "" for NULL. Valid until the status is freed. */
NESO_API const char *neso_status_text(neso_status status);
/* "invalid argument", "not found", ... Static. */
NESO_API const char *neso_code_name(neso_code code);
NESO_API void neso_status_free(neso_status status);
/* Builds a status; `format` as in printf. For hooks and backends. */
NESO_API neso_status neso_status_make(neso_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a line to the text of `status` and returns it; NULL stays NULL. */
NESO_API neso_status neso_status_note(neso_status status, const char *format,
                                      ...)
    __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------- dtypes -- */

typedef enum neso_dtype {
  NESO_I1,
  NESO_I8,
  NESO_I16,
  NESO_I32,
  NESO_I64,
  NESO_U8,
  NESO_U16,
  NESO_U32,
  NESO_U64,
  NESO_F16,
  NESO_BF16,
  NESO_F32,
  NESO_F64,
  NESO_F8E5M2,
  NESO_F8E4M3FN,
  NESO_F8E4B15,
  NESO_F8E4M3FNUZ,
  NESO_F8E5M2FNUZ,
  NESO_DTYPE_COUNT
} neso_dtype;

NESO_API const char *neso_dtype_name(neso_dtype dtype); /* "f32"; static */
NESO_API size_t neso_dtype_size(neso_dtype dtype);      /* bytes; i1 is 1 */
/* false when `name` is no dtype. */
NESO_API bool neso_dtype_parse(const char *name, neso_dtype *out_dtype);

/* ------------------------------------------------------------ context -- */

typedef struct neso_context neso_context;
typedef struct neso_device neso_device;
typedef struct neso_buffer neso_buffer;
typedef struct neso_kernel neso_kernel;

typedef enum neso_log_level {
  NESO_LOG_ERROR,
  NESO_LOG_WARN,
  NESO_LOG_INFO
} neso_log_level;

/* parallel_for runs task(task_context, i, worker) once for each i in
 * [0, count), in any order, on any threads, and returns when all have ended.
 * `worker` is a number of the host's for the thread, for its own use. */
typedef void (*neso_task_fn)(void *task_context, size_t i, size_t worker);

/* Hooks of the host. Fill with neso_config_init, then change what you need.
 * Every hook may be called from any thread. */
typedef struct neso_config {
  size_t size; /* sizeof(neso_config); set by neso_config_init */
  void *user;  /* passed to every hook */

  /* NULL: errors and warnings go nowhere; the status tells. */
  void (*log)(void *user, neso_log_level level, const char *text);

  /* Memory of buffers on the host, working memory of launches, and objects
   * made from the context; aligned to `alignment` (a power of two). NULL from
   * `allocate` becomes a NESO_OUT_OF_MEMORY status. Both hooks or neither;
   * neither: the C library. `free` gets the size that was asked for. */
  void *(*allocate)(void *user, size_t size, size_t alignment);
  void (*free)(void *user, void *memory, size_t size);

  /* The host's thread pool. NULL: own threads, started at the first launch
   * that needs them, and again in a forked child. `workers` is how many
   * threads run one launch at most and the largest `count` of parallel_for
   * (0: one a core that the process may use). */
  void (*parallel_for)(void *user, size_t count, neso_task_fn task,
                       void *task_context);
  size_t workers;

  const char *cache_dir;    /* NULL: $NESO_CACHE_DIR, else the XDG cache
                               folder + "/neso"; "" : no disk cache */
  uint64_t cache_max_bytes; /* 0: $NESO_CACHE_SIZE, else 256 MiB */
  const char *compiler;     /* NULL: libneso_compiler beside libneso */

  /* What the programs of a launch print (tl.device_print): called when the
   * launch ends, also one that fails, on the thread that launched, once a
   * line with its newline at the end, in the order of the programs. `text` is
   * not ended by a zero. NULL: standard output. A launch keeps 4 MiB of lines
   * and tells in a last one how many more there were. */
  void (*print)(void *user, const char *text, size_t length);
} neso_config;

NESO_API void neso_config_init(neso_config *out_config);
/* `config` may be NULL. Strings are copied. */
NESO_API NESO_MUST_USE neso_status
neso_context_create(const neso_config *config, neso_context **out_context);
NESO_API void neso_context_release(neso_context *context);

/* ------------------------------------------------------------ devices -- */

/* One row of the menu: what a backend answered when asked. */
typedef struct neso_backend_info {
  const char *name; /* "cpu" */
  bool active;
  const char *reason; /* why not, or what answered; owned by the context */
  int device_count;
} neso_backend_info;

/* Asks backend `name` whether it is active. Starts no GPU context. */
NESO_API NESO_MUST_USE neso_status neso_backend_query(
    neso_context *context, const char *name, neso_backend_info *out_info);

/* Device `index` of backend `backend`. Devices live as long as the context;
 * they are borrowed, not released. */
NESO_API NESO_MUST_USE neso_status neso_device_get(neso_context *context,
                                                   const char *backend,
                                                   int index,
                                                   neso_device **out_device);
NESO_API const char *neso_device_backend(const neso_device *device);
NESO_API int neso_device_index(const neso_device *device);
/* Human name ("AMD EPYC ..."); owned by the device. */
NESO_API const char *neso_device_name(const neso_device *device);
/* What code is compiled for, as "triple cpu features" (cpu) or "sm_90a";
 * owned by the device. */
NESO_API const char *neso_device_target(const neso_device *device);

/* ------------------------------------------------------------ buffers -- */

/* Uninitialized memory of `size` bytes (0 is allowed) on `device`, aligned to
 * 64 bytes. */
NESO_API NESO_MUST_USE neso_status neso_buffer_create(neso_context *context,
                                                      neso_device *device,
                                                      size_t size,
                                                      neso_buffer **out_buffer);
/* A buffer over the host's memory. neso reads and writes it during launches
 * and copies only, and never frees it. `release` (may be NULL) is called with
 * `release_user` when the last reference ends. */
NESO_API NESO_MUST_USE neso_status
neso_buffer_wrap(neso_context *context, neso_device *device, void *memory,
                 size_t size, void (*release)(void *release_user),
                 void *release_user, neso_buffer **out_buffer);
NESO_API void neso_buffer_retain(neso_buffer *buffer);
NESO_API void neso_buffer_release(neso_buffer *buffer);
/* Gives the memory back now; later uses of the buffer are errors. */
NESO_API void neso_buffer_free(neso_buffer *buffer);
NESO_API bool neso_buffer_is_freed(const neso_buffer *buffer);
NESO_API size_t neso_buffer_size(const neso_buffer *buffer);
NESO_API neso_device *neso_buffer_device(const neso_buffer *buffer);
/* Host address, NULL when freed or not visible to the host. */
NESO_API void *neso_buffer_data(const neso_buffer *buffer);
/* Copies between a buffer and host memory; bytes, checked against the size. */
NESO_API NESO_MUST_USE neso_status neso_buffer_read(neso_buffer *buffer,
                                                    size_t offset,
                                                    void *destination,
                                                    size_t size);
NESO_API NESO_MUST_USE neso_status neso_buffer_write(neso_buffer *buffer,
                                                     size_t offset,
                                                     const void *source,
                                                     size_t size);

/* ------------------------------------------------------------ kernels -- */

/* One argument of a launch, in the order of the kernel's parameters.
 *
 * A parameter in CAPITALS (or declared constexpr) is compiled in: another
 * value is another variant. For the others a buffer becomes a pointer to
 * elements of its dtype, a boolean an i1, and a number is typed
 *  - as declared, where the kernel declares a type: a value that the type
 *    cannot hold is an error, fractions are rounded for float types only;
 *  - else by its value: integral and within 32 bits i32 (negative zero is 0),
 *    integral and within 64 bits i64, any other f32, unless its magnitude is
 *    outside the normal range of f32 (above 3.4028234e38, or below
 *    1.17549435e-38 and not 0; infinities and NaN are inside): then f64. */
typedef enum neso_arg_kind {
  NESO_ARG_NIL,
  NESO_ARG_BUFFER,  /* buffer + byte offset, elements of `dtype` */
  NESO_ARG_NUMBER,  /* a Lua number */
  NESO_ARG_INTEGER, /* exact 64-bit integer; dtype NESO_U64: unsigned bits */
  NESO_ARG_BOOL,
  NESO_ARG_STRING, /* compile-time only */
  NESO_ARG_OBJECT  /* compile-time only: the host's serialized value */
} neso_arg_kind;

typedef struct neso_arg {
  uint8_t kind;  /* neso_arg_kind */
  uint8_t dtype; /* neso_dtype: of BUFFER and INTEGER, see there */
  uint32_t length;
  union {
    neso_buffer *buffer; /* borrowed during the call */
    double number;
    int64_t integer;
    bool boolean;
    const char *text; /* STRING, OBJECT: `length` bytes */
  } value;
  size_t offset; /* BUFFER: bytes from its start */
} neso_arg;

static inline neso_arg neso_arg_buffer(neso_buffer *buffer, neso_dtype dtype) {
  neso_arg arg = {NESO_ARG_BUFFER, (uint8_t)dtype, 0, {0}, 0};
  arg.value.buffer = buffer;
  return arg;
}
static inline neso_arg neso_arg_number(double number) {
  neso_arg arg = {NESO_ARG_NUMBER, 0, 0, {0}, 0};
  arg.value.number = number;
  return arg;
}
static inline neso_arg neso_arg_integer(int64_t integer) {
  neso_arg arg = {NESO_ARG_INTEGER, 0, 0, {0}, 0};
  arg.value.integer = integer;
  return arg;
}
static inline neso_arg neso_arg_bool(bool boolean) {
  neso_arg arg = {NESO_ARG_BOOL, 0, 0, {0}, 0};
  arg.value.boolean = boolean;
  return arg;
}

struct lua_State;

/* Makes `require "neso"` in `state` use `context`: its package path is
 * extended by the installed tree and the module bound. The state keeps a
 * reference to the context. Call on the thread that owns the state. */
NESO_API NESO_MUST_USE neso_status neso_attach(neso_context *context,
                                               struct lua_State *state);

/* A kernel that a script published with neso.export(name, kernel). A later
 * export under the same name (a reload) replaces it: get it again, or hold
 * the old one as long as you like. */
NESO_API NESO_MUST_USE neso_status neso_kernel_get(neso_context *context,
                                                   const char *name,
                                                   neso_kernel **out_kernel);
NESO_API void neso_kernel_release(neso_kernel *kernel);

/* Launches over grid[0] x grid[1] x grid[2] programs and returns when all
 * have ended (CPU). A zero extent is a no-op, a negative one an error.
 * The first launch with new argument types compiles, and must then run on the
 * thread that owns the attached lua_State; others may run anywhere.
 *
 * A failed tl.device_assert, or a check of a kernel compiled with
 * `checked = true`, stops the launch: a NESO_DEVICE_ERROR with file and line,
 * message, program and element, of the first program among those that failed.
 * What the programs wrote until then stays written; context and buffers serve
 * on. */
NESO_API NESO_MUST_USE neso_status neso_kernel_launch(neso_kernel *kernel,
                                                      const int64_t grid[3],
                                                      const neso_arg *args,
                                                      size_t arg_count);

#ifdef __cplusplus
}
#endif
#endif
