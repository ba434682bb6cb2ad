/* mmad's reference: layouts, block arithmetic, overflow, and what must stay as it is; and the exact sums behind
 * accumulate=fast. */
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "frontend/random/rng.h"
#include "frontend/reference/exact_sum.h"
#include "tests/claims.h"
#include "tests/specs.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *suite_mmad_reference(void);

static void run(const char *text, const aic_semantics *semantics, void *c, const void *a, const void *b)
{
    const aic_spec spec = spec_of(text);
    void *operands[] = {c, (void *)(uintptr_t)a, (void *)(uintptr_t)b};
    run_reference(&spec, semantics, operands, 3);
}

static const aic_semantics *ieee_overflow(void)
{
    static aic_semantics semantics;
    semantics = aic_semantics_init();
    semantics.overflow = AIC_OVERFLOW_IEEE;
    return &semantics;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- int8 ---- */

START_TEST(int8_by_hand)
{
    static const int8_t a[2][3] = {{1, 2, 3}, {-4, 5, -128}};
    static const int8_t b[3][2] = {{7, -1}, {0, 127}, {-128, 2}};
    int32_t c[2][2] = {{100, 200}, {300, 400}};
    run("mmad(dtype=int8, m=2, n=2, k=3)", NULL, c, a, b);
    ck_assert_int_eq(c[0][0], 7 - 384);
    ck_assert_int_eq(c[0][1], -1 + 254 + 6);
    ck_assert_int_eq(c[1][0], -28 + 16384);
    ck_assert_int_eq(c[1][1], 4 + 635 - 256);
    run("mmad(dtype=int8, m=2, n=2, k=3, init_c=false)", NULL, c, a, b);
    ck_assert_int_eq(c[0][0], 2 * (7 - 384));
    ck_assert_int_eq(c[1][1], 2 * (4 + 635 - 256));
}
END_TEST

/* Clamped once, at the end: sums may leave int32 on the way and come back. */
START_TEST(int8_is_clamped_once)
{
    static const int8_t a[] = {127, -128};
    static const int8_t b[2][3] = {{127, -128, 127}, {127, 0, -128}};
    int32_t c[] = {INT32_MAX, INT32_MIN, INT32_MAX};
    run("mmad(dtype=int8, m=1, n=3, k=2, init_c=false)", NULL, c, a, b);
    ck_assert_int_eq(c[0], INT32_MAX - 127);
    ck_assert_int_eq(c[1], INT32_MIN);
    ck_assert_int_eq(c[2], INT32_MAX);
}
END_TEST

/* ---- layouts: one product, and which elements meet ---- */

enum { M = 35, N = 40, K = 70, M1 = 3, N1 = 3 };

/* A value of each type: 3 and -2. */
typedef struct type_row {
    aic_dtype dtype;
    const char *name;
    int64_t k0;
    uint32_t three, minus_two;
} type_row;

static const type_row types[] = {
    {AIC_INT8, "int8", 32, 3, 0xFE},
    {AIC_FLOAT16, "float16", 16, 0x4200, 0xC000},
    {AIC_BFLOAT16, "bfloat16", 16, 0x4040, 0xC000},
    {AIC_FLOAT32, "float32", 8, 0x40400000, 0xC0000000},
};

static void put(void *operand, int64_t cell, aic_dtype dtype, uint32_t bits)
{
    const size_t size = aic_dtype_size(dtype);
    memcpy((unsigned char *)operand + cell * (int64_t)size, &bits, size);
}

/* Indices of layouts.md, section 2. */
static int64_t zz(int64_t r, int64_t c, int64_t columns, int64_t c0)
{
    return ((r / 16 * ((columns + c0 - 1) / c0) + c / c0) * 16 + r % 16) * c0 + c % c0;
}

static int64_t zn(int64_t r, int64_t c, int64_t columns, int64_t r0)
{
    return ((r / r0 * ((columns + 15) / 16) + c / 16) * 16 + c % 16) * r0 + r % r0;
}

static int64_t nz(int64_t r, int64_t c, int64_t rows)
{
    return ((c / 16 * ((rows + 15) / 16) + r / 16) * 16 + r % 16) * 16 + c % 16;
}

enum { CELLS = 48 * 96 * 4 }; /* bytes of the largest operand in fractals */
static unsigned char a_bytes[CELLS], b_bytes[CELLS];
static int32_t c_cells[N1 * M1 * 256];

static void check_one_product(const type_row *type, int64_t m, int format, int64_t i, int64_t j, int64_t kk)
{
    const bool a_zz = format & 1, b_zn = format & 2, c_nz = format & 4;
    char text[200];
    snprintf(text, sizeof text, "mmad(dtype=%s, m=%d, n=%d, k=%d, a_format=%s, b_format=%s, c_format=%s)", type->name,
             (int)m, N, K, a_zz ? "Zz" : "ND", b_zn ? "Zn" : "ND", c_nz ? "Nz" : "ND");
    memset(a_bytes, 0, sizeof a_bytes);
    memset(b_bytes, 0, sizeof b_bytes);
    memset(c_cells, 0x55, sizeof c_cells);
    const int64_t a_cell = a_zz && m > 1 ? zz(i, kk, K, type->k0) : i * K + kk; /* a single row is dense */
    put(a_bytes, a_cell, type->dtype, type->three);
    put(b_bytes, b_zn ? zn(kk, j, N, type->k0) : kk * N + j, type->dtype, type->minus_two);
    run(text, NULL, c_cells, a_bytes, b_bytes);
    const int32_t product = type->dtype == AIC_INT8 ? -6 : (int32_t)float_bits(-6);
    static int32_t expected[N1 * M1 * 256];
    memset(expected, 0x55, sizeof expected); /* cells outside m x n */
    for (int64_t r = 0; r < m; r++) {
        for (int64_t c = 0; c < N; c++) {
            expected[c_nz ? nz(r, c, m) : r * N + c] = r == i && c == j ? product : 0;
        }
    }
    ck_assert_mem_eq(c_cells, expected, sizeof expected);
}

START_TEST(formats_and_tails)
{
    const type_row *type = &types[_i];
    uint64_t state = claims_seed(11);
    for (int n = 0; n < 80; n++) {
        const int64_t m = n % 5 == 0 ? 1 : M;
        check_one_product(type, m, n % 8, aic_rng_range(&state, 0, m - 1), aic_rng_range(&state, 0, N - 1),
                          aic_rng_range(&state, 0, K - 1));
    }
}
END_TEST

/* NaN in the cells of a and b that are outside the matrices. */
START_TEST(unused_cells_have_no_influence)
{
    static uint16_t a[16 * 16], b[16 * 16];
    static float c[256];
    memset(a, 0x7E, sizeof a);
    memset(b, 0x7E, sizeof b);
    memset(c, 0x55, sizeof c);
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t kk = 0; kk < 5; kk++) {
            a[zz(i, kk, 5, 16)] = aic_half_from_double((double)(i + 1));
            b[zn(kk, i, 3, 16)] = aic_half_from_double((double)(kk + 1));
        }
    }
    run("mmad(dtype=half, m=3, n=3, k=5, a_format=Zz, b_format=Zn, c_format=Nz)", NULL, c, a, b);
    for (int cell = 0; cell < 256; cell++) {
        const bool inside = cell / 16 < 3 && cell % 16 < 3;
        ck_assert_uint_eq(float_bits(c[cell]), inside ? float_bits((float)(15 * (cell / 16 + 1))) : 0x55555555);
    }
}
END_TEST

