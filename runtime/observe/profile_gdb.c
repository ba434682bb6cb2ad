/* gdb's interface for compilers in a process (GDB manual, "JIT Compilation Interface"): a list of ELF files in memory,
 * and a function that the debugger puts a breakpoint in to learn that the list has changed. The debugger finds both by
 * their names in the symbol table, local ones, too; the library keeps them local, as its names begin with aic_ and
 * another compiler in the process may have its own list. A library whose symbol table was stripped is not found. */
#include "runtime/observe/profile_kinds.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ---- the debugger's interface ---- */

typedef struct jit_code_entry {
    struct jit_code_entry *next, *previous;
    const void *file;
    uint64_t file_size;
} jit_code_entry;

enum { INTERFACE_VERSION = 1 };

/* Of a descriptor: what gdb is told. */
enum { NO_ACTION, REGISTERED, UNREGISTERED };

struct jit_descriptor {
    uint32_t version, action;
    jit_code_entry *relevant, *first;
};

static struct jit_descriptor descriptor __asm__("__jit_debug_descriptor")
    __attribute__((used)) = {.version = INTERFACE_VERSION};

static void register_code(void) __asm__("__jit_debug_register_code") __attribute__((noinline, used));

/* The debugger stops here. The statement keeps compilers from leaving out calls. */
static void register_code(void)
{
    __asm__ volatile("" : : : "memory");
}

/* ---- the ELF file ---- */

enum { SECTION_NONE, TEXT, FRAMES, SYMBOLS, STRINGS, SECTION_NAMES, SECTIONS };

static const char section_names[] = "\0.text\0.eh_frame\0.symtab\0.strtab\0.shstrtab";
enum { AT_TEXT = 1, AT_FRAMES = 7, AT_SYMBOLS = 17, AT_STRINGS = 25, AT_SECTION_NAMES = 33 };

/* The file's parts, one after the other. */
typedef struct elf_file {
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS];
    char names[(sizeof section_names + 7) / 8 * 8];
    /* symbols, the first of which is empty; their names; the unwind table */
} elf_file;

struct aic_profile_gdb {
    jit_code_entry entry;
    elf_file file; /* last: the rest of the file follows */
};

/* Where the parts of variable size lie in the file. */
typedef struct elf_layout {
    size_t symbols, strings, frames, size, strings_size;
} elf_layout;

static elf_layout lay_out(const aic_profile_code *code)
{
    elf_layout at = {.symbols = sizeof(elf_file), .strings_size = 1};
    for (size_t i = 0; i < code->count; i++) {
        at.strings_size += strlen(code->part[i].label) + 1;
    }
    at.strings = at.symbols + (code->count + 1) * sizeof(Elf64_Sym);
    at.frames = (at.strings + at.strings_size + 7) / 8 * 8;
    at.size = at.frames + code->frames_size;
    return at;
}

static void write_header(elf_file *file)
{
    file->header = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                                .e_type = ET_EXEC,
                                .e_machine = AIC_PROFILE_MACHINE,
                                .e_version = EV_CURRENT,
                                .e_shoff = offsetof(elf_file, section),
                                .e_ehsize = sizeof(Elf64_Ehdr),
                                .e_shentsize = sizeof(Elf64_Shdr),
                                .e_shnum = SECTIONS,
                                .e_shstrndx = SECTION_NAMES};
    memcpy(file->names, section_names, sizeof section_names);
}

/* The code's section has no bytes in the file: the debugger reads them where they are. */
static void write_sections(elf_file *file, const aic_profile_code *code, const elf_layout *at)
{
    const uint64_t base = (uint64_t)(uintptr_t)code->base;
    file->section[TEXT] = (Elf64_Shdr){.sh_name = AT_TEXT,
                                       .sh_type = SHT_NOBITS,
                                       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                       .sh_addr = base,
                                       .sh_size = code->frames_size > 0 ? code->frames : code->size,
                                       .sh_addralign = 64};
    file->section[FRAMES] = (Elf64_Shdr){.sh_name = AT_FRAMES,
                                         .sh_type = SHT_PROGBITS,
                                         .sh_flags = SHF_ALLOC,
                                         .sh_addr = base + code->frames,
                                         .sh_offset = at->frames,
                                         .sh_size = code->frames_size,
                                         .sh_addralign = 8};
    file->section[SYMBOLS] = (Elf64_Shdr){.sh_name = AT_SYMBOLS,
                                          .sh_type = SHT_SYMTAB,
                                          .sh_offset = at->symbols,
                                          .sh_size = (code->count + 1) * sizeof(Elf64_Sym),
                                          .sh_link = STRINGS,
                                          .sh_info = 1, /* symbols before the first global one */
                                          .sh_addralign = 8,
                                          .sh_entsize = sizeof(Elf64_Sym)};
    file->section[STRINGS] = (Elf64_Shdr){.sh_name = AT_STRINGS,
                                          .sh_type = SHT_STRTAB,
                                          .sh_offset = at->strings,
                                          .sh_size = at->strings_size,
                                          .sh_addralign = 1};
    file->section[SECTION_NAMES] = (Elf64_Shdr){.sh_name = AT_SECTION_NAMES,
                                                .sh_type = SHT_STRTAB,
                                                .sh_offset = offsetof(elf_file, names),
                                                .sh_size = sizeof section_names,
                                                .sh_addralign = 1};
}

/* The bytes behind the fixed part. */
static void write_rest(char *bytes, const aic_profile_code *code, const elf_layout *at)
{
    size_t name = 1;
    for (size_t i = 0; i < code->count; i++) {
        const aic_profile_part *part = &code->part[i];
        const Elf64_Sym symbol = {.st_name = (Elf64_Word)name,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = TEXT,
                                  .st_value = part->address,
                                  .st_size = part->size};
        const size_t length = strlen(part->label) + 1;
        memcpy(bytes + at->symbols + (i + 1) * sizeof symbol, &symbol, sizeof symbol);
        memcpy(bytes + at->strings + name, part->label, length);
        name += length;
    }
    memcpy(bytes + at->frames, code->base + code->frames, code->frames_size);
}

static void tell(jit_code_entry *entry, uint32_t action)
{
    descriptor.relevant = entry;
    descriptor.action = action;
    register_code();
    descriptor.action = NO_ACTION;
    descriptor.relevant = NULL;
}

aic_profile_gdb *aic_profile_gdb_add(const aic_profile_code *code)
{
    const elf_layout at = lay_out(code);
    aic_profile_gdb *made = calloc(1, sizeof *made + at.size - sizeof made->file);
    if (made == NULL) {
        return NULL;
    }
    write_header(&made->file);
    write_sections(&made->file, code, &at);
    write_rest((char *)made + offsetof(aic_profile_gdb, file), code, &at);
    made->entry = (jit_code_entry){.next = descriptor.first, .file = &made->file, .file_size = at.size};
    if (descriptor.first != NULL) {
        descriptor.first->previous = &made->entry;
    }
    descriptor.first = &made->entry;
    tell(&made->entry, REGISTERED);
    return made;
}

void aic_profile_gdb_remove(aic_profile_gdb *entry)
{
    if (entry == NULL) {
        return;
    }
    jit_code_entry *gone = &entry->entry;
    if (gone->previous != NULL) {
        gone->previous->next = gone->next;
    } else {
        descriptor.first = gone->next;
    }
    if (gone->next != NULL) {
        gone->next->previous = gone->previous;
    }
    tell(gone, UNREGISTERED);
    free(entry);
}
