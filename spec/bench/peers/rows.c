#include "peers.h"

#include <math.h>

static void softmax_row(float *restrict out, const float *restrict x,
                        size_t columns) {
  float top = x[0], sum = 0;
  for (size_t c = 1; c < columns; c++)
    top = x[c] > top ? x[c] : top;
  for (size_t c = 0; c < columns; c++) {
    out[c] = expf(x[c] - top);
    sum += out[c];
  }
  float scale = 1 / sum;
  for (size_t c = 0; c < columns; c++)
    out[c] *= scale;
}

void peer_softmax(float *out, const float *x, size_t rows, size_t columns) {
#pragma omp parallel for schedule(static)
  for (size_t r = 0; r < rows; r++)
    softmax_row(out + r * columns, x + r * columns, columns);
}

#define LAYER_NORM(name, type)                                                 \
  static void name##_row(                                                      \
      type *restrict out, const type *restrict x, const type *restrict weight, \
      const type *restrict bias, size_t columns, float eps) {                  \
    float sum = 0, squares = 0;                                                \
    for (size_t c = 0; c < columns; c++)                                       \
      sum += (float)x[c];                                                      \
    float mean = sum / (float)columns;                                         \
    for (size_t c = 0; c < columns; c++) {                                     \
      float d = (float)x[c] - mean;                                            \
      squares += d * d;                                                        \
    }                                                                          \
    float scale = 1 / sqrtf(squares / (float)columns + eps);                   \
    for (size_t c = 0; c < columns; c++)                                       \
      out[c] = (type)(((float)x[c] - mean) * scale * (float)weight[c] +        \
                      (float)bias[c]);                                         \
  }                                                                            \
  void name(type *out, const type *x, const type *weight, const type *bias,    \
            size_t rows, size_t columns, float eps) {                          \
    _Pragma("omp parallel for schedule(static)") for (size_t r = 0; r < rows;  \
                                                      r++)                     \
        name##_row(out + r * columns, x + r * columns, weight, bias, columns,  \
                   eps);                                                       \
  }

LAYER_NORM(peer_layer_norm, half)
LAYER_NORM(peer_layer_norm_f32, float)
