/* From ELF objects to a flat image; see image.h.
 *
 * Sections of code and constants are placed one after the other, each at a multiple of 64 bytes, so that code and
 * constants share no cache line, or of more where a section asks for it. Then the relocations are applied. All of them
 * are relative, so that only distances within the image matter, with one exception: AArch64 takes addresses apart into
 * the number of a 4096-byte page, relative to that of the instruction, and the offset in that page. Such an image must
 * begin at the begin of a page; on x86-64 an image may lie at any multiple of 64. */
#include "codegen/image.h"
#include "frontend/core/diag.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "image"

enum { SPACING = 64, PAGE = 4096 };

/* The section of an unwind table, and the type that it has on x86-64. */
#define FRAMES ".eh_frame"
enum { UNWIND_TYPE = 0x70000001 };

/* ---- relocations ---- */

typedef enum kind {
    REFUSED, /* depends on the image's address, or on something outside */
    REL32,   /* a signed distance in 32 bits */
    REL64,
    BRANCH26, /* AArch64: a distance in instructions, in the low 26 bits of one */
    PAGE21,   /* AArch64: a distance in pages, in the operand of adrp */
    LOW12     /* AArch64: an offset in a page, counted in accesses, in bits 10 to 21 */
} kind;

typedef struct relocation_row {
    unsigned machine, type;
    const char *name;
    kind kind;
    unsigned shift; /* LOW12: the logarithm of the access's size */
} relocation_row;

#define ROW(machine, name, ...) {machine, name, #name, __VA_ARGS__}
static const relocation_row RELOCATIONS[] = {
    ROW(EM_X86_64, R_X86_64_PC32, REL32, 0),
    ROW(EM_X86_64, R_X86_64_PLT32, REL32, 0), /* of a function in the image: no table is needed */
    ROW(EM_X86_64, R_X86_64_PC64, REL64, 0),
    ROW(EM_X86_64, R_X86_64_64, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_32, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_32S, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTPCREL, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTPCRELX, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_REX_GOTPCRELX, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTOFF64, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_TLSGD, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_GOTTPOFF, REFUSED, 0),
    ROW(EM_X86_64, R_X86_64_TPOFF32, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_PREL32, REL32, 0),
    ROW(EM_AARCH64, R_AARCH64_PREL64, REL64, 0),
    ROW(EM_AARCH64, R_AARCH64_CALL26, BRANCH26, 0),
    ROW(EM_AARCH64, R_AARCH64_JUMP26, BRANCH26, 0),
    ROW(EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, PAGE21, 0),
    ROW(EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, LOW12, 0),
    ROW(EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, LOW12, 0),
    ROW(EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, LOW12, 1),
    ROW(EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, LOW12, 2),
    ROW(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, LOW12, 3),
    ROW(EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, LOW12, 4),
    ROW(EM_AARCH64, R_AARCH64_ABS64, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_ABS32, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_ADR_GOT_PAGE, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC, REFUSED, 0),
    ROW(EM_AARCH64, R_AARCH64_MOVW_UABS_G0, REFUSED, 0),
};
#undef ROW

static const relocation_row *find_row(unsigned machine, unsigned type)
{
    for (size_t i = 0; i < sizeof RELOCATIONS / sizeof RELOCATIONS[0]; i++) {
        if (RELOCATIONS[i].machine == machine && RELOCATIONS[i].type == type) {
            return &RELOCATIONS[i];
        }
    }
    return NULL;
}

static bool fits(int64_t value, unsigned bits)
{
    const int64_t limit = (int64_t)1 << (bits - 1);
    return value >= -limit && value < limit;
}

/* Bytes that a relocation changes. */
static size_t width_of(const relocation_row *row)
{
    return row->kind == REL64 ? 8 : 4;
}

/* Puts `bits`, which lie in `mask`, into the instruction at `at`. */
static void put_bits(unsigned char *at, uint32_t mask, uint32_t bits)
{
    uint32_t instruction;
    memcpy(&instruction, at, sizeof instruction);
    instruction = (instruction & ~mask) | (bits & mask);
    memcpy(at, &instruction, sizeof instruction);
}

/* Writes the reference from `from` to `target`, offsets in the image; false when the distance is too large or not a
 * multiple of the access's size. */
