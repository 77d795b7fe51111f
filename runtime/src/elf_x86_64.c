#include <string.h>

#include "code.h"

const uint16_t neso__elf_machine = EM_X86_64;

static bool put64(const neso_relocation *r, uint64_t value) {
  if (r->room < 8)
    return false;
  memcpy(r->place, &value, 8);
  return true;
}

static bool put_relative(const neso_relocation *r, uint64_t target) {
  uint64_t value = target + (uint64_t)r->addend - (uint64_t)(uintptr_t)r->place;
  int32_t low = (int32_t)value;
  if (r->room < 4 || (uint64_t)(int64_t)low != value)
    return false;
  memcpy(r->place, &low, 4);
  return true;
}

bool neso__elf_relocate(const neso_relocation *r) {
  switch (r->type) {
  case R_X86_64_NONE:
    return true;
  case R_X86_64_64:
    return put64(r, r->symbol + (uint64_t)r->addend);
  case R_X86_64_PC64:
    return put64(r, r->symbol + (uint64_t)r->addend -
                        (uint64_t)(uintptr_t)r->place);
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    return put_relative(r, r->stub ? r->stub : r->symbol);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return r->slot && put_relative(r, r->slot);
  default:
    return false;
  }
}

/* jmp *0(%rip), then the address */
void neso__elf_stub(unsigned char *stub, uint64_t target) {
  static const unsigned char jump[6] = {0xff, 0x25, 0, 0, 0, 0};
  memcpy(stub, jump, sizeof jump);
  memcpy(stub + sizeof jump, &target, sizeof target);
}
