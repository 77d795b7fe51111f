/* Running the programs of one grid on the CPU. */
#ifndef NESO_SRC_LAUNCH_H
#define NESO_SRC_LAUNCH_H

#include "context.h"

/* spec/abi.md */
struct neso_program_at {
  int32_t id[3];
  int32_t count[3];
  void *scratch;
  int32_t (*report)(const struct neso_program_at *at, const char *site,
                    int64_t ordinal, const void *const *data);
  void *launch; /* neso_reports */
};
typedef int32_t (*neso_entry_fn)(const void *args,
                                 const struct neso_program_at *at);

typedef struct neso_grid_run {
  neso_entry_fn entry;
  const neso_launch *launch;
  size_t scratch; /* bytes a thread */
  /* Time of one program by the last run, in ns, 0: unknown. Small launches
   * then stay on the calling thread. */
  _Atomic(uint32_t) *program_ns;
  bool reports; /* the programs may print, or end the launch */
  const neso_source *source;
} neso_grid_run;

neso_status neso__grid_run(neso_context *context, const neso_grid_run *run);

/* Negative extents and those above `limit` are errors. */
neso_status neso__grid_check(const char *kernel, const neso_device *device,
                             const int64_t grid[3]);

#endif
