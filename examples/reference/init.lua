-- The references (libneso_reference.so) through FFI.
local ffi = require "ffi"

ffi.cdef [[
double reference_add_error(const void *a, const void *b, const void *got, size_t count);
double reference_softmax_error(const void *x, const void *got, size_t rows, size_t columns);
double reference_layer_norm_error(const void *x, const void *weight, const void *bias,
                                  const void *got, size_t rows, size_t columns, double eps);
double reference_matmul_f32_error(const void *a, const void *b, const void *got,
                                  size_t m, size_t n, size_t k);
double reference_matmul_f16_error(const void *a, const void *b, const void *got,
                                  size_t m, size_t n, size_t k);
double reference_blur_error(const void *rgb, const void *got, size_t height, size_t width,
                            const double *weights, size_t radius);
double reference_sobel_error(const void *rgb, const void *got, size_t height, size_t width);
uint8_t *reference_image_read(const char *path, int *out_width, int *out_height);
void reference_image_free(uint8_t *pixels);
int reference_image_write(const char *path, const void *pixels, int width, int height,
                          int channels);
]]

local build = os.getenv "NESO_BUILD" or "build"
return ffi.load(build .. "/examples/libneso_reference.so")
