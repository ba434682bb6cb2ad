/* What the processor refuses: configurations (#GP, SIGSEGV), instructions that the tiles do not fit (#UD, SIGILL),
 * memory that is not there (#PF, SIGSEGV). A refused instruction changes nothing. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* REG_RIP */
#endif
#include "tests/emulate/program/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- configurations ---- */

static const struct {
    const char *what;
    unsigned offset, value; /* a byte that is set */
    bool legal;
} configs[] = {
    {"as it is", 0, 1, true},
    {"palette 0", 0, 0, true},
    {"palette 2", 0, 2, false},
    {"palette 255", 0, 255, false},
    {"any start_row", 1, 255, true},
    {"reserved byte 2", 2, 1, false},
    {"reserved byte 15", 15, 0x80, false},
    {"64 bytes in a row", 16, 64, true},
    {"65 bytes in a row", 16, 65, false},
    {"256 bytes more in a row", 31, 1, false},
    {"bytes that are no multiple of 4", 18, 5, true},
    {"rows without bytes", 20, 0, false},
    {"reserved byte 32", 32, 1, false},
    {"reserved byte 47", 47, 1, false},
    {"16 rows", 48, 16, true},
    {"17 rows", 55, 17, false},
    {"bytes without rows", 50, 0, false},
    {"reserved byte 56", 56, 1, false},
    {"reserved byte 63", 63, 1, false},
};

START_TEST(configurations_refused)
{
    const tile_config good = config_of(3, 8);
    uint8_t bad[sizeof good], described[sizeof good], zero[sizeof good] = {0};
    const uint8_t data[3][8] = {{1}, {2}, {3}};
    uint8_t stored[3][8];
    catch_faults();
    memcpy(bad, &good, sizeof bad);
    bad[configs[_i].offset] = (uint8_t)configs[_i].value;
    amx_ldtilecfg(&good);
    on_tile(amx_tileloadd_table, 5, data, 8);
    amx_ldtilecfg(bad);
    const fault f = take_fault();
    amx_sttilecfg(described);
    if (configs[_i].legal) {
        ck_assert_msg(f.number == 0, "%s: signal %d", configs[_i].what, f.number);
        ck_assert_mem_eq(described, bad[0] == 0 ? zero : bad, sizeof described);
        return;
    }
    void (*instruction)(const void *) = amx_ldtilecfg;
    ck_assert_msg(f.number == SIGSEGV && f.code == SI_KERNEL && f.address == NULL, "%s: signal %d, code %d",
                  configs[_i].what, f.number, f.code);
    ck_assert_int_eq(memcmp(&f.instruction, &instruction, sizeof instruction), 0);
    ck_assert_mem_eq(described, &good, sizeof good);
    on_tile(amx_tilestored_table, 5, stored, 8);
    ck_assert_mem_eq(stored, data, sizeof data);
}
END_TEST

/* Every legal shape of every tile is described as it was configured, and the tiles are zero. */
START_TEST(configurations_accepted)
{
    static const uint8_t zeros[ROW_BYTES];
    uint64_t state = 7;
    tile junk, got;
    fill_random(&junk, sizeof junk, &state);
    for (int i = 0; i < 500; i++) {
        tile_config config = {.palette = 1}, described;
        for (int t = 0; t < TILES; t++) {
            if (next_random(&state) % 4 != 0) {
                config.rows[t] = (uint8_t)(next_random(&state) % 16 + 1);
                config.colsb[t] = (uint16_t)(next_random(&state) % 16 * 4 + 4);
            }
        }
        amx_ldtilecfg(&config);
        amx_sttilecfg(&described);
        ck_assert_mem_eq(&described, &config, sizeof config);
        for (unsigned t = 0; t < TILES; t++) {
            if (config.rows[t] != 0) {
                memset(&got, 0xff, sizeof got);
                on_tile(amx_tilestored_table, t, &got, ROW_BYTES);
                for (int row = 0; row < config.rows[t]; row++) {
                    ck_assert_mem_eq(got.byte[row], zeros, config.colsb[t]);
                }
                on_tile(amx_tileloadd_table, t, &junk, ROW_BYTES); /* not to be seen by the next configuration */
            }
        }
    }
    amx_tilerelease();
    uint8_t described[sizeof(tile_config)], zero[sizeof described] = {0};
    amx_sttilecfg(described);
    ck_assert_mem_eq(described, zero, sizeof zero);
}
END_TEST

/* ---- instructions ---- */

