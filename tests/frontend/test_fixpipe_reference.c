/* fixpipe's reference: the document's worked examples, its layouts element by element, special values in both overflow
 * modes, and what a call's data may not hold. */
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_fixpipe_reference(void);

#define SCALE_1 UINT64_C(0x3F800000)
#define SIGNED (UINT64_C(1) << 46)
#define OFFSET(value) ((uint64_t)((value) & 0x1FF) << 37)
#define SHIFT(count) ((uint64_t)((count) - 1) << 32 | UINT64_C(1) << 36)

/* One row of `columns` elements through the scalar form; the text has a mode and types. */
static void run_row(const char *keys, int columns, uint64_t word, aic_overflow overflow, void *dst, const void *src)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.overflow = overflow;
    aic_spec spec = spec_of(keys);
    spec.stage[0].desc.fixpipe.nSize = columns;
    spec.stage[0].desc.fixpipe.mSize = 1;
    spec.stage[0].desc.fixpipe.srcStride = 1;
    spec.stage[0].desc.fixpipe.dstStride = columns;
    spec.stage[0].desc.fixpipe.deqScalar = word;
    void *operands[] = {dst, (void *)(uintptr_t)src, NULL};
    run_reference(&spec, &semantics, operands, 3);
}

/* ---- quantisation: E3, E4, E5 ---- */

START_TEST(scale_has_19_bits)
{
    const int32_t x[] = {1000, -1000};
    uint16_t half[2];
    run_row("fixpipe(src=int32, dst=half, quantPre=DEQF16)", 2, 0x3E99999A, AIC_OVERFLOW_SATURATE, half, x);
    ck_assert_uint_eq(half[0], 0x5CAF);
    ck_assert_uint_eq(half[1], 0xDCAF);
    /* Offset, sign, shift and the bits above belong to the modes of 8 bits. */
    run_row("fixpipe(src=int32, dst=half, quantPre=DEQF16)", 2, UINT64_C(0xFFFFFFFF3E99999A), AIC_OVERFLOW_SATURATE,
            half, x);
    ck_assert_uint_eq(half[0], 0x5CAF);
}
END_TEST

START_TEST(bytes)
{
    static const int32_t x[] = {5, 7, -5, -7, 300, -300, 1000};
    enum { COLUMNS = sizeof x / sizeof x[0] };
    static const struct {
        const char *keys;
        uint64_t word;
        int expected[COLUMNS];
    } rows[] = {
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8)", 0x40003F000000, {2, 4, -2, -4, 127, -128, 127}},
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8)", 0x7FA03F000000, {-1, 1, -5, -7, 127, -128, 127}},
        {"fixpipe(src=int32, dst=uint8, quantPre=REQ8)", 0x1403F000000, {12, 14, 8, 6, 160, 0, 255}},
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8, reluEn=true)", 0x7FA03F000000, {-1, 1, -3, -3, 127, -3, 127}},
        /* The range is that of bit 46, whatever the type of dst. */
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8)", 0x3F000000, {2, 4, 0, 0, (int8_t)150, 0, -1}},
        {"fixpipe(src=int32, dst=uint8, quantPre=REQ8)", 0x40003F000000, {2, 4, 254, 252, 127, 128, 127}},
        /* Clamped to 9 bits before the offset: 255 - 200. */
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8)",
         SCALE_1 | SIGNED | OFFSET(-200),
         {-128, -128, -128, -128, 55, -128, 55}},
        {"fixpipe(src=int32, dst=uint8, quantPre=REQ8)", SCALE_1 | OFFSET(-256), {0, 0, 0, 0, 0, 0, 0}},
        {"fixpipe(src=int32, dst=uint8, quantPre=REQ8)", SCALE_1 | OFFSET(255), {255, 255, 250, 248, 255, 0, 255}},
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8)", UINT64_C(0xBF000000) | SIGNED, {-2, -4, 2, 4, -128, 127, -128}},
        {"fixpipe(src=int32, dst=int8, quantPre=REQ8)",
         UINT64_C(0x80000000) | SIGNED | OFFSET(9),
         {9, 9, 9, 9, 9, 9, 9}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        unsigned char dst[COLUMNS];
        run_row(rows[r].keys, COLUMNS, rows[r].word, AIC_OVERFLOW_SATURATE, dst, x);
        for (int i = 0; i < COLUMNS; i++) {
            ck_assert_msg(dst[i] == (unsigned char)rows[r].expected[i], "row %zu, %d: %d", r, x[i], dst[i]);
        }
    }
}
END_TEST

