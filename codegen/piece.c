/* From an ELF object to a piece; see piece.h.
 *
 * Sections of code and constants are placed one after the other, each at a multiple of 64 bytes, so that code and
 * constants share no cache line, or of more where a section asks for it. Then the relocations within the object are
 * applied: all of them are relative, so that only distances matter, with one exception: AArch64 takes addresses apart
 * into the number of a page and the offset in it. These remain patches. */
#include "codegen/piece.h"
#include "codegen/elf_object.h"
#include "codegen/piece_share.h"
#include "codegen/relocation.h"
#include "frontend/core/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "image"

/* The section of an unwind table, and the type that it has on x86-64. */
#define FRAMES ".eh_frame"
enum { UNWIND_TYPE = 0x70000001 };

static const char MAGIC[sizeof((aic_piece_head *)NULL)->magic] = "AICPART";

/* ---- reading the object ---- */

/* Where a section of the object lies in the code, or what a part has of it: `size` bytes from `start` on. */
typedef struct placed_section {
    bool placed;
    size_t offset, start, size;
} placed_section;

typedef struct reading {
    aic_elf_object object;
    placed_section *section; /* as many as the object has */
    const char *name;        /* what messages call the object */
    const char *only;        /* the section of the part that is read; "": all are */
    aic_piece_head head;
    unsigned char *block;     /* the piece: its code lies behind the head */
    aic_piece_symbol *symbol; /* those of the piece */
    aic_piece_patch *patch;
    char *names;
    uint32_t *known; /* of a symbol of the object: its number in the piece and 1; 0: it is not there yet */
    size_t known_count;
} reading;

static aic_status open_object(const aic_elf *object, reading *r)
{
    aic_status status = aic_elf_open(object, &r->object);
    if (status == AIC_OK) {
        const size_t sections = r->object.header.e_shnum;
        r->head.machine = r->object.header.e_machine;
        r->section = calloc(sections, sizeof *r->section);
        status = r->section != NULL ? AIC_OK : aic_fail_memory(SUBJECT, sections * sizeof *r->section);
    }
    return status;
}

/* ---- placing ---- */

/* Whether a section is that of another part than the one which is read. */
static bool is_of_others(const reading *r, const Elf64_Shdr *header)
{
    const char *name = aic_elf_section_name(&r->object, header);
    return r->only[0] != '\0' && strcmp(name, r->only) != 0 &&
           strncmp(name, AIC_PIECE_SECTION, sizeof AIC_PIECE_SECTION - 1) == 0;
}

/* Whether it has constants of all parts of an object. */
static bool is_shared(const reading *r, const Elf64_Shdr *header)
{
    return r->only[0] != '\0' && (header->sh_flags & SHF_EXECINSTR) == 0;
}

/* Whether a section that is loaded can be part of an image: code or constants. */
static aic_status check_section(const reading *r, const Elf64_Shdr *header)
{
    const char *name = aic_elf_section_name(&r->object, header);
    const uint64_t alignment = header->sh_addralign;
    const bool frames = header->sh_type == UNWIND_TYPE && strcmp(name, FRAMES) == 0;
    if ((header->sh_type != SHT_PROGBITS && !frames) || (header->sh_flags & (SHF_WRITE | SHF_TLS)) != 0) {
        return aic_fail(AIC_COMPILE, SUBJECT, "section %s is neither code nor constants", name);
    }
    if (r->only[0] != '\0' && !is_shared(r, header) && strcmp(name, r->only) != 0) {
        return aic_fail(AIC_COMPILE, SUBJECT, "section %s is of no part", name);
    }
    if (alignment > AIC_RELOCATION_PAGE || (alignment & (alignment - 1)) != 0) {
        return aic_fail(AIC_COMPILE, SUBJECT, "section %s: alignment %llu is no power of two up to %d", name,
                        (unsigned long long)alignment, AIC_RELOCATION_PAGE);
    }
    return aic_elf_inside(&r->object, header->sh_offset, header->sh_size)
               ? AIC_OK
               : aic_elf_malformed("a section is not inside");
}

