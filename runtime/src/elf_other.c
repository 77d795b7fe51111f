/* A processor without a loader: cached kernels are compiled again. */
#include "code.h"

const uint16_t neso__elf_machine = EM_NONE;

bool neso__elf_relocate(const neso_relocation *relocation) {
  (void)relocation;
  return false;
}

void neso__elf_stub(unsigned char *stub, uint64_t target) {
  (void)stub;
  (void)target;
}
