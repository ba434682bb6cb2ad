/* The AArch64 side of the cross test: calls one kernel, linked in as `kernel`, on operands from files.
 *
 *     driver WORKSPACE PACKED ELEMENT FOLDER...
 *
 * WORKSPACE and PACKED are the sizes in bytes of the scratch memory and of the packed weight, ELEMENT that of an
 * element of the inputs. Each FOLDER holds dst, feature_map and weight as raw files; for way number N of calling
 * (ways.h) the result goes to dst.N. Every buffer lies between inaccessible pages, inputs are read-only. Exit status: 0
 * when bytes next to buffers and FPCR are as they were, 1 when not, 3 when files or memory fail. */
#include "tests/cross/ways.h"
#include "tools/harness/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void kernel(void *dst, const void *feature_map, const void *weight, void *workspace);
void kernel_packed(void *dst, const void *feature_map, const void *packed_weight, void *workspace);
void kernel_pack(void *packed, const void *weight);

enum { DST, FEATURE_MAP, WEIGHT, OPERANDS, WORKSPACE = OPERANDS, PACKED, BUFFERS };
enum { VECTOR_ALIGNMENT = 64 };

static const char *const names[BUFFERS] = {"dst", "feature_map", "weight", "the workspace", "the packed weight"};

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

static void read_operand(guard_buffer *buffer, const char *folder, const char *name, size_t alignment, guard_side side)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        die("cannot open", path);
    }
    size_t size = size_of(file);
    open_buffer(buffer, size, alignment, side);
    if (fread(buffer->data, 1, size, file) != size) {
        die("cannot read", path);
    }
    fclose(file);
}

static void write_result(const guard_buffer *dst, const char *folder, int way)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/dst.%d", folder, way);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(dst->data, 1, dst->size, file) != dst->size || fclose(file) != 0) {
        die("cannot write", path);
    }
}

/* Calls the kernel; false when it leaves another FPCR than it was called with. */
static bool call(const cross_way *way, guard_buffer *b)
{
    uint64_t usual = get_fpcr();
    set_fpcr(way->hostile ? HOSTILE_FPCR : usual);
    uint64_t before = get_fpcr();
    if (way->packed) {
        kernel_pack(b[PACKED].data, b[WEIGHT].data);
        kernel_packed(b[DST].data, b[FEATURE_MAP].data, b[PACKED].data, b[WORKSPACE].data);
    } else {
        kernel(b[DST].data, b[FEATURE_MAP].data, b[WEIGHT].data, b[WORKSPACE].data);
    }
    uint64_t after = get_fpcr();
    set_fpcr(usual);
    if (way->hostile && (before == usual || after != before)) {
        fprintf(stderr, "driver: %s: FPCR was 0x%" PRIx64 ", is 0x%" PRIx64 "\n", way->name, before, after);
        return false;
    }
    return true;
}

static bool run_way(const cross_way *way, int number, const size_t sizes[3], const char *folder)
{
    guard_buffer b[BUFFERS];
    for (int i = 0; i < OPERANDS; i++) {
        read_operand(&b[i], folder, names[i], i == DST ? sizeof(float) : sizes[2], (guard_side)way->side);
        guard_writable(&b[i], i == DST);
    }
    open_buffer(&b[WORKSPACE], sizes[0], VECTOR_ALIGNMENT, (guard_side)way->side);
    open_buffer(&b[PACKED], sizes[1], VECTOR_ALIGNMENT, (guard_side)way->side);
    bool good = call(way, b);
    for (int i = 0; i < BUFFERS; i++) {
        if (!guard_intact(&b[i])) {
            fprintf(stderr, "driver: %s: bytes next to %s were written\n", way->name, names[i]);
            good = false;
        }
    }
    write_result(&b[DST], folder, number);
    for (int i = 0; i < BUFFERS; i++) {
        guard_close(&b[i]);
    }
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        die("usage", "driver WORKSPACE PACKED ELEMENT FOLDER...");
    }
    size_t sizes[3];
    for (int i = 0; i < 3; i++) {
        sizes[i] = (size_t)strtoull(argv[1 + i], NULL, 10);
    }
    bool good = true;
    for (int i = 4; i < argc; i++) {
        for (int way = 0; way < CROSS_WAYS; way++) {
            good = run_way(&cross_ways[way], way, sizes, argv[i]) && good;
        }
    }
    return good ? 0 : 1;
}
