/* Loader of the relocatable objects of spec/abi.md: what a warm run uses in
 * place of LLVM. Any bytes may be given: what is not sound is a status. */
#ifndef NESO_SRC_CODE_H
#define NESO_SRC_CODE_H

#include <elf.h>

#include "compiler/compiler.h"

typedef struct neso_code_map {
  void *base; /* owned mapping; never writable and executable at once */
  size_t size;
  void *entry; /* in the mapping */
} neso_code_map;

/* `externs`: addresses of the symbols neso_extern0, neso_extern1, ... */
neso_status neso__code_load(const void *object, size_t size,
                            void *const *externs, size_t extern_count,
                            neso_code_map *out_map);
void neso__code_unload(neso_code_map *map);

/* ------------------------------------- of the processor: elf_<name>.c -- */

#define NESO_STUB_SIZE 16

typedef struct neso_relocation {
  uint32_t type;
  unsigned char *place; /* in the mapping, still writable */
  size_t room;          /* bytes of the section from `place` on */
  uint64_t symbol;      /* address of the symbol */
  uint64_t stub, slot;  /* of an outside symbol: code that jumps there, and a
                           word that holds its address; else 0 */
  int64_t addend;
} neso_relocation;

extern const uint16_t neso__elf_machine; /* EM_NONE: no loader here */
/* false: of no known type, or it does not fit. */
bool neso__elf_relocate(const neso_relocation *relocation);
void neso__elf_stub(unsigned char *stub, uint64_t target);

#endif
