/* Launches whose programs the shell runs itself. */
#include "call.h"
#include "kernel.h"
#include "launch.h"

neso_status neso__kernel_interpret(neso_kernel *kernel,
                                   neso_device *device_or_null,
                                   const int64_t grid[3], const char *options,
                                   size_t options_length, const neso_arg *args,
                                   size_t count, neso_interpret_fn run,
                                   void *user) {
  neso_call call;
  neso_status status = neso__call_begin(&call, kernel, device_or_null, options,
                                        options_length, args, count);
  bool empty = grid && (!grid[0] || !grid[1] || !grid[2]);
  if (!status && grid)
    status = neso__grid_check(kernel->name, call.device, grid);
  if (!status && !empty) {
    neso_typed_call typed = {call.device, call.specs, call.packed, call.key,
                             call.key_size};
    status = run(user, &typed);
  }
  neso__call_end(&call);
  return status;
}