/* Tiles 0, 1, 2 as the result and factors of a product; then an instruction. */
static const struct {
    const char *what;
    tile_config config;
    const char *table;
    unsigned number;
    bool legal;
} uses[] = {
    {"tilezero of nothing configured", {0}, amx_tilezero_table, 0, false},
    {"tileloadd of nothing configured", {0}, amx_tileloadd_table, 0, false},
    {"tileloaddt1 of nothing configured", {0}, amx_tileloaddt1_table, 0, false},
    {"tilestored of nothing configured", {0}, amx_tilestored_table, 0, false},
    {"tdpbssd of nothing configured", {0}, amx_tdpbssd_table, 10, false},
    {"tilezero", {.palette = 1, .rows = {1}, .colsb = {4}}, amx_tilezero_table, 0, true},
    {"tilezero of a tile that is not configured",
     {.palette = 1, .rows = {1}, .colsb = {4}},
     amx_tilezero_table,
     1,
     false},
    {"tileloadd of one", {.palette = 1, .rows = {1}, .colsb = {4}}, amx_tileloadd_table, 7, false},
    {"tilestored of one", {.palette = 1, .rows = {1}, .colsb = {4}}, amx_tilestored_table, 7, false},
    {"tilezero of rows of 5 bytes", {.palette = 1, .rows = {1}, .colsb = {5}}, amx_tilezero_table, 0, true},
    {"tileloadd of rows of 5 bytes", {.palette = 1, .rows = {1}, .colsb = {5}}, amx_tileloadd_table, 0, false},
    {"tilestored of rows of 6 bytes", {.palette = 1, .rows = {1}, .colsb = {6}}, amx_tilestored_table, 0, false},
    {"tileloadd from row 1 of 1",
     {.palette = 1, .start_row = 1, .rows = {1}, .colsb = {4}},
     amx_tileloadd_table,
     0,
     false},
    {"tileloadd from row 1 of 2",
     {.palette = 1, .start_row = 1, .rows = {2}, .colsb = {4}},
     amx_tileloadd_table,
     0,
     true},
    {"tilestored from row 16 of 16",
     {.palette = 1, .start_row = 16, .rows = {16}, .colsb = {4}},
     amx_tilestored_table,
     0,
     false},
    {"tilezero with start_row", {.palette = 1, .start_row = 9, .rows = {1}, .colsb = {4}}, amx_tilezero_table, 0, true},
    {"tdpbssd", {.palette = 1, .rows = {2, 2, 3}, .colsb = {8, 12, 8}}, amx_tdpbssd_table, 10, true},
    {"tdpbssd with start_row",
     {.palette = 1, .start_row = 9, .rows = {2, 2, 3}, .colsb = {8, 12, 8}},
     amx_tdpbssd_table,
     10,
     true},
    {"a result of more rows", {.palette = 1, .rows = {3, 2, 3}, .colsb = {8, 12, 8}}, amx_tdpbssd_table, 10, false},
    {"a result of more columns", {.palette = 1, .rows = {2, 2, 3}, .colsb = {12, 12, 8}}, amx_tdpbsud_table, 10, false},
    {"factors that do not fit", {.palette = 1, .rows = {2, 2, 4}, .colsb = {8, 12, 8}}, amx_tdpbusd_table, 10, false},
    {"a second factor of 16 rows, not 15",
     {.palette = 1, .rows = {16, 16, 16}, .colsb = {64, 60, 64}},
     amx_tdpbuud_table,
     10,
     false},
    {"rows of 6 bytes", {.palette = 1, .rows = {2, 2, 3}, .colsb = {6, 12, 6}}, amx_tdpbf16ps_table, 10, false},
    {"a first factor of 14 bytes",
     {.palette = 1, .rows = {2, 2, 3}, .colsb = {8, 14, 8}},
     amx_tdpbssd_table,
     10,
     false},
    {"no result", {.palette = 1, .rows = {0, 2, 3}, .colsb = {0, 12, 8}}, amx_tdpbssd_table, 10, false},
    {"no second factor", {.palette = 1, .rows = {2, 2}, .colsb = {8, 12}}, amx_tdpbf16ps_table, 10, false},
};

START_TEST(instructions_refused)
{
    uint8_t memory[ROWS * ROW_BYTES] = {0}, described[sizeof(tile_config)];
    catch_faults();
    amx_ldtilecfg(&uses[_i].config);
    ck_assert_int_eq(take_fault().number, 0);
    on_tile(uses[_i].table, uses[_i].number, memory, ROW_BYTES);
    const fault f = take_fault();
    ck_assert_msg(f.number == (uses[_i].legal ? 0 : SIGILL), "%s: signal %d", uses[_i].what, f.number);
    if (!uses[_i].legal) {
        ck_assert_ptr_eq(f.instruction, uses[_i].table + (size_t)uses[_i].number * AMX_STEP);
    }
    tile_config expected = uses[_i].config;
    expected.start_row = uses[_i].legal ? 0 : expected.start_row;
    amx_sttilecfg(described);
    ck_assert_mem_eq(described, &expected, sizeof expected);
}
END_TEST

