#ifndef NESO_SRC_CLOCK_H
#define NESO_SRC_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Of a clock that never jumps. */
static inline uint64_t neso__now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