START_TEST(sizes_of_zero_touch_nothing)
{
    static const char *const texts[] = {
        "mmad(dtype=half, m=0, n=2, k=2)",
        "mmad(dtype=half, m=2, n=0, k=2, init_c=false)",
        "mmad(dtype=half, m=2, n=2, k=0)",
        "mmad(dtype=int8, m=2, n=2, k=0, a_format=Zz, b_format=Zn, c_format=Nz)",
        "mmad(dtype=float, m=0, n=0, k=0, accumulate=fast, a_format=Zz)",
    };
    static uint32_t c[256], before[256];
    const uint32_t any = 0;
    memset(before, 0x7F, sizeof before); /* NaN: saturation would show */
    memcpy(c, before, sizeof c);
    run(texts[_i], NULL, c, &any, before);
    ck_assert_mem_eq(c, before, sizeof c);
    const aic_spec spec = spec_of(texts[_i]);
    void *operands[] = {c, NULL, before};
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 3), AIC_INVALID_ARGUMENT);
    check_error("mmad: a: is NULL");
}
END_TEST

/* ---- block arithmetic ---- */

/* One row by one column, from doubles that the type holds. */
static float dot(const type_row *type, const double *a, const double *b, int64_t k, const char *more, float old,
                 const aic_semantics *semantics)
{
    uint32_t a_row[64], b_column[64];
    char text[160];
    for (int64_t kk = 0; kk < k; kk++) {
        const double pair[2] = {a[kk], b[kk]};
        for (int side = 0; side < 2; side++) {
            const float single = (float)pair[side];
            const uint32_t bits = type->dtype == AIC_FLOAT16    ? aic_half_from_double(pair[side])
                                  : type->dtype == AIC_BFLOAT16 ? aic_bfloat16_from_float(single)
                                                                : float_bits(single);
            put(side == 0 ? a_row : b_column, kk, type->dtype, bits);
        }
    }
    snprintf(text, sizeof text, "mmad(dtype=%s, m=1, n=1, k=%d%s)", type->name, (int)k, more);
    run(text, semantics, &old, a_row, b_column);
    return old;
}