static bool apply(const relocation_row *row, unsigned char *bytes, uint64_t from, uint64_t target)
{
    unsigned char *at = bytes + from;
    const int64_t distance = (int64_t)(target - from);
    switch (row->kind) {
    case REL32: {
        const int32_t narrow = (int32_t)distance;
        memcpy(at, &narrow, sizeof narrow);
        return narrow == distance;
    }
    case REL64:
        memcpy(at, &distance, sizeof distance);
        return true;
    case BRANCH26:
        put_bits(at, 0x03FFFFFF, (uint32_t)((uint64_t)distance >> 2));
        return distance % 4 == 0 && fits(distance, 28);
    case PAGE21: {
        const int64_t pages = ((int64_t)target >> 12) - ((int64_t)from >> 12);
        const uint32_t bits = (uint32_t)pages;
        put_bits(at, 0x60FFFFE0, (bits & 3) << 29 | (bits >> 2 & 0x7FFFF) << 5);
        return fits(pages, 21);
    }
    case LOW12: {
        const uint32_t offset = (uint32_t)target % PAGE;
        put_bits(at, 0x003FFC00, offset >> row->shift << 10);
        return offset % (1u << row->shift) == 0;
    }
    default:
        return false;
    }
}

/* ---- reading the object ---- */

/* Where a section of the object lies in the image. */
typedef struct placed_section {
    bool placed;
    size_t offset, size;
} placed_section;

/* One of the objects. */
typedef struct linking {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    placed_section *section; /* header.e_shnum of them */
    const char *symbol;
    aic_image *image;
    const struct linking *others; /* all objects of the image, this one among them */
    size_t count;
} linking;

static bool inside(const linking *l, uint64_t offset, uint64_t size)
{
    return offset <= l->size && size <= l->size - offset;
}

static aic_status fail_malformed(const char *what)
{
    return aic_fail(AIC_COMPILE, SUBJECT, "the object is malformed: %s", what);
}

static Elf64_Shdr section_header(const linking *l, size_t index)
{
    Elf64_Shdr header;
    memcpy(&header, l->bytes + l->header.e_shoff + index * sizeof header, sizeof header);
    return header;
}

/* The text at `offset` of the string table in section `index`; "?" when there is none. */
static const char *text_at(const linking *l, size_t index, uint64_t offset)
{
    if (index >= l->header.e_shnum) {
        return "?";
    }
    const Elf64_Shdr table = section_header(l, index);
    if (!inside(l, table.sh_offset, table.sh_size) || offset >= table.sh_size) {
        return "?";
    }
    const char *text = (const char *)l->bytes + table.sh_offset + offset;
    return memchr(text, '\0', table.sh_size - offset) != NULL ? text : "?";
}

static aic_status read_header(linking *l)
{
    Elf64_Ehdr *h = &l->header;
    if (l->size < sizeof *h) {
        return fail_malformed("it is too short");
    }
    memcpy(h, l->bytes, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL) {
        return fail_malformed("it is not relocatable, 64-bit, little-endian ELF");
    }
    if (h->e_machine != EM_X86_64 && h->e_machine != EM_AARCH64) {
        return aic_fail(AIC_COMPILE, SUBJECT, "machine %u is neither x86-64 nor AArch64", (unsigned)h->e_machine);
    }
    if (h->e_shnum == 0 || h->e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr))) {
        return fail_malformed("its section table is not inside");
    }
    return AIC_OK;
}

/* ---- placing ---- */

/* Whether a section that is loaded can be part of an image: code or constants. */
static aic_status check_section(const linking *l, const Elf64_Shdr *header)
{
    const char *name = text_at(l, l->header.e_shstrndx, header->sh_name);
    const uint64_t alignment = header->sh_addralign;
    const bool frames = header->sh_type == UNWIND_TYPE && strcmp(name, FRAMES) == 0;
    if ((header->sh_type != SHT_PROGBITS && !frames) || (header->sh_flags & (SHF_WRITE | SHF_TLS)) != 0) {
        return aic_fail(AIC_COMPILE, SUBJECT, "section %s is neither code nor constants", name);
    }
    if (alignment > PAGE || (alignment & (alignment - 1)) != 0) {
        return aic_fail(AIC_COMPILE, SUBJECT, "section %s: alignment %llu is no power of two up to %d", name,
                        (unsigned long long)alignment, PAGE);
    }
    return inside(l, header->sh_offset, header->sh_size) ? AIC_OK : fail_malformed("a section is not inside");
}

