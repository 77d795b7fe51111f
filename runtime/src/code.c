#include "code.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTION_LIMIT 4096
#define CODE_LIMIT ((size_t)256 << 20)

/* What an object may call. */
static const struct {
  const char *name;
  void (*address)(void);
} outside[] = {
#define IMPORT(name) {#name, (void (*)(void))name},
    NESO_KERNEL_IMPORTS(IMPORT)
#undef IMPORT
};
#define OUTSIDE_COUNT (sizeof outside / sizeof outside[0])

/* Parts of the mapping by protection, in this order. */
enum { PART_CODE, PART_CONSTANT, PART_DATA, PART_COUNT };
static const int part_protection[PART_COUNT] = {
    PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};

typedef struct section {
  Elf64_Shdr head;
  bool loaded;
  int part;
  size_t at; /* offset in the part, then in the mapping */
} section;

typedef struct loader {
  const unsigned char *file; /* borrowed */
  size_t size;
  section *sections; /* owned */
  size_t section_count;
  const section *symbols, *strings; /* in `sections`; NULL: none */
  size_t part_size[PART_COUNT], part_at[PART_COUNT];
  unsigned char *base; /* the mapping; handed over at the end */
  size_t mapped;
  size_t stubs_at, slots_at; /* in the mapping, one an outside symbol */
  void *const *externs;      /* borrowed; numbered after `outside` */
  size_t extern_count;
} loader;

static neso_status bad(const char *what) {
  return neso_status_make(NESO_INVALID_ARGUMENT,
                          "not an object of a kernel: %s", what);
}

static bool in_file(const loader *l, uint64_t offset, uint64_t size) {
  return offset <= l->size && size <= l->size - offset;
}

