#include "launch.h"

#include <inttypes.h>

#include "clock.h"
#include "pool.h"
#include "report.h"

/* Waking the threads takes a few microseconds: less work than this in all is
 * done sooner by the calling thread alone. */
#define INLINE_NS 5000

typedef struct grid_state {
  const neso_grid_run *run;
  neso_scratch *scratch; /* NULL when no program needs any */
  neso_reports *reports; /* NULL when no program has any */
  size_t workers;
  _Atomic uint64_t next;   /* first program that nobody has taken */
  _Atomic int32_t failure; /* the first that a program returned */
  int32_t failed_at[3];    /* of that program */
} grid_state;

static const char axis_names[] = "xyz";

neso_status neso__grid_check(const char *kernel, const neso_device *device,
                             const int64_t grid[3]) {
  for (int i = 0; i < 3; i++) {
    if (grid[i] < 0)
      return neso_status_make(
          NESO_OUT_OF_RANGE,
          "kernel '%s': grid extent %c is negative (%" PRId64 ")", kernel,
          axis_names[i], grid[i]);
    if ((uint64_t)grid[i] > device->info.grid_limit[i])
      return neso_status_make(NESO_OUT_OF_RANGE,
                              "kernel '%s': grid extent %c is %" PRId64
                              ", above the limit %u of %s:%d",
                              kernel, axis_names[i], grid[i],
                              device->info.grid_limit[i], device->backend->name,
                              device->index);
  }
  return NULL;
}

static void note_failure(grid_state *state, int32_t code,
                         const struct neso_program_at *at) {
  int32_t none = 0;
  if (!atomic_compare_exchange_strong(&state->failure, &none, code))
    return;
  for (int i = 0; i < 3; i++)
    state->failed_at[i] = at->id[i];
}

static void step(struct neso_program_at *at) {
  if (++at->id[0] < at->count[0])
    return;
  at->id[0] = 0;
  if (++at->id[1] < at->count[1])
    return;
  at->id[1] = 0;
  at->id[2]++;
}

static struct neso_program_at place(const grid_state *state, uint64_t program,
                                    size_t worker) {
  const uint32_t *grid = state->run->launch->grid;
  uint64_t rows = program / grid[0];
  return (struct neso_program_at){
      {(int32_t)(program % grid[0]), (int32_t)(rows % grid[1]),
       (int32_t)(rows / grid[1])},
      {(int32_t)grid[0], (int32_t)grid[1], (int32_t)grid[2]},
      state->scratch ? neso__scratch_at(state->scratch, worker) : NULL,
      neso__report,
      state->reports};
}

/* A program that ends the launch comes back by longjmp. */
static void run_reporting(grid_state *state, uint64_t first, uint64_t count,
                          size_t worker) {
  neso_reporter reporter = {.at = place(state, first, worker)};
  if (_setjmp(reporter.leave))
    return;
  for (uint64_t i = 0;
       i < count &&
       !atomic_load_explicit(&state->reports->failed, memory_order_relaxed);
       i++, step(&reporter.at))
    state->run->entry(state->run->launch->args, &reporter.at);
}

/* Programs [first, first + count), on the scratch memory of `worker`. */
static void run_range(grid_state *state, uint64_t first, uint64_t count,
                      size_t worker) {
  const neso_launch *launch = state->run->launch;
  if (state->reports) {
    run_reporting(state, first, count, worker);
    return;
  }
  struct neso_program_at at = place(state, first, worker);
  for (uint64_t i = 0; i < count; i++, step(&at)) {
    int32_t code = state->run->entry(launch->args, &at);
    if (__builtin_expect(code != 0, 0)) {
      note_failure(state, code, &at);
      return;
    }
  }
}

/* Takes a share of what is left: large pieces first, small ones at the end,
 * so that the threads end together. */
static uint64_t take(grid_state *state, uint64_t *out_first) {
  uint64_t total = state->run->launch->programs, count;
  uint64_t first = atomic_load_explicit(&state->next, memory_order_relaxed);
  do {
    if (first >= total)
      return 0;
    count = (total - first) / (4 * state->workers);
    if (count == 0)
      count = 1;
  } while (!atomic_compare_exchange_weak_explicit(
      &state->next, &first, first + count, memory_order_relaxed,
      memory_order_relaxed));
  *out_first = first;
  return count;
}

static void note_time(grid_state *state, uint64_t started, uint64_t count) {
  uint64_t ns = (neso__now_ns() - started) / count;
  ns = ns == 0 ? 1 : ns > UINT32_MAX ? UINT32_MAX : ns;
  atomic_store_explicit(state->run->program_ns, (uint32_t)ns,
                        memory_order_relaxed);
}

static bool goes_on(const grid_state *state) {
  return !atomic_load_explicit(&state->failure, memory_order_relaxed) &&
         !(state->reports &&
           atomic_load_explicit(&state->reports->failed, memory_order_relaxed));
}

static void run_worker(void *state_pointer, size_t i, size_t worker) {
  (void)worker;
  grid_state *state = state_pointer;
  uint64_t first, count;
  bool timed = i == 0;
  while (goes_on(state) && (count = take(state, &first))) {
    uint64_t started = timed ? neso__now_ns() : 0;
    run_range(state, first, count, i);
    if (timed)
      note_time(state, started, count);
    timed = false;
  }
}

static size_t workers_for(neso_context *context, const neso_grid_run *run) {
  uint64_t programs = run->launch->programs;
  if (programs == 1 || context->workers == 1)
    return 1;
  uint64_t ns = atomic_load_explicit(run->program_ns, memory_order_relaxed);
  if (ns && programs <= INLINE_NS && ns * programs <= INLINE_NS)
    return 1;
  return programs < context->workers ? (size_t)programs : context->workers;
}

static neso_status failed(const grid_state *state, int32_t code) {
  return neso_status_make(
      NESO_DEVICE_ERROR, "kernel '%s': program (%d, %d, %d) ended with code %d",
      state->run->launch->kernel, state->failed_at[0], state->failed_at[1],
      state->failed_at[2], code);
}

static void run_all(neso_context *context, grid_state *state) {
  if (state->workers > 1)
    neso__pool_run(context, state->workers, run_worker, state);
  else if (state->run->launch->programs == 1)
    run_range(state, 0, 1, 0);
  else
    run_worker(state, 0, 0);
}

static neso_status run_with_reports(neso_context *context, grid_state *state) {
  neso_reports reports;
  neso__reports_begin(&reports, context, state->run->launch,
                      state->run->source);
  state->reports = &reports;
  run_all(context, state);
  return neso__reports_end(&reports);
}

neso_status neso__grid_run(neso_context *context, const neso_grid_run *run) {
  grid_state state = {.run = run, .workers = workers_for(context, run)};
  neso_status status = NULL;
  if (run->scratch) {
    status = neso__scratch_take(context, run->scratch, state.workers,
                                &state.scratch);
    if (status)
      return neso_status_note(status, "kernel '%s'", run->launch->kernel);
  }
  if (run->reports)
    status = run_with_reports(context, &state);
  else
    run_all(context, &state);
  neso__scratch_give(context, state.scratch);
  int32_t code = atomic_load(&state.failure);
  return !status && code ? failed(&state, code) : status;
}
