/* nd2nz, load_data, load_data_transpose: their rules, and their references on data that say where they come from. */
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <check.h>
#include <string.h>

Suite *suite_fractals(void);

/* ---- rules ---- */

#define ND2NZ "nd2nz(dtype=half, nValue=8, dValue=40, srcDValue=40, dstNzC0Stride=8)"
#define LOAD "load_data(dtype=half, repeatTimes=4, srcStride=1)"
#define TRANSPOSE "load_data_transpose(dtype=int8, repeatTimes=4, srcStride=1, dstGap=1)"
#define MOVED "int8, uint8, int16, uint16, int32, uint32, float16, bfloat16 or float32"

static const rule_case cases[] = {
    {ND2NZ, NULL, 0, NULL},
    {ND2NZ, "dtype", AIC_DTYPE_NONE, "nd2nz: dtype: none is not " MOVED},
    {ND2NZ, "dtype", AIC_UINT64, "nd2nz: dtype: uint64 is not " MOVED},
    {ND2NZ, "dtype", AIC_BFLOAT16, NULL},
    {ND2NZ, "dtype", AIC_INT8, NULL},
    {ND2NZ, "dtype", AIC_UINT32, NULL},
    {ND2NZ, "ndNum", 0, NULL},
    {ND2NZ, "ndNum", -1, "nd2nz: ndNum: -1 is outside 0..4095"},
    {ND2NZ, "ndNum", 4096, "nd2nz: ndNum: 4096 is outside 0..4095"},
    {ND2NZ, "nValue", 0, NULL},
    {ND2NZ, "nValue", 16385, "nd2nz: nValue: 16385 is outside 0..16384"},
    {ND2NZ, "dValue", 0, NULL},
    {ND2NZ, "dValue", 65535, NULL},
    {ND2NZ, "dValue", 65536, "nd2nz: dValue: 65536 is outside 0..65535"},
    {ND2NZ, "srcNdMatrixStride", 65535, NULL},
    {ND2NZ, "srcNdMatrixStride", 65536, "nd2nz: srcNdMatrixStride: 65536 is outside 0..65535"},
    {ND2NZ, "srcDValue", 1, NULL}, /* rows overlap when they are read */
    {ND2NZ, "srcDValue", 0, "nd2nz: srcDValue: 0 is outside 1..65535"},
    {ND2NZ, "srcDValue", 65536, "nd2nz: srcDValue: 65536 is outside 1..65535"},
    {ND2NZ, "dstNzC0Stride", 0, "nd2nz: dstNzC0Stride: 0 is outside 1..16384"},
    {ND2NZ, "dstNzC0Stride", 16384, NULL},
    {ND2NZ, "dstNzC0Stride", 16385, "nd2nz: dstNzC0Stride: 16385 is outside 1..16384"},
    {ND2NZ, "dstNzC0Stride", 7,
     "nd2nz: dstNzC0Stride: 7 lets column blocks of 8 rows, dstNzNStride = 1 apart, overlap: 8 is the least that keeps "
     "them clear"},
    {ND2NZ, "dstNzNStride", 0, "nd2nz: dstNzNStride: 0 is outside 1..16384"},
    {ND2NZ, "dstNzNStride", 16384, NULL}, /* column blocks between the rows */
    {ND2NZ, "dstNzNStride", 17, NULL},
    {ND2NZ, "dstNzNStride", 16,
     "nd2nz: dstNzC0Stride: 8 lets column blocks of 8 rows, dstNzNStride = 16 apart, overlap: 113 is the least that "
     "keeps them clear"},
    {ND2NZ, "dstNzNStride", 16385, "nd2nz: dstNzNStride: 16385 is outside 1..16384"},
    {ND2NZ, "dstNzMatrixStride", 16384, NULL},
    {ND2NZ, "dstNzMatrixStride", 16385, "nd2nz: dstNzMatrixStride: 16385 is outside 0..16384"},
    {ND2NZ, "ndNum", 2,
     "nd2nz: dstNzMatrixStride: 0 lets matrices overlap: 384 elements are the least that keeps them one after the "
     "other"},
    {"nd2nz(dtype=half, nValue=0, dValue=40, srcDValue=40, dstNzC0Stride=1, ndNum=2)", NULL, 0, NULL},
    {"nd2nz(dtype=half, nValue=8, dValue=16, srcDValue=40, dstNzC0Stride=1)", NULL, 0, NULL}, /* one block */
    {"nd2nz(dtype=half, nValue=1, dValue=40, srcDValue=40, dstNzC0Stride=1)", NULL, 0, NULL}, /* one row */

    {LOAD, NULL, 0, NULL},
    {LOAD, "dtype", 77, "load_data: dtype: value 77 is not " MOVED},
    {LOAD, "dtype", AIC_FLOAT32, NULL},
    {LOAD, "startIndex", 65535, NULL},
    {LOAD, "startIndex", 65536, "load_data: startIndex: 65536 is outside 0..65535"},
    {LOAD, "repeatTimes", 0, NULL},
    {LOAD, "repeatTimes", 255, NULL},
    {LOAD, "repeatTimes", 256, "load_data: repeatTimes: 256 is outside 0..255"},
    {LOAD, "srcStride", 0, NULL},
    {LOAD, "srcStride", 65536, "load_data: srcStride: 65536 is outside 0..65535"},
    {LOAD, "dstGap", 65535, NULL},
    {LOAD, "dstGap", -1, "load_data: dstGap: -1 is outside 0..65535"},
    {LOAD, "ifTranspose", 1, NULL},
    {LOAD, "ifTranspose", 3, "load_data: ifTranspose: value 3 is not true or false"},
    {"load_data(dtype=float, repeatTimes=4)", "ifTranspose", 1,
     "load_data: ifTranspose: true is for types of 2 bytes, not for float32"},
    {LOAD, "addrMode", 1, "load_data: addrMode: 1 is outside 0..0"},

    {TRANSPOSE, NULL, 0, NULL},
    {TRANSPOSE, "dtype", AIC_UINT64, "load_data_transpose: dtype: uint64 is not " MOVED},
    {TRANSPOSE, "dtype", AIC_UINT16, NULL},
    {TRANSPOSE, "startIndex", -1, "load_data_transpose: startIndex: -1 is outside 0..65535"},
    {TRANSPOSE, "repeatTimes", 256, "load_data_transpose: repeatTimes: 256 is outside 0..255"},
    {TRANSPOSE, "srcStride", INT64_MAX, "load_data_transpose: srcStride: 9223372036854775807 is outside 0..65535"},
    {TRANSPOSE, "dstGap", 65535, NULL},
    {TRANSPOSE, "dstGap", 65536, "load_data_transpose: dstGap: 65536 is outside 0..65535"},
    {TRANSPOSE, "dstGap", 0,
     "load_data_transpose: dstGap / dstFracGap: with 0 and 0, iterations 1 apart of 4 write the same fractal"},
    {TRANSPOSE, "dstFracGap", 65536, "load_data_transpose: dstFracGap: 65536 is outside 0..65535"},
    {TRANSPOSE, "dstFracGap", 2, NULL},
    {TRANSPOSE, "dstFracGap", 5,
     "load_data_transpose: dstGap / dstFracGap: with 1 and 5, iterations 3 apart of 4 write the same fractal"},
    {TRANSPOSE, "dstFracGap", 7, NULL}, /* behind the last */
    {TRANSPOSE, "addrMode", 1, "load_data_transpose: addrMode: 1 is outside 0..0"},
    {"load_data_transpose(dtype=half, repeatTimes=4)", NULL, 0, NULL}, /* one fractal: no second one to meet */
    {"load_data_transpose(dtype=float, repeatTimes=1)", NULL, 0, NULL},
    {"load_data_transpose(dtype=float, repeatTimes=2)", NULL, 0,
     "load_data_transpose: dstGap / dstFracGap: with 0 and 0, iterations 1 apart of 2 write the same fractal"},
};