/* Finds the offsets of all sections, behind those of the objects before; the image's size and alignment grow. */
static aic_status lay_out_sections(linking *l)
{
    aic_image *image = l->image;
    /* No two sections of a proper object share bytes, which bounds the image of a malformed one. */
    const size_t limit = image->size + l->size + (size_t)l->header.e_shnum * PAGE;
    for (size_t i = 0; i < l->header.e_shnum; i++) {
        const Elf64_Shdr header = section_header(l, i);
        if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_size == 0) {
            continue;
        }
        aic_status status = check_section(l, &header);
        if (status != AIC_OK) {
            return status;
        }
        const size_t alignment = header.sh_addralign > SPACING ? header.sh_addralign : SPACING;
        const size_t offset = (image->size + alignment - 1) / alignment * alignment;
        if (offset > limit || header.sh_size > limit - offset) {
            return fail_malformed("sections overlap");
        }
        l->section[i] = (placed_section){.placed = true, .offset = offset, .size = header.sh_size};
        image->size = offset + header.sh_size;
        if (strcmp(text_at(l, l->header.e_shstrndx, header.sh_name), FRAMES) == 0) {
            image->frames = offset;
            image->frames_size = header.sh_size;
        }
        image->alignment = alignment > image->alignment ? alignment : image->alignment;
    }
    return AIC_OK;
}

static void copy_sections(const linking *l)
{
    for (size_t i = 0; i < l->header.e_shnum; i++) {
        const placed_section *section = &l->section[i];
        if (section->placed) {
            memcpy(l->image->bytes + section->offset, l->bytes + section_header(l, i).sh_offset, section->size);
        }
    }
}

/* ---- symbols ---- */

typedef struct symbol_table {
    uint64_t offset, count;
    size_t names; /* section of their names */
} symbol_table;

static aic_status open_symbols(const linking *l, size_t index, symbol_table *table)
{
    if (index >= l->header.e_shnum) {
        return fail_malformed("there is no symbol table");
    }
    const Elf64_Shdr header = section_header(l, index);
    if (header.sh_type != SHT_SYMTAB || header.sh_entsize != sizeof(Elf64_Sym) ||
        !inside(l, header.sh_offset, header.sh_size)) {
        return fail_malformed("its symbol table is not inside");
    }
    *table = (symbol_table){header.sh_offset, header.sh_size / sizeof(Elf64_Sym), header.sh_link};
    return AIC_OK;
}

static Elf64_Sym symbol_at(const linking *l, const symbol_table *table, uint64_t index)
{
    Elf64_Sym symbol;
    memcpy(&symbol, l->bytes + table->offset + index * sizeof symbol, sizeof symbol);
    return symbol;
}

/* The offset of a symbol's section; NULL for what is defined elsewhere or not in the image. */
static const placed_section *section_of(const linking *l, const Elf64_Sym *symbol)
{
    if (symbol->st_shndx >= l->header.e_shnum || !l->section[symbol->st_shndx].placed) {
        return NULL;
    }
    const placed_section *section = &l->section[symbol->st_shndx];
    return symbol->st_value <= section->size ? section : NULL;
}

/* What messages call a symbol. */
static const char *name_of(const linking *l, const symbol_table *table, const Elf64_Sym *symbol)
{
    if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION && symbol->st_shndx < l->header.e_shnum) {
        return text_at(l, l->header.e_shstrndx, section_header(l, symbol->st_shndx).sh_name);
    }
    const char *name = text_at(l, table->names, symbol->st_name);
    return name[0] != '\0' ? name : "an absolute address";
}

/* Which of the kernel's functions has this name; AIC_FUNCTIONS: none. */
static int function_named(const linking *l, const char *name)
{
    const size_t length = strlen(l->symbol);
    int f = strncmp(name, l->symbol, length) == 0 ? 0 : AIC_FUNCTIONS;
    while (f < AIC_FUNCTIONS && strcmp(name + length, aic_function_suffix[f]) != 0) {
        f++;
    }
    return f;
}

/* Opens the object's symbol table. */
static aic_status find_symbols(const linking *l, symbol_table *table)
{
    size_t index = 0;
    while (index < l->header.e_shnum && section_header(l, index).sh_type != SHT_SYMTAB) {
        index++;
    }
    return open_symbols(l, index, table);
}

