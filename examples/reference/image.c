#include "reference.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STB_IMAGE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#include <stb_image_write.h>

uint8_t *reference_image_read(const char *path, int *out_width,
                              int *out_height) {
  int channels;
  return stbi_load(path, out_width, out_height, &channels, 3);
}

void reference_image_free(uint8_t *pixels) { stbi_image_free(pixels); }

int reference_image_write(const char *path, const uint8_t *pixels, int width,
                          int height, int channels) {
  return stbi_write_png(path, width, height, channels, pixels,
                        width * channels);
}
