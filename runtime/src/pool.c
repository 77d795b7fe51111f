#include "pool.h"

#include <pthreadpool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct neso_pool {
  pid_t owner; /* the process whose threads these are */
  pthread_mutex_t lock;
  pthreadpool_t threads; /* owned */
};

typedef struct pool_call {
  neso_task_fn task;
  void *context;
} pool_call;

static void run_one(void *call_pointer, size_t i) {
  pool_call *call = call_pointer;
  call->task(call->context, i, i);
}

static neso_pool *pool_new(neso_context *context) {
  neso_pool *pool = malloc(sizeof *pool);
  if (!pool)
    return NULL;
  pool->owner = getpid();
  pthread_mutex_init(&pool->lock, NULL);
  pool->threads = pthreadpool_create(context->workers);
  if (pool->threads)
    return pool;
  pthread_mutex_destroy(&pool->lock);
  free(pool);
  return NULL;
}

static void pool_delete(neso_pool *pool) {
  pthreadpool_destroy(pool->threads);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
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
  pool_delete(made);
  return pool;
}

neso_status neso__pool_run(neso_context *context, size_t count,
                           neso_task_fn task, void *task_context) {
  if (context->config.parallel_for) {
    context->config.parallel_for(context->config.user, count, task,
                                 task_context);
    return NULL;
  }
  neso_pool *pool = pool_get(context);
  if (!pool)
    return neso_status_make(NESO_OUT_OF_MEMORY, "cannot start %zu threads",
                            context->workers);
  pool_call call = {task, task_context};
  pthread_mutex_lock(&pool->lock);
  pthreadpool_parallelize_1d(pool->threads, run_one, &call, count, 0);
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

void neso__pool_end(neso_context *context) {
  neso_pool *pool = atomic_exchange(&context->pool, NULL);
  if (pool && pool->owner == getpid())
    pool_delete(pool);
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
