#include "pool.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

/* An idle thread looks out for work this long before it sleeps, and a launch
 * as long for the last threads to end: launches come in bursts. */
#define LOOKOUT_NS 50000

typedef struct pool_job {
  neso_task_fn task;
  void *context;
  size_t count;
  _Atomic size_t next;   /* first number that nobody has taken */
  _Atomic size_t joined; /* threads at work on it, without the launcher's */
} pool_job;

/* The launching thread works too, and waits for those only that have joined:
 * a launch on a busy machine is never slower than without other threads. */
struct neso_pool {
  pid_t owner;            /* the process whose threads these are */
  pthread_mutex_t launch; /* held over a job: one at a time */
  pthread_mutex_t lock;   /* over the rest */
  pthread_cond_t wake, done;
  pool_job *job;          /* that may be joined, on its launcher's stack */
  atomic_uint generation; /* changes with every job, and at the end */
  bool stop;
  cpu_set_t cpus; /* where the threads may run, and the launcher's processor */
  int launcher_cpu;
  size_t sleeping, thread_count;
  pthread_t threads[];
};

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void run_tickets(pool_job *job) {
  size_t i;
  while ((i = atomic_fetch_add(&job->next, 1)) < job->count)
    job->task(job->context, i, i);
}

/* ------------------------------------------------------------- threads -- */

static void look_out(neso_pool *pool, unsigned seen) {
  uint64_t end = neso__now_ns() + LOOKOUT_NS;
  while (atomic_load(&pool->generation) == seen && neso__now_ns() < end)
    for (int i = 0; i < 16; i++)
      relax();
}

/* Waits for the next job and joins it; NULL: too late for it. */
static pool_job *join(neso_pool *pool, unsigned *seen, bool *out_stop) {
  look_out(pool, *seen);
  pthread_mutex_lock(&pool->lock);
  while (atomic_load(&pool->generation) == *seen) {
    pool->sleeping++;
    pthread_cond_wait(&pool->wake, &pool->lock);
    pool->sleeping--;
  }
  *seen = atomic_load(&pool->generation);
  *out_stop = pool->stop;
  pool_job *job = pool->job;
  if (job)
    atomic_fetch_add(&job->joined, 1);
  pthread_mutex_unlock(&pool->lock);
  return job;
}

/* The job may be gone as soon as the lock is. */
static void leave(neso_pool *pool, pool_job *job) {
  pthread_mutex_lock(&pool->lock);
  if (atomic_fetch_sub(&job->joined, 1) == 1)
    pthread_cond_signal(&pool->done);
  pthread_mutex_unlock(&pool->lock);
}

static void *thread_main(void *pool_pointer) {
  neso_pool *pool = pool_pointer;
  unsigned seen = 0;
  for (bool stop = false; !stop;) {
    pool_job *job = join(pool, &seen, &stop);
    if (!job)
      continue;
    run_tickets(job);
    leave(pool, job);
  }
  return NULL;
}

/* Signals are the host's: none is handled on these threads. */
static void start_threads(neso_pool *pool, size_t count) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool->thread_count < count &&
         pthread_create(&pool->threads[pool->thread_count], NULL, thread_main,
                        pool) == 0)
    pool->thread_count++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static neso_pool *pool_new(neso_context *context) {
  size_t count = context->workers - 1;
  neso_pool *pool =
      neso__object_new(context, sizeof *pool + count * sizeof pool->threads[0]);
  if (!pool)
    return NULL;
  pool->owner = getpid();
  pool->launcher_cpu = -1;
  if (sched_getaffinity(0, sizeof pool->cpus, &pool->cpus))
    CPU_ZERO(&pool->cpus);
  pthread_mutex_init(&pool->launch, NULL);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->done, NULL);
  start_threads(pool, count);
  return pool;
}

static void pool_delete(neso_context *context, neso_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->stop = true;
  atomic_fetch_add(&pool->generation, 1);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < pool->thread_count; i++)
    pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  pthread_mutex_destroy(&pool->launch);
  neso__object_free(context, pool);
}

/* The pool of this process. One that a fork left behind has no threads and
 * perhaps a held lock: it is abandoned, not ended. */