START_TEST(every_row)
{
    rule_case_check(&cases[_i]);
}
END_TEST

static const rule_case nd2nz_order[] = {
    {ND2NZ, "dtype", AIC_INT8, "nd2nz: dtype: "},
    {ND2NZ, "ndNum", 2, "nd2nz: ndNum: "},
    {ND2NZ, "nValue", 4, "nd2nz: nValue: "},
    {ND2NZ, "dValue", 64, "nd2nz: dValue: "},
    {ND2NZ, "srcNdMatrixStride", 1, "nd2nz: srcNdMatrixStride: "},
    {ND2NZ, "srcDValue", 1, "nd2nz: srcDValue: "},
    {ND2NZ, "dstNzC0Stride", 3, "nd2nz: dstNzC0Stride: "},
    {ND2NZ, "dstNzNStride", 1, "nd2nz: dstNzNStride: "},
    {ND2NZ, "dstNzMatrixStride", 255, "nd2nz: dstNzMatrixStride: "},
    {ND2NZ, "dstNzC0Stride", 4, "nd2nz: dstNzC0Stride: 3 lets"},
    {ND2NZ, "dstNzMatrixStride", 256, "nd2nz: dstNzMatrixStride: 255 lets"},
};

static const rule_case load_order[] = {
    {LOAD, "dtype", AIC_INT8, "load_data: dtype: "},
    {LOAD, "startIndex", 0, "load_data: startIndex: "},
    {LOAD, "repeatTimes", 2, "load_data: repeatTimes: "},
    {LOAD, "srcStride", 0, "load_data: srcStride: "},
    {LOAD, "dstGap", 0, "load_data: dstGap: "},
    {LOAD, "ifTranspose", 1, "load_data: ifTranspose: value"},
    {LOAD, "ifTranspose", 0, "load_data: ifTranspose: true"},
    {LOAD, "addrMode", 0, "load_data: addrMode: "},
};

