#include "reference.h"

#include <math.h>

double reference_worse(double error, double got, double want) {
  double scale = fabs(want) > 1 ? fabs(want) : 1;
  double e = got == want ? 0 : fabs(got - want) / scale;
  if (isnan(e))
    return INFINITY;
  return e > error ? e : error;
}

double reference_add_error(const float *a, const float *b, const float *got,
                           size_t count) {
  double error = 0;
  for (size_t i = 0; i < count; i++)
    error = reference_worse(error, got[i], (double)a[i] + b[i]);
  return error;
}

double reference_softmax_error(const float *x, const float *got, size_t rows,
                               size_t columns) {
  double error = 0;
  for (size_t r = 0; r < rows; r++, x += columns, got += columns) {
    double top = -INFINITY, sum = 0;
    for (size_t c = 0; c < columns; c++)
      top = x[c] > top ? x[c] : top;
    for (size_t c = 0; c < columns; c++)
      sum += exp(x[c] - top);
    for (size_t c = 0; c < columns; c++)
      error = reference_worse(error, got[c], exp(x[c] - top) / sum);
  }
  return error;
}

double reference_layer_norm_error(const half *x, const half *weight,
                                  const half *bias, const half *got,
                                  size_t rows, size_t columns, double eps) {
  double error = 0;
  for (size_t r = 0; r < rows; r++, x += columns, got += columns) {
    double mean = 0, variance = 0;
    for (size_t c = 0; c < columns; c++)
      mean += (double)x[c];
    mean /= (double)columns;
    for (size_t c = 0; c < columns; c++)
      variance += ((double)x[c] - mean) * ((double)x[c] - mean);
    double scale = 1 / sqrt(variance / (double)columns + eps);
    for (size_t c = 0; c < columns; c++) {
      double want = ((double)x[c] - mean) * scale * (double)weight[c];
      error = reference_worse(error, (double)got[c], want + (double)bias[c]);
    }
  }
  return error;
}
