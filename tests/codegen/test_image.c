/* Objects as images: offsets of sections, every relocation, what is refused, malformed objects. They are made by hand;
 * test_image_code.c has those that the generator makes. */
#include "codegen/image.h"

#include <aic/types.h>
#include <check.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_image(void);

enum { NONE, TEXT, RODATA, RELA, SYMTAB, STRTAB, SHSTRTAB, SECTIONS };
enum { NULL_SYMBOL, KERNEL, KERNEL_PACK, CONSTANTS, OUTSIDE, HELPER, SYMBOLS };
enum { UNWIND_TYPE = 0x70000001 };                   /* of sections of x86-64 */
enum { CONTENT = 64, HELPER_AT = 32, PACK_AT = 16 }; /* bytes of .text and of .rodata; where functions begin */

/* An object of two sections with one relocation in the first; tests change it. */
typedef struct object {
    Elf64_Ehdr header;
    unsigned char text[CONTENT], rodata[CONTENT];
    Elf64_Rela rela;
    Elf64_Sym symbol[SYMBOLS];
    char names[128], section_names[64];
    Elf64_Shdr section[SECTIONS];
} object;

/* Appends a name to a table of them; returns where it begins. */
static Elf64_Word add_name(char table[64], const char *name)
{
    size_t at = 1;
    while (table[at] != '\0') {
        at += strlen(table + at) + 1;
    }
    strcpy(table + at, name);
    return (Elf64_Word)at;
}

static void add_section(object *o, int index, const char *name, Elf64_Word type, Elf64_Xword flags, const void *content,
                        size_t size)
{
    o->section[index] = (Elf64_Shdr){.sh_name = add_name(o->section_names, name),
                                     .sh_type = type,
                                     .sh_flags = flags,
                                     .sh_offset = (Elf64_Off)((const char *)content - (const char *)o),
                                     .sh_size = size,
                                     .sh_addralign = 1};
}

static void add_symbol(object *o, int index, const char *name, int bind, int type, int section, Elf64_Addr value)
{
    o->symbol[index] = (Elf64_Sym){.st_name = name[0] != '\0' ? add_name(o->names, name) : 0,
                                   .st_info = (unsigned char)ELF64_ST_INFO(bind, type),
                                   .st_shndx = (Elf64_Section)section,
                                   .st_value = value};
}

static object object_of(Elf64_Half machine)
{
    object o = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                           .e_type = ET_REL,
                           .e_machine = machine,
                           .e_shoff = offsetof(object, section),
                           .e_shentsize = sizeof(Elf64_Shdr),
                           .e_shnum = SECTIONS,
                           .e_shstrndx = SHSTRTAB}};
    for (int i = 0; i < CONTENT; i++) {
        o.text[i] = (unsigned char)i;
        o.rodata[i] = (unsigned char)~i;
    }
    add_section(&o, TEXT, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, o.text, CONTENT);
    add_section(&o, RODATA, ".rodata", SHT_PROGBITS, SHF_ALLOC, o.rodata, CONTENT);
    add_section(&o, RELA, ".rela.text", SHT_RELA, 0, &o.rela, 0);
    o.section[RELA].sh_entsize = sizeof o.rela;
    o.section[RELA].sh_link = SYMTAB;
    o.section[RELA].sh_info = TEXT;
    add_section(&o, SYMTAB, ".symtab", SHT_SYMTAB, 0, o.symbol, sizeof o.symbol);
    o.section[SYMTAB].sh_entsize = sizeof o.symbol[0];
    o.section[SYMTAB].sh_link = STRTAB;
    add_section(&o, STRTAB, ".strtab", SHT_STRTAB, 0, o.names, sizeof o.names);
    add_section(&o, SHSTRTAB, ".shstrtab", SHT_STRTAB, 0, o.section_names, sizeof o.section_names);
    add_symbol(&o, KERNEL, "kernel", STB_GLOBAL, STT_FUNC, TEXT, 0);
    add_symbol(&o, KERNEL_PACK, "kernel_pack", STB_GLOBAL, STT_FUNC, TEXT, PACK_AT);
    add_symbol(&o, CONSTANTS, "", STB_LOCAL, STT_SECTION, RODATA, 0);
    add_symbol(&o, OUTSIDE, "outside", STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0);
    add_symbol(&o, HELPER, "helper", STB_LOCAL, STT_FUNC, TEXT, HELPER_AT);
    return o;
}

