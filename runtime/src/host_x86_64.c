#include "host.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"

static uint64_t enabled_state(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

void neso__host_name(char *out_name, size_t size) {
  uint32_t text[13] = {0};
  if (__get_cpuid_max(0x80000000, NULL) >= 0x80000004)
    for (unsigned i = 0; i < 3; i++)
      __cpuid(0x80000002 + i, text[4 * i], text[4 * i + 1], text[4 * i + 2],
              text[4 * i + 3]);
  const char *name = (const char *)text;
  name += strspn(name, " ");
  size_t length = strlen(name);
  while (length && name[length - 1] == ' ')
    length--;
  snprintf(out_name, size, "%.*s", (int)length, length ? name : "x86-64");
  if (!length)
    snprintf(out_name, size, "x86-64");
}

/* Leaf 1's EBX and the like hold the number of the core: left out. */
uint64_t neso__host_digest(void) {
  uint32_t r[4], facts[20] = {0};
  __cpuid(0, r[0], facts[0], facts[1], facts[2]);
  __cpuid(1, facts[3], r[1], facts[4], facts[5]);
  if (__get_cpuid_count(7, 0, &r[0], &r[1], &r[2], &r[3])) {
    memcpy(&facts[6], &r[1], 12);
    if (r[0] >= 1) {
      __cpuid_count(7, 1, facts[9], facts[10], facts[11], facts[12]);
    }
  }
  if (__get_cpuid(0x80000001, &r[0], &r[1], &r[2], &r[3]))
    memcpy(&facts[13], &r[2], 8);
  if (__get_cpuid(0x80000008, &r[0], &r[1], &r[2], &r[3]))
    facts[15] = r[1];
  if (facts[4] & bit_OSXSAVE) {
    uint64_t state = enabled_state();
    memcpy(&facts[16], &state, 8);
  }
  return neso__hash64(facts, sizeof facts);
}