/* 2^24 and ones: where a block ends decides how many of them are lost. */
START_TEST(blocks_are_rounded_once)
{
    static const struct {
        int64_t k;
        float blocks_of_16, blocks_of_8, exact;
    } rows[] = {
        {8, 16777224, 16777224, 16777224},  /* 2^24 + 7: to even */
        {10, 16777224, 16777226, 16777224}, /* 2^24 + 9 at once, or 2^24 + 8 and 2 */
        {18, 16777234, 16777234, 16777232}, /* the last two on their own */
        {17, 16777232, 16777232, 16777232},
    };
    const type_row *type = &types[_i];
    double a[64], b[64];
    for (int i = 0; i < 64; i++) {
        a[i] = b[i] = i == 0 ? 4096 : 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const float cube = type->k0 == 16 ? rows[i].blocks_of_16 : rows[i].blocks_of_8;
        ck_assert_float_eq(dot(type, a, b, rows[i].k, "", NAN, NULL), cube);
        ck_assert_float_eq(dot(type, a, b, rows[i].k, ", accumulate=fast", NAN, NULL), rows[i].exact);
    }
    ck_assert_float_eq(dot(type, a, b, 2, ", init_c=false", 3, NULL), 16777220);
}
END_TEST

/* ---- overflow ---- */

#define BIG 0x1p100

typedef struct overflow_row {
    double a[18], b[18]; /* the rest is 0 */
    int64_t k;
    float old; /* init_c=false unless 0 */
    float saturate, ieee;
} overflow_row;

static const overflow_row overflow_rows[] = {
    {{BIG}, {BIG}, 1, 0, FLT_MAX, INFINITY},
    {{BIG}, {-BIG}, 1, 0, -FLT_MAX, -INFINITY},
    {{NAN}, {1}, 1, 0, 0, NAN},
    {{INFINITY}, {0}, 1, 0, 0, NAN},
    {{INFINITY}, {-1}, 1, 0, -FLT_MAX, -INFINITY},
    {{0}, {0}, 1, INFINITY, FLT_MAX, INFINITY}, /* the old c */
    {{0}, {0}, 1, NAN, 0, NAN},
    {{BIG, BIG, 3}, {BIG, -BIG, 1}, 3, 0, 3, 3},                       /* within one block */
    {{BIG, [17] = BIG}, {BIG, [17] = -BIG}, 18, 0, FLT_MAX, INFINITY}, /* infinite since the first block */
    {{INFINITY, [17] = INFINITY}, {1, [17] = -1}, 18, 0, 0, NAN},
};

static void check_float(float value, float expected)
{
    ck_assert_msg(isnan(expected) ? isnan(value) : float_bits(value) == float_bits(expected), "%g, not %g",
                  (double)value, (double)expected);
}

START_TEST(overflow_modes)
{
    const overflow_row *row = &overflow_rows[_i];
    const char *more = row->old == 0 ? "" : ", init_c=false";
    for (size_t t = 2; t < sizeof types / sizeof types[0]; t++) { /* those with the range */
        check_float(dot(&types[t], row->a, row->b, row->k, more, row->old, NULL), row->saturate);
        check_float(dot(&types[t], row->a, row->b, row->k, more, row->old, ieee_overflow()), row->ieee);
    }
}
END_TEST