/* The kernel's functions that this object defines. */
static aic_status find_functions(const linking *l)
{
    symbol_table table = {.count = 0};
    aic_status status = find_symbols(l, &table);
    if (status != AIC_OK) {
        return status;
    }
    for (uint64_t i = 0; i < table.count; i++) {
        const Elf64_Sym symbol = symbol_at(l, &table, i);
        const placed_section *section = section_of(l, &symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
            section != NULL && symbol.st_value < section->size) {
            const int f = function_named(l, text_at(l, table.names, symbol.st_name));
            if (f < AIC_FUNCTIONS) {
                l->image->function[f] = section->offset + symbol.st_value;
            }
        }
    }
    return AIC_OK;
}

/* Where the symbol that an object defines lies in the image; false: it defines none that is placed. */
static bool find_in(const linking *l, const Elf64_Sym *symbol, uint64_t *offset)
{
    const placed_section *section = section_of(l, symbol);
    if (section != NULL && ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC) {
        *offset = section->offset + symbol->st_value;
        return true;
    }
    return false;
}

/* The same of a symbol that the object names and another one defines. */
static bool find_elsewhere(const linking *l, const char *name, uint64_t *offset)
{
    for (size_t o = 0; o < l->count; o++) {
        const linking *other = &l->others[o];
        symbol_table table = {.count = 0};
        if (other == l || find_symbols(other, &table) != AIC_OK) {
            continue;
        }
        for (uint64_t i = 0; i < table.count; i++) {
            const Elf64_Sym symbol = symbol_at(other, &table, i);
            if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
                strcmp(text_at(other, table.names, symbol.st_name), name) == 0 && find_in(other, &symbol, offset)) {
                return true;
            }
        }
    }
    return false;
}

static bool find_symbol(const linking *l, const symbol_table *table, const Elf64_Sym *symbol, uint64_t *offset)
{
    if (symbol->st_shndx != SHN_UNDEF) {
        return find_in(l, symbol, offset);
    }
    const char *name = text_at(l, table->names, symbol->st_name);
    return name[0] != '\0' && find_elsewhere(l, name, offset);
}

/* ---- relocating ---- */

static aic_status check_row(const linking *l, const relocation_row *row, unsigned type)
{
    char number[32];
    snprintf(number, sizeof number, "number %u", type);
    if (row == NULL || row->kind == REFUSED) {
        return aic_fail(AIC_COMPILE, SUBJECT,
                        "%s: relocation %s depends on where the code lies or on something outside", l->symbol,
                        row != NULL ? row->name : number);
    }
    return AIC_OK;
}

/* One relocation of the section at `section`. */
static aic_status relocate(linking *l, const placed_section *section, const symbol_table *table, const Elf64_Rela *rela)
{
    const unsigned type = (unsigned)ELF64_R_TYPE(rela->r_info);
    const relocation_row *row = find_row(l->header.e_machine, type);
    aic_status status = check_row(l, row, type);
    if (status != AIC_OK) {
        return status;
    }
    if (ELF64_R_SYM(rela->r_info) >= table->count || section->size < width_of(row) ||
        rela->r_offset > section->size - width_of(row)) {
        return fail_malformed("a relocation is not inside");
    }
    const Elf64_Sym symbol = symbol_at(l, table, ELF64_R_SYM(rela->r_info));
    uint64_t target;
    if (!find_symbol(l, table, &symbol, &target)) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s refers to %s, which is not part of it", l->symbol,
                        name_of(l, table, &symbol));
    }
    if (!apply(row, l->image->bytes, section->offset + rela->r_offset, target + (uint64_t)rela->r_addend)) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: relocation %s is out of range", l->symbol, row->name);
    }
    if (row->kind == PAGE21 || row->kind == LOW12) {
        l->image->alignment = PAGE;
    }
    return AIC_OK;
}

/* Those of section number `index`, if it holds relocations of a section that is placed. */
static aic_status relocate_by(linking *l, size_t index)
{
    const Elf64_Shdr header = section_header(l, index);
    if ((header.sh_type != SHT_RELA && header.sh_type != SHT_REL) || header.sh_info >= l->header.e_shnum ||
        !l->section[header.sh_info].placed) {
        return AIC_OK;
    }
    if (header.sh_type == SHT_REL || header.sh_entsize != sizeof(Elf64_Rela) ||
        !inside(l, header.sh_offset, header.sh_size)) {
        return fail_malformed("its relocations are not inside");
    }
    symbol_table table = {.count = 0};
    aic_status status = open_symbols(l, header.sh_link, &table);
    for (uint64_t i = 0; status == AIC_OK && i < header.sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela rela;
        memcpy(&rela, l->bytes + header.sh_offset + i * sizeof rela, sizeof rela);
        status = relocate(l, &l->section[header.sh_info], &table, &rela);
    }
    return status;
}

