/* The AArch64 side of the cross test: calls one kernel, an image in a file, on operands from files.
 *
 *     driver IMAGE FUNCTIONS WORKSPACE PACKED ALIGNMENTS FOLDER...
 *
 * IMAGE holds the bytes of the image, FUNCTIONS says where each of its functions begins, separated by commas, -1 for
 * those that it lacks. WORKSPACE and PACKED are the sizes in bytes of the scratch memory and of the packed image of
 * operand number 2 (0: the kernel packs nothing), ALIGNMENTS the size of an element of every operand, separated by
 * commas, 0 for those that are not used. Each FOLDER holds the operands as raw files, operand.0 being the output; for
 * way number N of calling (ways.h) the result goes to result.N. Every buffer lies between inaccessible pages, inputs
 * are read-only. Exit status: 0 when bytes next to buffers and FPCR are as they were, 1 when not, 3 when files or
 * memory fail. */
#include "runtime/code/code_memory.h"
#include "runtime/code/stub.h"
#include "tests/cross/ways.h"
#include "tools/harness/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT = 0, PACKABLE = 2, OPERANDS_MAX = 10, WORKSPACE = OPERANDS_MAX, PACKED, BUFFERS };
enum { VECTOR_ALIGNMENT = 64 };

typedef void cross_function(void *const operands[], void *workspace);

/* What the command line says; functions have their addresses. */
typedef struct facts {
    uintptr_t function[AIC_FUNCTIONS]; /* 0: there is none */
    cross_function *called[2];         /* plain and packed operands */
    size_t workspace, packed, operands, alignment[OPERANDS_MAX];
} facts;

/* Bits of FPCR: flush subnormals to zero (also of halves), round towards zero, every NaN the default one, halves
 * without infinities. */
#define HOSTILE_FPCR (UINT64_C(1) << 19 | UINT64_C(3) << 22 | UINT64_C(1) << 24 | UINT64_C(1) << 25 | UINT64_C(1) << 26)

static uint64_t get_fpcr(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}

static void set_fpcr(uint64_t value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
}

static void die(const char *what, const char *name)
{
    fprintf(stderr, "driver: %s: %s\n", what, name);
    exit(3);
}

static void open_buffer(guard_buffer *buffer, size_t size, size_t alignment, guard_side side)
{
    if (!guard_open(buffer, size, alignment, side)) {
        die("no memory", "guarded buffer");
    }
}

static size_t size_of(FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    return size < 0 ? 0 : (size_t)size;
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        die("cannot open", path);
    }
    *size = size_of(file);
    void *bytes = malloc(*size + 1);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
        die("cannot read", path);
    }
    fclose(file);
    return bytes;
}

/* Puts the image at the begin of a page, as the library does. */
static void load_image(facts *f, const char *path, char *functions)
{
    aic_image image = {.alignment = 4096};
    aic_code_memory memory;
    image.bytes = read_file(path, &image.size);
    if (aic_code_memory_place(&image, &memory) != AIC_OK) {
        die("cannot be placed", path);
    }
    free(image.bytes);
    for (int i = 0; i < AIC_FUNCTIONS; i++) {
        const long long offset = strtoll(functions, &functions, 10);
        f->function[i] = offset >= 0 ? (uintptr_t)memory.base + (uintptr_t)offset : 0;
        functions += *functions == ',';
    }
}

static void read_operand(guard_buffer *buffer, const char *folder, int number, size_t alignment, guard_side side)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/operand.%d", folder, number);
    size_t size;
    void *content = read_file(path, &size);
    open_buffer(buffer, size, alignment, side);
    memcpy(buffer->data, content, size);
    free(content);
}

static void write_result(const guard_buffer *output, const char *folder, int way)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/result.%d", folder, way);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(output->data, 1, output->size, file) != output->size || fclose(file) != 0) {
        die("cannot write", path);
    }
}

