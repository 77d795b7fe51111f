/* Independent references of the main job: double precision, one thread, the
 * plainest loop. Each `_error` function returns the largest
 * |got - want| / max(1, |want|) over all elements; NaN counts as infinity. */
#ifndef NESO_EXAMPLES_REFERENCE_H
#define NESO_EXAMPLES_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

typedef _Float16 half;

double reference_add_error(const float *a, const float *b, const float *got,
                           size_t count);
double reference_softmax_error(const float *x, const float *got, size_t rows,
                               size_t columns);
double reference_layer_norm_error(const half *x, const half *weight,
                                  const half *bias, const half *got,
                                  size_t rows, size_t columns, double eps);
/* c = a b; a is m x k, b k x n, row-major. */
double reference_matmul_f32_error(const float *a, const float *b,
                                  const float *got, size_t m, size_t n,
                                  size_t k);
double reference_matmul_f16_error(const half *a, const half *b,
                                  const float *got, size_t m, size_t n,
                                  size_t k);

/* Images are rows of RGB bytes. Errors are in units of full scale (255). The
 * weights of the blur are renormalized where the window leaves the image. */
double reference_blur_error(const uint8_t *rgb, const uint8_t *got,
                            size_t height, size_t width, const double *weights,
                            size_t radius);
/* Length of the Sobel gradient of the luma, clipped at 255; the outermost
 * pixels see zeros outside. */
double reference_sobel_error(const uint8_t *rgb, const uint8_t *got,
                             size_t height, size_t width);

/* RGB bytes of a PNG, freed with reference_image_free; NULL on failure. */
uint8_t *reference_image_read(const char *path, int *out_width,
                              int *out_height);
void reference_image_free(uint8_t *pixels);
/* 0 on failure. */
int reference_image_write(const char *path, const uint8_t *pixels, int width,
                          int height, int channels);

double reference_worse(double error, double got, double want);

#endif
