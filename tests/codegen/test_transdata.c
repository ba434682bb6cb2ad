/* transdata: its rules, the index of single elements worked out by hand, round trips between every two layouts. */
#include "frontend/core/op.h"
#include "frontend/layout/layout.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_transdata(void);

#define COUNT(rows) (int)(sizeof(rows) / sizeof(rows)[0])

/* ---- rules ---- */

#define MATRIX "transdata(dtype=half, src=ND, dst=Nz, shape=[20,40])"
#define FEATURES "transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[1,64,56,56])"
#define WEIGHTS "transdata(dtype=float, src=HWIO, dst=FRACTAL_Z, shape=[3,3,20,18])"
#define MOVED "int8, uint8, int16, uint16, int32, uint32, float16, bfloat16 or float32"

static const rule_case cases[] = {
    {MATRIX, NULL, 0, NULL},
    {MATRIX, "dtype", AIC_UINT64, "transdata: dtype: uint64 is not " MOVED},
    {MATRIX, "dtype", AIC_DTYPE_NONE, "transdata: dtype: none is not " MOVED},
    {MATRIX, "dtype", AIC_BFLOAT16, NULL},
    {MATRIX, "src", AIC_LAYOUT_NN, NULL},
    {MATRIX, "src", AIC_LAYOUT_NZ, NULL},
    {MATRIX, "src", AIC_LAYOUT_4N,
     "transdata: src: 4N is not ND, Nz, Zz, Zn, Nn, NCHW, NHWC, NC1HWC0, OIHW, HWIO, FRACTAL_Z or 2N"},
    {MATRIX, "src", 99,
     "transdata: src: value 99 is not ND, Nz, Zz, Zn, Nn, NCHW, NHWC, NC1HWC0, OIHW, HWIO, FRACTAL_Z or 2N"},
    {MATRIX, "dst", AIC_LAYOUT_NCHW, "transdata: dst: NCHW is not ND, Nz, Zz, Zn or Nn"},
    {MATRIX, "dst", UINT32_MAX, "transdata: dst: value -1 is not ND, Nz, Zz, Zn or Nn"},
    {MATRIX, "src", AIC_LAYOUT_OIHW, "transdata: dst: Nz is not OIHW, HWIO or FRACTAL_Z"},
    {MATRIX, "shape", 1, NULL},
    {MATRIX, "shape", INT32_MAX, NULL},
    {MATRIX, "shape", 0, "transdata: shape: R of [R,C] is missing or 0, legal is 1..2147483647"},
    {MATRIX, "shape", -5, "transdata: shape: R = -5 of [R,C] is outside 1..2147483647"},
    {MATRIX, "shape", INT64_C(1) << 31, "transdata: shape: R = 2147483648 of [R,C] is outside 1..2147483647"},
    {"transdata(dtype=half, src=ND, dst=Nz, shape=[20])", NULL, 0,
     "transdata: shape: C of [R,C] is missing or 0, legal is 1..2147483647"},
    {"transdata(dtype=half, src=ND, dst=Nz, shape=[20,40,1])", NULL, 0,
     "transdata: shape: entry 3 = 1 is one too many for [R,C]"},
    {"transdata(dtype=half, src=ND, dst=Nz, shape=[20,40,1,7])", NULL, 0,
     "transdata: shape: entry 3 = 1 is one too many for [R,C]"},

    {FEATURES, NULL, 0, NULL},
    {FEATURES, "dst", AIC_LAYOUT_4N, NULL},
    {FEATURES, "dst", AIC_LAYOUT_NCHW, NULL},
    {FEATURES, "dst", AIC_LAYOUT_2N, "transdata: dst: 2N is not NCHW, NHWC, NC1HWC0 or 4N"},
    {FEATURES, "dst", AIC_LAYOUT_FRACTAL_Z, "transdata: dst: FRACTAL_Z is not NCHW, NHWC, NC1HWC0 or 4N"},
    {FEATURES, "src", AIC_LAYOUT_4N, "transdata: dst: NC1HWC0 is not NCHW or 4N"},
    {"transdata(dtype=int16, src=2N, dst=NCHW, shape=[3,2,2,2])", NULL, 0, NULL},
    {"transdata(dtype=int32, src=NCHW, dst=2N, shape=[3,2,2,2])", NULL, 0,
     "transdata: dst: 2N is not NCHW, NHWC or NC1HWC0"},
    {"transdata(dtype=half, src=NHWC, dst=NC1HWC0, shape=[1,56,56])", NULL, 0,
     "transdata: shape: C of [N,H,W,C] is missing or 0, legal is 1..2147483647"},

    {WEIGHTS, NULL, 0, NULL},
    {WEIGHTS, "src", AIC_LAYOUT_OIHW, NULL},
    {WEIGHTS, "dst", AIC_LAYOUT_OIHW, NULL},
    {WEIGHTS, "shape", 0, "transdata: shape: H of [H,W,I,O] is missing or 0, legal is 1..2147483647"},

    /* 2^63 - 1 bytes at most, in either layout */
    {"transdata(dtype=int8, src=NCHW, dst=NHWC, shape=[2147483647,2147483647,2,1])", NULL, 0, NULL},
    {"transdata(dtype=int8, src=NCHW, dst=NHWC, shape=[2147483647,2147483647,3,1])", NULL, 0,
     "transdata: shape: in NCHW it has more than 9223372036854775806 bytes"},
    {"transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[2147483647,1,2147483647,2])", NULL, 0,
     "transdata: shape: in NC1HWC0 it has more than 9223372036854775806 bytes"},
    {"transdata(dtype=int8, src=NC1HWC0, dst=NCHW, shape=[2147483647,1,2147483647,2])", NULL, 0,
     "transdata: shape: in NC1HWC0 it has more than 9223372036854775806 bytes"},
    {"transdata(dtype=float, src=ND, dst=Nz, shape=[2147483647,2147483647])", NULL, 0,
     "transdata: shape: in ND it has more than 9223372036854775806 bytes"},
    {"transdata(dtype=half, src=ND, dst=Nz, shape=[2147483647,2147483647])", NULL, 0,
     "transdata: shape: in Nz it has more than 9223372036854775806 bytes"},
};