static void set_relocation(object *o, Elf64_Addr at, unsigned type, unsigned symbol, int64_t addend)
{
    o->rela = (Elf64_Rela){.r_offset = at, .r_info = ELF64_R_INFO((Elf64_Xword)symbol, type), .r_addend = addend};
    o->section[RELA].sh_size = sizeof o->rela;
}

/* From a block of just its size, so that the address sanitizer sees what is read behind it. */
static aic_status create(const void *bytes, size_t size, const char *symbol, aic_image *image)
{
    void *copy = malloc(size);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, size);
    aic_status status = aic_image_create(&(aic_elf){copy, size}, 1, symbol, image);
    free(copy);
    return status;
}

static void check_refused(const object *o, const char *message)
{
    aic_image image = {.size = 77};
    ck_assert_int_eq(create(o, sizeof *o, "kernel", &image), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), message);
    ck_assert_uint_eq(image.size, 77);
}

START_TEST(offsets)
{
    object o = object_of(EM_X86_64);
    aic_image image;
    ck_assert_int_eq(create(&o, sizeof o, "kernel", &image), AIC_OK);
    ck_assert_uint_eq(image.alignment, 64);
    ck_assert_uint_eq(image.size, 2 * CONTENT);
    ck_assert_mem_eq(image.bytes, o.text, CONTENT);
    ck_assert_mem_eq(image.bytes + 64, o.rodata, CONTENT);
    ck_assert_uint_eq(image.function[AIC_FUNCTION_ENTRY], 0);
    ck_assert_uint_eq(image.function[AIC_FUNCTION_PACK], PACK_AT);
    ck_assert(image.function[AIC_FUNCTION_PACKED] == AIC_NO_FUNCTION);
    aic_image_free(&image);

    o.section[RODATA].sh_addralign = 1024;
    o.section[TEXT].sh_size = 63;
    ck_assert_int_eq(create(&o, sizeof o, "kernel", &image), AIC_OK);
    ck_assert_uint_eq(image.alignment, 1024);
    ck_assert_uint_eq(image.size, 1024 + CONTENT);
    ck_assert_mem_eq(image.bytes + 1024, o.rodata, CONTENT);
    aic_image_free(&image);
}
END_TEST

/* ---- several objects ---- */

/* A second object, which is the first but for the names of what it defines. */
static object second_object(void)
{
    object o = object_of(EM_X86_64);
    add_symbol(&o, KERNEL, "other", STB_GLOBAL, STT_FUNC, TEXT, 0);
    add_symbol(&o, KERNEL_PACK, "outside", STB_GLOBAL, STT_FUNC, TEXT, PACK_AT);
    add_symbol(&o, OUTSIDE, "kernel", STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0);
    return o;
}

static aic_status create_both(const object *a, const object *b, aic_image *image)
{
    return aic_image_create((const aic_elf[]){{a, sizeof *a}, {b, sizeof *b}}, 2, "kernel", image);
}

