#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATMUL_ERROR(name, type)                                               \
  double name(const type *a, const type *b, const float *got, size_t m,        \
              size_t n, size_t k) {                                            \
    double error = 0, *row = malloc(n * sizeof *row);                          \
    if (!row)                                                                  \
      return INFINITY;                                                         \
    for (size_t i = 0; i < m; i++) {                                           \
      memset(row, 0, n * sizeof *row);                                         \
      for (size_t p = 0; p < k; p++)                                           \
        for (size_t j = 0; j < n; j++)                                         \
          row[j] += (double)a[i * k + p] * (double)b[p * n + j];               \
      for (size_t j = 0; j < n; j++)                                           \
        error = reference_worse(error, got[i * n + j], row[j]);                \
    }                                                                          \
    free(row);                                                                 \
    return error;                                                              \
  }

MATMUL_ERROR(reference_matmul_f32_error, float)
MATMUL_ERROR(reference_matmul_f16_error, half)