/* The same with the sum rounded once: infinities of a block that others undo do not arise. */
START_TEST(overflow_of_exact_sums)
{
    static const double a[] = {BIG, BIG, 1}, b[] = {BIG, -BIG, 5};
    const type_row *type = &types[3];
    check_float(dot(type, a, b, 3, ", accumulate=fast", 0, NULL), 5);
    check_float(dot(type, a, b, 1, ", accumulate=fast", 0, NULL), FLT_MAX);
    check_float(dot(type, a, b, 1, ", accumulate=fast", 0, ieee_overflow()), INFINITY);
    check_float(dot(type, a, b, 3, ", accumulate=fast, init_c=false", NAN, NULL), 0);
}
END_TEST

/* ---- bounds of accumulate=fast ---- */

typedef struct bound_row {
    float a[2], b[2], old;
    double exact[2], bound; /* exact by overflow mode */
} bound_row;

static const bound_row bound_rows[] = {
    {{1, 2}, {3, -4}, 0, {-5, -5}, 2 * (0x1p-24 * 11 + 0x1p-149)},
    {{1, 2}, {3, -4}, -7, {-12, -12}, 2 * (0x1p-24 * 18 + 0x1p-149)},
    {{0, 0}, {1, 1}, 0, {0, 0}, 0},
    {{0x1p-100F, 0}, {0x1p-100F, 0}, 0, {0x1p-200, 0x1p-200}, 2 * (0x1p-224 + 0x1p-149)},
    {{FLT_MAX, 0}, {1, 1}, 0, {FLT_MAX, FLT_MAX}, INFINITY}, /* at the edge */
    {{FLT_MAX, FLT_MAX}, {1, -1}, 0, {0, 0}, INFINITY},
    {{INFINITY, 1}, {1, 1}, 0, {FLT_MAX, INFINITY}, 0},
    {{INFINITY, 1}, {-1, 1}, 0, {-FLT_MAX, -INFINITY}, 0},
    {{NAN, FLT_MAX}, {1, FLT_MAX}, 0, {0, NAN}, 0},                         /* NaN whatever happens to the rest */
    {{INFINITY, -FLT_MAX}, {1, FLT_MAX}, 0, {FLT_MAX, INFINITY}, INFINITY}, /* NaN in some orders */
};

START_TEST(bounds)
{
    const bound_row *row = &bound_rows[_i];
    const aic_spec spec = spec_of("mmad(dtype=float, m=1, n=1, k=2, accumulate=fast, init_c=false)");
    for (int mode = 0; mode < 2; mode++) {
        float c = row->old, a[2], b[2];
        double exact, bound;
        memcpy(a, row->a, sizeof a);
        memcpy(b, row->b, sizeof b);
        void *operands[] = {&c, a, b};
        const aic_semantics *semantics = mode == 0 ? NULL : ieee_overflow();
        ck_assert_int_eq(aic_reference_bound(&spec, semantics, operands, 3, &exact, &bound), AIC_OK);
        ck_assert_msg(isnan(row->exact[mode]) ? isnan(exact) : exact == row->exact[mode], "%g", exact);
        ck_assert_msg(bound == row->bound, "%g", bound);
        ck_assert(c == row->old);
    }
}
END_TEST

/* Cells that are not written have bound 0 and their old value. */
START_TEST(bounds_of_untouched_cells)
{
    static float c[256], a[16], b[8 * 16];
    double exact[256], bound[256];
    const aic_spec spec = spec_of("mmad(dtype=float, m=2, n=3, k=8, accumulate=fast, b_format=Zn, c_format=Nz)");
    for (int i = 0; i < 256; i++) {
        c[i] = (float)i;
    }
    for (int i = 0; i < 8 * 16; i++) {
        b[i] = a[i % 16] = 1;
    }
    void *operands[] = {c, a, b};
    ck_assert_int_eq(aic_reference_bound(&spec, NULL, operands, 3, exact, bound), AIC_OK);
    for (int i = 0; i < 256; i++) {
        const bool inside = i / 16 < 2 && i % 16 < 3;
        ck_assert(exact[i] == (inside ? 8 : i));
        ck_assert((bound[i] > 0) == inside);
    }
}
END_TEST