START_TEST(every_row)
{
    rule_case_check(&cases[_i]);
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words(MATRIX);
}
END_TEST

START_TEST(random_is_legal_and_wide)
{
    int pairs[AIC_LAYOUT_2N + 1][AIC_LAYOUT_2N + 1] = {{0}};
    int types[AIC_FLOAT32 + 1] = {0};
    rule_check_random(AIC_OP_TRANSDATA, 0, 2000000);
    for (uint64_t seed = 0; seed < 5000; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_TRANSDATA, NULL, seed, &spec), AIC_OK);
        const aic_transdata_desc *d = &spec.stage[0].desc.transdata;
        pairs[d->src][d->dst]++;
        types[d->dtype]++;
    }
    for (aic_layout src = 0; src <= AIC_LAYOUT_2N; src++) {
        for (aic_layout dst = 0; dst <= AIC_LAYOUT_2N; dst++) {
            ck_assert_msg((pairs[src][dst] > 0) == aic_layout_pair(src, dst), "layouts %u, %u: %d times", (unsigned)src,
                          (unsigned)dst, pairs[src][dst]);
        }
    }
    for (aic_dtype type = AIC_INT8; type <= AIC_FLOAT32; type++) {
        ck_assert_int_gt(types[type], 300);
    }
}
END_TEST

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "dtype: ",
        "src: 2N",
        "src: 4N",
        "src: value ",
        "dst: value ",
        "dst: 2N",
        "dst: 4N",
        "dst: NC1HWC0",
        "dst: Nz",
        "dst: FRACTAL_Z",
        "dst: ND",
        "dst: NCHW",
        "dst: NHWC",
        "dst: OIHW",
        "dst: HWIO",
        "dst: Zz",
        "dst: Zn",
        "dst: Nn",
        "shape: R = ",
        "shape: C = ",
        "shape: N = ",
        "shape: H = ",
        "shape: W = ",
        "shape: O = ",
        "shape: I = ",
        "shape: entry",
        "shape: in NC",
        "shape: in NH",
        "shape: in FRACTAL_",
        "shape: in OI",
        "shape: in HW",
        "shape: in 2N",
    };
    rule_check_random_illegal(AIC_OP_TRANSDATA, rules, sizeof rules / sizeof rules[0]);
}
END_TEST

