/* Constants in an object of several parts: whose bytes are whose, and what leaves a doubt. The objects are made by
 * hand; test_part_batches.c has those that the generator makes. */
#include "codegen/piece_share.h"
#include "frontend/core/diag.h"
#include "tools/harness/guard.h"

#include <check.h>
#include <string.h>

Suite *suite_piece_share(void);

enum { NONE, FIRST, SECOND, CONSTANTS, RELA_FIRST, RELA_SECOND, SYMTAB, SHSTRTAB, SECTIONS };
enum { NULL_SYMBOL, SECTION, UNIT_0, UNIT_1, UNIT_2, UNIT_3, BETWEEN, OUTSIDE, SYMBOLS };
enum { UNIT = 16, UNITS = 4, RELOCATIONS = 6, PC32 = R_X86_64_PC32 };

typedef struct object {
    Elf64_Ehdr header;
    Elf64_Rela rela[2][RELOCATIONS];
    Elf64_Sym symbol[SYMBOLS];
    char names[64];
    Elf64_Shdr section[SECTIONS];
} object;

#define NAMES "\0.part.0.\0.part.1.\0.rodata\0.rela\0.symtab"
enum { NAME_FIRST = 1, NAME_SECOND = 10, NAME_CONSTANTS = 19, NAME_RELA = 27, NAME_SYMTAB = 33 };

/* A reference of a part to a symbol, or with a distance to the section. */
typedef struct reference {
    int part, symbol;
    int64_t addend;
    unsigned type;
} reference;

static Elf64_Shdr section_of(Elf64_Word name, Elf64_Word type, Elf64_Xword flags, size_t offset, size_t size)
{
    return (Elf64_Shdr){.sh_name = name,
                        .sh_type = type,
                        .sh_flags = flags,
                        .sh_offset = offset,
                        .sh_size = size,
                        .sh_addralign = UNIT};
}

static object object_of(const reference *list, size_t count)
{
    object o = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                           .e_type = ET_REL,
                           .e_machine = EM_X86_64,
                           .e_shoff = offsetof(object, section),
                           .e_shentsize = sizeof(Elf64_Shdr),
                           .e_shnum = SECTIONS,
                           .e_shstrndx = SHSTRTAB},
                .names = NAMES};
    size_t relocations[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const reference *r = &list[i];
        o.rela[r->part][relocations[r->part]++] =
            (Elf64_Rela){.r_info = ELF64_R_INFO((Elf64_Xword)r->symbol, r->type), .r_addend = r->addend};
    }
    o.section[FIRST] = section_of(NAME_FIRST, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 64);
    o.section[SECOND] = section_of(NAME_SECOND, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 64);
    o.section[CONSTANTS] = section_of(NAME_CONSTANTS, SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 0, UNIT * UNITS);
    o.section[CONSTANTS].sh_entsize = UNIT;
    for (int i = 0; i < 2; i++) {
        Elf64_Shdr *rela = &o.section[RELA_FIRST + i];
        *rela = section_of(NAME_RELA, SHT_RELA, 0, offsetof(object, rela) + (size_t)i * sizeof o.rela[0],
                           relocations[i] * sizeof(Elf64_Rela));
        rela->sh_entsize = sizeof(Elf64_Rela);
        rela->sh_info = (Elf64_Word)(FIRST + i);
        rela->sh_link = SYMTAB;
    }
    o.section[SYMTAB] = section_of(NAME_SYMTAB, SHT_SYMTAB, 0, offsetof(object, symbol), sizeof o.symbol);
    o.section[SYMTAB].sh_entsize = sizeof(Elf64_Sym);
    o.section[SYMTAB].sh_info = SECTIONS + 1; /* the first symbol that is not local, of which generated code has many */
    o.section[SHSTRTAB] = section_of(0, SHT_STRTAB, 0, offsetof(object, names), sizeof o.names);
    o.symbol[SECTION] = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = CONSTANTS};
    for (unsigned i = 0; i < UNITS; i++) {
        o.symbol[UNIT_0 + i] = (Elf64_Sym){.st_shndx = CONSTANTS, .st_value = (Elf64_Addr)UNIT * i};
    }
    o.symbol[BETWEEN] = (Elf64_Sym){.st_shndx = CONSTANTS, .st_value = 8};
    return o;
}

/* Shares of both parts, in units; false: there is a doubt, for both. */
static bool shares_of(const object *o, size_t start[2], size_t size[2])
{
    static const char *const PARTS[] = {".part.0.", ".part.1."};
    guard_buffer copy; /* reading outside of it traps */
    aic_elf_object opened;
    aic_status status[2];
    ck_assert(guard_open(&copy, sizeof *o, _Alignof(object), GUARD_AFTER));
    memcpy(copy.data, o, sizeof *o);
    ck_assert_int_eq(aic_elf_open(&(aic_elf){copy.data, copy.size}, &opened), AIC_OK);
    for (int i = 0; i < 2; i++) {
        aic_piece_share share = {0, 0};
        status[i] = aic_piece_find_share(&opened, CONSTANTS, PARTS[i], &share);
        ck_assert(status[i] == AIC_OK || status[i] == AIC_COMPILE);
        start[i] = share.start / UNIT;
        size[i] = share.size / UNIT;
    }
    guard_close(&copy);
    ck_assert_int_eq(status[0], status[1]);
    return status[0] == AIC_OK;
}

