/* Loads and stores of tiles and configurations: every form of address, strides of either sign, rows that end before the
 * memory does. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#endif
#include "tests/emulate/program/program.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RSP = 4, BASES = 16, INDICES = 15, SCALES = 4, FORMS = 1 + INDICES * SCALES };
static const int64_t displacements[] = {0, -128, 0x12340};
enum { DISPLACEMENTS = sizeof displacements / sizeof *displacements };

/* Memory around the addresses, more than a signal frame below and more than all displacements above. */
enum { AREA = 1 << 20, MIDDLE = AREA / 4 };
static _Alignas(64) uint8_t area[AREA];

/* One form of address: numbers of registers, index -1 for none. */
typedef struct form {
    unsigned base;
    int index, scale;
    int64_t displacement;
    const char *snippet;
} form;

static form form_of(const char *table, unsigned number)
{
    static const int indices[INDICES] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const unsigned part = number % FORMS, combination = number / FORMS;
    form f = {.base = combination / DISPLACEMENTS, .index = -1, .scale = 1};
    f.displacement = displacements[combination % DISPLACEMENTS];
    f.snippet = table + (size_t)number * AMX_SNIPPET_STEP;
    if (part > 0) {
        f.index = indices[(part - 1) / SCALES];
        f.scale = 1 << (part - 1) % SCALES;
    }
    return f;
}

/* Random registers but for base and index; rsp has room below. Where base and index are the same register it has the
 * base's value. */
static void set_registers(const form *f, uint64_t registers[16], uint64_t base, uint64_t index, uint64_t *state)
{
    for (int i = 0; i < 16; i++) {
        registers[i] = next_random(state);
    }
    registers[RSP] = (uint64_t)(uintptr_t)&area[MIDDLE];
    if (f->index >= 0) {
        registers[f->index] = index;
    }
    registers[f->base] = base;
}

static void run(const form *f, const uint64_t registers[16])
{
    uint64_t after[16];
    memcpy(after, registers, sizeof after);
    amx_run_snippet(f->snippet, after);
    ck_assert_msg(memcmp(after, registers, sizeof after) == 0, "base %u, index %d: a register has changed", f->base,
                  f->index);
}

/* With rsp as any other register the kernel would put the signal's frame into the area. */
static void use_signal_stack(void)
{
    static uint8_t memory[1 << 16];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
}

/* _i: a base. */
START_TEST(loads)
{
    const tile_config config = {.palette = 1, .colsb = {64, 8}, .rows = {1, 3}};
    uint64_t state = 4711 + (uint64_t)_i;
    use_signal_stack();
    for (unsigned number = 0; number < DISPLACEMENTS * FORMS; number++) {
        const form f = form_of(amx_load_snippets, (unsigned)_i * DISPLACEMENTS * FORMS + number);
        const bool same = f.index == (int)f.base;
        uint64_t registers[16], got[3] = {0};
        const int64_t step = (int64_t)(next_random(&state) % 2000) - 1000, stride = f.index < 0 ? 0 : step * f.scale;
        const uint8_t *first = &area[MIDDLE] + f.displacement;
        /* Base and index at once make a stride that leads away: then one row must do. */
        tile_config short_config = config;
        short_config.rows[1] = same ? 1 : 3;
        set_registers(&f, registers, (uint64_t)(uintptr_t)&area[MIDDLE], (uint64_t)step, &state);
        fill_random(&area[MIDDLE - 0x8000], 0x28000, &state);
        amx_ldtilecfg(&short_config);
        run(&f, registers);
        on_tile(amx_tilestored_table, 1, got, 8);
        for (int row = 0; row < short_config.rows[1]; row++) {
            ck_assert_msg(memcmp(&got[row], first + row * stride, 8) == 0, "base %u, index %d * %d + %lld: row %d",
                          f.base, f.index, f.scale, (long long)f.displacement, row);
        }
    }
}
END_TEST

/* _i: a base. */
START_TEST(configurations)
{
    uint64_t state = 815 + (uint64_t)_i;
    use_signal_stack();
    for (unsigned number = 0; number < DISPLACEMENTS * FORMS; number++) {
        const form f = form_of(amx_describe_snippets, (unsigned)_i * DISPLACEMENTS * FORMS + number);
        const bool same = f.index == (int)f.base;
        const tile_config config = config_of(1 + (unsigned)(next_random(&state) % 16), 12);
        const uint64_t index = next_random(&state) % 3000, middle = (uint64_t)(uintptr_t)&area[MIDDLE];
        /* base + base * scale = middle */
        const uint64_t base = same ? middle / (1 + (unsigned)f.scale) : middle;
        const uint64_t scaled = f.index < 0 ? 0 : (same ? base : index) * (unsigned)f.scale;
        const int64_t offset = (int64_t)(base + scaled - middle);
        uint8_t *expected = &area[MIDDLE] + f.displacement + offset;
        uint64_t registers[16];
        set_registers(&f, registers, base, index, &state);
        memset(expected - 8, 0xa5, sizeof config + 16);
        amx_ldtilecfg(&config);
        run(&f, registers);
        ck_assert_msg(memcmp(expected, &config, sizeof config) == 0, "base %u, index %d * %d + %lld", f.base, f.index,
                      f.scale, (long long)f.displacement);
        ck_assert(expected[-1] == 0xa5 && expected[sizeof config] == 0xa5);
    }
}
END_TEST