/* Each refers to a function of the other one; their sections lie one after the other. */
START_TEST(two_objects)
{
    object a = object_of(EM_X86_64), b = second_object();
    aic_image image;
    int32_t there, back;
    set_relocation(&a, 8, R_X86_64_PLT32, OUTSIDE, -4);
    set_relocation(&b, 20, R_X86_64_PLT32, OUTSIDE, -4);
    ck_assert_msg(create_both(&a, &b, &image) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(image.size, 4 * CONTENT);
    ck_assert_mem_eq(image.bytes + 3 * CONTENT, b.rodata, CONTENT);
    ck_assert_uint_eq(image.function[AIC_FUNCTION_ENTRY], 0);
    ck_assert_uint_eq(image.function[AIC_FUNCTION_PACK], PACK_AT);
    memcpy(&there, image.bytes + 8, sizeof there);
    memcpy(&back, image.bytes + 2 * CONTENT + 20, sizeof back);
    ck_assert_int_eq(there, 2 * CONTENT + PACK_AT - 4 - 8);
    ck_assert_int_eq(back, 0 - 4 - (2 * CONTENT + 20));
    aic_image_free(&image);
}
END_TEST

/* What the other one does not define, or only for itself, or where it is no object at all. */
START_TEST(two_objects_refused)
{
    const object a = object_of(EM_X86_64);
    object b = second_object();
    aic_image image = {.size = 77};
    add_symbol(&b, OUTSIDE, "nowhere", STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0);
    set_relocation(&b, 20, R_X86_64_PLT32, OUTSIDE, -4);
    ck_assert_int_eq(create_both(&a, &b, &image), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "image: kernel refers to nowhere, which is not part of it");

    object c = object_of(EM_X86_64);
    b = second_object();
    add_symbol(&b, KERNEL_PACK, "outside", STB_LOCAL, STT_FUNC, TEXT, PACK_AT);
    set_relocation(&c, 8, R_X86_64_PLT32, OUTSIDE, -4);
    ck_assert_int_eq(create_both(&c, &b, &image), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "image: kernel refers to outside, which is not part of it");

    b.header.e_type = ET_EXEC;
    ck_assert_int_eq(create_both(&a, &b, &image), AIC_COMPILE);
    ck_assert_int_eq(create_both(&b, &a, &image), AIC_COMPILE);
    b = second_object();
    ck_assert_int_eq(create_both(&b, &b, &image), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "image: the object defines no function kernel");
    ck_assert_uint_eq(image.size, 77);
}
END_TEST

/* ---- relocations ---- */

/* What the field at `at` in .text, as 32 or 64 bits, holds afterwards, from zeros before; .rodata begins at 64. */
static const struct {
    Elf64_Half machine;
    unsigned type, symbol;
    int64_t addend;
    Elf64_Addr at;
    uint64_t before, after;
    int bytes;
    size_t alignment;
} applied[] = {
    {EM_X86_64, R_X86_64_PC32, CONSTANTS, -4, 8, 0, 64 - 4 - 8, 4, 64},
    {EM_X86_64, R_X86_64_PC32, CONSTANTS, -4, 60, 0, 0, 4, 64},
    {EM_X86_64, R_X86_64_PC32, KERNEL, INT32_MAX, 0, 0, INT32_MAX, 4, 64},
    {EM_X86_64, R_X86_64_PC32, KERNEL, INT32_MIN, 0, 0, 0x80000000, 4, 64},
    {EM_X86_64, R_X86_64_PLT32, KERNEL, -4, 8, 0, 0xFFFFFFF4, 4, 64},
    {EM_X86_64, R_X86_64_PLT32, HELPER, -4, 8, 0, 20, 4, 64},
    {EM_X86_64, R_X86_64_PC64, HELPER, 0, 40, 0, UINT64_C(0xFFFFFFFFFFFFFFF8), 8, 64},
    {EM_AARCH64, R_AARCH64_PREL32, CONSTANTS, 4, 8, 0, 60, 4, 64},
    {EM_AARCH64, R_AARCH64_PREL64, CONSTANTS, 4, 8, 0, 60, 8, 64},
    {EM_AARCH64, R_AARCH64_CALL26, HELPER, 0, 8, 0x94000000, 0x94000006, 4, 64},
    {EM_AARCH64, R_AARCH64_JUMP26, KERNEL, 0, 8, 0x17FFFFFF, 0x17FFFFFE, 4, 64},
    {EM_AARCH64, R_AARCH64_CALL26, KERNEL, 0x7FFFFFC, 0, 0x94000000, 0x95FFFFFF, 4, 64},
    {EM_AARCH64, R_AARCH64_CALL26, KERNEL, -0x8000000, 0, 0x94000000, 0x96000000, 4, 64},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, CONSTANTS, 0, 8, 0x90000001, 0x90000001, 4, 4096},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, CONSTANTS, 0x5000, 8, 0x90000001, 0xB0000021, 4, 4096},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, CONSTANTS, -65, 8, 0x90000001, 0xF0FFFFE1, 4, 4096},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, CONSTANTS, INT32_MAX, 8, 0x90000001, 0x90400001, 4, 4096},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, KERNEL, INT32_MIN, 8, 0x90000001, 0x90C00001, 4, 4096},
    {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, CONSTANTS, 7, 8, 0x91000020, 0x91000020 | 71 << 10, 4, 4096},
    {EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, CONSTANTS, 4095, 8, 0x39400000, 0x39400000 | 63 << 10, 4, 4096},
    {EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, CONSTANTS, 2, 8, 0x79400000, 0x79400000 | 33 << 10, 4, 4096},
    {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, CONSTANTS, 4, 8, 0xB9400000, 0xB9400000 | 17 << 10, 4, 4096},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, CONSTANTS, 8, 8, 0xF9400000, 0xF9400000 | 9 << 10, 4, 4096},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, CONSTANTS, 16, 8, 0x3DC00000, 0x3DC00000 | 5 << 10, 4, 4096},
};