/* ---- operands ---- */

/* Shape of the operand in layout `dst`. */
typedef struct shape_row {
    const char *text;
    aic_direction direction;
    int32_t rank;
    int64_t shape[AIC_RANK_MAX];
} shape_row;

static const shape_row shapes[] = {
    {"transdata(dtype=half, src=Nz, dst=ND, shape=[20,40])", AIC_DIRECTION_OUT, 2, {20, 40}},
    {"transdata(dtype=half, src=ND, dst=Nz, shape=[20,40])", AIC_DIRECTION_OUT, 4, {3, 2, 16, 16}},
    {"transdata(dtype=int8, src=ND, dst=Nz, shape=[20,40])", AIC_DIRECTION_OUT, 4, {2, 2, 16, 32}},
    {"transdata(dtype=float, src=Nn, dst=Nz, shape=[20,40])", AIC_DIRECTION_OUT, 4, {5, 2, 16, 8}},
    {"transdata(dtype=half, src=ND, dst=Zz, shape=[20,40])", AIC_DIRECTION_OUT, 4, {2, 3, 16, 16}},
    {"transdata(dtype=int8, src=Nz, dst=Zn, shape=[70,40])", AIC_DIRECTION_OUT, 4, {3, 3, 16, 32}},
    {"transdata(dtype=int32, src=ND, dst=Nn, shape=[70,40])", AIC_DIRECTION_OUT, 4, {3, 9, 16, 8}},
    {"transdata(dtype=half, src=NHWC, dst=NCHW, shape=[2,3,5,20])", AIC_DIRECTION_OUT, 4, {2, 20, 3, 5}},
    {"transdata(dtype=half, src=NCHW, dst=NHWC, shape=[2,20,3,5])", AIC_DIRECTION_OUT, 4, {2, 3, 5, 20}},
    {"transdata(dtype=half, src=NC1HWC0, dst=NHWC, shape=[2,3,5,20])", AIC_DIRECTION_OUT, 4, {2, 3, 5, 20}},
    {"transdata(dtype=half, src=NHWC, dst=NC1HWC0, shape=[2,3,5,20])", AIC_DIRECTION_OUT, 5, {2, 2, 3, 5, 16}},
    {"transdata(dtype=half, src=NC1HWC0, dst=NC1HWC0, shape=[2,20,3,5])", AIC_DIRECTION_OUT, 5, {2, 2, 3, 5, 16}},
    {"transdata(dtype=half, src=FRACTAL_Z, dst=OIHW, shape=[18,20,3,5])", AIC_DIRECTION_OUT, 4, {18, 20, 3, 5}},
    {"transdata(dtype=half, src=OIHW, dst=HWIO, shape=[18,20,3,5])", AIC_DIRECTION_OUT, 4, {3, 5, 20, 18}},
    {"transdata(dtype=int8, src=HWIO, dst=FRACTAL_Z, shape=[3,5,40,18])", AIC_DIRECTION_OUT, 5, {2, 3, 5, 32, 32}},
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[6,3,1,2])", AIC_DIRECTION_INOUT, 5, {2, 3, 1, 2, 4}},
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[8,3,1,2])", AIC_DIRECTION_OUT, 5, {2, 3, 1, 2, 4}},
    {"transdata(dtype=half, src=NCHW, dst=2N, shape=[7,3,1,2])", AIC_DIRECTION_INOUT, 5, {4, 3, 1, 2, 2}},
    {"transdata(dtype=half, src=2N, dst=NCHW, shape=[7,3,1,2])", AIC_DIRECTION_OUT, 4, {7, 3, 1, 2}},
};

START_TEST(operands)
{
    const shape_row *row = &shapes[_i];
    const aic_spec spec = spec_of(row->text);
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(operand[0].name, "dst");
    ck_assert_str_eq(operand[1].name, "src");
    ck_assert_int_eq(operand[0].direction, row->direction);
    ck_assert_int_eq(operand[1].direction, AIC_DIRECTION_IN);
    ck_assert_int_eq(operand[0].rank, row->rank);
    ck_assert_mem_eq(operand[0].shape, row->shape, (size_t)row->rank * sizeof row->shape[0]);
}
END_TEST