static neso_pool *pool_get(neso_context *context) {
  neso_pool *pool = atomic_load_explicit(&context->pool, memory_order_acquire);
  if (pool && pool->owner == getpid())
    return pool;
  neso_pool *made = pool_new(context);
  if (!made)
    return NULL;
  if (atomic_compare_exchange_strong(&context->pool, &pool, made))
    return made;
  pool_delete(context, made);
  return pool;
}

/* ---------------------------------------------------------------- jobs -- */

/* A thread woken on the launcher's processor waits there until the scheduler
 * looks round, tens of milliseconds later: ours run on the others. */
static void leave_launcher_alone(neso_pool *pool) {
  int cpu = sched_getcpu();
  if (cpu == pool->launcher_cpu || cpu < 0 || cpu >= CPU_SETSIZE)
    return;
  pool->launcher_cpu = cpu;
  cpu_set_t others = pool->cpus;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0)
    return;
  for (size_t i = 0; i < pool->thread_count; i++)
    pthread_setaffinity_np(pool->threads[i], sizeof others, &others);
}

static void open_job(neso_pool *pool, pool_job *job) {
  pthread_mutex_lock(&pool->lock);
  leave_launcher_alone(pool);
  pool->job = job;
  atomic_fetch_add(&pool->generation, 1);
  size_t wanted = job->count - 1;
  if (wanted >= pool->sleeping)
    pthread_cond_broadcast(&pool->wake);
  else
    while (wanted-- > 0)
      pthread_cond_signal(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

static void close_job(neso_pool *pool, pool_job *job) {
  pthread_mutex_lock(&pool->lock);
  pool->job = NULL;
  pthread_mutex_unlock(&pool->lock);
  if (atomic_load(&job->joined)) {
    uint64_t end = neso__now_ns() + LOOKOUT_NS;
    while (atomic_load(&job->joined) && neso__now_ns() < end)
      relax();
  }
  pthread_mutex_lock(&pool->lock);
  while (atomic_load(&job->joined))
    pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

void neso__pool_run(neso_context *context, size_t count, neso_task_fn task,
                    void *task_context) {
  if (context->config.parallel_for) {
    context->config.parallel_for(context->config.user, count, task,
                                 task_context);
    return;
  }
  pool_job job = {.task = task, .context = task_context, .count = count};
  neso_pool *pool = pool_get(context);
  if (!pool) {
    run_tickets(&job);
    return;
  }
  pthread_mutex_lock(&pool->launch);
  open_job(pool, &job);
  run_tickets(&job);
  close_job(pool, &job);
  pthread_mutex_unlock(&pool->launch);
}

void neso__pool_end(neso_context *context) {
  neso_pool *pool = atomic_exchange(&context->pool, NULL);
  if (pool && pool->owner == getpid())
    pool_delete(context, pool);
  neso_scratch *scratch = atomic_exchange(&context->scratch, NULL);
  if (scratch)
    neso__memory_free(context, scratch, scratch->bytes);
}

neso_status neso__scratch_take(neso_context *context, size_t size, size_t count,
                               neso_scratch **out_scratch) {
  size_t stride = (size + 63) / 64 * 64, bytes;
  if (size > SIZE_MAX / 2 || __builtin_mul_overflow(stride, count, &bytes) ||
      bytes > PTRDIFF_MAX - 64)
    return neso__out_of_memory("working memory of a program", size);
  bytes += 64;
  neso_scratch *scratch = atomic_exchange(&context->scratch, NULL);
  if (scratch && scratch->bytes < bytes) {
    neso__memory_free(context, scratch, scratch->bytes);
    scratch = NULL;
  }
  if (!scratch) {
    scratch = neso__memory_allocate(context, bytes, 64);
    if (!scratch)
      return neso__out_of_memory("the working memory of a launch", bytes);
    scratch->bytes = bytes;
  }
  scratch->stride = stride;
  *out_scratch = scratch;
  return NULL;
}

void neso__scratch_give(neso_context *context, neso_scratch *scratch) {
  if (!scratch)
    return;
  scratch = atomic_exchange(&context->scratch, scratch);
  if (scratch)
    neso__memory_free(context, scratch, scratch->bytes);
}