/* ---- exact sums ---- */

typedef struct sum_row {
    double terms[4];
    double value; /* rounded to odd, or exact */
    float single; /* correctly rounded */
} sum_row;

static const sum_row sum_rows[] = {
    {{1, 2, 3, -6}, 0, 0},
    {{-0.0, -0.0}, 0, 0}, /* +0 */
    {{0x1p255, 1, -0x1p255}, 1, 1},
    {{-0x1p255, 0x1p-298, 0x1p255}, 0x1p-298, 0},
    {{-0x1p255, -0x1p-298, 0x1p255}, -0x1p-298, -0.0F},
    {{1, 0x1p-24}, 1 + 0x1p-24, 1},                                /* a tie, to even */
    {{1, 0x1p-24, 0x1p-298}, 1 + 0x1p-24 + 0x1p-52, 1 + 0x1p-23F}, /* just above it: odd */
    {{1, 0x1p-24, -0x1p-298}, 1 + 0x1p-24 - 0x1p-52, 1},           /* just below */
    {{-1, -0x1p-24, -0x1p-298}, -1 - 0x1p-24 - 0x1p-52, -1 - 0x1p-23F},
    {{1 + 0x1p-23, 0x1p-24, -0x1p-100}, 1 + 0x1p-23 + 0x1p-24 - 0x1p-52, 1 + 0x1p-23F},
    {{0x1p-149, 0x1p-150, 0x1p-298}, 0x1p-149 + 0x1p-150 + 0x1p-201, 0x1p-148F}, /* subnormal */
    {{3e38, 3e38, -3e38, -3e38}, 0, 0},
    {{3e38, 3e38}, 6e38, INFINITY},
    {{INFINITY, -0x1p255, 1}, INFINITY, INFINITY},
    {{INFINITY, -INFINITY, 1}, NAN, NAN},
    {{NAN, 1}, NAN, NAN},
};

START_TEST(exact_sums)
{
    const sum_row *row = &sum_rows[_i];
    aic_exact_sum sum = {.special = 0};
    for (int i = 0; i < 4; i++) {
        aic_exact_add(&sum, row->terms[i]);
    }
    const double value = aic_exact_value(&sum);
    ck_assert_msg(isnan(row->value) ? isnan(value) : value == row->value, "%a, not %a", value, row->value);
    check_float((float)value, row->single);
}
END_TEST

/* Many terms with carries in both directions, against integers. */
START_TEST(exact_sums_of_many_terms)
{
    aic_exact_sum sum = {.special = 0};
    uint64_t state = claims_seed(3);
    int64_t whole = 0;
    for (int i = 0; i < 100000; i++) {
        const int64_t term = aic_rng_range(&state, -(INT64_C(1) << 34), INT64_C(1) << 34);
        whole += term;
        aic_exact_add(&sum, (double)term * 0x1p-77);
        ck_assert(aic_exact_value(&sum) == (double)whole * 0x1p-77);
    }
    ck_assert(sum.above + sum.below > 0x1p-77 * 0x1p48);
}
END_TEST

#define COUNT(rows) (int)(sizeof(rows) / sizeof(rows)[0])

Suite *suite_mmad_reference(void)
{
    Suite *suite = suite_create("mmad_reference");
    TCase *tcase = tcase_create("mmad_reference");
    tcase_add_test(tcase, int8_by_hand);
    tcase_add_test(tcase, int8_is_clamped_once);
    tcase_add_loop_test(tcase, formats_and_tails, 0, COUNT(types));
    tcase_add_test(tcase, unused_cells_have_no_influence);
    tcase_add_loop_test(tcase, sizes_of_zero_touch_nothing, 0, 5);
    tcase_add_loop_test(tcase, blocks_are_rounded_once, 1, COUNT(types));
    tcase_add_loop_test(tcase, overflow_modes, 0, COUNT(overflow_rows));
    tcase_add_test(tcase, overflow_of_exact_sums);
    tcase_add_loop_test(tcase, bounds, 0, COUNT(bound_rows));
    tcase_add_test(tcase, bounds_of_untouched_cells);
    tcase_add_loop_test(tcase, exact_sums, 0, COUNT(sum_rows));
    tcase_add_test(tcase, exact_sums_of_many_terms);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