static size_t align_up(size_t value, size_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/* ------------------------------------------------------------- reading -- */

static neso_status read_head(const loader *l, Elf64_Ehdr *head) {
  static const unsigned char ident[] = {
      ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  if (l->size < sizeof *head)
    return bad("too short");
  memcpy(head, l->file, sizeof *head);
  if (memcmp(head->e_ident, ident, sizeof ident))
    return bad("no 64-bit ELF");
  if (head->e_type != ET_REL)
    return bad("not relocatable");
  if (head->e_machine != neso__elf_machine || neso__elf_machine == EM_NONE)
    return neso_status_make(NESO_UNSUPPORTED,
                            "an object for machine %u cannot be loaded here",
                            head->e_machine);
  if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum == 0 ||
      head->e_shnum > SECTION_LIMIT ||
      !in_file(l, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
    return bad("its section table is outside the file");
  return NULL;
}

static neso_status read_sections(loader *l) {
  Elf64_Ehdr head;
  neso_status status = read_head(l, &head);
  if (status)
    return status;
  l->section_count = head.e_shnum;
  l->sections = calloc(l->section_count, sizeof *l->sections);
  if (!l->sections)
    return neso_status_make(NESO_OUT_OF_MEMORY, "out of memory");
  for (size_t i = 0; i < l->section_count; i++) {
    Elf64_Shdr *row = &l->sections[i].head;
    memcpy(row, l->file + head.e_shoff + i * sizeof *row, sizeof *row);
    if (row->sh_type != SHT_NOBITS && row->sh_type != SHT_NULL &&
        !in_file(l, row->sh_offset, row->sh_size))
      return bad("a section is outside the file");
    if (row->sh_type != SHT_SYMTAB)
      continue;
    if (l->symbols || row->sh_entsize != sizeof(Elf64_Sym) ||
        row->sh_link >= l->section_count)
      return bad("its symbol table is damaged");
    l->symbols = &l->sections[i];
  }
  if (!l->symbols)
    return bad("it has no symbols");
  l->strings = &l->sections[l->symbols->head.sh_link];
  const Elf64_Shdr *strings = &l->strings->head;
  if (strings->sh_type != SHT_STRTAB || strings->sh_size == 0 ||
      l->file[strings->sh_offset + strings->sh_size - 1] != 0)
    return bad("its string table is damaged");
  return NULL;
}

static size_t symbol_count(const loader *l) {
  return l->symbols->head.sh_size / sizeof(Elf64_Sym);
}

static Elf64_Sym symbol_at(const loader *l, size_t i) {
  Elf64_Sym symbol;
  memcpy(&symbol, l->file + l->symbols->head.sh_offset + i * sizeof symbol,
         sizeof symbol);
  return symbol;
}

/* NULL: outside the table. */
static const char *symbol_name(const loader *l, const Elf64_Sym *symbol) {
  if (symbol->st_name >= l->strings->head.sh_size)
    return NULL;
  return (const char *)l->file + l->strings->head.sh_offset + symbol->st_name;
}

/* ------------------------------------------------------------- placing -- */

#define SHT_X86_64_UNWIND 0x70000001

/* Tables for unwinding are of no use: no exception passes a kernel. */
static bool is_loaded(const Elf64_Shdr *head) {
  return head->sh_flags & SHF_ALLOC && head->sh_type != SHT_X86_64_UNWIND &&
         head->sh_size > 0;
}

static neso_status place_section(loader *l, section *s) {
  const Elf64_Shdr *head = &s->head;
  uint64_t alignment = head->sh_addralign ? head->sh_addralign : 1;
  if (head->sh_type != SHT_PROGBITS && head->sh_type != SHT_NOBITS)
    return bad("a section of an unknown type");
  if (head->sh_flags & (SHF_TLS | SHF_COMPRESSED))
    return bad("thread-local or compressed data");
  if (alignment > 4096 || alignment & (alignment - 1) ||
      head->sh_size > CODE_LIMIT)
    return bad("a section of an impossible size");
  bool code = head->sh_flags & SHF_EXECINSTR, data = head->sh_flags & SHF_WRITE;
  if (code && data)
    return bad("code that can be written");
  s->part = code ? PART_CODE : data ? PART_DATA : PART_CONSTANT;
  s->at = align_up(l->part_size[s->part], alignment);
  s->loaded = true;
  l->part_size[s->part] = s->at + head->sh_size;
  if (l->part_size[s->part] > CODE_LIMIT)
    return bad("too large");
  return NULL;
}

static size_t add_to_part(loader *l, int part, size_t size) {
  size_t at = align_up(l->part_size[part], 16);
  l->part_size[part] = at + size;
  return at;
}

static size_t outside_count(const loader *l) {
  return OUTSIDE_COUNT + l->extern_count;
}

static uint64_t outside_address(const loader *l, size_t i) {
  return i < OUTSIDE_COUNT ? (uint64_t)(uintptr_t)outside[i].address
                           : (uint64_t)(uintptr_t)l->externs[i - OUTSIDE_COUNT];
}

/* Number of an outside symbol; the count of all when there is none such. */
static size_t outside_find(const loader *l, const char *name) {
  static const char prefix[] = "neso_extern";
  for (size_t i = 0; i < OUTSIDE_COUNT; i++)
    if (!strcmp(outside[i].name, name))
      return i;
  if (strncmp(name, prefix, sizeof prefix - 1))
    return outside_count(l);
  size_t number = strtoul(name + sizeof prefix - 1, NULL, 10);
  return OUTSIDE_COUNT + (number < l->extern_count ? number : l->extern_count);
}

static neso_status place(loader *l) {
  for (size_t i = 0; i < l->section_count; i++) {
    if (!is_loaded(&l->sections[i].head))
      continue;
    neso_status status = place_section(l, &l->sections[i]);
    if (status)
      return status;
  }
  l->stubs_at = add_to_part(l, PART_CODE, outside_count(l) * NESO_STUB_SIZE);
  l->slots_at = add_to_part(l, PART_CONSTANT, outside_count(l) * 8);
  size_t page = (size_t)sysconf(_SC_PAGESIZE), at = 0;
  for (int i = 0; i < PART_COUNT; i++) {
    l->part_at[i] = at;
    at += align_up(l->part_size[i], page);
  }
  l->stubs_at += l->part_at[PART_CODE];
  l->slots_at += l->part_at[PART_CONSTANT];
  l->mapped = at;
  void *base = mmap(NULL, at, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return neso_status_make(NESO_OUT_OF_MEMORY,
                            "cannot map %zu bytes of code: %s", at,
                            strerror(errno));
  l->base = base;
  return NULL;
}

static void fill(loader *l) {
  for (size_t i = 0; i < l->section_count; i++) {
    section *s = &l->sections[i];
    if (!s->loaded)
      continue;
    s->at += l->part_at[s->part];
    if (s->head.sh_type == SHT_PROGBITS)
      memcpy(l->base + s->at, l->file + s->head.sh_offset, s->head.sh_size);
  }
  for (size_t i = 0; i < outside_count(l); i++) {
    uint64_t address = outside_address(l, i);
    neso__elf_stub(l->base + l->stubs_at + i * NESO_STUB_SIZE, address);
    memcpy(l->base + l->slots_at + i * 8, &address, 8);
  }
}

/* ------------------------------------------------------------ relocating -- */

static neso_status resolve_outside(const loader *l, const Elf64_Sym *symbol,
                                   neso_relocation *r) {
  const char *name = symbol_name(l, symbol);
  if (!name)
    return bad("the name of a symbol is outside its table");
  size_t i = outside_find(l, name);
  if (i < outside_count(l)) {
    uintptr_t base = (uintptr_t)l->base;
    r->symbol = outside_address(l, i);
    r->stub = base + l->stubs_at + i * NESO_STUB_SIZE;
    r->slot = base + l->slots_at + i * 8;
    return NULL;
  }
  return neso_status_make(NESO_UNSUPPORTED,
                          "the object refers to '%.64s', which kernels may "
                          "not",
                          name);
}

static neso_status resolve(const loader *l, uint64_t index,
                           neso_relocation *r) {
  if (index >= symbol_count(l))
    return bad("a relocation of no symbol");
  Elf64_Sym symbol = symbol_at(l, index);
  if (symbol.st_shndx == SHN_UNDEF)
    return resolve_outside(l, &symbol, r);
  if (symbol.st_shndx >= l->section_count ||
      !l->sections[symbol.st_shndx].loaded ||
      symbol.st_value > l->sections[symbol.st_shndx].head.sh_size)
    return bad("a symbol outside the sections");
  r->symbol =
      (uintptr_t)l->base + l->sections[symbol.st_shndx].at + symbol.st_value;
  return NULL;
}

static neso_status relocate_one(const loader *l, const section *target,
                                const Elf64_Rela *row) {
  if (row->r_offset > target->head.sh_size)
    return bad("a relocation outside its section");
  neso_relocation r = {.type = (uint32_t)ELF64_R_TYPE(row->r_info),
                       .place = l->base + target->at + row->r_offset,
                       .room = target->head.sh_size - row->r_offset,
                       .addend = row->r_addend};
  neso_status status = resolve(l, ELF64_R_SYM(row->r_info), &r);
  if (status)
    return status;
  if (neso__elf_relocate(&r))
    return NULL;
  return neso_status_make(NESO_UNSUPPORTED,
                          "a relocation of type %u cannot be applied", r.type);
}

static neso_status relocate_table(const loader *l, const Elf64_Shdr *table) {
  if (table->sh_info >= l->section_count)
    return bad("relocations of no section");
  const section *target = &l->sections[table->sh_info];
  if (!target->loaded)
    return NULL;
  if (table->sh_type == SHT_REL || table->sh_entsize != sizeof(Elf64_Rela) ||
      target->head.sh_type != SHT_PROGBITS ||
      table->sh_link >= l->section_count ||
      &l->sections[table->sh_link] != l->symbols)
    return bad("its relocations are damaged");
  for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
    Elf64_Rela row;
    memcpy(&row, l->file + table->sh_offset + i * sizeof row, sizeof row);
    neso_status status = relocate_one(l, target, &row);
    if (status)
      return status;
  }
  return NULL;
}

static neso_status relocate(const loader *l) {
  for (size_t i = 0; i < l->section_count; i++) {
    const Elf64_Shdr *head = &l->sections[i].head;
    if (head->sh_type != SHT_RELA && head->sh_type != SHT_REL)
      continue;
    neso_status status = relocate_table(l, head);
    if (status)
      return status;
  }
  return NULL;
}

static neso_status find_entry(const loader *l, void **out_entry) {
  for (size_t i = 0; i < symbol_count(l); i++) {
    Elf64_Sym symbol = symbol_at(l, i);
    const char *name = symbol_name(l, &symbol);
    if (!name || strcmp(name, NESO_KERNEL_ENTRY) ||
        ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL ||
        symbol.st_shndx == SHN_UNDEF)
      continue;
    const section *s = symbol.st_shndx < l->section_count
                           ? &l->sections[symbol.st_shndx]
                           : NULL;
    if (!s || !s->loaded || s->part != PART_CODE ||
        symbol.st_value >= s->head.sh_size)
      return bad("its entry is outside the code");
    *out_entry = l->base + s->at + symbol.st_value;
    return NULL;
  }
  return bad("it has no function " NESO_KERNEL_ENTRY);
}

static neso_status protect(const loader *l) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < PART_COUNT; i++)
    if (l->part_size[i] &&
        mprotect(l->base + l->part_at[i], align_up(l->part_size[i], page),
                 part_protection[i]) != 0)
      return neso_status_make(NESO_DEVICE_ERROR,
                              "the system refuses to run generated code: %s",
                              strerror(errno));
  __builtin___clear_cache((char *)l->base, (char *)l->base + l->mapped);
  return NULL;
}

neso_status neso__code_load(const void *object, size_t size,
                            void *const *externs, size_t extern_count,
                            neso_code_map *out_map) {
  loader l = {.file = object,
              .size = size,
              .externs = externs,
              .extern_count = extern_count};
  void *entry = NULL;
  neso_status status = read_sections(&l);
  if (!status)
    status = place(&l);
  if (!status)
    fill(&l);
  if (!status)
    status = relocate(&l);
  if (!status)
    status = find_entry(&l, &entry);
  if (!status)
    status = protect(&l);
  free(l.sections);
  if (!status)
    *out_map = (neso_code_map){l.base, l.mapped, entry};
  else if (l.base)
    munmap(l.base, l.mapped);
  return status;
}

void neso__code_unload(neso_code_map *map) {
  if (map->base)
    munmap(map->base, map->size);
  *map = (neso_code_map){0};
}
