/* Reading relocatable ELF objects of x86-64 and AArch64. Whatever their bytes are, nothing outside of them is read. */
#pragma once

#include "codegen/piece.h"

#include <elf.h>

/* An object whose header and table of sections are in order. */
typedef struct aic_elf_object {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
} aic_elf_object;

aic_status aic_elf_open(const aic_elf *elf, aic_elf_object *object);

aic_status aic_elf_malformed(const char *what);

bool aic_elf_inside(const aic_elf_object *o, uint64_t offset, uint64_t size);

/* The header of a section by its number, which is below that of the object's header. */
Elf64_Shdr aic_elf_section(const aic_elf_object *o, size_t index);

/* The text at `offset` of the string table in section `index`; "?" when there is none. */
const char *aic_elf_text(const aic_elf_object *o, size_t index, uint64_t offset);

static inline const char *aic_elf_section_name(const aic_elf_object *o, const Elf64_Shdr *header)
{
    return aic_elf_text(o, o->header.e_shstrndx, header->sh_name);
}

typedef struct aic_elf_symbols {
    uint64_t offset, count;
    size_t names; /* section of their names */
} aic_elf_symbols;

/* The symbol table in section `index`. */
aic_status aic_elf_open_symbols(const aic_elf_object *o, size_t index, aic_elf_symbols *table);

/* A symbol by its number, which is below the table's count. */
Elf64_Sym aic_elf_symbol(const aic_elf_object *o, const aic_elf_symbols *table, uint64_t index);

static inline const char *aic_elf_symbol_name(const aic_elf_object *o, const aic_elf_symbols *table,
                                              const Elf64_Sym *symbol)
{
    return aic_elf_text(o, table->names, symbol->st_name);
}

/* Relocations of a section, and the symbols that they name. */
typedef struct aic_elf_relocations {
    uint64_t offset, count;
    size_t section; /* that they change */
    aic_elf_symbols table;
} aic_elf_relocations;

/* Those that section `index` holds; count 0: it holds none. */
aic_status aic_elf_open_relocations(const aic_elf_object *o, size_t index, aic_elf_relocations *relocations);

Elf64_Rela aic_elf_relocation(const aic_elf_object *o, const aic_elf_relocations *relocations, uint64_t index);