/* By symbols and by distances, in front of an immediate, too; what lies between constants of one part is its own; all
 * are one part's. */
START_TEST(shares)
{
    static const struct {
        reference list[RELOCATIONS];
        size_t start[2], size[2];
    } CASES[] = {
        {{{0, UNIT_0, -4, PC32}, {0, UNIT_1, -5, PC32}, {1, UNIT_2, -4, PC32}, {1, UNIT_3, 4, PC32}}, {0, 2}, {2, 2}},
        {{{1, UNIT_0, -4, PC32}, {0, UNIT_1, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, UNIT_1, -4, PC32}}, {1, 0}, {3, 1}},
        {{{0, SECTION, -4, PC32}, {1, SECTION, 11, PC32}, {1, SECTION, 28, PC32}, {1, SECTION, 43, PC32}},
         {0, 1},
         {1, 3}},
        {{{1, UNIT_0, -4, PC32}, {1, UNIT_3, -4, PC32}, {0, OUTSIDE, -4, R_X86_64_PLT32}}, {0, 0}, {0, 4}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        size_t count = 0, start[2], size[2];
        while (count < RELOCATIONS && CASES[i].list[count].type != 0) {
            count++;
        }
        const object o = object_of(CASES[i].list, count);
        ck_assert_msg(shares_of(&o, start, size), "case %zu: %s", i, aic_last_error());
        for (int p = 0; p < 2; p++) {
            ck_assert_uint_eq(size[p], CASES[i].size[p]);
            ck_assert_uint_eq(start[p], CASES[i].start[p]);
        }
    }
}
END_TEST

/* A constant of both parts, of none at an end or between two; parts that take turns; what is no begin of a constant, or
 * another kind of reference, or behind the section's end. */
START_TEST(doubts)
{
    static const reference CASES[][RELOCATIONS] = {
        {{0, UNIT_0, -4, PC32}, {0, UNIT_2, -4, PC32}, {1, UNIT_2, -4, PC32}, {1, UNIT_3, -4, PC32}},
        {{0, UNIT_1, -4, PC32}, {1, UNIT_2, -4, PC32}, {1, UNIT_3, -4, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_1, -4, PC32}, {1, UNIT_2, -4, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_1, -4, PC32}, {1, UNIT_3, -4, PC32}},
        {{0, OUTSIDE, -4, R_X86_64_PLT32}},
        {{0, UNIT_0, -4, PC32}, {1, UNIT_1, -4, PC32}, {0, UNIT_2, -4, PC32}, {1, UNIT_3, -4, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, BETWEEN, -4, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, SECTION, -6, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, SECTION, 4, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, SECTION, UNIT * UNITS - 4, PC32}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, UNIT_1, 0, R_X86_64_64}},
        {{0, UNIT_0, -4, PC32}, {0, UNIT_3, -4, PC32}, {0, SYMBOLS, -4, PC32}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        size_t count = 0, start[2], size[2];
        while (count < RELOCATIONS && CASES[i][count].type != 0) {
            count++;
        }
        const object o = object_of(CASES[i], count);
        ck_assert_msg(!shares_of(&o, start, size), "case %zu", i);
    }
}
END_TEST

static void constants_of_any_size(object *o)
{
    o->section[CONSTANTS].sh_flags = SHF_ALLOC;
}

static void half_a_constant(object *o)
{
    o->section[CONSTANTS].sh_size -= UNIT / 2;
}

static void other_machine(object *o)
{
    o->header.e_machine = EM_AARCH64;
}

static void code_of_no_part(object *o)
{
    o->section[SECOND].sh_name = NAME_CONSTANTS;
}

static void no_table(object *o)
{
    o->section[RELA_SECOND].sh_size = sizeof *o;
}

START_TEST(objects)
{
    static void (*const CHANGES[])(object *o) = {constants_of_any_size, half_a_constant, other_machine, code_of_no_part,
                                                 no_table};
    static const reference LIST[] = {{0, UNIT_0, -4, PC32}, {1, UNIT_1, -4, PC32}, {1, UNIT_3, -4, PC32}};
    size_t start[2], size[2];
    object o = object_of(LIST, sizeof LIST / sizeof LIST[0]);
    ck_assert(shares_of(&o, start, size));
    for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
        o = object_of(LIST, sizeof LIST / sizeof LIST[0]);
        CHANGES[i](&o);
        ck_assert_msg(!shares_of(&o, start, size), "case %zu", i);
    }
}
END_TEST

Suite *suite_piece_share(void)
{
    Suite *suite = suite_create("piece_share");
    TCase *sharing = tcase_create("sharing");
    tcase_add_test(sharing, shares);
    tcase_add_test(sharing, doubts);
    tcase_add_test(sharing, objects);
    suite_add_tcase(suite, sharing);
    return suite;
}