START_TEST(applied_relocations)
{
    object o = object_of(applied[_i].machine);
    aic_image image;
    uint64_t after = 0;
    memcpy(o.text + applied[_i].at, &applied[_i].before, (size_t)applied[_i].bytes);
    set_relocation(&o, applied[_i].at, applied[_i].type, applied[_i].symbol, applied[_i].addend);
    ck_assert_msg(create(&o, sizeof o, "kernel", &image) == AIC_OK, "%s", aic_last_error());
    memcpy(&after, image.bytes + applied[_i].at, (size_t)applied[_i].bytes);
    ck_assert_msg(after == applied[_i].after, "0x%llx", (unsigned long long)after);
    ck_assert_uint_eq(image.alignment, applied[_i].alignment);
    /* nothing else has changed */
    memcpy(image.bytes + applied[_i].at, o.text + applied[_i].at, (size_t)applied[_i].bytes);
    ck_assert_mem_eq(image.bytes, o.text, CONTENT);
    ck_assert_mem_eq(image.bytes + 64, o.rodata, CONTENT);
    aic_image_free(&image);
}
END_TEST

#define DEPENDS " depends on where the code lies or on something outside"

static const struct {
    Elf64_Half machine;
    unsigned type, symbol;
    int64_t addend;
    Elf64_Addr at;
    const char *message;
} refused[] = {
    {EM_X86_64, R_X86_64_64, CONSTANTS, 0, 8, "image: kernel: relocation R_X86_64_64" DEPENDS},
    {EM_X86_64, R_X86_64_32S, CONSTANTS, 0, 8, "image: kernel: relocation R_X86_64_32S" DEPENDS},
    {EM_X86_64, R_X86_64_REX_GOTPCRELX, HELPER, -4, 8, "image: kernel: relocation R_X86_64_REX_GOTPCRELX" DEPENDS},
    {EM_X86_64, 9999, CONSTANTS, 0, 8, "image: kernel: relocation number 9999" DEPENDS},
    {EM_X86_64, R_AARCH64_CALL26, HELPER, 0, 8, "image: kernel: relocation number 283" DEPENDS},
    {EM_AARCH64, R_AARCH64_ABS64, CONSTANTS, 0, 8, "image: kernel: relocation R_AARCH64_ABS64" DEPENDS},
    {EM_X86_64, R_X86_64_PLT32, OUTSIDE, -4, 8, "image: kernel refers to outside, which is not part of it"},
    {EM_AARCH64, R_AARCH64_CALL26, OUTSIDE, 0, 8, "image: kernel refers to outside, which is not part of it"},
    {EM_X86_64, R_X86_64_PC32, NULL_SYMBOL, 64, 8,
     "image: kernel refers to an absolute address, which is not part of it"},
    {EM_X86_64, R_X86_64_PC32, KERNEL, INT64_C(1) << 31, 0, "image: kernel: relocation R_X86_64_PC32 is out of range"},
    {EM_X86_64, R_X86_64_PC32, KERNEL, INT64_C(-1) - (INT64_C(1) << 31), 0,
     "image: kernel: relocation R_X86_64_PC32 is out of range"},
    {EM_X86_64, R_X86_64_PC32, CONSTANTS, INT64_C(1) << 31, 8,
     "image: kernel: relocation R_X86_64_PC32 is out of range"},
    {EM_AARCH64, R_AARCH64_CALL26, HELPER, 2, 8, "image: kernel: relocation R_AARCH64_CALL26 is out of range"},
    {EM_AARCH64, R_AARCH64_CALL26, KERNEL, 0x8000000, 0, "image: kernel: relocation R_AARCH64_CALL26 is out of range"},
    {EM_AARCH64, R_AARCH64_CALL26, KERNEL, -0x8000004, 0, "image: kernel: relocation R_AARCH64_CALL26 is out of range"},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, KERNEL, INT64_C(1) << 31, 0,
     "image: kernel: relocation R_AARCH64_ADR_PREL_PG_HI21 is out of range"},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, CONSTANTS, 8, 8,
     "image: kernel: relocation R_AARCH64_LDST128_ABS_LO12_NC is out of range"},
    {EM_X86_64, R_X86_64_PC32, CONSTANTS, 0, CONTENT - 3, "image: the object is malformed: a relocation is not inside"},
    {EM_X86_64, R_X86_64_PC64, CONSTANTS, 0, CONTENT - 7, "image: the object is malformed: a relocation is not inside"},
    {EM_X86_64, R_X86_64_PC32, CONSTANTS, 0, UINT64_MAX - 1,
     "image: the object is malformed: a relocation is not inside"},
    {EM_X86_64, R_X86_64_PC32, SYMBOLS, 0, 8, "image: the object is malformed: a relocation is not inside"},
};