/* MCB: an arithmetic shift, int16, and only for REQ8. */
START_TEST(shifted_first)
{
    static const struct {
        uint64_t word;
        int32_t x;
        int8_t expected;
    } rows[] = {
        {0x40133E800000, 1000, 16}, /* E5 */
        {0x40133E800000, -1000, -16},
        {0x40133E800000, -1, 0},
        {SCALE_1 | SIGNED | SHIFT(1), 15, 7},
        {SCALE_1 | SIGNED | SHIFT(1), -15, -8},
        {SCALE_1 | SIGNED | SHIFT(16), INT32_MAX, 127},
        {SCALE_1 | SIGNED | SHIFT(16), -65536 * 3 - 1, -4},
        {UINT64_C(0x3B000000) | SIGNED | SHIFT(1), INT32_MAX, 64}, /* 32767 / 512 */
        {UINT64_C(0x3B000000) | SIGNED | SHIFT(1), INT32_MIN, -64},
        {SCALE_1 | SIGNED | UINT64_C(0xF00000000), 100, 100}, /* a count without MCB */
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int8_t dst = 99;
        run_row("fixpipe(src=int32, dst=int8, quantPre=REQ8)", 1, rows[r].word, AIC_OVERFLOW_SATURATE, &dst,
                &rows[r].x);
        ck_assert_msg(dst == rows[r].expected, "row %zu: %d", r, dst);
    }
    const float x = 100;
    int8_t dst = 99;
    run_row("fixpipe(src=float, dst=int8, quantPre=QF322B8_PRE)", 1, SCALE_1 | SIGNED | SHIFT(4), AIC_OVERFLOW_SATURATE,
            &dst, &x);
    ck_assert_int_eq(dst, 100);
}
END_TEST

START_TEST(bytes_from_floats)
{
    static const float x[] = {2.5F,  3.5F,       -2.5F,       1e30F, -1e30F, (float)INFINITY, -(float)INFINITY, NAN,
                              -0.0F, 1.4999999F, 254.999985F, 0.5F,  -0.5F};
    enum { COLUMNS = sizeof x / sizeof x[0] };
    static const struct {
        const char *keys;
        uint64_t word;
        int expected[COLUMNS];
    } rows[] = {
        {"fixpipe(src=float, dst=int8, quantPre=QF322B8_PRE)",
         SCALE_1 | SIGNED,
         {2, 4, -2, 127, -128, 127, -128, 0, 0, 1, 127, 0, 0}},
        {"fixpipe(src=float, dst=uint8, quantPre=QF322B8_PRE)",
         SCALE_1 | OFFSET(-5),
         {0, 0, 0, 250, 0, 250, 0, 0, 0, 0, 250, 0, 0}},
        {"fixpipe(src=float, dst=int8, quantPre=QF322B8_PRE)",
         SCALE_1 | SIGNED | OFFSET(7),
         {9, 11, 5, 127, -128, 127, -128, 7, 7, 8, 127, 7, 7}},
        {"fixpipe(src=float, dst=int8, quantPre=QF322B8_PRE, reluEn=true)",
         SCALE_1 | SIGNED | OFFSET(7),
         {9, 11, 7, 127, 7, 127, 7, 7, 7, 8, 127, 7, 7}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        unsigned char dst[COLUMNS];
        run_row(rows[r].keys, COLUMNS, rows[r].word, AIC_OVERFLOW_IEEE, dst, x); /* bytes always saturate */
        for (int i = 0; i < COLUMNS; i++) {
            ck_assert_msg(dst[i] == (unsigned char)rows[r].expected[i], "row %zu, column %d: %d", r, i, dst[i]);
        }
    }
}
END_TEST

/* ---- conversions: E6, section 6.4 ---- */

#define IS_NAN 0x7FFF /* any NaN */

typedef struct conversion {
    uint32_t x; /* bits */
    uint16_t saturate, ieee;
} conversion;

static void check_conversions(const char *keys, uint64_t word, uint16_t infinity, const conversion *rows, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        const bool ieee = i >= count;
        const conversion *row = &rows[i % count];
        const uint16_t expected = ieee ? row->ieee : row->saturate;
        uint16_t result = 0x1234;
        run_row(keys, 1, word, ieee ? AIC_OVERFLOW_IEEE : AIC_OVERFLOW_SATURATE, &result, &row->x);
        const bool same = expected == IS_NAN ? (result & 0x7FFF) > infinity : result == expected;
        ck_assert_msg(same, "%s: %08x gives %04x, not %04x", keys, row->x, result, expected);
    }
}