static const rule_case transpose_order[] = {
    {TRANSPOSE, "dtype", AIC_INT8, "load_data_transpose: dtype: "},
    {TRANSPOSE, "startIndex", 0, "load_data_transpose: startIndex: "},
    {TRANSPOSE, "repeatTimes", 2, "load_data_transpose: repeatTimes: "},
    {TRANSPOSE, "srcStride", 0, "load_data_transpose: srcStride: "},
    {TRANSPOSE, "dstGap", 0, "load_data_transpose: dstGap: "},
    {TRANSPOSE, "dstFracGap", 0, "load_data_transpose: dstFracGap: "},
    {TRANSPOSE, "addrMode", 0, "load_data_transpose: addrMode: "},
    {TRANSPOSE, "dstFracGap", 1, "load_data_transpose: dstGap / dstFracGap: "},
};

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

START_TEST(first_broken_rule_is_reported)
{
    rule_check_order(nd2nz_order, COUNT(nd2nz_order));
    rule_check_order(load_order, COUNT(load_order));
    rule_check_order(transpose_order, COUNT(transpose_order));
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words(ND2NZ);
    rule_check_any_words(LOAD);
    rule_check_any_words(TRANSPOSE);
}
END_TEST

START_TEST(random_is_legal)
{
    rule_check_random(AIC_OP_ND2NZ, 0, 10000000);
    rule_check_random(AIC_OP_LOAD_DATA, 0, 10000000);
    rule_check_random(AIC_OP_LOAD_DATA_TRANSPOSE, 0, 10000000);
}
END_TEST

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const nd2nz[] = {
        "dtype: ",     "ndNum: ",         "nValue: ",       "dValue: ",           "srcNdMatrixStride: ",
        "srcDValue: ", "dstNzC0Stride: ", "dstNzNStride: ", "dstNzMatrixStride: "};
    static const char *const load[] = {"dtype: ",  "startIndex: ",        "repeatTimes: ",      "srcStride: ",
                                       "dstGap: ", "ifTranspose: value ", "ifTranspose: true ", "addrMode: "};
    static const char *const transpose[] = {"dtype: ",  "startIndex: ", "repeatTimes: ", "srcStride: ",
                                            "dstGap: ", "dstFracGap: ", "addrMode: ",    "dstGap / dstFracGap: "};
    rule_check_random_illegal(AIC_OP_ND2NZ, nd2nz, COUNT(nd2nz));
    rule_check_random_illegal(AIC_OP_LOAD_DATA, load, COUNT(load));
    rule_check_random_illegal(AIC_OP_LOAD_DATA_TRANSPOSE, transpose, COUNT(transpose));
}
END_TEST

/* ---- references ---- */

enum { UNTOUCHED = 0x5555 };

