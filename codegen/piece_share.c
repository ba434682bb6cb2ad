/* See piece_share.h. */
#include "codegen/piece_share.h"
#include "frontend/core/diag.h"

#include <stdlib.h>
#include <string.h>

#define SUBJECT "image"

/* Constants of vectors of 64 bytes, for which there is no section of constants of one size. */
enum { WIDE = 64 };

/* A section in units of one constant. */
typedef struct sharing {
    const aic_elf_object *o;
    size_t section;
    const char *name;
    uint64_t unit, count;
    uint32_t *owner; /* of each unit: the section of the part that refers to it; 0: none */
} sharing;

static aic_status fail_doubt(const sharing *s)
{
    return aic_fail(AIC_COMPILE, SUBJECT, "section %s is of no part", s->name);
}

/* Which unit a relocation refers to: that of a symbol, or at a distance from the section's begin, which is counted from
 * the place of the relocation, 4 bytes, or 5 where an immediate follows, before the end of an instruction. */
static bool find_unit(const sharing *s, const Elf64_Sym *symbol, const Elf64_Rela *rela, uint64_t *unit)
{
    uint64_t at = symbol->st_value;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION) {
        at += (uint64_t)rela->r_addend + 4;
        at += at % s->unit == s->unit - 1;
    }
    *unit = at / s->unit;
    return at % s->unit == 0 && *unit < s->count && ELF64_R_TYPE(rela->r_info) == R_X86_64_PC32;
}

/* Notes what a section refers to. Code of parts alone may refer to constants. */
static aic_status note_section(const sharing *s, const aic_elf_relocations *all)
{
    const Elf64_Shdr header = aic_elf_section(s->o, all->section);
    const bool part =
        strncmp(aic_elf_section_name(s->o, &header), AIC_PIECE_SECTION, sizeof AIC_PIECE_SECTION - 1) == 0;
    for (uint64_t i = 0; i < all->count; i++) {
        const Elf64_Rela rela = aic_elf_relocation(s->o, all, i);
        const uint64_t index = ELF64_R_SYM(rela.r_info);
        uint64_t unit;
        if (index >= all->table.count) {
            return aic_elf_malformed("a relocation is not inside");
        }
        const Elf64_Sym symbol = aic_elf_symbol(s->o, &all->table, index);
        if (symbol.st_shndx != s->section) {
            continue;
        }
        if (!part || !find_unit(s, &symbol, &rela, &unit) || (s->owner[unit] != 0 && s->owner[unit] != all->section)) {
            return fail_doubt(s);
        }
        s->owner[unit] = (uint32_t)all->section;
    }
    return AIC_OK;
}

/* Units that nobody refers to are of the part on both sides of them. */
static aic_status fill(const sharing *s)
{
    for (uint64_t i = 0; i < s->count; i++) {
        if (s->owner[i] == 0) {
            uint64_t next = i;
            while (next < s->count && s->owner[next] == 0) {
                next++;
            }
            if (i == 0 || next == s->count || s->owner[next] != s->owner[i - 1]) {
                return fail_doubt(s);
            }
            s->owner[i] = s->owner[next];
        }
    }
    return AIC_OK;
}

/* The run of a part's units. */
static aic_status find_run(const sharing *s, const char *only, aic_piece_share *share)
{
    uint64_t end = 0;
    *share = (aic_piece_share){0, 0};
    for (uint64_t i = 0; i < s->count; i++) {
        const Elf64_Shdr header = aic_elf_section(s->o, s->owner[i]);
        if (strcmp(aic_elf_section_name(s->o, &header), only) != 0) {
            continue;
        }
        if (share->size > 0 && end != i) {
            return fail_doubt(s);
        }
        share->start = share->size > 0 ? share->start : i * s->unit;
        share->size += s->unit;
        end = i + 1;
    }
    return AIC_OK;
}

static aic_status find_owners(const sharing *s)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < s->o->header.e_shnum && status == AIC_OK; i++) {
        aic_elf_relocations all;
        status = aic_elf_open_relocations(s->o, i, &all);
        if (status == AIC_OK) {
            status = note_section(s, &all);
        }
    }
    return status == AIC_OK ? fill(s) : status;
}

aic_status aic_piece_find_share(const aic_elf_object *o, size_t section, const char *only, aic_piece_share *share)
{
    const Elf64_Shdr header = aic_elf_section(o, section);
    sharing s = {.o = o,
                 .section = section,
                 .name = aic_elf_section_name(o, &header),
                 .unit = (header.sh_flags & SHF_MERGE) != 0 ? header.sh_entsize
                         : header.sh_addralign == WIDE      ? WIDE
                                                            : 0};
    if (o->header.e_machine != EM_X86_64 || s.unit == 0 || header.sh_size % s.unit != 0) {
        return fail_doubt(&s);
    }
    s.count = header.sh_size / s.unit;
    s.owner = calloc(s.count + 1, sizeof *s.owner);
    if (s.owner == NULL) {
        return aic_fail_memory(SUBJECT, s.count * sizeof *s.owner);
    }
    aic_status status = find_owners(&s);
    if (status == AIC_OK) {
        status = find_run(&s, only, share);
    }
    free(s.owner);
    return status;
}