/* What a section has, in the order in which they lie in a piece. */
typedef enum contents { CODE, CONSTANTS, UNWIND_TABLE } contents;

/* A section that is loaded. */
typedef struct loaded_section {
    size_t index;
    contents contents;
    const char *name;
    Elf64_Shdr header;
} loaded_section;

static contents contents_of(const Elf64_Shdr *header, const char *name)
{
    return (header->sh_flags & SHF_EXECINSTR) != 0 ? CODE : strcmp(name, FRAMES) == 0 ? UNWIND_TABLE : CONSTANTS;
}

/* Code lies in the object's order, constants by their names: in an object of several parts, sections of them are in the
 * order in which its functions need them. The table comes last, so that the rest lies as it does without one. */
static int compare_sections(const void *a, const void *b)
{
    const loaded_section *left = a, *right = b;
    const int order = (int)left->contents - (int)right->contents,
              names = left->contents == CONSTANTS ? strcmp(left->name, right->name) : 0;
    return order != 0 ? order : names != 0 ? names : (left->index > right->index) - (left->index < right->index);
}

/* Lists the sections that are loaded, none of them of other parts, in their order. Returns their number. */
static size_t list_sections(const reading *r, loaded_section *list)
{
    size_t count = 0;
    for (size_t i = 0; i < r->object.header.e_shnum; i++) {
        const Elf64_Shdr header = aic_elf_section(&r->object, i);
        if ((header.sh_flags & SHF_ALLOC) != 0 && header.sh_size != 0 && !is_of_others(r, &header)) {
            const char *name = aic_elf_section_name(&r->object, &header);
            list[count++] = (loaded_section){i, contents_of(&header, name), name, header};
        }
    }
    qsort(list, count, sizeof *list, compare_sections);
    return count;
}

/* Finds the offset of a section. */
static aic_status place(reading *r, const loaded_section *section)
{
    aic_piece_head *head = &r->head;
    const Elf64_Shdr *header = &section->header;
    aic_piece_share share = {0, header->sh_size};
    aic_status status = check_section(r, header);
    if (status == AIC_OK && is_shared(r, header)) {
        status = aic_piece_find_share(&r->object, section->index, r->only, &share);
    }
    if (status != AIC_OK || share.size == 0) {
        return status;
    }
    /* No two sections of a proper object share bytes, which bounds the code of a malformed one. */
    const size_t limit = r->object.size + (size_t)r->object.header.e_shnum * AIC_RELOCATION_PAGE;
    const size_t alignment = header->sh_addralign > AIC_PIECE_SPACING ? header->sh_addralign : AIC_PIECE_SPACING;
    const size_t offset = (head->code_bytes + alignment - 1) / alignment * alignment;
    if (offset > limit || share.size > limit - offset) {
        return aic_elf_malformed("sections overlap");
    }
    if (offset + share.size > UINT32_MAX) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s has more code than fits 32 bits", r->name);
    }
    r->section[section->index] =
        (placed_section){.placed = true, .offset = offset, .start = share.start, .size = share.size};
    head->code_bytes = offset + share.size;
    if (strcmp(section->name, FRAMES) == 0) {
        head->frames = offset;
        head->frames_bytes = share.size;
    }
    head->alignment = alignment > head->alignment ? (uint32_t)alignment : head->alignment;
    return AIC_OK;
}

/* Finds the offsets of all sections. */
static aic_status lay_out_sections(reading *r)
{
    loaded_section *list = calloc(r->object.header.e_shnum, sizeof *list);
    if (list == NULL) {
        return aic_fail_memory(SUBJECT, r->object.header.e_shnum * sizeof *list);
    }
    const size_t count = list_sections(r, list);
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        status = place(r, &list[i]);
    }
    free(list);
    return status;
}

static unsigned char *code_of(const reading *r)
{
    return r->block + sizeof r->head;
}

static void copy_sections(const reading *r)
{
    for (size_t i = 0; i < r->object.header.e_shnum; i++) {
        const placed_section *section = &r->section[i];
        if (section->placed) {
            memcpy(code_of(r) + section->offset,
                   r->object.bytes + aic_elf_section(&r->object, i).sh_offset + section->start, section->size);
        }
    }
}