START_TEST(to_float16)
{
    static const conversion plain[] = {
        {0x3F801000, 0x3C00, 0x3C00},                               /* 1.00048828125: tie */
        {0x3F803000, 0x3C02, 0x3C02},                               /* 1.00146484375: tie */
        {0x477FEF00, 0x7BFF, 0x7BFF},                               /* 65519 */
        {0x477FF000, 0x7BFF, 0x7C00},                               /* 65520 */
        {0xC77FF000, 0xFBFF, 0xFC00}, {0x7F800000, 0x7BFF, 0x7C00}, /* infinity */
        {0xFF800000, 0xFBFF, 0xFC00}, {0x7FC00000, 0x0000, IS_NAN}, {0xFF800001, 0x0000, IS_NAN},
        {0x80000000, 0x8000, 0x8000}, {0x33800000, 0x0001, 0x0001}, /* the least subnormal */
        {0x33000000, 0x0000, 0x0000},                               /* half of it: tie */
        {0xB3000001, 0x8001, 0x8001}, {0x387FC000, 0x03FF, 0x03FF}, /* the largest subnormal */
    };
    static const conversion relu[] = {
        {0x80000000, 0x0000, 0x0000}, {0xBF800000, 0x0000, 0x0000}, {0xFF800000, 0x0000, 0x0000},
        {0x7FC00000, 0x0000, IS_NAN}, {0x3F800000, 0x3C00, 0x3C00},
    };
    check_conversions("fixpipe(src=float, dst=half, quantPre=F322F16)", 0, 0x7C00, plain,
                      sizeof plain / sizeof plain[0]);
    check_conversions("fixpipe(src=float, dst=half, quantPre=F322F16, reluEn=true)", 0, 0x7C00, relu,
                      sizeof relu / sizeof relu[0]);
}
END_TEST

