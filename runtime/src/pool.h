/* Threads of the CPU backend: the host's by its hook, else own ones, started
 * at the first use and again in a forked child. */
#ifndef NESO_SRC_POOL_H
#define NESO_SRC_POOL_H

#include "context.h"

/* Runs task(task_context, i, i) once for each i in [0, count), count at most
 * `context->workers`, and returns when all have ended. Calls from several
 * threads wait for each other. */
void neso__pool_run(neso_context *context, size_t count, neso_task_fn task,
                    void *task_context);
void neso__pool_end(neso_context *context);

/* Working memory of a launch: `count` pieces of at least `size` bytes, each
 * aligned to 64. One block is kept for the next launch. */
struct neso_scratch {
  size_t bytes; /* of the whole, this header included */
  size_t stride;
};
neso_status neso__scratch_take(neso_context *context, size_t size, size_t count,
                               neso_scratch **out_scratch);
void neso__scratch_give(neso_context *context, neso_scratch *scratch);
static inline void *neso__scratch_at(neso_scratch *scratch, size_t i) {
  return (char *)scratch + 64 + i * scratch->stride;
}

#endif