/* ---- symbols ---- */

/* Opens the object's symbol table. */
static aic_status find_symbols(const reading *r, size_t *index, aic_elf_symbols *table)
{
    *index = 0;
    while (*index < r->object.header.e_shnum && aic_elf_section(&r->object, *index).sh_type != SHT_SYMTAB) {
        ++*index;
    }
    return aic_elf_open_symbols(&r->object, *index, table);
}

/* The symbol's section; NULL for what is defined elsewhere or is not placed. */
static const placed_section *section_of(const reading *r, const Elf64_Sym *symbol)
{
    if (symbol->st_shndx >= r->object.header.e_shnum || !r->section[symbol->st_shndx].placed) {
        return NULL;
    }
    const placed_section *section = &r->section[symbol->st_shndx];
    const uint64_t from = ELF64_ST_TYPE(symbol->st_info) == STT_SECTION ? 0 : section->start;
    return symbol->st_value - from <= section->size ? section : NULL;
}

/* What messages call a symbol. */
static const char *name_of(const reading *r, const aic_elf_symbols *table, const Elf64_Sym *symbol)
{
    if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION && symbol->st_shndx < r->object.header.e_shnum) {
        const Elf64_Shdr header = aic_elf_section(&r->object, symbol->st_shndx);
        return aic_elf_section_name(&r->object, &header);
    }
    const char *name = aic_elf_symbol_name(&r->object, table, symbol);
    return name[0] != '\0' ? name : "an absolute address";
}

/* Where a symbol lies that the object defines; false: it defines none that is placed. */
static bool find_offset(const reading *r, const Elf64_Sym *symbol, uint64_t *offset)
{
    const placed_section *section = section_of(r, symbol);
    if (section != NULL && ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC) {
        *offset = section->offset + symbol->st_value - section->start;
        return true;
    }
    return false;
}

/* Adds a symbol to the piece; there is room (count_all()). Returns its number. */
static uint32_t add_symbol(reading *r, const char *name, uint64_t offset, uint32_t flags)
{
    aic_piece_head *head = &r->head;
    const size_t before = strlen(r->only);
    name += strncmp(name, r->only, before) == 0 ? before : 0;
    const size_t length = strlen(name) + 1;
    memcpy(r->names + head->name_bytes, name, length);
    r->symbol[head->symbols] = (aic_piece_symbol){(uint32_t)offset, (uint32_t)head->name_bytes, flags};
    head->name_bytes += length;
    return head->symbols++;
}

/* Whether a symbol of the object is one of the piece: what others may call, and what the piece calls or takes. */
static bool is_kept(const reading *r, const aic_elf_symbols *table, const Elf64_Sym *symbol)
{
    uint64_t offset;
    return ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL && aic_elf_symbol_name(&r->object, table, symbol)[0] != '\0' &&
           (symbol->st_shndx == SHN_UNDEF || find_offset(r, symbol, &offset));
}

/* The symbols that others may refer to. */
static void add_defined(reading *r, const aic_elf_symbols *table)
{
    for (uint64_t i = 0; i < table->count; i++) {
        const Elf64_Sym symbol = aic_elf_symbol(&r->object, table, i);
        uint64_t offset;
        if (symbol.st_shndx != SHN_UNDEF && is_kept(r, table, &symbol) && find_offset(r, &symbol, &offset)) {
            const bool function =
                ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value < r->section[symbol.st_shndx].size;
            (void)add_symbol(r, aic_elf_symbol_name(&r->object, table, &symbol), offset,
                             AIC_PIECE_DEFINED | (function ? AIC_PIECE_FUNCTION : 0));
        }
    }
}

/* ---- relocating ---- */

static aic_status fail_outside(const reading *r, const aic_elf_symbols *table, const Elf64_Sym *symbol)
{
    return aic_fail(AIC_COMPILE, SUBJECT, "%s refers to %s, which is not part of it", r->name,
                    name_of(r, table, symbol));
}

