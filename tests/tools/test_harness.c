/* What the harness judges by: elements, guards, data, fills, time, limits of the machine. Its verdicts are in
 * test_verdicts.c. */
#include "tests/bench/unit_peak.h"
#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/fill.h"
#include "tools/harness/guard.h"
#include "tools/harness/memory.h"
#include "tools/harness/peak.h"
#include "tools/harness/testdata.h"
#include "tools/harness/timer.h"

#include <check.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_harness(void);

/* ---- elements ---- */

START_TEST(halves_round_trip)
{
    for (uint32_t bits = 0; bits <= 0xFFFF; bits++) {
        uint16_t half = (uint16_t)bits;
        double value = element_to_double(AIC_FLOAT16, &half);
        if (isnan(value)) {
            ck_assert(isnan(element_to_double(AIC_FLOAT16, &(uint16_t){element_half(value)})));
        } else {
            ck_assert_uint_eq(element_half(value), half);
        }
    }
}
END_TEST

START_TEST(halves_round_to_even)
{
    static const struct {
        double value;
        uint16_t bits;
    } rows[] = {{0.1, 0x2E66},       {1 + 0x1p-11, 0x3C00}, {1 + 3 * 0x1p-11, 0x3C02}, {0x1p-25, 0x0000},
                {0x1.8p-24, 0x0002}, {65519.99, 0x7BFF},    {65520, 0x7C00},           {-1e300, 0xFC00},
                {-0.0, 0x8000},      {0x1p-1074, 0x0000},   {0x1.ffcp-15, 0x0400},     {2047.5, 0x6800}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_uint_eq(element_half(rows[i].value), rows[i].bits);
    }
}
END_TEST

START_TEST(bfloats_round_trip)
{
    for (uint32_t bits = 0; bits <= 0xFFFF; bits++) {
        uint16_t bfloat = (uint16_t)bits;
        double value = element_to_double(AIC_BFLOAT16, &bfloat);
        if (isnan(value)) {
            ck_assert(isnan(element_to_double(AIC_BFLOAT16, &(uint16_t){element_bfloat(value)})));
        } else {
            ck_assert_uint_eq(element_bfloat(value), bfloat);
        }
    }
}
END_TEST

START_TEST(bfloats_round_to_even)
{
    static const struct {
        double value;
        uint16_t bits;
    } rows[] = {{0.1, 0x3DCD},        {1 + 0x1p-8, 0x3F80},       {1 + 3 * 0x1p-8, 0x3F82}, {0x1p-134, 0x0000},
                {0x1.8p-133, 0x0002}, {3.394e38, 0x7F7F},         {0x1.FFp127, 0x7F80},     {-1e300, 0xFF80},
                {-0.0, 0x8000},       {0x1p-1074, 0x0000},        {0x1.FFp-127, 0x0080},    {0x1.FEp127, 0x7F7F},
                {INFINITY, 0x7F80},   {-(double)INFINITY, 0xFF80}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_uint_eq(element_bfloat(rows[i].value), rows[i].bits);
    }
}
END_TEST

