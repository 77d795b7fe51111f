#include "reference.h"

#include <math.h>

typedef struct window {
  const uint8_t *rgb;
  ptrdiff_t height, width;
} window;

static int inside(const window *w, ptrdiff_t y, ptrdiff_t x) {
  return y >= 0 && y < w->height && x >= 0 && x < w->width;
}

/* The whole square window at once: the kernel's two passes must come to the
 * same. */
static double blurred(const window *w, ptrdiff_t y, ptrdiff_t x, int channel,
                      const double *weights, ptrdiff_t radius) {
  double sum = 0, total = 0;
  for (ptrdiff_t dy = -radius; dy <= radius; dy++)
    for (ptrdiff_t dx = -radius; dx <= radius; dx++) {
      if (!inside(w, y + dy, x + dx))
        continue;
      double weight = weights[dy + radius] * weights[dx + radius];
      ptrdiff_t at = (y + dy) * w->width + x + dx;
      sum += weight * w->rgb[3 * at + channel];
      total += weight;
    }
  return sum / total;
}

double reference_blur_error(const uint8_t *rgb, const uint8_t *got,
                            size_t height, size_t width, const double *weights,
                            size_t radius) {
  window w = {rgb, (ptrdiff_t)height, (ptrdiff_t)width};
  double error = 0;
  for (ptrdiff_t y = 0; y < w.height; y++)
    for (ptrdiff_t x = 0; x < w.width; x++)
      for (int c = 0; c < 3; c++) {
        double want = blurred(&w, y, x, c, weights, (ptrdiff_t)radius);
        double have = got[3 * (y * w.width + x) + c];
        error = reference_worse(error, have / 255, want / 255);
      }
  return error;
}

static double luma(const window *w, ptrdiff_t y, ptrdiff_t x) {
  if (!inside(w, y, x))
    return 0;
  const uint8_t *p = w->rgb + 3 * (y * w->width + x);
  return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
}

double reference_sobel_error(const uint8_t *rgb, const uint8_t *got,
                             size_t height, size_t width) {
  static const int smooth[3] = {1, 2, 1};
  window w = {rgb, (ptrdiff_t)height, (ptrdiff_t)width};
  double error = 0;
  for (ptrdiff_t y = 0; y < w.height; y++)
    for (ptrdiff_t x = 0; x < w.width; x++) {
      double gx = 0, gy = 0;
      for (int i = -1; i <= 1; i++) {
        int s = smooth[i + 1];
        gx += s * (luma(&w, y + i, x + 1) - luma(&w, y + i, x - 1));
        gy += s * (luma(&w, y + 1, x + i) - luma(&w, y - 1, x + i));
      }
      double want = sqrt(gx * gx + gy * gy);
      want = want > 255 ? 255 : want;
      double have = got[y * w.width + x];
      error = reference_worse(error, have / 255, want / 255);
    }
  return error;
}
