/* Runs a fuzz target without libFuzzer, for compilers that lack it:
 *   TARGET [--runs N] [--seed N] FILE...
 * Each file as it is, then N variants of them: bytes changed, removed, doubled
 * or taken from another file. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 65536

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed) __attribute__((weak));

typedef struct input {
  uint8_t *data;
  size_t size;
} input;

static uint64_t state = 88172645463325252u;

static size_t below(size_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return limit ? (size_t)(state % limit) : 0;
}

static bool read_input(const char *path, input *out) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  out->data = malloc(MOST);
  out->size = out->data ? fread(out->data, 1, MOST, file) : 0;
  fclose(file);
  return out->data != NULL;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
  size_t at = below(size), count = 1 + below(8);
  if (count > size - at)
    count = size - at;
  switch (below(4)) {
  case 0:
    if (size)
      data[at] = (uint8_t)below(256);
    return size;
  case 1:
    if (size)
      data[at] = (uint8_t)(data[at] + below(5) - 2);
    return size;
  case 2:
    memmove(data + at, data + at + count, size - at - count);
    return size - count;
  default:
    if (size + count > max_size)
      return size;
    memmove(data + at + count, data + at, size - at);
    return size + count;
  }
}

static size_t splice(uint8_t *data, size_t size, const input *other) {
  size_t at = below(size), from = below(other->size), count = 1 + below(40);
  if (count > size - at)
    count = size - at;
  if (count > other->size - from)
    count = other->size - from;
  memcpy(data + at, other->data + from, count);
  return size;
}

static void run_variant(const input *inputs, size_t count) {
  static uint8_t data[MOST];
  const input *from = &inputs[below(count)];
  size_t size = from->size;
  memcpy(data, from->data, size);
  for (size_t i = 1 + below(4); i > 0; i--) {
    if (below(5) == 0)
      size = splice(data, size, &inputs[below(count)]);
    else if (LLVMFuzzerCustomMutator)
      size =
          LLVMFuzzerCustomMutator(data, size, MOST, (unsigned)below(1u << 31));
    else
      size = LLVMFuzzerMutate(data, size, MOST);
  }
  LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv) {
  size_t runs = 0, count = 0;
  input *inputs = calloc((size_t)argc, sizeof(*inputs));
  if (!inputs || LLVMFuzzerInitialize(&argc, &argv))
    return 1;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--runs") && i + 1 < argc)
      runs = strtoul(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
      state += strtoull(argv[++i], NULL, 10) * 2654435761u;
    else if (read_input(argv[i], &inputs[count]))
      count++;
  }
  for (size_t i = 0; i < count; i++)
    LLVMFuzzerTestOneInput(inputs[i].data, inputs[i].size);
  for (size_t i = 0; count && i < runs; i++)
    run_variant(inputs, count);
  printf("%zu inputs, %zu variants\n", count, runs);
  return count ? 0 : 1;
}