/* Relative to the instruction, absolute, relative to FS and GS. */
START_TEST(other_addresses)
{
    const tile_config config = config_of(2, 8);
    uint64_t registers[16] = {0}, got[2], state = 5;
    form f = {.snippet = amx_special_snippets};
    fill_random(area, sizeof area, &state);
    memcpy(amx_near_config, &config, sizeof config);
    registers[RSP] = (uint64_t)(uintptr_t)&area[MIDDLE];
    run(&f, registers); /* ldtilecfg near(%rip) */
    f.snippet += AMX_SNIPPET_STEP;
    run(&f, registers); /* sttilecfg near + 64(%rip) */
    ck_assert_int_eq(memcmp(amx_near_config + 64, &config, sizeof config), 0);

    f.snippet += AMX_SNIPPET_STEP; /* tileloadd 0x20000000(,%rcx,2) */
    uint8_t *low = mmap((void *)(uintptr_t)0x20000000, 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ck_assert_ptr_eq(low, (void *)(uintptr_t)0x20000000);
    fill_random(low, 4096, &state);
    registers[1] = 100;
    run(&f, registers);
    on_tile(amx_tilestored_table, 1, got, 8);
    ck_assert(memcmp(&got[0], low, 8) == 0 && memcmp(&got[1], low + 200, 8) == 0);

    f.snippet += AMX_SNIPPET_STEP; /* tileloadd %fs:64(%rax,%rcx): FS is the thread's own address */
    registers[0] = (uint64_t)(uintptr_t)area - (uint64_t)pthread_self();
    run(&f, registers);
    on_tile(amx_tilestored_table, 1, got, 8);
    ck_assert(memcmp(&got[0], area + 64, 8) == 0 && memcmp(&got[1], area + 164, 8) == 0);

    f.snippet += AMX_SNIPPET_STEP; /* GS is 0 */
    registers[0] = (uint64_t)(uintptr_t)area + 8;
    run(&f, registers);
    on_tile(amx_tilestored_table, 1, got, 8);
    ck_assert(memcmp(&got[0], area + 72, 8) == 0 && memcmp(&got[1], area + 172, 8) == 0);

    f.snippet += AMX_SNIPPET_STEP; /* sttilecfg %fs:(%rax) */
    registers[0] = (uint64_t)(uintptr_t)area - (uint64_t)pthread_self();
    run(&f, registers);
    ck_assert_int_eq(memcmp(area, &config, sizeof config), 0);
}
END_TEST

/* Rows of every length at every kind of distance, into a tile and out of it; memory beside them stays as it is. */
START_TEST(rows_and_strides)
{
    static const int64_t strides[] = {64, 0, -64, 100, -7, 4096, -4096, 1};
    enum { STRIDES = sizeof strides / sizeof *strides, HALF = 65536 };
    static uint8_t source[2 * HALF], target[2 * HALF], expected[2 * HALF];
    uint64_t state = 31;
    fill_random(source, sizeof source, &state);
    for (unsigned i = 0; i < STRIDES * 16 * 16; i++) {
        const unsigned rows = i % 16 + 1, bytes = 4 * (i / 16 % 16) + 4, number = i % TILES;
        const int64_t stride = strides[i / 256];
        const tile_config config = config_of(rows, bytes);
        tile got;
        amx_ldtilecfg(&config);
        on_tile(i % 2 != 0 ? amx_tileloadd_table : amx_tileloaddt1_table, number, source + HALF, stride);
        memset(&got, 0xcc, sizeof got);
        on_tile(amx_tilestored_table, number, &got, ROW_BYTES);
        memset(target, 0x3c, sizeof target);
        memset(expected, 0x3c, sizeof expected);
        on_tile(amx_tilestored_table, number, target + HALF, stride);
        for (unsigned row = 0; row < ROWS; row++) {
            uint8_t wanted[ROW_BYTES];
            memset(wanted, 0xcc, sizeof wanted);
            memcpy(wanted, source + HALF + row * stride, row < rows ? bytes : 0);
            ck_assert_mem_eq(got.byte[row], wanted, sizeof wanted);
            memcpy(expected + HALF + row * stride, wanted, row < rows ? bytes : 0);
        }
        ck_assert_mem_eq(target, expected, sizeof expected);
    }
}
END_TEST

TCase *tests_of_addresses(void)
{
    TCase *tcase = tcase_create("addresses");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, loads, 0, BASES);
    tcase_add_loop_test(tcase, configurations, 0, BASES);
    tcase_add_test(tcase, other_addresses);
    tcase_add_test(tcase, rows_and_strides);
    return tcase;
}