/* The function as one of (operands, workspace), by a stub, which is tested by the way. */
static cross_function *function_of_table(uintptr_t function, size_t operands)
{
    static const void *const none[AIC_STUB_OPERANDS_MAX];
    unsigned char code[AIC_STUB_BYTES_MAX];
    const aic_stub stub = {.target = function, .count = operands, .fixed = none, .table = true};
    const aic_image image = {.bytes = code, .size = aic_stub_write(&stub, code), .alignment = VECTOR_ALIGNMENT};
    aic_code_memory memory;
    if (aic_code_memory_place(&image, &memory) != AIC_OK) {
        die("cannot be placed", "stub");
    }
    return (cross_function *)(uintptr_t)memory.base;
}

/* Calls the kernel; false when it leaves another FPCR than it was called with. */
static bool call(const cross_way *way, const facts *f, guard_buffer *b)
{
    void *operand[OPERANDS_MAX];
    for (int i = 0; i < OPERANDS_MAX; i++) {
        operand[i] = b[i].data;
    }
    uint64_t usual = get_fpcr();
    set_fpcr(way->hostile ? HOSTILE_FPCR : usual);
    uint64_t before = get_fpcr();
    const bool packed = way->packed && f->packed > 0; /* a kernel that packs nothing has one function for both */
    if (packed) {
        ((void (*)(void *, const void *))f->function[AIC_FUNCTION_PACK])(b[PACKED].data, b[PACKABLE].data);
        operand[PACKABLE] = b[PACKED].data;
    }
    f->called[packed](operand, b[WORKSPACE].data);
    uint64_t after = get_fpcr();
    set_fpcr(usual);
    if (way->hostile && (before == usual || after != before)) {
        fprintf(stderr, "driver: %s: FPCR was 0x%" PRIx64 ", is 0x%" PRIx64 "\n", way->name, before, after);
        return false;
    }
    return true;
}

static bool run_way(const cross_way *way, int number, const facts *f, const char *folder)
{
    guard_buffer b[BUFFERS] = {{NULL}};
    for (int i = 0; i < (int)f->operands; i++) {
        if (f->alignment[i] > 0) {
            read_operand(&b[i], folder, i, f->alignment[i], (guard_side)way->side);
            guard_writable(&b[i], i == OUTPUT);
        }
    }
    open_buffer(&b[WORKSPACE], f->workspace, VECTOR_ALIGNMENT, (guard_side)way->side);
    open_buffer(&b[PACKED], f->packed, VECTOR_ALIGNMENT, (guard_side)way->side);
    bool good = call(way, f, b);
    for (int i = 0; i < BUFFERS; i++) {
        if (b[i].data != NULL && !guard_intact(&b[i])) {
            fprintf(stderr, "driver: %s: bytes next to buffer %d were written\n", way->name, i);
            good = false;
        }
    }
    write_result(&b[OUTPUT], folder, number);
    for (int i = 0; i < BUFFERS; i++) {
        guard_close(&b[i]);
    }
    return good;
}

static facts read_facts(char **argv)
{
    facts f = {.workspace = strtoull(argv[3], NULL, 10), .packed = strtoull(argv[4], NULL, 10)};
    load_image(&f, argv[1], argv[2]);
    char *next = argv[5];
    while (f.operands < OPERANDS_MAX && *next != '\0') {
        f.alignment[f.operands++] = strtoull(next, &next, 10);
        next += *next == ',';
    }
    f.called[false] = function_of_table(f.function[AIC_FUNCTION_ENTRY], f.operands);
    f.called[true] = f.packed > 0 ? function_of_table(f.function[AIC_FUNCTION_PACKED], f.operands) : NULL;
    return f;
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        die("usage", "driver IMAGE FUNCTIONS WORKSPACE PACKED ALIGNMENTS FOLDER...");
    }
    facts f = read_facts(argv);
    bool good = true;
    for (int i = 6; i < argc; i++) {
        for (int way = 0; way < CROSS_WAYS; way++) {
            good = run_way(&cross_ways[way], way, &f, argv[i]) && good;
        }
    }
    return good ? 0 : 1;
}