START_TEST(elements_as_text)
{
    static const struct {
        aic_dtype dtype;
        uint64_t bits;
        const char *text;
    } rows[] = {{AIC_INT8, 0x80, "-128"},
                {AIC_UINT8, 0x80, "128"},
                {AIC_INT32, 0x7FFFFFFF, "2147483647"},
                {AIC_INT32, 0x80000000, "-2147483648"},
                {AIC_UINT64, UINT64_MAX, "18446744073709551615"},
                {AIC_FLOAT16, 0x3800, "0.5 (0x3800)"},
                {AIC_BFLOAT16, 0x8000, "-0 (0x8000)"},
                {AIC_FLOAT32, 0x3F800001, "1.00000012 (0x3F800001)"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[ELEMENT_TEXT_MAX];
        element_text(rows[i].dtype, &rows[i].bits, text);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

START_TEST(elements_are_compared_by_bits)
{
    const float zero = 0.0F, minus = -0.0F, one = 1.0F;
    const uint32_t nan_a = 0x7FC00000, nan_b = 0xFF800001;
    ck_assert(element_equal(AIC_FLOAT32, &nan_a, &nan_b));
    ck_assert(!element_equal(AIC_FLOAT32, &nan_a, &one));
    ck_assert(!element_equal(AIC_FLOAT32, &zero, &minus));
    ck_assert(!element_equal(AIC_INT32, &nan_a, &nan_b));
    const uint16_t short_a = 0x7FC0, short_b = 0xFF81; /* NaN as bfloat16 */
    ck_assert(element_equal(AIC_BFLOAT16, &short_a, &short_b));
    ck_assert(!element_equal(AIC_UINT16, &short_a, &short_b));
}
END_TEST

/* ---- guards ---- */

START_TEST(guards_stand_next_to_the_data)
{
    static const size_t sizes[] = {0, 1, 4, 64, 4095, 4096, 4100};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int side = 0; side < GUARD_SIDES; side++) {
            guard_buffer buffer;
            ck_assert(guard_open(&buffer, sizes[i], 4, (guard_side)side));
            ck_assert_uint_eq((uintptr_t)buffer.data % 4, 0);
            memset(buffer.data, 0x11, sizes[i]);
            ck_assert(guard_intact(&buffer));
            unsigned char *map_end = buffer.map + buffer.map_size - memory_page();
            unsigned char *data = buffer.data;
            if (side == GUARD_AFTER) {
                ck_assert_int_lt(map_end - (data + sizes[i]), 4);
            } else {
                ck_assert_int_eq(data - (buffer.map + memory_page()), side == GUARD_SHIFTED ? 4 : 0);
            }
            guard_close(&buffer);
        }
    }
}
END_TEST

START_TEST(slack_is_watched)
{
    for (int side = 0; side < GUARD_SIDES; side++) {
        guard_buffer buffer;
        ck_assert(guard_open(&buffer, 100, 64, (guard_side)side));
        unsigned char *data = buffer.data;
        unsigned char *at = side == GUARD_AFTER ? data - 1 : data + 100;
        *at ^= 1;
        ck_assert(!guard_intact(&buffer));
        guard_close(&buffer);
    }
}
END_TEST

static sigjmp_buf trapped;

static void on_trap(int number)
{
    siglongjmp(trapped, number);
}

/* Whether writing the byte traps. */
static bool write_traps(void *at)
{
    struct sigaction action = {.sa_handler = on_trap}, old;
    (void)sigaction(SIGSEGV, &action, &old);
    volatile bool traps = true;
    if (sigsetjmp(trapped, 1) == 0) {
        *(volatile unsigned char *)at = 1;
        traps = false;
    }
    (void)sigaction(SIGSEGV, &old, NULL);
    return traps;
}

START_TEST(an_access_outside_traps)
{
    guard_buffer behind, before;
    ck_assert(guard_open(&behind, 100, 1, GUARD_AFTER));
    ck_assert(guard_open(&before, 100, 1, GUARD_BEFORE));
    ck_assert(write_traps((unsigned char *)behind.data + 100));
    ck_assert(!write_traps((unsigned char *)behind.data + 99));
    ck_assert(write_traps((unsigned char *)before.data - 1));
    ck_assert(!write_traps(before.data));
    guard_close(&behind);
    guard_close(&before);
}
END_TEST

START_TEST(a_write_to_an_input_traps)
{
    guard_buffer buffer;
    ck_assert(guard_open(&buffer, 100, 1, GUARD_AFTER));
    guard_writable(&buffer, false);
    ck_assert(write_traps(buffer.data));
    guard_writable(&buffer, true);
    ck_assert(!write_traps(buffer.data));
    guard_close(&buffer);
}
END_TEST

START_TEST(too_much_memory_is_refused)
{
    guard_buffer buffer;
    ck_assert(!guard_open(&buffer, SIZE_MAX, 64, GUARD_AFTER));
    ck_assert(!guard_open(&buffer, SIZE_MAX / 2, 64, GUARD_BEFORE));
    ck_assert(!guard_open(&buffer, (size_t)1 << 46, 64, GUARD_BEFORE));
    ck_assert_ptr_null(memory_map((size_t)(memory_limit() + memory_page())));
    ck_assert(guard_open(&buffer, 1 << 20, 64, GUARD_BEFORE)); /* the refusals took nothing */
    guard_close(&buffer);
}
END_TEST

/* ---- data ---- */

/* Over some seeds every kind of value turns up. */
START_TEST(test_data_has_corners)
{
    const aic_operand halves = {
        .name = "x", .direction = AIC_DIRECTION_IN, .dtype = AIC_FLOAT16, .elements = 512, .bytes = 1024};
    const aic_operand bytes = {
        .name = "x", .direction = AIC_DIRECTION_IN, .dtype = AIC_INT8, .elements = 512, .bytes = 512};
    const aic_operand floats = {
        .name = "x", .direction = AIC_DIRECTION_IN, .dtype = AIC_FLOAT32, .elements = 512, .bytes = 2048};
    const aic_operand ints = {
        .name = "x", .direction = AIC_DIRECTION_IN, .dtype = AIC_INT32, .elements = 512, .bytes = 2048};
    bool nan = false, infinite = false, subnormal = false, lowest = false;
    bool largest = false, overflows = false, tie = false, minus_zero = false, limit = false, odd = false;
    uint16_t half[512];
    int8_t byte[512];
    float single[512];
    int32_t integer[512];
    for (uint64_t seed = 0; seed < 50; seed++) {
        testdata_fill(&halves, seed, half);
        testdata_fill(&bytes, seed, byte);
        testdata_fill(&floats, seed, single);
        testdata_fill(&ints, seed, integer);
        for (size_t i = 0; i < 512; i++) {
            double value = element_to_double(AIC_FLOAT16, &half[i]);
            nan |= isnan(value);
            infinite |= isinf(value) != 0;
            subnormal |= value != 0 && fabs(value) < 0x1p-14;
            lowest |= byte[i] == -128;
            const double real = fabs((double)single[i]);
            largest |= real == 65504;
            overflows |= real >= 65520 && real < 65540;
            tie |= real < 600 && real - floor(real) == 0.5;
            minus_zero |= real == 0 && signbit(single[i]);
            limit |= integer[i] == INT32_MIN || integer[i] == INT32_MAX;
            odd |= integer[i] > 1 << 24 && (float)integer[i] != (double)integer[i]; /* converting it rounds */
        }
    }
    ck_assert(nan && infinite && subnormal && lowest);
    ck_assert(largest && overflows && tie && minus_zero && limit && odd);
    uint16_t again[512];
    testdata_fill(&halves, 49, again);
    ck_assert_mem_eq(again, half, sizeof half);
}
END_TEST

START_TEST(fills_are_exact_or_refused)
{
    const aic_operand bytes = {.name = "x", .dtype = AIC_INT8, .elements = 3, .bytes = 3};
    const aic_operand floats = {.name = "x", .dtype = AIC_FLOAT16, .elements = 2, .bytes = 4};
    static const char *const wrong_bytes[] = {"const:128", "const:-129", "const:1.5", "const:", "const:x",
                                              "random:",   "random:-1",  "ones",      "",       "random:1x"};
    int8_t byte[3];
    uint16_t half[2];
    ck_assert_int_eq(fill_operand(&bytes, "const:-128", byte), CLI_DONE);
    ck_assert_int_eq(byte[2], -128);
    ck_assert_int_eq(fill_operand(&bytes, "const:0x7f", byte), CLI_DONE);
    ck_assert_int_eq(byte[0], 127);
    ck_assert_int_eq(fill_operand(&floats, "const:0.1", half), CLI_DONE);
    ck_assert_uint_eq(half[1], 0x2E66);
    for (size_t i = 0; i < sizeof wrong_bytes / sizeof wrong_bytes[0]; i++) {
        cli_fail_clear();
        ck_assert_int_eq(fill_operand(&bytes, wrong_bytes[i], byte), CLI_WRONG);
        ck_assert_int_eq(byte[0], 127);
    }
    cli_fail_clear();
    ck_assert_int_eq(fill_operand(&floats, "const:65520", half), CLI_WRONG);
    ck_assert_int_eq(fill_operand(&floats, "const:inf", half), CLI_DONE);
    ck_assert_uint_eq(half[0], 0x7C00);
    const aic_operand bfloats = {.name = "x", .dtype = AIC_BFLOAT16, .elements = 2, .bytes = 4};
    ck_assert_int_eq(fill_operand(&bfloats, "const:0.1", half), CLI_DONE);
    ck_assert_uint_eq(half[1], 0x3DCD);
    ck_assert_int_eq(fill_operand(&bfloats, "random:7", half), CLI_DONE);
    ck_assert(fabs(element_to_double(AIC_BFLOAT16, half)) <= 1);
}
END_TEST

/* ---- time ---- */

static void count_call(void *argument)
{
    (*(uint64_t *)argument)++;
}

START_TEST(timing_is_ordered)
{
    uint64_t calls = 0;
    timer_result time = timer_measure(count_call, &calls, 0.01, NULL);
    ck_assert(time.min_ns > 0 && time.min_ns <= time.median_ns && time.median_ns <= time.p90_ns);
    ck_assert_uint_gt(time.calls, 0);
    ck_assert_uint_gt(calls, time.calls);
    ck_assert(time.low_ns >= time.min_ns && time.low_ns <= time.median_ns && time.median_ns <= time.high_ns);
    ck_assert_uint_ge(time.samples, 5);
}
END_TEST

static void work_for(void *argument)
{
    for (uint64_t i = 0; i < *(const uint64_t *)argument; i++) {
        __asm__ volatile("" : : "r"(i)); /* so that the loop is not thought away */
    }
}

static bool at_once(void)
{
    return true;
}

/* In a race each is measured as often as the others, and what works eight times as much takes longer. */
START_TEST(races_are_fair)
{
    uint64_t work[] = {1000, 8000};
    timer_entrant entrant[] = {{.body = work_for, .argument = &work[0]}, {.body = work_for, .argument = &work[1]}};
    timer_race(entrant, 2, TIMER_PROCESSOR, 0.02, NULL);
    ck_assert_uint_eq(entrant[0].result.samples, entrant[1].result.samples);
    ck_assert(entrant[0].result.median_ns * 2 < entrant[1].result.median_ns);
    timer_race(entrant, 2, TIMER_WALL, 3600, at_once);
    ck_assert_uint_eq(entrant[0].result.samples, 1);
    ck_assert_uint_eq(entrant[1].result.samples, 0);
}
END_TEST

/* A unit that the host lacks has no limit. What is measured is the processor's, whatever level the library is told that
 * it has (tests/claims.h). */
START_TEST(units_have_limits_where_the_host_has_them)
{
    const bool dot = aic_isa_check("avx512vnni") == AIC_OK, claimed = getenv("AIC_CLAIM_LEVEL") != NULL;
    const bool tiles = aic_isa_check("amx") == AIC_OK && !aic_isa_emulated("amx");
    ck_assert(aic_peak_dot(512) > 0 ? dot || claimed : !dot);
    ck_assert_int_eq(aic_peak_dot(128) > 0, false);
    ck_assert_int_eq(aic_peak_tiles_i8() > 0, tiles);
    ck_assert_int_eq(aic_peak_tiles_bf16() > 0, tiles);
    ck_assert(aic_peak_pairs(512) > 0 ? aic_isa_check("sse2") == AIC_OK || claimed : aic_isa_check("sse2") != AIC_OK);
}
END_TEST

/* Limits of the machine: sane, and narrower vectors are no faster. Nothing is asserted to some per cent. */
START_TEST(peaks_are_measured)
{
    ck_assert(aic_peak_fma_f64_of(128) > 0 && aic_peak_fma_f64() > 0);
    ck_assert(aic_peak_fma_f32_of(128) > 0 && aic_peak_fma_f32() > 0);
    ck_assert(aic_peak_vector_operations(512) > 0);
    ck_assert(aic_peak_copy_of(0) > 0 && aic_peak_copy_of(4096) > 0);
    ck_assert(aic_peak_pass_of(0, 4096) > 0 && aic_peak_pass_of(1 << 16, 1 << 20) > 0);
}
END_TEST

Suite *suite_harness(void)
{
    Suite *suite = suite_create("harness");
    TCase *parts = tcase_create("parts");
    tcase_add_test(parts, halves_round_trip);
    tcase_add_test(parts, halves_round_to_even);
    tcase_add_test(parts, bfloats_round_trip);
    tcase_add_test(parts, bfloats_round_to_even);
    tcase_add_test(parts, elements_as_text);
    tcase_add_test(parts, elements_are_compared_by_bits);
    tcase_add_test(parts, guards_stand_next_to_the_data);
    tcase_add_test(parts, slack_is_watched);
    tcase_add_test(parts, an_access_outside_traps);
    tcase_add_test(parts, a_write_to_an_input_traps);
    tcase_add_test(parts, too_much_memory_is_refused);
    tcase_add_test(parts, test_data_has_corners);
    tcase_add_test(parts, fills_are_exact_or_refused);
    tcase_add_test(parts, timing_is_ordered);
    tcase_add_test(parts, races_are_fair);
    tcase_add_test(parts, peaks_are_measured);
    tcase_add_test(parts, units_have_limits_where_the_host_has_them);
    suite_add_tcase(suite, parts);
    return suite;
}
