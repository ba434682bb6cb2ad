/* Finds out which functions of the generator's module run while aicjit-ready, to which this is linked, makes parts: in
 * a copy of the module every function begins with a breakpoint, which is taken away when it is reached. The program is
 * then aicjit-order, and its environment says
 *
 *     AIC_ORDER_MODULE    the module
 *     AIC_CODEGEN         its copy, which is made here
 *     AIC_ORDER_LIST      a file, which gets the names of these functions, a line each
 *
 * They are a fifth of LLVM's code, and lie all over it: side by side they take a quarter of the pages. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

enum { BREAKPOINT = 0xCC };

typedef struct function {
    uint64_t address; /* in the module */
    size_t at;        /* in its file */
    const char *name;
    unsigned char first; /* its first byte */
    volatile sig_atomic_t ran;
} function;

/* The module's file, and its functions by their addresses; several may have the same one. */
static unsigned char *file;
static size_t file_bytes, functions;
static function *table;
static uintptr_t base; /* where the copy is; 0: not known yet */

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "aicjit-order: %s\n", what);
    _exit(EXIT_FAILURE);
}

static const char *needed(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        fail(name);
    }
    return value;
}

/* ---- the copy ---- */

static void read_module(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
        fail(path);
    }
    const long end = ftell(in);
    file_bytes = end > 0 ? (size_t)end : 0;
    file = malloc(file_bytes + 1);
    if (file == NULL || fseek(in, 0, SEEK_SET) != 0 || fread(file, 1, file_bytes, in) != file_bytes ||
        file_bytes < sizeof(Elf64_Ehdr)) {
        fail(path);
    }
    (void)fclose(in);
}

/* The module is one that this build has linked: what its headers say is in order. */
static const Elf64_Shdr *sections(size_t *count)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file;
    *count = header->e_shnum;
    return (const Elf64_Shdr *)(const void *)(file + header->e_shoff);
}

static int compare_addresses(const void *a, const void *b)
{
    const function *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Lists the functions, and puts breakpoints in front of them. */
static void mark_functions(void)
{
    size_t count;
    const Elf64_Shdr *section = sections(&count), *symbols = section;
    while (symbols < section + count && symbols->sh_type != SHT_SYMTAB) {
        symbols++;
    }
    if (symbols == section + count) {
        fail("the module has no symbols");
    }
    const Elf64_Sym *symbol = (const Elf64_Sym *)(const void *)(file + symbols->sh_offset);
    const size_t all = symbols->sh_size / sizeof *symbol;
    table = calloc(all + 1, sizeof *table);
    if (table == NULL) {
        fail("there is no memory");
    }
    for (size_t i = 0; i < all; i++) {
        const Elf64_Shdr *in = symbol[i].st_shndx < count ? &section[symbol[i].st_shndx] : section;
        if (ELF64_ST_TYPE(symbol[i].st_info) != STT_FUNC || symbol[i].st_size == 0 ||
            (in->sh_flags & SHF_EXECINSTR) == 0) {
            continue;
        }
        const size_t at = in->sh_offset + (symbol[i].st_value - in->sh_addr);
        table[functions++] =
            (function){.address = symbol[i].st_value,
                       .at = at,
                       .name = (const char *)file + section[symbols->sh_link].sh_offset + symbol[i].st_name,
                       .first = file[at]};
    }
    for (size_t i = 0; i < functions; i++) { /* behind the first bytes: functions share addresses */
        file[table[i].at] = BREAKPOINT;
    }
    qsort(table, functions, sizeof *table, compare_addresses);
}

static void write_copy(const char *path)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(file, 1, file_bytes, out) != file_bytes || fclose(out) != 0) {
        fail(path);
    }
}

/* ---- functions that run ---- */

/* The first function at an address, or where it would be. */
static size_t find(uint64_t address)
{
    size_t low = 0, high = functions;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The only library with breakpoints is the module's copy. */
static void find_base(uintptr_t address)
{
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0) {
        fail("a breakpoint that is none of the module's");
    }
    base = (uintptr_t)info.dli_fbase;
}

/* Another thread may have been quicker. */
static void on_breakpoint(int number, siginfo_t *info, void *context)
{
    greg_t *counter = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    const uintptr_t at = (uintptr_t)*counter - 1, page = (uintptr_t)sysconf(_SC_PAGESIZE), from = at / page * page;
    (void)number, (void)info;
    if (base == 0) {
        find_base(at);
    }
    size_t index = find(at - base);
    if (index == functions || table[index].address != at - base) {
        fail("a breakpoint that is none of a function's");
    }
    if (mprotect((void *)from, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        fail("the system lets no code be written: configure with -DAIC_MODULE_ORDER=OFF");
    }
    *(volatile unsigned char *)at = table[index].first;
    for (; index < functions && table[index].address == at - base; index++) {
        table[index].ran = 1;
    }
    *counter = (greg_t)at;
}

__attribute__((constructor)) static void begin(void)
{
    const struct sigaction action = {.sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO | SA_NODEFER};
    read_module(needed("AIC_ORDER_MODULE"));
    mark_functions();
    write_copy(needed("AIC_CODEGEN"));
    (void)sigaction(SIGTRAP, &action, NULL);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = needed("AIC_ORDER_LIST");
    FILE *out = fopen(path, "w");
    for (size_t i = 0; out != NULL && i < functions; i++) {
        if (table[i].ran != 0) {
            fprintf(out, "%s\n", table[i].name);
        }
    }
    if (out == NULL || fclose(out) != 0) {
        fail(path);
    }
}
