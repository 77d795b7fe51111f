#include "host.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "hash.h"

void neso__host_name(char *out_name, size_t size) {
  struct utsname system;
  snprintf(out_name, size, "%s",
           uname(&system) == 0 ? system.machine : "unknown processor");
}

uint64_t neso__host_digest(void) {
  struct {
    unsigned long first, second;
    char machine[sizeof(((struct utsname *)0)->machine)];
  } facts;
  struct utsname system;
  memset(&facts, 0, sizeof facts);
  facts.first = getauxval(AT_HWCAP);
  facts.second = getauxval(AT_HWCAP2);
  if (uname(&system) == 0)
    strcpy(facts.machine, system.machine);
  return neso__hash64(&facts, sizeof facts);
}