static aic_status check_row(const reading *r, const aic_relocation *row, unsigned type, bool defined)
{
    char number[32];
    snprintf(number, sizeof number, "number %u", type);
    if (row == NULL || row->kind == AIC_RELOCATION_REFUSED || (defined && aic_relocation_takes_number(row))) {
        return aic_fail(AIC_COMPILE, SUBJECT,
                        "%s: relocation %s depends on where the code lies or on something outside", r->name,
                        row != NULL ? row->name : number);
    }
    return AIC_OK;
}

/* Adds a patch at `from` for what is not in the object; or for what is, where the place in a page matters. */
static aic_status add_patch(reading *r, const aic_elf_symbols *table, uint64_t from, const Elf64_Rela *rela)
{
    const uint64_t index = ELF64_R_SYM(rela->r_info), type = ELF64_R_TYPE(rela->r_info);
    const Elf64_Sym symbol = aic_elf_symbol(&r->object, table, index);
    const bool outside = symbol.st_shndx == SHN_UNDEF;
    uint64_t offset = 0;
    if (index >= r->known_count || !(outside ? is_kept(r, table, &symbol) : find_offset(r, &symbol, &offset))) {
        return fail_outside(r, table, &symbol);
    }
    if (r->known[index] == 0) {
        const char *name = outside ? aic_elf_symbol_name(&r->object, table, &symbol) : "";
        r->known[index] = add_symbol(r, name, offset, outside ? 0 : AIC_PIECE_DEFINED) + 1;
    }
    if (rela->r_addend != (int32_t)rela->r_addend) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: relocation %s is out of range", r->name,
                        aic_relocation_find(r->object.header.e_machine, (unsigned)type)->name);
    }
    if (type > UINT16_MAX || r->known[index] > UINT16_MAX) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s is too large for a table of patches", r->name);
    }
    r->patch[r->head.patches++] = (aic_piece_patch){.at = (uint32_t)from,
                                                    .addend = (int32_t)rela->r_addend,
                                                    .type = (uint16_t)type,
                                                    .symbol = (uint16_t)(r->known[index] - 1)};
    return AIC_OK;
}

/* One relocation of the section at `section`. */
static aic_status relocate(reading *r, const placed_section *section, const aic_elf_symbols *table,
                           const Elf64_Rela *rela)
{
    const unsigned type = (unsigned)ELF64_R_TYPE(rela->r_info);
    const uint64_t index = ELF64_R_SYM(rela->r_info);
    const aic_relocation *row = aic_relocation_find(r->object.header.e_machine, type);
    const Elf64_Sym symbol =
        index < table->count ? aic_elf_symbol(&r->object, table, index) : (Elf64_Sym){.st_shndx = SHN_UNDEF};
    aic_status status = check_row(r, row, type, symbol.st_shndx != SHN_UNDEF);
    if (status != AIC_OK) {
        return status;
    }
    const size_t width = aic_relocation_width(row);
    if (index >= table->count || section->size < width || rela->r_offset > section->size - width) {
        return aic_elf_malformed("a relocation is not inside");
    }
    const uint64_t from = section->offset + rela->r_offset;
    uint64_t target;
    if (symbol.st_shndx == SHN_UNDEF || aic_relocation_needs_page(row)) {
        return add_patch(r, table, from, rela);
    }
    if (!find_offset(r, &symbol, &target)) {
        return fail_outside(r, table, &symbol);
    }
    if (!aic_relocation_apply(row, code_of(r), from, target + (uint64_t)rela->r_addend)) {
        return aic_fail(AIC_COMPILE, SUBJECT, "%s: relocation %s is out of range", r->name, row->name);
    }
    return AIC_OK;
}

/* The relocations in section number `index`, if they are of a section that is placed. */
static aic_status open_relocations(const reading *r, size_t index, aic_elf_relocations *relocations)
{
    const Elf64_Shdr header = aic_elf_section(&r->object, index);
    *relocations = (aic_elf_relocations){.count = 0};
    return header.sh_info < r->object.header.e_shnum && r->section[header.sh_info].placed
               ? aic_elf_open_relocations(&r->object, index, relocations)
               : AIC_OK;
}