START_TEST(to_bfloat16)
{
    static const conversion rows[] = {
        {0x3F808000, 0x3F80, 0x3F80}, /* 1.00390625: tie */
        {0x3F818000, 0x3F82, 0x3F82}, /* 1.01171875: tie */
        {0x7F7FC99E, 0x7F7F, 0x7F80}, /* 3.4e38 */
        {0xFF7FC99E, 0xFF7F, 0xFF80}, {0x7F7F7FFF, 0x7F7F, 0x7F7F}, {0x7F800000, 0x7F7F, 0x7F80},
        {0xFF800000, 0xFF7F, 0xFF80}, {0xFFC00000, 0x0000, IS_NAN}, {0x7F800001, 0x0000, IS_NAN},
        {0x80000000, 0x8000, 0x8000}, {0x00010000, 0x0001, 0x0001},
    };
    check_conversions("fixpipe(src=float, dst=bfloat16, quantPre=F322BF16)", 0, 0x7F80, rows,
                      sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(scaled_to_float16)
{
    static const conversion by_one[] = {
        {65519, 0x7BFF, 0x7BFF}, {65520, 0x7BFF, 0x7C00}, {(uint32_t)-65520, 0xFBFF, 0xFC00},
        {2049, 0x6800, 0x6800}, /* tie */
        {2051, 0x6802, 0x6802},  {0, 0x0000, 0x0000},
    };
    static const conversion by_minus_huge[] = {
        /* -2^127: float32 overflows first */
        {4, 0xFBFF, 0xFC00},
        {(uint32_t)-4, 0x7BFF, 0x7C00},
        {0, 0x8000, 0x8000}, /* +0 times a negative scale */
    };
    /* Two roundings: 16777217 becomes 2^24, then 2^24 * 2^-24 * (1 + 2^-10) is exact. */
    static const conversion twice[] = {{16777217, 0x3C01, 0x3C01}, {(uint32_t)-16777217, 0xBC01, 0xBC01}};
    const char *keys = "fixpipe(src=int32, dst=half, quantPre=DEQF16)";
    check_conversions(keys, SCALE_1, 0x7C00, by_one, sizeof by_one / sizeof by_one[0]);
    check_conversions(keys, 0xFF000000, 0x7C00, by_minus_huge, sizeof by_minus_huge / sizeof by_minus_huge[0]);
    check_conversions(keys, 0x33802000, 0x7C00, twice, sizeof twice / sizeof twice[0]);
    static const conversion relu[] = {{(uint32_t)-4, 0x8000, 0x8000}}; /* +0 times a negative scale, again */
    check_conversions("fixpipe(src=int32, dst=half, quantPre=DEQF16, reluEn=true)", 0xFF000000, 0x7C00, relu, 1);
}
END_TEST

/* NoQuant moves bits, whatever they are and whatever the overflow mode. */
START_TEST(moves)
{
    static const uint32_t x[] = {0x7F800001, 0xFFFFFFFF, 0x7F800000, 0xFF800000, 0x80000000, 1, 0x80000001, 0x3F800000};
    static const uint32_t cut[] = {0x7F800001, 0xFFFFFFFF, 0x7F800000, 0, 0, 1, 0, 0x3F800000};
    static const uint32_t cut_int32[] = {0x7F800001, 0, 0x7F800000, 0, 0, 1, 0, 0x3F800000};
    uint32_t dst[8];
    for (int overflow = 0; overflow < 2; overflow++) {
        run_row("fixpipe(src=float, dst=float)", 8, 0, (aic_overflow)overflow, dst, x);
        ck_assert_mem_eq(dst, x, sizeof x);
        run_row("fixpipe(src=float, dst=float, reluEn=true)", 8, 0, (aic_overflow)overflow, dst, x);
        ck_assert_mem_eq(dst, cut, sizeof x);
        run_row("fixpipe(src=int32, dst=int32)", 8, 0, (aic_overflow)overflow, dst, x);
        ck_assert_mem_eq(dst, x, sizeof x);
        run_row("fixpipe(src=int32, dst=int32, reluEn=true)", 8, 0, (aic_overflow)overflow, dst, x);
        ck_assert_mem_eq(dst, cut_int32, sizeof x);
    }
}
END_TEST

/* ---- layouts ---- */

enum { PATTERN = 0xEE, OPERAND_BYTES = 4096 };

/* Runs a specification of int32 or float32 moves, or of REQ8 with the scale 1, on src[i] = i + 1 (as int32 bits) over a
 * patterned dst, which the caller frees. */
static unsigned char *run_pattern(const char *text)
{
    static int32_t src[OPERAND_BYTES];
    const aic_spec spec = spec_of(text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    for (int i = 0; i < OPERAND_BYTES; i++) {
        src[i] = i + 1;
    }
    ck_assert_msg(aic_spec_operands(&spec, NULL, operand, &count) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_le(operand[0].bytes, OPERAND_BYTES);
    ck_assert_int_le(operand[1].elements, OPERAND_BYTES);
    unsigned char *dst = malloc(OPERAND_BYTES);
    ck_assert_ptr_nonnull(dst);
    memset(dst, PATTERN, OPERAND_BYTES);
    void *operands[] = {dst, src, NULL};
    run_reference(&spec, NULL, operands, 3);
    return dst;
}

/* Asserts that byte offsets hold elements of `size` bytes, and that nothing but `elements` of them was written. */
typedef struct written {
    int byte;
    int32_t value; /* 1 + element of src */
} written;

static void check_elements(const char *text, size_t size, size_t elements, const written *expected, size_t count)
{
    unsigned char *dst = run_pattern(text);
    size_t untouched = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t value = 0;
        memcpy(&value, dst + expected[i].byte, size);
        ck_assert_msg(value == expected[i].value, "%s: byte %d holds %d, not %d", text, expected[i].byte, value,
                      expected[i].value);
    }
    for (size_t i = 0; i < OPERAND_BYTES; i += size) {
        static const unsigned char pattern[] = {PATTERN, PATTERN, PATTERN, PATTERN};
        untouched += memcmp(dst + i, pattern, size) == 0;
    }
    ck_assert_uint_eq(OPERAND_BYTES / size - untouched, elements);
    free(dst);
}

#define CHECK_ELEMENTS(text, size, elements, ...)                                                                      \
    check_elements(text, size, elements, (const written[]){__VA_ARGS__},                                               \
                   sizeof((const written[]){__VA_ARGS__}) / sizeof(written))

START_TEST(rows_of_a_matrix)
{
    /* 17 columns: the second block has one; rows 20 apart; blocks of src 5 rows apart. */
    CHECK_ELEMENTS("fixpipe(src=int32, dst=int32, nSize=17, mSize=3, srcStride=5, dstStride=20)", 4, 51, {0, 1},
                   {15 * 4, 16}, {16 * 4, 81}, {20 * 4, 17}, {(20 + 16) * 4, 97}, {(40 + 16) * 4, 113});
    /* srcStride 0: every block is the first. */
    CHECK_ELEMENTS("fixpipe(src=int32, dst=int32, nSize=40, mSize=2, srcStride=0, dstStride=40)", 4, 80, {0, 1},
                   {16 * 4, 1}, {39 * 4, 8}, {(40 + 33) * 4, 18});
}
END_TEST

START_TEST(several_matrices) /* E7 */
{
#define TWO "fixpipe(src=float, dst=float, ndNum=2, mSize=16, nSize=16, srcStride=16, srcNdStride=1, "
    CHECK_ELEMENTS(TWO "dstStride=16, dstNdStride=256)", 4, 512, {0, 1}, {255 * 4, 256}, {256 * 4, 257},
                   {511 * 4, 512});
    CHECK_ELEMENTS(TWO "dstStride=32, dstNdStride=16)", 4, 512, {0, 1}, {15 * 4, 16}, {16 * 4, 257}, {32 * 4, 17},
                   {(15 * 32 + 15) * 4, 256}, {(32 * 15 + 31) * 4, 512});
    CHECK_ELEMENTS(
        "fixpipe(src=int32, dst=int32, ndNum=3, mSize=2, nSize=2, srcNdStride=2, dstStride=3, dstNdStride=7)", 4, 12,
        {0, 1}, {4, 2}, {12, 17}, {28, 513}, {(14 + 3 + 1) * 4, 1024 + 16 + 2});
}
END_TEST

START_TEST(column_blocks)
{
    /* ndNum has no effect here. */
    CHECK_ELEMENTS("fixpipe(src=int32, dst=int32, format=NZ, ndNum=9, srcNdStride=1, nSize=32, mSize=3, srcStride=16, "
                   "dstStride=7)",
                   4, 96, {0, 1}, {(2 * 16 + 15) * 4, 48}, {7 * 32, 257}, {7 * 32 + (16 + 1) * 4, 256 + 18});
    CHECK_ELEMENTS("fixpipe(src=float, dst=float, format=NZ, isChannelSplit=true, nSize=16, mSize=16, srcStride=16, "
                   "dstStride=16)",
                   4, 256, {580, 2 * 16 + 9 + 1}, {0, 1}, {7 * 4, 8}, {512, 9}, {8 * 4, 17});
    CHECK_ELEMENTS("fixpipe(src=float, dst=float, format=NZ, isChannelSplit=true, nSize=24, mSize=2, srcStride=4, "
                   "dstStride=3)",
                   4, 48, {96, 9}, {192, 65}, {192 + 8 * 4, 81});
}
END_TEST

/* int8: two blocks of src make one of dst; an odd last one stays 16 wide. */
START_TEST(merged_blocks)
{
#define BYTES "fixpipe(src=int32, dst=uint8, quantPre=REQ8, deqScalar=0x3F800000, format=NZ, srcStride=2, mSize=2, "
    CHECK_ELEMENTS(BYTES "nSize=48, dstStride=3)", 1, 96, {0, 1}, {15, 16}, {16, 33}, {31, 48}, {32, 17}, {63, 64},
                   {96, 65}, {96 + 15, 80}, {96 + 16, 81}, {96 + 31, 96});
    CHECK_ELEMENTS(BYTES "nSize=64, dstStride=2)", 1, 128, {64, 65}, {64 + 16, 97}, {64 + 32, 81}, {64 + 63, 128});
    CHECK_ELEMENTS(BYTES "nSize=16, dstStride=1)", 1, 32, {0, 1}, {16, 17}, {31, 32});
}
END_TEST

/* ---- the data of a call ---- */

START_TEST(words_by_column)
{
    enum { ROWS = 2, COLUMNS = 3 };
    const aic_spec spec = spec_of("fixpipe(src=int32, dst=half, quantPre=VDEQF16, nSize=3, mSize=2, srcStride=2, "
                                  "dstStride=3, deqScalar=0x7F800000)");
    int32_t src[ROWS * 16] = {[0] = 3, [1] = 3, [2] = 3, [16] = -5, [17] = -5, [18] = -5};
    uint64_t words[COLUMNS] = {0x3F800000, 0x40000000, 0xBF000000}; /* 1, 2, -0.5 */
    static const double expected[] = {3, 6, -1.5, -5, -10, 2.5};
    uint16_t dst[ROWS * COLUMNS];
    void *operands[] = {dst, src, words};
    run_reference(&spec, NULL, operands, 3);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        ck_assert_uint_eq(dst[i], aic_half_from_double(expected[i]));
    }
}
END_TEST

START_TEST(illegal_words_are_refused)
{
    static const struct {
        uint64_t word;
        const char *message;
    } rows[] = {
        {0x7F800000, "fixpipe: cbufWorkspace: the scale of column 17, 0x7f800000, is infinite, not a normal float32 or "
                     "zero"},
        {0x40FFFFFFFFFF, "fixpipe: cbufWorkspace: the scale of column 17, 0x40ffffffffff, is NaN, not a normal float32 "
                         "or zero"},
        {0x80002000,
         "fixpipe: cbufWorkspace: the scale of column 17, 0x80002000, is subnormal, not a normal float32 or zero"},
    };
    static const char *const modes[] = {"src=int32, dst=half, quantPre=VDEQF16", "src=int32, dst=int8, quantPre=VREQ8",
                                        "src=float, dst=int8, quantPre=VQF322B8_PRE"};
    for (size_t i = 0; i < 9; i++) {
        char text[256];
        uint32_t src[32] = {0};
        uint64_t words[19] = {[17] = rows[i / 3].word, [18] = 0x7F800000}; /* column 18 is not used */
        unsigned char dst[36];
        void *operands[] = {dst, src, words};
        snprintf(text, sizeof text, "fixpipe(%s, nSize=18, mSize=1, srcStride=1, dstStride=18)", modes[i % 3]);
        const aic_spec spec = spec_of(text);
        memset(dst, PATTERN, sizeof dst);
        ck_assert_int_eq(aic_reference(&spec, NULL, operands, 3), AIC_INVALID_ARGUMENT);
        check_error(rows[i / 3].message);
        for (size_t k = 0; k < sizeof dst; k++) {
            ck_assert_uint_eq(dst[k], PATTERN);
        }
        words[17] = 0x80001FFF; /* -0 */
        run_reference(&spec, NULL, operands, 3);
    }
}
END_TEST

START_TEST(words_go_with_vector_modes)
{
    int32_t src[16] = {0};
    uint64_t words[1] = {SCALE_1};
    uint16_t dst[1] = {0x1234};
    void *with[] = {dst, src, words}, *without[] = {dst, src, NULL};
    const aic_spec vector = spec_of("fixpipe(src=int32, dst=half, quantPre=VDEQF16, nSize=1, mSize=1, dstStride=1)");
    ck_assert_int_eq(aic_reference(&vector, NULL, without, 3), AIC_INVALID_ARGUMENT);
    check_error("fixpipe: cbufWorkspace: is NULL"); /* E8 */
    const aic_spec scalar = spec_of("fixpipe(src=int32, dst=half, quantPre=DEQF16, nSize=1, mSize=1, dstStride=1)");
    ck_assert_int_eq(aic_reference(&scalar, NULL, with, 3), AIC_INVALID_ARGUMENT);
    check_error("fixpipe: cbufWorkspace: is given, but this descriptor takes none");
    ck_assert_uint_eq(dst[0], 0x1234);
}
END_TEST

START_TEST(no_matrices)
{
    static const char *const formats[] = {"ROW_MAJOR", "NZ"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        int32_t src[16] = {1, 2, 3}, dst[16] = {7};
        void *operands[] = {dst, src, NULL};
        snprintf(text, sizeof text,
                 "fixpipe(src=int32, dst=int32, ndNum=0, format=%s, nSize=16, mSize=1, dstStride=16)", formats[i]);
        const aic_spec spec = spec_of(text);
        check_rules(&spec, NULL);
        ck_assert_ptr_null(aic_take_warning()); /* the descriptor alone is no call */
        run_reference(&spec, NULL, operands, 3);
        ck_assert_str_eq(aic_take_warning(), "fixpipe: ndNum: 0 matrices: nothing is read or written");
        ck_assert_ptr_null(aic_take_warning());
        ck_assert_int_eq(dst[0], 7);
        ck_assert_int_eq(dst[1], 0);
    }
    int32_t src[16] = {1};
    int8_t out[32];
    void *blocks[] = {out, src, NULL};
    const aic_spec filled = spec_of("fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(1,0,int8), ndNum=0, "
                                    "format=NZ, nSize=16, mSize=1, dstStride=1, fill_block=true)");
    memset(out, 5, sizeof out);
    run_reference(&filled, NULL, blocks, 3);
    for (size_t i = 0; i < sizeof out; i++) { /* what would be filled neither */
        ck_assert_int_eq(out[i], 5);
    }
    (void)aic_take_warning();
    /* Illegal words come before the warning. */
    const aic_spec spec = spec_of("fixpipe(src=int32, dst=half, quantPre=VDEQF16, ndNum=0, nSize=1, mSize=1, "
                                  "dstStride=1)");
    uint16_t dst = 0;
    uint64_t word = 0x7F800000;
    void *operands[] = {&dst, src, &word};
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 3), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(aic_take_warning());
}
END_TEST

/* ---- fusion ---- */

/* A chain gives what its two operators give one after the other. */
START_TEST(chain_equals_stages)
{
    enum { M = 33, N = 40, ROWS = 48, BLOCKS = 3, K = 5 };
    static const char *const consumers[] = {
        "fixpipe(src=int32, dst=half, quantPre=VDEQF16, nSize=40, mSize=33, srcStride=48, dstStride=40)",
        ("fixpipe(src=int32, dst=uint8, quantPre=VREQ8, nSize=40, mSize=17, srcStride=48, ndNum=2, srcNdStride=1, "
         "dstStride=80, dstNdStride=40, reluEn=true)"),
        "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=32, mSize=33, srcStride=48, dstStride=40)",
    };
    const aic_spec mmad = spec_of("mmad(dtype=int8, m=33, n=40, k=5, c_format=Nz)");
    int8_t a[M * K], b[K * N];
    uint64_t words[N];
    static int32_t c[BLOCKS * ROWS * 16];
    unsigned char staged[OPERAND_BYTES], fused[OPERAND_BYTES];
    for (int i = 0; i < M * K; i++) {
        a[i] = (int8_t)(i * 37);
    }
    for (int i = 0; i < K * N; i++) {
        b[i] = (int8_t)(i * 101);
    }
    for (int n = 0; n < N; n++) {
        words[n] = (UINT64_C(0x3C000000) + (uint64_t)n * 0x2000) | SIGNED * (n % 2) | OFFSET(n - 20);
    }
    for (size_t i = 0; i < sizeof consumers / sizeof consumers[0]; i++) {
        const aic_spec fixpipe = spec_of(consumers[i]), chain = aic_spec_fuse(&mmad, &fixpipe);
        memset(staged, PATTERN, sizeof staged);
        memset(fused, PATTERN, sizeof fused);
        run_reference(&mmad, NULL, (void *[]){c, a, b}, 3);
        run_reference(&fixpipe, NULL, (void *[]){staged, c, words}, 3);
        run_reference(&chain, NULL, (void *[]){fused, a, b, words}, 4);
        ck_assert_mem_eq(fused, staged, sizeof staged);
        const uint64_t legal = words[3];
        words[3] |= 0x7F800000; /* infinite or NaN */
        ck_assert_int_eq(aic_reference(&chain, NULL, (void *[]){fused, a, b, words}, 4), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "cbufWorkspace: the scale of column 3"));
        ck_assert_mem_eq(fused, staged, sizeof staged);
        words[3] = legal;
    }
}
END_TEST

Suite *suite_fixpipe_reference(void)
{
    Suite *suite = suite_create("fixpipe_reference");
    TCase *tcase = tcase_create("fixpipe_reference");
    tcase_add_test(tcase, scale_has_19_bits);
    tcase_add_test(tcase, bytes);
    tcase_add_test(tcase, shifted_first);
    tcase_add_test(tcase, bytes_from_floats);
    tcase_add_test(tcase, to_float16);
    tcase_add_test(tcase, to_bfloat16);
    tcase_add_test(tcase, scaled_to_float16);
    tcase_add_test(tcase, moves);
    tcase_add_test(tcase, rows_of_a_matrix);
    tcase_add_test(tcase, several_matrices);
    tcase_add_test(tcase, column_blocks);
    tcase_add_test(tcase, merged_blocks);
    tcase_add_test(tcase, words_by_column);
    tcase_add_test(tcase, illegal_words_are_refused);
    tcase_add_test(tcase, words_go_with_vector_modes);
    tcase_add_test(tcase, no_matrices);
    tcase_add_test(tcase, chain_equals_stages);
    suite_add_tcase(suite, tcase);
    return suite;
}