/* ---- the reference ---- */

enum { BYTES_MAX = 1 << 16 };

static uint32_t element(const unsigned char *data, size_t size, int64_t cell)
{
    uint32_t value = 0;
    memcpy(&value, data + (size_t)cell * size, size);
    return value;
}

/* One element, by hand: where it is in either layout. */
typedef struct index_row {
    const char *text;
    int64_t src, dst;
} index_row;

static const index_row indices[] = {
    /* row 17, column 20 of 20 x 40: fractals of 16 x 16, 2 x 3 of them; block row 1, column 1, in it (1,4) */
    {"transdata(dtype=half, src=ND, dst=Nz, shape=[20,40])", 700, ((1 * 2 + 1) * 16 + 1) * 16 + 4},
    {"transdata(dtype=half, src=ND, dst=Zz, shape=[20,40])", 700, ((1 * 3 + 1) * 16 + 1) * 16 + 4},
    {"transdata(dtype=half, src=ND, dst=Zn, shape=[20,40])", 700, ((1 * 3 + 1) * 16 + 4) * 16 + 1},
    {"transdata(dtype=half, src=ND, dst=Nn, shape=[20,40])", 700, ((1 * 2 + 1) * 16 + 4) * 16 + 1},
    {"transdata(dtype=half, src=Nn, dst=Zz, shape=[20,40])", 833, 1044},
    /* row 33, column 50 of 40 x 70 bytes: fractals of 16 x 32, and of 32 x 16 */
    {"transdata(dtype=int8, src=ND, dst=Nz, shape=[40,70])", 2360, ((1 * 3 + 2) * 16 + 1) * 32 + 18},
    {"transdata(dtype=int8, src=ND, dst=Zz, shape=[40,70])", 2360, ((2 * 3 + 1) * 16 + 1) * 32 + 18},
    {"transdata(dtype=int8, src=ND, dst=Zn, shape=[40,70])", 2360, ((1 * 5 + 3) * 16 + 2) * 32 + 1},
    {"transdata(dtype=int8, src=ND, dst=Nn, shape=[40,70])", 2360, ((3 * 2 + 1) * 16 + 2) * 32 + 1},
    /* row 17, column 9 of 18 x 20 floats: fractals of 16 x 8, and of 8 x 16 */
    {"transdata(dtype=float, src=ND, dst=Nz, shape=[18,20])", 349, ((1 * 2 + 1) * 16 + 1) * 8 + 1},
    {"transdata(dtype=float, src=ND, dst=Zz, shape=[18,20])", 349, ((1 * 3 + 1) * 16 + 1) * 8 + 1},
    {"transdata(dtype=float, src=ND, dst=Zn, shape=[18,20])", 349, ((2 * 2 + 0) * 16 + 9) * 8 + 1},
    {"transdata(dtype=float, src=ND, dst=Nn, shape=[18,20])", 349, ((0 * 3 + 2) * 16 + 9) * 8 + 1},
    /* (n,c,h,w) = (1,17,2,4) of 2, 20, 3, 5 */
    {"transdata(dtype=half, src=NCHW, dst=NHWC, shape=[2,20,3,5])", 569, 597},
    {"transdata(dtype=half, src=NCHW, dst=NC1HWC0, shape=[2,20,3,5])", 569, (((1 * 2 + 1) * 3 + 2) * 5 + 4) * 16 + 1},
    {"transdata(dtype=half, src=NHWC, dst=NC1HWC0, shape=[2,3,5,20])", 597, (((1 * 2 + 1) * 3 + 2) * 5 + 4) * 16 + 1},
    {"transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[2,3,5,20])", 597, (((1 * 1 + 0) * 3 + 2) * 5 + 4) * 32 + 17},
    /* (o,i,h,w) = (17,16,2,1) of 18, 20, 3, 2 */
    {"transdata(dtype=half, src=OIHW, dst=FRACTAL_Z, shape=[18,20,3,2])", 2141, (((1 * 3 + 2) * 2 + 1) * 32 + 17) * 16},
    {"transdata(dtype=half, src=HWIO, dst=FRACTAL_Z, shape=[3,2,20,18])", 2105, (((1 * 3 + 2) * 2 + 1) * 32 + 17) * 16},
    {"transdata(dtype=half, src=OIHW, dst=HWIO, shape=[18,20,3,2])", 2141, 2105},
    /* (5,2,0,1) of 6, 3, 1, 2, the example of data layouts, section 7; (2,1,0,1) of 3, 2, 2, 2 */
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[6,3,1,2])", 35, 4 * (1 * 6 + 2 * 2 + 1) + 1},
    {"transdata(dtype=int16, src=NCHW, dst=2N, shape=[3,2,2,2])", 21, 2 * (1 * 8 + 1 * 4 + 1) + 0},
};