START_TEST(refused_relocations)
{
    object o = object_of(refused[_i].machine);
    set_relocation(&o, refused[_i].at, refused[_i].type, refused[_i].symbol, refused[_i].addend);
    check_refused(&o, refused[_i].message);
}
END_TEST

/* ---- sections and symbols ---- */

START_TEST(refused_sections)
{
    static const struct {
        Elf64_Word type;
        Elf64_Xword flags, alignment;
        const char *message;
    } bad[] = {
        {SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 1, "image: section .rodata is neither code nor constants"},
        {SHT_PROGBITS, SHF_ALLOC | SHF_TLS, 1, "image: section .rodata is neither code nor constants"},
        {SHT_NOBITS, SHF_ALLOC, 1, "image: section .rodata is neither code nor constants"},
        {SHT_INIT_ARRAY, SHF_ALLOC, 1, "image: section .rodata is neither code nor constants"},
        {UNWIND_TYPE, SHF_ALLOC, 1, "image: section .rodata is neither code nor constants"},
        {SHT_PROGBITS, SHF_ALLOC, 48, "image: section .rodata: alignment 48 is no power of two up to 4096"},
        {SHT_PROGBITS, SHF_ALLOC, 8192, "image: section .rodata: alignment 8192 is no power of two up to 4096"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        object o = object_of(EM_X86_64);
        o.section[RODATA].sh_type = bad[i].type;
        o.section[RODATA].sh_flags = bad[i].flags;
        o.section[RODATA].sh_addralign = bad[i].alignment;
        check_refused(&o, bad[i].message);
    }
    object o = object_of(EM_X86_64);
    o.section[RODATA].sh_flags = 0; /* not loaded: it may be anything, but nothing may refer to it */
    set_relocation(&o, 8, R_X86_64_PC32, CONSTANTS, 0);
    check_refused(&o, "image: kernel refers to .rodata, which is not part of it");
    o = object_of(EM_AARCH64);
    o.section[RODATA].sh_flags = 0;
    set_relocation(&o, 8, R_AARCH64_ADR_PREL_PG_HI21, CONSTANTS, 0); /* whose page matters */
    check_refused(&o, "image: kernel refers to .rodata, which is not part of it");
}
END_TEST

/* Of two tables of symbols the first one counts; a relocation names a symbol of the other that the first has not. */
START_TEST(two_symbol_tables)
{
    object o = object_of(EM_X86_64);
    o.section[RODATA] = o.section[SYMTAB];
    o.section[RODATA].sh_size = sizeof o.symbol[0];
    set_relocation(&o, 8, R_X86_64_PLT32, OUTSIDE, -4);
    check_refused(&o, "image: kernel refers to outside, which is not part of it");
}
END_TEST

/* Sections that are the same bytes, so that the code is larger than the object and the gaps before its sections; in the
 * second object the last section would begin beyond that. */
START_TEST(overlapping_sections)
{
    enum { SIZE = 40000 / 64 * 64, GAPS = SECTIONS * 4096 };
    static const char OVERLAP[] = "image: the object is malformed: sections overlap";
    aic_image image;
    for (int i = 0; i < 2; i++) {
        object *o = calloc(1, SIZE);
        ck_assert_ptr_nonnull(o);
        *o = object_of(EM_X86_64);
        for (int section = TEXT; section <= RODATA; section++) {
            o->section[section].sh_offset = 0;
            o->section[section].sh_size = SIZE;
        }
        if (i == 1) {
            o->section[RODATA].sh_size = GAPS;
            o->section[RELA].sh_type = SHT_PROGBITS;
            o->section[RELA].sh_flags = SHF_ALLOC;
            o->section[RELA].sh_addralign = 4096;
            o->section[RELA].sh_size = 1;
        }
        ck_assert_int_eq(create(o, SIZE, "kernel", &image), AIC_COMPILE);
        ck_assert_str_eq(aic_last_error(), OVERLAP);
        free(o);
    }
}
END_TEST

/* An object with so many more symbols, each like this one; and each with a relocation, which are all the same. */
static object *with_symbols(size_t more, int like, bool relocated, size_t *size)
{
    const object o = object_of(EM_X86_64);
    const size_t symbols = (SYMBOLS + more) * sizeof o.symbol[0], relocations = relocated ? more * sizeof o.rela : 0;
    *size = sizeof o + symbols + relocations;
    object *large = calloc(1, *size);
    ck_assert_ptr_nonnull(large);
    *large = o;
    Elf64_Sym *symbol = (Elf64_Sym *)(void *)(large + 1);
    Elf64_Rela *rela = (Elf64_Rela *)(void *)(symbol + SYMBOLS + more);
    memcpy(symbol, o.symbol, sizeof o.symbol);
    for (size_t i = 0; i < more; i++) {
        symbol[SYMBOLS + i] = o.symbol[like];
        if (relocated) {
            rela[i] = (Elf64_Rela){
                .r_offset = 8, .r_info = ELF64_R_INFO((Elf64_Xword)(SYMBOLS + i), R_X86_64_PLT32), .r_addend = -4};
        }
    }
    large->section[SYMTAB].sh_offset = sizeof o;
    large->section[SYMTAB].sh_size = symbols;
    large->section[RELA].sh_offset = sizeof o + symbols;
    large->section[RELA].sh_size = relocations;
    return large;
}

/* Patches number the symbols that they refer to in 16 bits. */
START_TEST(too_many_symbols)
{
    size_t size;
    aic_image image;
    object *o = with_symbols(UINT16_MAX, OUTSIDE, true, &size);
    ck_assert_int_eq(create(o, size, "kernel", &image), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "image: kernel is too large for a table of patches");
    free(o);
}
END_TEST

static size_t count_parts(const object *o)
{
    aic_image_part part[AIC_PARTS_MAX];
    return aic_image_parts(o, sizeof *o, "kernel", part);
}

/* The functions whose names begin with the kernel's, that lie in a section, no more than there is room for. */
START_TEST(functions_of_objects)
{
    aic_image_part part[AIC_PARTS_MAX];
    object o = object_of(EM_X86_64);
    ck_assert_uint_eq(aic_image_parts(&o, sizeof o, "kernel", part), 2);
    ck_assert_str_eq(part[0].name, "");
    ck_assert_str_eq(part[1].name, "_pack");
    ck_assert_uint_eq(part[1].offset, PACK_AT);
    o.symbol[KERNEL_PACK].st_shndx = SHN_UNDEF;
    ck_assert_uint_eq(count_parts(&o), 1);
    o = object_of(EM_X86_64);
    o.symbol[KERNEL_PACK].st_size = CONTENT - PACK_AT + 1;
    ck_assert_uint_eq(count_parts(&o), 1);
    o.section[RODATA].sh_flags |= SHF_WRITE;
    ck_assert_uint_eq(count_parts(&o), 0);
    o = object_of(EM_X86_64);
    o.section[SYMTAB].sh_type = SHT_PROGBITS;
    ck_assert_uint_eq(count_parts(&o), 0);
    size_t size;
    object *large = with_symbols(AIC_PARTS_MAX, KERNEL, false, &size);
    ck_assert_uint_eq(aic_image_parts(large, size, "kernel", part), AIC_PARTS_MAX);
    free(large);
}
END_TEST

START_TEST(missing_functions)
{
    object o = object_of(EM_X86_64);
    aic_image image;
    ck_assert_int_eq(create(&o, sizeof o, "kerne", &image), AIC_COMPILE);
    ck_assert_str_eq(aic_last_error(), "image: the object defines no function kerne");
    ck_assert_int_eq(create(&o, sizeof o, "helper", &image), AIC_COMPILE); /* it is local */
    o.symbol[KERNEL].st_value = CONTENT;
    check_refused(&o, "image: the object defines no function kernel");
    o.symbol[KERNEL].st_shndx = SHN_ABS;
    check_refused(&o, "image: the object defines no function kernel");
}
END_TEST

START_TEST(malformed_headers)
{
    object o = object_of(EM_386);
    check_refused(&o, "image: machine 3 is neither x86-64 nor AArch64");
    o = object_of(EM_X86_64);
    o.header.e_type = ET_DYN;
    check_refused(&o, "image: the object is malformed: it is not relocatable, 64-bit, little-endian ELF");
    o = object_of(EM_X86_64);
    o.header.e_shoff = UINT64_MAX - 8;
    check_refused(&o, "image: the object is malformed: its section table is not inside");
    o = object_of(EM_X86_64);
    o.header.e_shnum = 0;
    check_refused(&o, "image: the object is malformed: its section table is not inside");
    o = object_of(EM_X86_64);
    o.section[RELA].sh_type = SHT_REL;
    check_refused(&o, "image: the object is malformed: its relocations are not inside");
    o = object_of(EM_X86_64);
    o.section[TEXT].sh_size = 2;
    o.symbol[KERNEL_PACK].st_value = o.symbol[HELPER].st_value = 0;
    set_relocation(&o, 0, R_X86_64_PC32, CONSTANTS, 0);
    check_refused(&o, "image: the object is malformed: a relocation is not inside");
    o = object_of(EM_X86_64);
    o.section[TEXT].sh_size = sizeof o;
    check_refused(&o, "image: the object is malformed: a section is not inside");
    o = object_of(EM_X86_64);
    o.section[SYMTAB].sh_type = SHT_PROGBITS;
    check_refused(&o, "image: the object is malformed: there is no symbol table");
    o = object_of(EM_X86_64);
    o.section[SYMTAB].sh_size = UINT64_MAX;
    check_refused(&o, "image: the object is malformed: its symbol table is not inside");
    for (size_t size = 1; size < sizeof o; size += 7) {
        aic_image image;
        o = object_of(EM_X86_64);
        ck_assert_int_eq(create(&o, size, "kernel", &image), AIC_COMPILE);
    }
}
END_TEST

Suite *suite_image(void)
{
    Suite *suite = suite_create("image");
    TCase *objects = tcase_create("objects");
    tcase_add_test(objects, offsets);
    tcase_add_test(objects, two_objects);
    tcase_add_test(objects, two_objects_refused);
    tcase_add_loop_test(objects, applied_relocations, 0, sizeof applied / sizeof applied[0]);
    tcase_add_loop_test(objects, refused_relocations, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(objects, refused_sections);
    tcase_add_test(objects, two_symbol_tables);
    tcase_add_test(objects, overlapping_sections);
    tcase_add_test(objects, too_many_symbols);
    tcase_add_test(objects, functions_of_objects);
    tcase_add_test(objects, missing_functions);
    tcase_add_test(objects, malformed_headers);
    suite_add_tcase(suite, objects);
    return suite;
}