/* One of several that follow each other: those before it are done, those after it not. */
START_TEST(instructions_in_a_row)
{
    const tile_config config = {.palette = 1, .rows = {1, 1, 1}, .colsb = {4, 4, 4}};
    const uint32_t elements[] = {1, 2, 3};
    uint32_t got[3];
    catch_faults();
    amx_ldtilecfg(&config);
    for (unsigned t = 0; t < 3; t++) {
        on_tile(amx_tileloadd_table, t, &elements[t], 0);
    }
    const uint32_t element = 9;
    amx_sequence(&element, 0);
    const fault f = take_fault();
    ck_assert_int_eq(f.number, SIGILL);
    ck_assert_ptr_eq(f.instruction, amx_sequence_third);
    ck_assert_ptr_eq(f.address, amx_sequence_third);
    for (unsigned t = 0; t < 3; t++) {
        on_tile(amx_tilestored_table, t, &got[t], 0);
    }
    ck_assert_uint_eq(got[0], 0);
    ck_assert_uint_eq(got[1], 9);
    ck_assert_uint_eq(got[2], 3);
}
END_TEST

/* Encodings that are none. */
START_TEST(encodings_refused)
{
    const tile_config config = config_of(16, 64);
    static uint8_t memory[ROWS * ROW_BYTES];
    catch_faults();
    amx_ldtilecfg(&config);
    on_tile(amx_invalid_table, (unsigned)_i, memory, ROW_BYTES);
    const fault f = take_fault();
    ck_assert_int_eq(f.number, SIGILL);
    ck_assert_ptr_eq(f.instruction, amx_invalid_table + (size_t)_i * AMX_STEP);
}
END_TEST

START_TEST(released_tiles_are_refused)
{
    const tile_config config = config_of(16, 64);
    catch_faults();
    amx_ldtilecfg(&config);
    on_tile(amx_tilezero_table, 3, NULL, 0);
    ck_assert_int_eq(take_fault().number, 0);
    amx_tilerelease();
    on_tile(amx_tilezero_table, 3, NULL, 0);
    ck_assert_int_eq(take_fault().number, SIGILL);
    amx_tilerelease(); /* needs no configuration */
    ck_assert_int_eq(take_fault().number, 0);
}
END_TEST

/* ---- memory ---- */

static size_t page;
static uint8_t *closed; /* a page that is not accessible until a fault opens it */
static volatile int openings;
static const void *volatile opened_at;

static void open_page(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    opened_at = info->si_addr;
    if (openings++ > 0 || wrong_products(26, 1) != 0 || mprotect(closed, page, PROT_READ | PROT_WRITE) != 0) {
        _exit(99);
    }
}

/* Two pages, the second of which close_page() closes. */
static void map_pages(void)
{
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
    closed = pages + page;
}

static void close_page(void)
{
    ck_assert_int_eq(mprotect(closed, page, PROT_NONE), 0);
}

/* A page fault in the middle: after the handler the rest is done, and nothing twice. _i: 0 load, 1 store. */
START_TEST(page_faults)
{
    const tile_config config = config_of(16, 64);
    uint64_t state = 77;
    tile data, got;
    map_pages();
    uint8_t *first = closed - 5 * ROW_BYTES;
    fill_random(&data, sizeof data, &state);
    memcpy(first, &data, _i == 0 ? sizeof data : 0);
    close_page();
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 2, _i == 0 ? first : &data.byte[0][0], ROW_BYTES);
    on_tile(amx_tilestored_table, 2, _i == 0 ? &got.byte[0][0] : first, ROW_BYTES);
    ck_assert_mem_eq(_i == 0 ? &got.byte[0][0] : first, &data, sizeof data);
    ck_assert_int_eq(openings, 1);
    ck_assert_ptr_eq(opened_at, closed);
    tile_config described;
    amx_sttilecfg(&described);
    ck_assert_int_eq(described.start_row, 0);
}
END_TEST

