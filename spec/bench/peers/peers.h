/* What neso is measured against: straightforward C. */
#ifndef NESO_BENCH_PEERS_H
#define NESO_BENCH_PEERS_H

#include <stddef.h>

typedef _Float16 half;

void peer_add(float *out, const float *a, const float *b, size_t count);
void peer_softmax(float *out, const float *x, size_t rows, size_t columns);
void peer_layer_norm(half *out, const half *x, const half *weight,
                     const half *bias, size_t rows, size_t columns, float eps);
void peer_layer_norm_f32(float *out, const float *x, const float *weight,
                         const float *bias, size_t rows, size_t columns,
                         float eps);
void peer_set_threads(int count);

/* Runs argv (NULL at the end) with standard output to /dev/null. Gives the
 * seconds from before the spawn to after the wait, negative when it could not
 * be started or failed. */
double peer_run(char *const argv[]);

#endif