/* Only this element is not 0, on the way there and back. */
START_TEST(indices_by_hand)
{
    const index_row *row = &indices[_i];
    static unsigned char from[BYTES_MAX], to[BYTES_MAX];
    aic_spec spec = spec_of(row->text);
    aic_transdata_desc *desc = &spec.stage[0].desc.transdata;
    const size_t size = aic_dtype_size(desc->dtype);
    memset(from + row->src * (int64_t)size, 0x5A, size);
    run_reference(&spec, NULL, (void *[]){to, from}, 2);
    for (int64_t cell = 0; cell < BYTES_MAX / (int64_t)size; cell++) {
        ck_assert_msg((element(to, size, cell) != 0) == (cell == row->dst), "cell %" PRId64, cell);
    }
    const char *letters = aic_layout_shape_letters(desc->src, desc->dst);
    const aic_layout src = desc->src;
    memset(from, 0, sizeof from);
    desc->src = desc->dst;
    desc->dst = src;
    if (strcmp(aic_layout_shape_letters(desc->src, desc->dst), letters) == 0) {
        run_reference(&spec, NULL, (void *[]){from, to}, 2);
        for (int64_t cell = 0; cell < BYTES_MAX / (int64_t)size; cell++) {
            ck_assert_msg((element(from, size, cell) != 0) == (cell == row->src), "cell %" PRId64, cell);
        }
    }
}
END_TEST

/* A descriptor from `src` to `dst` of a tensor of these sizes in its own order ([N,C,H,W], ...). */
static aic_spec spec_between(aic_dtype dtype, aic_layout src, aic_layout dst, const int64_t *sizes)
{
    aic_transdata_desc desc = aic_transdata_desc_init();
    const char *letters = aic_layout_shape_letters(src, dst), *tensor = aic_layout_get(src)->tensor;
    desc.dtype = dtype;
    desc.src = src;
    desc.dst = dst;
    for (size_t i = 0; letters[i] != '\0'; i++) {
        desc.shape[i] = sizes[strchr(tensor, letters[i]) - tensor];
    }
    return aic_spec_of(AIC_OP_TRANSDATA, &desc);
}

/* The layout without blocks that a tensor comes from. */
static aic_layout plain_of(aic_layout layout)
{
    const char *tensor = aic_layout_get(layout)->tensor;
    return tensor[0] == 'R' ? AIC_LAYOUT_ND : tensor[0] == 'N' ? AIC_LAYOUT_NCHW : AIC_LAYOUT_OIHW;
}

static int64_t cells_of_dst(const aic_spec *spec)
{
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_operands(spec, NULL, operand, &count), AIC_OK);
    ck_assert_int_le(operand[0].bytes, BYTES_MAX);
    return operand[0].elements;
}