static aic_status relocate_by(reading *r, size_t index)
{
    aic_elf_relocations all;
    aic_status status = open_relocations(r, index, &all);
    for (uint64_t i = 0; status == AIC_OK && i < all.count; i++) {
        const Elf64_Rela rela = aic_elf_relocation(&r->object, &all, i);
        status = relocate(r, &r->section[all.section], &all.table, &rela);
    }
    return status;
}

/* ---- the piece ---- */

static size_t rounded(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* Room for all symbols, patches and names that there can be. */
static aic_status make_room(reading *r, const aic_elf_symbols *table)
{
    size_t patches = 0, names = 1;
    for (size_t i = 0; i < r->object.header.e_shnum; i++) {
        aic_elf_relocations relocations;
        aic_status status = open_relocations(r, i, &relocations);
        if (status != AIC_OK) {
            return status;
        }
        patches += relocations.count;
    }
    for (uint64_t i = 0; i < table->count; i++) {
        const Elf64_Sym symbol = aic_elf_symbol(&r->object, table, i);
        names += strlen(aic_elf_symbol_name(&r->object, table, &symbol)) + 2;
    }
    r->known_count = table->count;
    r->known = calloc(table->count + 1, sizeof *r->known);
    r->symbol = calloc(2 * table->count + 1, sizeof *r->symbol);
    r->patch = calloc(patches + 1, sizeof *r->patch);
    r->names = calloc(1, names);
    r->block = calloc(1, sizeof r->head + rounded(r->head.code_bytes));
    return r->known != NULL && r->symbol != NULL && r->patch != NULL && r->names != NULL && r->block != NULL
               ? AIC_OK
               : aic_fail_memory(SUBJECT, r->head.code_bytes + names);
}

static int compare_places(const void *a, const void *b)
{
    const aic_piece_patch *left = a, *right = b;
    return (left->at > right->at) - (left->at < right->at);
}

/* Puts the tables behind the code; patches by their places, so that it is easily seen that none overlaps another. */
static aic_status finish(reading *r, aic_piece *piece)
{
    aic_piece_head *head = &r->head;
    qsort(r->patch, head->patches, sizeof *r->patch, compare_places);
    const size_t code = sizeof *head + rounded(head->code_bytes), symbols = head->symbols * sizeof *r->symbol,
                 patches = head->patches * sizeof *r->patch;
    const char none[1] = "";
    head->name_bytes += head->name_bytes == 0;
    const size_t size = code + symbols + patches + head->name_bytes;
    unsigned char *block = realloc(r->block, size);
    if (block == NULL) {
        return aic_fail_memory(SUBJECT, size);
    }
    r->block = NULL;
    memcpy(block, head, sizeof *head);
    memcpy(block + code, r->symbol, symbols);
    memcpy(block + code + symbols, r->patch, patches);
    memcpy(block + code + symbols + patches, head->symbols > 0 ? r->names : none, head->name_bytes);
    *piece = (aic_piece){block, size};
    return AIC_OK;
}

static aic_status read_object(const aic_elf *object, reading *r, aic_piece *piece)
{
    size_t index = 0;
    aic_elf_symbols table = {.count = 0};
    aic_status status = open_object(object, r);
    if (status == AIC_OK) {
        status = lay_out_sections(r);
    }
    if (status == AIC_OK) {
        status = find_symbols(r, &index, &table);
    }
    if (status == AIC_OK) {
        status = make_room(r, &table);
    }
    if (status == AIC_OK) {
        copy_sections(r);
        add_defined(r, &table);
    }
    for (size_t i = 0; i < r->object.header.e_shnum && status == AIC_OK; i++) {
        status = relocate_by(r, i);
    }
    return status == AIC_OK ? finish(r, piece) : status;
}

aic_status aic_piece_cut(const aic_elf *object, const char *only, const char *name, aic_piece *piece)
{
    reading r = {.name = name, .only = only, .head = {.alignment = AIC_PIECE_SPACING}};
    memcpy(r.head.magic, MAGIC, sizeof MAGIC);
    const aic_status status = read_object(object, &r, piece);
    free(r.section);
    free(r.known);
    free(r.symbol);
    free(r.patch);
    free(r.names);
    free(r.block);
    return status;
}

void aic_piece_free(aic_piece *piece)
{
    free(piece->bytes);
    *piece = (aic_piece){NULL, 0};
}

/* ---- reading a piece ---- */

static bool symbols_are_inside(const aic_piece_view *view)
{
    for (uint32_t i = 0; i < view->head.symbols; i++) {
        const aic_piece_symbol symbol = aic_piece_symbol_at(view, i);
        const uint64_t end = view->head.code_bytes + ((symbol.flags & AIC_PIECE_FUNCTION) == 0);
        if (symbol.name >= view->head.name_bytes || symbol.offset >= end) {
            return false;
        }
    }
    return true;
}

bool aic_piece_open(const aic_piece *piece, aic_piece_view *view)
{
    aic_piece_head *head = &view->head;
    const uint32_t most = AIC_RELOCATION_PAGE;
    if (piece->size < sizeof *head) {
        return false;
    }
    memcpy(head, piece->bytes, sizeof *head);
    const uint64_t left = piece->size - sizeof *head;
    if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0 || head->code_bytes > left || head->name_bytes > left ||
        head->alignment < AIC_PIECE_SPACING || head->alignment > most ||
        (head->alignment & (head->alignment - 1)) != 0 || head->frames > head->code_bytes ||
        head->frames_bytes > head->code_bytes - head->frames) {
        return false;
    }
    /* None of these can overflow: two are at most the block's size, two are of 32 bits. */
    const uint64_t code = rounded(head->code_bytes), symbols = head->symbols * (uint64_t)sizeof(aic_piece_symbol),
                   patches = head->patches * (uint64_t)sizeof(aic_piece_patch);
    if (head->name_bytes == 0 || code + symbols + patches + head->name_bytes != left) {
        return false;
    }
    view->code = piece->bytes + sizeof *head;
    view->symbols = view->code + code;
    view->patches = view->symbols + symbols;
    view->names = (const char *)view->patches + patches;
    return view->names[head->name_bytes - 1] == '\0' && symbols_are_inside(view);
}