/* Runs a specification on 2-byte elements that hold their own index + 1, into dst full of UNTOUCHED. */
static void run_numbers(const char *text, uint16_t *dst, size_t dst_elements, size_t src_elements)
{
    static uint16_t src[20000];
    const aic_spec spec = spec_of(text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(operand[0].name, "dst");
    ck_assert_str_eq(operand[1].name, "src");
    ck_assert_int_eq(operand[0].direction, AIC_DIRECTION_OUT);
    ck_assert_int_eq(operand[0].rank, 1);
    ck_assert_int_eq(operand[1].rank, 1);
    ck_assert_int_eq(operand[0].shape[0] * (int64_t)aic_dtype_size(operand[0].dtype), (int64_t)dst_elements * 2);
    ck_assert_int_eq(operand[1].shape[0] * (int64_t)aic_dtype_size(operand[1].dtype), (int64_t)src_elements * 2);
    for (size_t i = 0; i < sizeof src / sizeof src[0]; i++) {
        src[i] = (uint16_t)(i + 1);
    }
    for (size_t i = 0; i < dst_elements; i++) {
        dst[i] = UNTOUCHED;
    }
    void *operands[] = {dst, src};
    run_reference(&spec, NULL, operands, 2);
}

/* Two column blocks, the second of 4 columns; blocks five rows apart of which three are written. */
START_TEST(nd2nz_blocks_and_tail)
{
    uint16_t dst[2][5][16];
    run_numbers("nd2nz(dtype=half, nValue=3, dValue=20, srcDValue=25, dstNzC0Stride=5)", &dst[0][0][0], (5 + 3) * 16,
                2 * 25 + 20);
    for (int block = 0; block < 2; block++) {
        for (int r = 0; r < (block == 0 ? 5 : 3); r++) {
            for (int e = 0; e < 16; e++) {
                const int d = block * 16 + e;
                ck_assert_uint_eq(dst[block][r][e], r >= 3 ? UNTOUCHED : d < 20 ? r * 25 + d + 1 : 0);
            }
        }
    }
}
END_TEST

/* Rows outside, column blocks inside: the layout of the source, padded. */
START_TEST(nd2nz_rows_outside)
{
    uint16_t dst[3][4][16];
    run_numbers("nd2nz(dtype=int16, nValue=3, dValue=40, srcDValue=7, dstNzC0Stride=1, dstNzNStride=4)", &dst[0][0][0],
                (2 * 4 + 3) * 16, 2 * 7 + 40);
    for (int r = 0; r < 3; r++) {
        for (int d = 0; d < (r < 2 ? 64 : 48); d++) {
            ck_assert_uint_eq(dst[r][d / 16][d % 16], d < 40 ? r * 7 + d + 1 : d < 48 ? 0 : UNTOUCHED);
        }
    }
}
END_TEST

/* Two matrices: one after the other, and with their column blocks in turn. */
START_TEST(nd2nz_matrices)
{
    uint16_t apart[2][2][3][16], in_turn[2][2][3][16];
    run_numbers("nd2nz(dtype=half, ndNum=2, nValue=3, dValue=32, srcNdMatrixStride=100, srcDValue=32, dstNzC0Stride=3, "
                "dstNzMatrixStride=96)",
                &apart[0][0][0][0], 2 * 96, 100 + 96);
    run_numbers("nd2nz(dtype=half, ndNum=2, nValue=3, dValue=32, srcNdMatrixStride=100, srcDValue=32, dstNzC0Stride=6, "
                "dstNzMatrixStride=48)",
                &in_turn[0][0][0][0], 2 * 96, 100 + 96);
    for (int n = 0; n < 2 * 2 * 3 * 16; n++) {
        const int i = n / 96, block = n / 48 % 2, r = n / 16 % 3, e = n % 16;
        const int expected = i * 100 + r * 32 + block * 16 + e + 1;
        ck_assert_uint_eq(apart[i][block][r][e], expected);
        ck_assert_uint_eq(in_turn[block][i][r][e], expected);
    }
}
END_TEST

/* A row of 32 bytes is 32, 16 or 8 elements. */
START_TEST(nd2nz_of_other_sizes)
{
    uint8_t src[2 * 40], bytes[2][2][32];
    uint32_t source[2 * 11], words[2][2][8];
    for (uint32_t i = 0; i < 80; i++) {
        src[i] = (uint8_t)(i + 1);
        source[i % 22] = (i % 22 + 1) * 0x01010101;
    }
    const aic_spec of_bytes = spec_of("nd2nz(dtype=uint8, nValue=2, dValue=40, srcDValue=40, dstNzC0Stride=2)");
    const aic_spec of_words = spec_of("nd2nz(dtype=float, nValue=2, dValue=11, srcDValue=11, dstNzC0Stride=2)");
    run_reference(&of_bytes, NULL, (void *[]){bytes, src}, 2);
    run_reference(&of_words, NULL, (void *[]){words, source}, 2);
    for (int r = 0; r < 2; r++) {
        for (int d = 0; d < 64; d++) {
            ck_assert_uint_eq(bytes[d / 32][r][d % 32], d < 40 ? r * 40 + d + 1 : 0);
        }
        for (int d = 0; d < 16; d++) {
            ck_assert_uint_eq(words[d / 8][r][d % 8], d < 11 ? (uint32_t)(r * 11 + d + 1) * 0x01010101 : 0);
        }
    }
}
END_TEST

/* Whatever is legal writes no element twice. */
START_TEST(nd2nz_never_writes_twice)
{
    static const int64_t counts[] = {1, 2, 3}, strides[] = {1, 2, 3, 4, 5, 6, 8, 9, 12};
    int legal = 0, refused = 0;
    uint64_t state = claims_seed(4);
    for (int n = 0; n < 20000; n++) {
        aic_nd2nz_desc d = aic_nd2nz_desc_init();
        d.dtype = AIC_FLOAT32;
        d.ndNum = aic_rng_pick(&state, counts, 3);
        d.nValue = aic_rng_pick(&state, counts, 3);
        d.dValue = 8 * aic_rng_pick(&state, counts, 3);
        d.srcDValue = 1;
        d.dstNzC0Stride = aic_rng_pick(&state, strides, 9);
        d.dstNzNStride = aic_rng_pick(&state, strides, 9);
        d.dstNzMatrixStride = aic_rng_range(&state, 0, 100);
        const aic_spec spec = aic_spec_of(AIC_OP_ND2NZ, &d);
        unsigned char written[1000] = {0};
        int twice = 0;
        for (int64_t e = 0; e < d.ndNum * d.nValue * d.dValue; e++) {
            const int64_t i = e / (d.nValue * d.dValue), r = e / d.dValue % d.nValue, c = e % d.dValue;
            twice += written[i * d.dstNzMatrixStride + (c / 8 * d.dstNzC0Stride + r * d.dstNzNStride) * 8 + c % 8]++;
        }
        const bool accepted = aic_spec_validate(&spec, NULL) == AIC_OK;
        ck_assert(!accepted || twice == 0);
        legal += accepted;
        refused += twice > 0;
    }
    ck_assert_int_gt(legal, 1000);
    ck_assert_int_gt(refused, 1000);
}
END_TEST

START_TEST(load_data_copies_fractals)
{
    static uint16_t dst[5][16][16];
    run_numbers("load_data(dtype=half, startIndex=2, repeatTimes=3, srcStride=3, dstGap=1)", &dst[0][0][0], 5 * 256,
                (2 + 6 + 1) * 256);
    for (int f = 0; f < 5; f++) {
        for (int e = 0; e < 256; e++) {
            ck_assert_uint_eq(dst[f][e / 16][e % 16], f % 2 == 0 ? (2 + f / 2 * 3) * 256 + e + 1 : UNTOUCHED);
        }
    }
    run_numbers("load_data(dtype=float, startIndex=2, repeatTimes=3, srcStride=3, dstGap=1)", &dst[0][0][0], 5 * 256,
                (2 + 6 + 1) * 256);
    ck_assert_uint_eq(dst[2][7][9], 5 * 256 + 7 * 16 + 9 + 1); /* a fractal is 512 bytes of any type */
}
END_TEST

START_TEST(load_data_transposes_fractals)
{
    static uint16_t dst[2][16][16];
    run_numbers("load_data(dtype=bfloat16, startIndex=1, repeatTimes=2, srcStride=0, ifTranspose=true)", &dst[0][0][0],
                2 * 256, 2 * 256);
    for (int f = 0; f < 2; f++) {
        for (int r = 0; r < 16; r++) {
            for (int c = 0; c < 16; c++) {
                ck_assert_uint_eq(dst[f][r][c], 256 + c * 16 + r + 1);
            }
        }
    }
}
END_TEST

START_TEST(load_data_transpose_of_2_bytes)
{
    static uint16_t dst[3][16][16];
    run_numbers("load_data_transpose(dtype=half, startIndex=1, repeatTimes=2, srcStride=2, dstGap=1, dstFracGap=9)",
                &dst[0][0][0], 3 * 256, 4 * 256);
    for (int n = 0; n < 3 * 256; n++) {
        const int f = n / 256, r = n / 16 % 16, c = n % 16;
        ck_assert_uint_eq(dst[f][r][c], f == 1 ? UNTOUCHED : (1 + f) * 256 + c * 16 + r + 1);
    }
}
END_TEST

/* A square of bytes: 32 x 32 in two fractals, the second below the first. */
START_TEST(load_data_transpose_of_1_byte)
{
    static uint8_t src[3][32][32], dst[6][16][32];
    for (int n = 0; n < 3 * 32 * 32; n++) {
        src[n / 1024][n / 32 % 32][n % 32] = (uint8_t)((n * 7 + n / 256) % 251);
    }
    memset(dst, 0x55, sizeof dst);
    const aic_spec spec =
        spec_of("load_data_transpose(dtype=int8, startIndex=1, repeatTimes=2, srcStride=1, dstGap=0, dstFracGap=3)");
    run_reference(&spec, NULL, (void *[]){dst, src}, 2); /* fractals 0 and 4, then 1 and 5 */
    for (int n = 0; n < 6 * 512; n++) {
        const int f = n / 512, r = n / 32 % 16, c = n % 32;
        const int square = f % 4, row = f / 4 * 16 + r;
        ck_assert_uint_eq(dst[f][r][c], square < 2 ? src[1 + square][c][row] : 0x55);
    }
}
END_TEST

/* A square of words: 16 x 16 in two fractals, the second to the right of the first. */
START_TEST(load_data_transpose_of_4_bytes)
{
    static uint32_t src[2][2][16][8], dst[5][16][8];
    for (uint32_t n = 0; n < 2 * 256; n++) {
        src[n / 256][n / 128 % 2][n / 8 % 16][n % 8] = n + 1;
    }
    memset(dst, 0x55, sizeof dst);
    const aic_spec spec = spec_of("load_data_transpose(dtype=float, repeatTimes=2, srcStride=1, dstGap=2)");
    run_reference(&spec, NULL, (void *[]){dst, src}, 2); /* fractals 0 and 1, then 3 and 4 */
    for (int n = 0; n < 5 * 128; n++) {
        const int f = n / 128, r = n / 8 % 16, column = f % 3 * 8 + n % 8;
        const uint32_t expected = f % 3 == 2 ? 0x55555555 : src[f / 3][r / 8][column][r % 8];
        ck_assert_uint_eq(dst[f][r][n % 8], expected);
    }
}
END_TEST

START_TEST(nothing_to_do)
{
    static const char *const texts[] = {
        "nd2nz(dtype=half, ndNum=0, nValue=8, dValue=8, srcDValue=8, dstNzC0Stride=8)",
        "nd2nz(dtype=half, nValue=0, dValue=8, srcDValue=8, dstNzC0Stride=8)",
        "nd2nz(dtype=half, nValue=8, dValue=0, srcDValue=8, dstNzC0Stride=8)",
        "load_data(dtype=half, repeatTimes=0, startIndex=9)",
        "load_data_transpose(dtype=int8, repeatTimes=0, startIndex=9, dstFracGap=9)",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint16_t dst[1];
        run_numbers(texts[i], dst, 0, 0);
    }
}
END_TEST

Suite *suite_fractals(void)
{
    Suite *suite = suite_create("fractals");
    TCase *tcase = tcase_create("fractals");
    tcase_add_loop_test(tcase, every_row, 0, (int)COUNT(cases));
    tcase_add_test(tcase, first_broken_rule_is_reported);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_add_test(tcase, nd2nz_blocks_and_tail);
    tcase_add_test(tcase, nd2nz_rows_outside);
    tcase_add_test(tcase, nd2nz_matrices);
    tcase_add_test(tcase, nd2nz_of_other_sizes);
    tcase_add_test(tcase, nd2nz_never_writes_twice);
    tcase_add_test(tcase, load_data_copies_fractals);
    tcase_add_test(tcase, load_data_transposes_fractals);
    tcase_add_test(tcase, load_data_transpose_of_2_bytes);
    tcase_add_test(tcase, load_data_transpose_of_1_byte);
    tcase_add_test(tcase, load_data_transpose_of_4_bytes);
    tcase_add_test(tcase, nothing_to_do);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