/* src to dst and back: nothing is lost, and what holds no element is 0, or in words what it was. */
static void round_trip(aic_dtype dtype, aic_layout src, aic_layout dst, const int64_t *sizes, int64_t elements)
{
    static unsigned char plain[BYTES_MAX], first[BYTES_MAX], second[BYTES_MAX], again[BYTES_MAX];
    const size_t size = aic_dtype_size(dtype);
    for (size_t i = 0; i < (size_t)elements * size; i++) {
        plain[i] = (unsigned char)(1 + i * 7 % 251);
    }
    const aic_spec load = spec_between(dtype, plain_of(src), src, sizes);
    const aic_spec there = spec_between(dtype, src, dst, sizes);
    const aic_spec back = spec_between(dtype, dst, src, sizes);
    const bool words = aic_layout_get(dst)->word_bytes != 0;
    memset(first, 0, sizeof first);
    memset(again, 0, sizeof again);
    memset(second, words ? 0 : 0xA5, sizeof second);
    run_reference(&load, NULL, (void *[]){first, plain}, 2);
    run_reference(&there, NULL, (void *[]){second, first}, 2);
    run_reference(&back, NULL, (void *[]){again, second}, 2);
    ck_assert_mem_eq(first, again, (size_t)cells_of_dst(&load) * size);
    int64_t held = 0;
    for (int64_t cell = 0; cell < cells_of_dst(&there); cell++) {
        held += element(second, size, cell) != 0;
    }
    ck_assert_int_eq(held, elements);
    ck_assert_uint_eq(element(second, size, cells_of_dst(&there)), words ? 0 : UINT32_C(0xA5A5A5A5) >> (32 - 8 * size));
}

START_TEST(round_trips)
{
    static const aic_dtype types[] = {AIC_UINT8, AIC_BFLOAT16, AIC_FLOAT32};
    static const int64_t matrices[][2] = {{1, 1}, {33, 49}, {16, 32}, {50, 7}};
    static const int64_t features[][4] = {{1, 1, 1, 1}, {3, 33, 2, 5}, {4, 16, 3, 1}, {6, 9, 1, 7}};
    const aic_dtype dtype = types[_i];
    int pairs = 0;
    for (aic_layout src = AIC_LAYOUT_ND; src <= AIC_LAYOUT_2N; src++) {
        for (aic_layout dst = AIC_LAYOUT_ND; dst <= AIC_LAYOUT_2N; dst++) {
            const bool legal =
                aic_layout_takes(src, dtype) && aic_layout_takes(dst, dtype) && aic_layout_pair(src, dst);
            pairs += legal;
            for (int n = 0; legal && n < 4; n++) {
                const int64_t *m = matrices[n], *f = features[n];
                const bool matrix = plain_of(src) == AIC_LAYOUT_ND;
                round_trip(dtype, src, dst, matrix ? m : f, matrix ? m[0] * m[1] : f[0] * f[1] * f[2] * f[3]);
            }
        }
    }
    /* 25 of matrices, 9 of feature maps, 9 of weights, with the words there, back and to themselves */
    ck_assert_int_eq(pairs, dtype == AIC_FLOAT32 ? 43 : 46);
}
END_TEST

/* Six batches in words of four: the upper halves of the second words are nobody's. */
START_TEST(words_keep_what_they_do_not_hold)
{
    unsigned char from[6 * 5], to[2 * 5 * 4];
    const aic_spec spec = spec_of("transdata(dtype=uint8, src=NCHW, dst=4N, shape=[6,5,1,1])");
    for (size_t i = 0; i < sizeof from; i++) {
        from[i] = (unsigned char)i;
    }
    memset(to, 0xA5, sizeof to);
    run_reference(&spec, NULL, (void *[]){to, from}, 2);
    for (size_t n = 0; n < 8; n++) {
        for (size_t c = 0; c < 5; c++) {
            ck_assert_uint_eq(to[(n / 4 * 5 + c) * 4 + n % 4], n < 6 ? n * 5 + c : 0xA5);
        }
    }
}
END_TEST

Suite *suite_transdata(void)
{
    Suite *suite = suite_create("transdata");
    TCase *tcase = tcase_create("transdata");
    tcase_add_loop_test(tcase, every_row, 0, COUNT(cases));
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal_and_wide);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_add_loop_test(tcase, operands, 0, COUNT(shapes));
    tcase_add_loop_test(tcase, indices_by_hand, 0, COUNT(indices));
    tcase_add_loop_test(tcase, round_trips, 0, 3);
    tcase_add_test(tcase, words_keep_what_they_do_not_hold);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
