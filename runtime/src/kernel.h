/* Kernels inside libneso: how a launch finds its variant. The Lua binding is
 * the other user of this header; hosts use neso.h alone. */
#ifndef NESO_SRC_KERNEL_H
#define NESO_SRC_KERNEL_H

#include "compiler/compiler.h"
#include "neso.h"

#define NESO_MAX_PARAMS 64

typedef struct neso_variant neso_variant;

/* One more user of the context, ended by neso_context_release. */
NESO_API void neso__context_retain(neso_context *context);
/* Threads that a launch runs on at most, the caller included. */
NESO_API size_t neso__context_workers(const neso_context *context);
/* Whether `size` bytes from `address` on lie in a buffer of the context, and
 * from where to where that goes (`out_range` may be NULL). */
NESO_API bool neso__buffers_contain(neso_context *context, uintptr_t address,
                                    size_t size, uintptr_t out_range[2]);
/* What programs print: to the host's hook, or the standard output. */
NESO_API void neso__context_print(neso_context *context, const char *text,
                                  size_t size);

/* How a parameter was declared. */
typedef enum neso_param_kind {
  NESO_PARAM_AUTO,   /* typed by the argument's value */
  NESO_PARAM_CONST,  /* compile-time value: CAPITALS or tl.constexpr */
  NESO_PARAM_SCALAR, /* declared scalar of `dtype` */
  NESO_PARAM_POINTER /* declared pointer to `dtype` */
} neso_param_kind;

typedef struct neso_param {
  const char *name; /* copied by neso__kernel_create */
  uint8_t kind;     /* neso_param_kind */
  uint8_t dtype;
} neso_param;

/* What one argument means to the compiler, after typing by value: the
 * sequence of specs is the in-memory key of a variant. */
typedef enum neso_spec_kind {
  NESO_SPEC_CONST,  /* value in the argument */
  NESO_SPEC_SCALAR, /* run-time scalar of `dtype` */
  NESO_SPEC_POINTER /* run-time pointer to `dtype` */
} neso_spec_kind;

typedef struct neso_spec {
  uint8_t kind; /* neso_spec_kind */
  uint8_t dtype;
  uint8_t facts; /* only those that the backend's manifest asks for */
} neso_spec;

/* Builds the variant for `specs` (with `args` for the constants). Called on
 * the launching thread, without a lock held. Gives one reference. */
typedef neso_status (*neso_resolve_fn)(void *user, neso_kernel *kernel,
                                       neso_device *device,
                                       const neso_spec *specs,
                                       const neso_arg *args, size_t count,
                                       neso_variant **out_variant);

NESO_API NESO_MUST_USE neso_status neso__kernel_create(
    neso_context *context, const char *name, const neso_param *params,
    size_t param_count, neso_resolve_fn resolve, void *user,
    void (*release_user)(void *user), neso_kernel **out_kernel);
/* Variants in memory, at most 256 a kernel: the least recently used leave. */
NESO_API size_t neso__kernel_variant_count(neso_kernel *kernel);
/* Drops every variant: the captured values or the options have changed. */
NESO_API void neso__kernel_forget(neso_kernel *kernel);
/* Publishes under `name` for neso_kernel_get. */
NESO_API NESO_MUST_USE neso_status neso__kernel_export(neso_context *context,
                                                       const char *name,
                                                       neso_kernel *kernel);
/* As neso_kernel_launch; `device_or_null` serves launches without a buffer
 * (NULL: the CPU), otherwise the buffers decide. `options` is the text that
 * tells launches with different options apart ("" for none) and enters the
 * in-memory key. */
NESO_API NESO_MUST_USE neso_status
neso__kernel_launch(neso_kernel *kernel, neso_device *device_or_null,
                    const int64_t grid[3], const char *options,
                    size_t options_length, const neso_arg *args, size_t count);
/* As a launch, but only finds or builds the variant (warm-up, dumps). */
NESO_API NESO_MUST_USE neso_status neso__kernel_variant(
    neso_kernel *kernel, neso_device *device_or_null, const char *options,
    size_t options_length, const neso_arg *args, size_t count,
    neso_variant **out_variant);

/* A launch whose arguments are typed; all of it lives as long as the call. */
typedef struct neso_typed_call {
  neso_device *device;
  const neso_spec *specs;
  const void *packed; /* run-time arguments as spec/abi.md says */
  const void *key;    /* tells launches with variants of their own apart */
  size_t key_size;
} neso_typed_call;
typedef neso_status (*neso_interpret_fn)(void *user,
                                         const neso_typed_call *call);

/* As a launch, but `run` takes the place of compiled code; the buffers stay
 * while it runs. Without a grid `run` is called all the same. */
NESO_API NESO_MUST_USE neso_status neso__kernel_interpret(
    neso_kernel *kernel, neso_device *device_or_null, const int64_t grid[3],
    const char *options, size_t options_length, const neso_arg *args,
    size_t count, neso_interpret_fn run, void *user);

/* ----------------------------------------------------------- variants -- */

typedef struct neso_build {
  neso_compile_request compile; /* backend and target are filled in */
  const neso_spec *specs;       /* decides the packed argument block */
  size_t spec_count;
  bool use_cache; /* false: neither read nor written (dump, override) */
} neso_build;

typedef struct neso_build_info {
  bool cached;       /* came from the disk cache */
  double compile_ms; /* 0 when cached */
  double load_ms;    /* reading, checking and loading the binary */
  size_t binary_size;
} neso_build_info;

/* Cache, else compiler (opened now, on the first miss), else an error. */
NESO_API NESO_MUST_USE neso_status
neso__variant_build(neso_context *context, neso_device *device,
                    const neso_build *build, neso_variant **out_variant);
NESO_API void neso__variant_retain(neso_variant *variant);
NESO_API void neso__variant_release(neso_variant *variant);
NESO_API const neso_build_info *neso__variant_info(const neso_variant *variant);
NESO_API const char *neso__variant_metadata(const neso_variant *variant);
/* Binary as compiled (an object file on CPU); borrowed. */
NESO_API const void *neso__variant_binary(const neso_variant *variant,
                                          size_t *out_size);

#endif
