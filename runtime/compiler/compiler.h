/* The one interface between libneso and libneso_compiler. libneso opens the
 * library on the first cache miss and asks for NESO_COMPILER_ENTRY; no MLIR or
 * LLVM type crosses this line, and the compiler returns statuses made by
 * libneso's own neso_status_make (passed in `host`). */
#ifndef NESO_COMPILER_H
#define NESO_COMPILER_H

#include "neso.h"

#define NESO_COMPILER_ABI 2
#define NESO_COMPILER_ENTRY "neso_compiler_open"

/* The function of a compiled kernel, and all that it may call (spec/abi.md). */
#define NESO_KERNEL_ENTRY "neso_kernel"
#define NESO_KERNEL_IMPORTS(X)                                                 \
  X(memcpy) X(memset) X(memmove) X(fmod) X(fmodf) X(sin) X(cos) X(pow) X(erf)

/* Facts of a launch about a parameter; spec/program.md. */
#define NESO_FACT_DIVISIBLE_16 1 /* address or value */
#define NESO_FACT_SMALL 2        /* buffer below 2^31 bytes */
#define NESO_FACT_APART 4        /* shares no byte with another pointer's */

/* A stage of a backend's compiler.lua. Its name says what it is:
 *   "llvm"  MLIR passes down to the llvm dialect, then translation
 *   "opt"   LLVM passes ("function(sroa,gvn)")
 *   "asm"   code generation; must be last; takes no passes
 *   others  MLIR passes and passes of neso ("neso-..."), comma separated
 * Before the first one the program is decoded and verified, as stage
 * "program". */
typedef struct neso_stage {
  const char *name;   /* "tile", "llvm", "asm", ... */
  const char *passes; /* "canonicalize,cse,neso-cpu-layout" */
} neso_stage;

typedef struct neso_compile_request {
  const char *kernel;  /* name for messages */
  const char *file;    /* source file for messages */
  const void *program; /* spec/program.md */
  size_t program_size;
  const uint32_t *lines; /* line of each operation */
  size_t line_count;
  const char *backend; /* "cpu" */
  /* neso_device_target. "host" with any text after it: the machine that this
   * runs on, found out by the compiler (the text only tells cache keys apart).
   * Else "triple cpu features"; cpu and features may be left out. Only code
   * for "host" is linked. */
  const char *target;
  const neso_stage *stages;
  size_t stage_count;
  bool verify_each; /* verify after every pass */

  /* The functions run on a thread of the compiler while the caller waits. */
  void *user;
  /* Called with the result of each stage that wants_dump names true for: MLIR,
   * LLVM IR ("llvm", "opt") or assembly ("asm"). May be NULL, as `override`. */
  bool (*wants_dump)(void *user, const char *stage);
  void (*dump)(void *user, const char *stage, const char *text, size_t size);
  /* Text in place of the result of `stage`, in the form that its dump has, or
   * NULL; freed by the compiler with free(). */
  char *(*override)(void *user, const char *stage);
} neso_compile_request;

typedef struct neso_compile_result {
  void *binary; /* freed with the table's `free` */
  size_t binary_size;
  char *metadata; /* spec/abi.md; freed with the table's `free` */
  void *entry;    /* CPU: address of the ORC-linked entry, else NULL; also
                     NULL for kernels with outside functions, which libneso's
                     loader finds */
  void *linked;   /* CPU: owner of that code; ended by `unlink` */
} neso_compile_result;

typedef struct neso_compiler_host {
  neso_status (*status_make)(neso_code code, const char *format, ...);
} neso_compiler_host;

typedef struct neso_compiler {
  int abi;              /* NESO_COMPILER_ABI */
  const char *identity; /* stamped at build: enters every cache key */
  /* Thread safe; concurrent calls compile on contexts of their own. */
  neso_status (*compile)(const neso_compile_request *request,
                         neso_compile_result *out_result);
  void (*unlink)(void *linked);
  void (*free)(void *memory);
} neso_compiler;

typedef const neso_compiler *(*neso_compiler_open_fn)(
    const neso_compiler_host *host);

#endif