/* Reads the object's header and finds the offsets of its sections. */
static aic_status open_object(linking *l)
{
    aic_status status = read_header(l);
    if (status != AIC_OK) {
        return status;
    }
    l->section = calloc(l->header.e_shnum + (size_t)1, sizeof *l->section);
    return l->section != NULL ? lay_out_sections(l) : aic_fail_memory(SUBJECT, l->header.e_shnum * sizeof *l->section);
}

/* Fills the object's part of the image. */
static aic_status finish_object(linking *l)
{
    copy_sections(l);
    aic_status status = find_functions(l);
    for (size_t i = 0; i < l->header.e_shnum && status == AIC_OK; i++) {
        status = relocate_by(l, i);
    }
    return status;
}

static aic_status link_objects(linking *object, size_t count, const char *symbol, aic_image *image)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = open_object(&object[i]);
    }
    if (status == AIC_OK) {
        image->bytes = calloc(1, image->size + 1);
        status = image->bytes != NULL ? AIC_OK : aic_fail_memory(SUBJECT, image->size);
    }
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = finish_object(&object[i]);
    }
    if (status == AIC_OK && image->function[AIC_FUNCTION_ENTRY] == AIC_NO_FUNCTION) {
        status = aic_fail(AIC_COMPILE, SUBJECT, "the object defines no function %s", symbol);
    }
    return status;
}

aic_status aic_image_create(const aic_elf *object, size_t count, const char *symbol, aic_image *image)
{
    aic_image made = {.alignment = SPACING};
    linking linked[AIC_IMAGE_OBJECTS_MAX];
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        made.function[f] = AIC_NO_FUNCTION;
    }
    for (size_t i = 0; i < count; i++) {
        linked[i] = (linking){.bytes = object[i].bytes,
                              .size = object[i].size,
                              .symbol = symbol,
                              .image = &made,
                              .others = linked,
                              .count = count};
    }
    aic_status status = link_objects(linked, count, symbol, &made);
    for (size_t i = 0; i < count; i++) {
        free(linked[i].section);
    }
    if (status == AIC_OK) {
        *image = made;
    } else {
        aic_image_free(&made);
    }
    return status;
}

void aic_image_free(aic_image *image)
{
    free(image->bytes);
    image->bytes = NULL;
}

/* ---- functions ---- */

/* Appends the function of this symbol if it is one of the kernel's. Returns the new count. */
static size_t add_part(const linking *l, const symbol_table *table, uint64_t index, aic_image_part *part, size_t count)
{
    const Elf64_Sym symbol = symbol_at(l, table, index);
    const placed_section *section = section_of(l, &symbol);
    const char *name = text_at(l, table->names, symbol.st_name);
    const size_t length = strlen(l->symbol);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || section == NULL ||
        symbol.st_size > section->size - symbol.st_value || strncmp(name, l->symbol, length) != 0) {
        return count;
    }
    part[count] = (aic_image_part){.offset = section->offset + symbol.st_value, .size = symbol.st_size};
    snprintf(part[count].name, sizeof part[count].name, "%s", name + length);
    return count + 1;
}

size_t aic_image_parts(const void *object, size_t size, const char *symbol, aic_image_part part[AIC_PARTS_MAX])
{
    aic_image image = {.alignment = SPACING};
    linking l = {.bytes = object, .size = size, .symbol = symbol, .image = &image};
    symbol_table table = {.count = 0};
    size_t count = 0;
    if (read_header(&l) != AIC_OK) {
        return 0;
    }
    l.section = calloc(l.header.e_shnum + (size_t)1, sizeof *l.section);
    if (l.section != NULL && lay_out_sections(&l) == AIC_OK && find_symbols(&l, &table) == AIC_OK) {
        for (uint64_t i = 0; i < table.count && count < AIC_PARTS_MAX; i++) {
            count = add_part(&l, &table, i, part, count);
        }
    }
    free(l.section);
    return count;
}