/* Half of a configuration. */
START_TEST(configuration_behind_a_page_fault)
{
    const tile_config config = config_of(9, 12);
    tile_config described;
    map_pages();
    memcpy(closed - sizeof config / 2, &config, sizeof config);
    close_page();
    amx_ldtilecfg(closed - sizeof config / 2);
    amx_sttilecfg(&described);
    ck_assert_mem_eq(&described, &config, sizeof config);
    ck_assert_int_eq(openings, 1);
    close_page();
    openings = 0;
    amx_sttilecfg(closed - 1);
    ck_assert_mem_eq(closed - 1, &config, sizeof config);
    ck_assert_int_eq(openings, 1);
}
END_TEST

/* start_row of a configuration: rows before it are kept as the configuration made them, zero. */
START_TEST(loads_go_on_at_start_row)
{
    tile_config config = config_of(7, 64), described;
    uint64_t state = 3;
    tile data, got;
    fill_random(&data, sizeof data, &state);
    config.start_row = 4;
    amx_ldtilecfg(&config);
    on_tile(amx_tileloadd_table, 0, &data, ROW_BYTES);
    amx_sttilecfg(&described);
    ck_assert_int_eq(described.start_row, 0);
    memset(&got, 0xee, sizeof got);
    on_tile(amx_tilestored_table, 0, &got, ROW_BYTES);
    for (int row = 0; row < ROWS; row++) {
        for (int b = 0; b < ROW_BYTES; b++) {
            ck_assert_uint_eq(got.byte[row][b], row < 4 ? 0 : row < 7 ? data.byte[row][b] : 0xee);
        }
    }
    amx_ldtilecfg(&config); /* and stores */
    memset(&got, 0xee, sizeof got);
    on_tile(amx_tilestored_table, 0, &got, ROW_BYTES);
    for (int row = 0; row < ROWS; row++) {
        ck_assert_uint_eq(got.byte[row][5], row < 4 || row >= 7 ? 0xee : 0);
    }
}
END_TEST

/* ---- without a handler ---- */

/* Runs `function` in a child, without handlers; its wait status. What it wrote to standard error is in `text`. */
static int die(void (*function)(void), char *text, size_t capacity)
{
    int channel[2], status;
    ck_assert_int_eq(pipe(channel), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(channel[1], STDERR_FILENO);
        (void)signal(SIGILL, SIG_DFL);
        (void)signal(SIGSEGV, SIG_DFL);
        function();
        _exit(0);
    }
    (void)close(channel[1]);
    ssize_t length = read(channel[0], text, capacity - 1);
    text[length > 0 ? length : 0] = '\0';
    (void)close(channel[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void wrong_config(void)
{
    const tile_config config = config_of(17, 64);
    amx_ldtilecfg(&config);
}

static void unused_tile(void)
{
    const tile_config config = {.palette = 1, .rows = {1}, .colsb = {4}};
    amx_ldtilecfg(&config);
    on_tile(amx_tilezero_table, 6, NULL, 0);
}

__attribute__((weak)) uint32_t aic_emulated_features(void);

START_TEST(processes_die_as_without_an_emulator)
{
    char text[300];
    int status = die(wrong_config, text, sizeof text);
    const bool emulated = aic_emulated_features != NULL && aic_emulated_features() != 0;
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    ck_assert_msg(!emulated || (strncmp(text, "aicjit-emulate: ldtilecfg at 0x", 31) == 0 &&
                                strstr(text, " raises #GP: there are more than 16 rows (tile 0)\n") != NULL),
                  "%s", text);
    status = die(unused_tile, text, sizeof text);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
    ck_assert_msg(!emulated || strstr(text, "tilezero at 0x") != NULL, "%s", text);
    ck_assert_msg(!emulated || strstr(text, " raises #UD: the tile is not configured (tile 6)\n") != NULL, "%s", text);
    status = die(amx_ud2, text, sizeof text);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
    ck_assert_str_eq(text, "");
}
END_TEST

TCase *tests_of_exceptions(void)
{
    TCase *tcase = tcase_create("exceptions");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, configurations_refused, 0, (int)(sizeof configs / sizeof *configs));
    tcase_add_test(tcase, configurations_accepted);
    tcase_add_loop_test(tcase, instructions_refused, 0, (int)(sizeof uses / sizeof *uses));
    tcase_add_test(tcase, instructions_in_a_row);
    tcase_add_loop_test(tcase, encodings_refused, 0, AMX_INVALID);
    tcase_add_test(tcase, released_tiles_are_refused);
    tcase_add_loop_test(tcase, page_faults, 0, 2);
    tcase_add_test(tcase, configuration_behind_a_page_fault);
    tcase_add_test(tcase, loads_go_on_at_start_row);
    tcase_add_test(tcase, processes_die_as_without_an_emulator);
    return tcase;
}
