/* See elf_object.h. */
#include "codegen/elf_object.h"
#include "frontend/core/diag.h"

#include <string.h>

#define SUBJECT "image"

aic_status aic_elf_malformed(const char *what)
{
    return aic_fail(AIC_COMPILE, SUBJECT, "the object is malformed: %s", what);
}

bool aic_elf_inside(const aic_elf_object *o, uint64_t offset, uint64_t size)
{
    return offset <= o->size && size <= o->size - offset;
}

Elf64_Shdr aic_elf_section(const aic_elf_object *o, size_t index)
{
    Elf64_Shdr header;
    memcpy(&header, o->bytes + o->header.e_shoff + index * sizeof header, sizeof header);
    return header;
}

const char *aic_elf_text(const aic_elf_object *o, size_t index, uint64_t offset)
{
    if (index >= o->header.e_shnum) {
        return "?";
    }
    const Elf64_Shdr table = aic_elf_section(o, index);
    if (!aic_elf_inside(o, table.sh_offset, table.sh_size) || offset >= table.sh_size) {
        return "?";
    }
    const char *text = (const char *)o->bytes + table.sh_offset + offset;
    return memchr(text, '\0', table.sh_size - offset) != NULL ? text : "?";
}

aic_status aic_elf_open(const aic_elf *elf, aic_elf_object *object)
{
    *object = (aic_elf_object){.bytes = elf->bytes, .size = elf->size};
    Elf64_Ehdr *h = &object->header;
    if (elf->size < sizeof *h) {
        return aic_elf_malformed("it is too short");
    }
    memcpy(h, elf->bytes, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL) {
        return aic_elf_malformed("it is not relocatable, 64-bit, little-endian ELF");
    }
    if (h->e_machine != EM_X86_64 && h->e_machine != EM_AARCH64) {
        return aic_fail(AIC_COMPILE, SUBJECT, "machine %u is neither x86-64 nor AArch64", (unsigned)h->e_machine);
    }
    if (h->e_shnum == 0 || h->e_shentsize != sizeof(Elf64_Shdr) ||
        !aic_elf_inside(object, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr))) {
        return aic_elf_malformed("its section table is not inside");
    }
    return AIC_OK;
}

aic_status aic_elf_open_symbols(const aic_elf_object *o, size_t index, aic_elf_symbols *table)
{
    if (index >= o->header.e_shnum) {
        return aic_elf_malformed("there is no symbol table");
    }
    const Elf64_Shdr header = aic_elf_section(o, index);
    if (header.sh_type != SHT_SYMTAB || header.sh_entsize != sizeof(Elf64_Sym) ||
        !aic_elf_inside(o, header.sh_offset, header.sh_size)) {
        return aic_elf_malformed("its symbol table is not inside");
    }
    *table = (aic_elf_symbols){header.sh_offset, header.sh_size / sizeof(Elf64_Sym), header.sh_link};
    return AIC_OK;
}

Elf64_Sym aic_elf_symbol(const aic_elf_object *o, const aic_elf_symbols *table, uint64_t index)
{
    Elf64_Sym symbol;
    memcpy(&symbol, o->bytes + table->offset + index * sizeof symbol, sizeof symbol);
    return symbol;
}

aic_status aic_elf_open_relocations(const aic_elf_object *o, size_t index, aic_elf_relocations *relocations)
{
    const Elf64_Shdr header = aic_elf_section(o, index);
    *relocations = (aic_elf_relocations){.count = 0}; /* of other sections sh_info is no section's number */
    if ((header.sh_type != SHT_RELA && header.sh_type != SHT_REL) || header.sh_info >= o->header.e_shnum) {
        return AIC_OK;
    }
    if (header.sh_type == SHT_REL || header.sh_entsize != sizeof(Elf64_Rela) ||
        !aic_elf_inside(o, header.sh_offset, header.sh_size)) {
        return aic_elf_malformed("its relocations are not inside");
    }
    relocations->section = header.sh_info;
    relocations->offset = header.sh_offset;
    relocations->count = header.sh_size / sizeof(Elf64_Rela);
    return relocations->count > 0 ? aic_elf_open_symbols(o, header.sh_link, &relocations->table) : AIC_OK;
}

Elf64_Rela aic_elf_relocation(const aic_elf_object *o, const aic_elf_relocations *relocations, uint64_t index)
{
    Elf64_Rela rela;
    memcpy(&rela, o->bytes + relocations->offset + index * sizeof rela, sizeof rela);
    return rela;
}