aic_piece_symbol aic_piece_symbol_at(const aic_piece_view *view, uint32_t index)
{
    aic_piece_symbol symbol;
    memcpy(&symbol, view->symbols + index * sizeof symbol, sizeof symbol);
    return symbol;
}

aic_piece_patch aic_piece_patch_at(const aic_piece_view *view, uint32_t index)
{
    aic_piece_patch patch;
    memcpy(&patch, view->patches + index * sizeof patch, sizeof patch);
    return patch;
}

/* ---- functions ---- */

/* Appends the function of this symbol if it is one of the kernel's. Returns the new count. */
static size_t add_part(const reading *r, const aic_elf_symbols *table, uint64_t index, aic_image_part *part,
                       size_t count)
{
    const Elf64_Sym symbol = aic_elf_symbol(&r->object, table, index);
    const placed_section *section = section_of(r, &symbol);
    const char *name = aic_elf_symbol_name(&r->object, table, &symbol);
    const size_t length = strlen(r->name);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || section == NULL ||
        symbol.st_size > section->size - symbol.st_value || strncmp(name, r->name, length) != 0) {
        return count;
    }
    part[count] = (aic_image_part){.offset = section->offset + symbol.st_value, .size = symbol.st_size};
    snprintf(part[count].name, sizeof part[count].name, "%s", name + length);
    return count + 1;
}

size_t aic_image_parts(const void *object, size_t size, const char *symbol, aic_image_part part[AIC_PARTS_MAX])
{
    const aic_elf elf = {object, size};
    reading r = {.name = symbol, .only = "", .head = {.alignment = AIC_PIECE_SPACING}};
    aic_elf_symbols table = {.count = 0};
    size_t count = 0, index;
    if (open_object(&elf, &r) == AIC_OK && lay_out_sections(&r) == AIC_OK &&
        find_symbols(&r, &index, &table) == AIC_OK) {
        for (uint64_t i = 0; i < table.count && count < AIC_PARTS_MAX; i++) {
            count = add_part(&r, &table, i, part, count);
        }
    }
    free(r.section);
    return count;
}
