/* One launch on its way: arguments typed, packed and made into the key of
 * the variant. Lives on the launcher's stack. */
#ifndef NESO_SRC_CALL_H
#define NESO_SRC_CALL_H

#include "context.h"

#define NESO_CALL_KEY 512

struct neso_kernel {
  atomic_uint refs;
  neso_context *context; /* one object reference */
  char *name;            /* owned */
  neso_param *params;    /* owned, with their names */
  size_t param_count;
  neso_resolve_fn resolve;
  void *user; /* owned, ended by release_user */
  void (*release_user)(void *user);
  struct neso_table *table; /* owned: the variants */
};

typedef struct neso_call {
  const neso_kernel *kernel;
  neso_device *device;
  const neso_arg *args; /* borrowed */
  size_t arg_count;
  size_t first_buffer; /* of the argument that gave the device, or SIZE_MAX */
  size_t pinned;       /* arguments below this hold pins */
  size_t packed_size;
  unsigned char *key; /* `own_key`, or memory of malloc */
  size_t key_size, key_capacity;
  neso_spec specs[NESO_MAX_PARAMS];
  _Alignas(8) unsigned char packed[NESO_MAX_PARAMS * 8];
  unsigned char own_key[NESO_CALL_KEY];
} neso_call;

/* Checks and types the arguments, pins the buffers, packs the run-time values
 * and builds the key. neso__call_end must follow in either case. */
neso_status neso__call_begin(neso_call *call, const neso_kernel *kernel,
                             neso_device *device_or_null, const char *options,
                             size_t options_length, const neso_arg *args,
                             size_t count);
void neso__call_end(neso_call *call);

/* Size of the packed block of these specs, without padding at its end. */
size_t neso__packed_size(const neso_spec *specs, size_t count);

/* number.c: the value of a run-time scalar parameter. Writes its bytes to
 * `out_bytes` (8) and its type to `out_dtype`. `which` starts a message:
 * "kernel 'k': argument 'n'". */
bool neso__number_by_value(const neso_arg *arg, neso_dtype *out_dtype,
                           void *out_bytes);
/* false: the value does not fit; true otherwise. The argument is a NUMBER,
 * INTEGER or BOOL. */
bool neso__number_as(neso_dtype dtype, const neso_arg *arg, void *out_bytes);
/* "[-128, 127]" */
const char *neso__dtype_limits(neso_dtype dtype);

#endif
