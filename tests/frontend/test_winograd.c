/* accumulate=winograd: the matrices, the bound, and where the key has no effect. */
#include "frontend/core/op.h"
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "frontend/random/rng.h"
#include "frontend/reference/winograd.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_winograd(void);

enum { SIDE = 6, TAPS = 3 };

/* The list once more, apart from the reference's own reading of it. */
static const int A[2][4][SIDE] = {
#define AIC_WINOGRAD_A(m, row, ...) [(m) == 4][row] = {__VA_ARGS__},
#include <aic/winograd.def>
#undef AIC_WINOGRAD_A
};
static const int B[2][SIDE][SIDE] = {
#define AIC_WINOGRAD_B(m, row, ...) [(m) == 4][row] = {__VA_ARGS__},
#include <aic/winograd.def>
#undef AIC_WINOGRAD_B
};
static const int G[2][SIDE][TAPS] = {
#define AIC_WINOGRAD_G(m, row, ...) [(m) == 4][row] = {__VA_ARGS__},
#include <aic/winograd.def>
#undef AIC_WINOGRAD_G
};
static const int DENOMINATOR[2] = {
#define AIC_WINOGRAD_DENOMINATOR(m, number) [(m) == 4] = (number),
#include <aic/winograd.def>
#undef AIC_WINOGRAD_DENOMINATOR
};

static aic_spec parse(const char *text)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s", aic_last_error());
    return spec;
}

/* In one dimension the result is linear in each pixel and each tap: all pairs of one pixel and one tap prove it for all
 * numbers, and rows and columns are transformed one after the other. */
START_TEST(matrices_are_exactly_the_convolution)
{
    for (int f = 0; f < 2; f++) {
        const int m = f == 0 ? 2 : 4;
        for (int out = 0; out < m; out++) {
            for (int tap = 0; tap < TAPS; tap++) {
                for (int pixel = 0; pixel < m + 2; pixel++) {
                    int sum = 0;
                    for (int i = 0; i < m + 2; i++) {
                        sum += A[f][out][i] * G[f][i][tap] * B[f][i][pixel];
                    }
                    ck_assert_msg(sum == (pixel == out + tap ? DENOMINATOR[f] : 0),
                                  "m %d result %d tap %d pixel %d: %d/%d", m, out, tap, pixel, sum, DENOMINATOR[f]);
                }
            }
        }
    }
}
END_TEST

/* What kernels rely on (codegen/parts/winograd.c): opposite points, numbers 1 and 2, 3 and 4, have the same even and
 * opposite odd coefficients, some of each, and count alike or oppositely in each result. */
START_TEST(opposite_points)
{
    for (int f = 0; f < 2; f++) {
        const int m = f == 0 ? 2 : 4;
        for (int point = 1; point < m + 1; point += 2) {
            int some[2] = {0}, taps[2] = {0};
            for (int i = 0; i < m + 2; i++) {
                ck_assert_int_eq(B[f][point][i], (i % 2 == 0 ? 1 : -1) * B[f][point + 1][i]);
                some[i % 2] += B[f][point][i] != 0;
            }
            for (int i = 0; i < TAPS; i++) {
                ck_assert_int_eq(G[f][point][i], (i % 2 == 0 ? 1 : -1) * G[f][point + 1][i]);
                taps[i % 2] += G[f][point][i] != 0;
            }
            ck_assert(some[0] > 0 && some[1] > 0 && taps[0] > 0 && taps[1] > 0);
            for (int row = 0; row < m; row++) {
                ck_assert_int_eq(abs(A[f][row][point]), abs(A[f][row][point + 1]));
            }
        }
    }
}
END_TEST

/* ---- the bound ---- */

/* A wider float: the formula of the specification, element by element of four matrices. */
static long double magnitude_of(int f, const long double x[SIDE][SIDE], const long double w[TAPS][TAPS], int row,
                                int column)
{
    const int side = f == 0 ? 4 : 6;
    long double sum = 0;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            long double u = 0, v = 0;
            for (int k = 0; k < TAPS * TAPS; k++) {
                u += abs(G[f][i][k / TAPS] * G[f][j][k % TAPS]) * w[k / TAPS][k % TAPS];
            }
            for (int k = 0; k < side * side; k++) {
                v += abs(B[f][i][k / side] * B[f][j][k % side]) * x[k / side][k % side];
            }
            sum += abs(A[f][row][i] * A[f][column][j]) * u * v;
        }
    }
    return sum / (DENOMINATOR[f] * DENOMINATOR[f]);
}

enum { H = 7, W = 5, C = 16, COUT = 16, ROWS = 48 };

typedef struct data {
    uint16_t feature_map[H * W * C], weight[9 * COUT * C];
    float dst[COUT * ROWS];
    aic_allowed allowed[COUT * ROWS];
} data;

static void fill(data *d, uint64_t *state)
{
    for (size_t i = 0; i < H * W * C; i++) {
        d->feature_map[i] = (uint16_t)(aic_rng_next(state) & 0xFBFF); /* an even exponent: finite */
    }
    for (size_t i = 0; i < sizeof d->weight / sizeof d->weight[0]; i++) {
        d->weight[i] = (uint16_t)(aic_rng_next(state) & 0xFBFF) & (uint16_t)~(aic_rng_once_in(state, 2) ? 0x4000U : 0);
    }
    for (size_t i = 0; i < COUT * ROWS; i++) {
        d->dst[i] = (float)aic_rng_range(state, -1000000, 1000000);
    }
}

static void allow(const char *text, data *d)
{
    const aic_spec spec = parse(text);
    void *operands[] = {d->dst, d->feature_map, d->weight};
    ck_assert_msg(aic_reference_allowed(&spec, NULL, operands, 3, d->allowed) == AIC_OK, "%s", aic_last_error());
}

static long double magnitude_at(const data *d, int f, int row, int column, int co)
{
    const int m = f == 0 ? 2 : 4, top = row / m * m - 1, left = column / m * m - 2;
    long double sum = 0;
    for (int c = 0; c < C; c++) {
        long double x[SIDE][SIDE] = {{0}}, w[TAPS][TAPS];
        for (int i = 0; i < m + 2; i++) {
            for (int j = 0; j < m + 2; j++) {
                const int h = top + i, v = left + j;
                const bool inside = h >= 0 && h < H && v >= 0 && v < W, padding = h < H + 2 && v < W + 1;
                x[i][j] = inside    ? fabsl((long double)aic_half_to_double(d->feature_map[(h * W + v) * C + c]))
                          : padding ? 1.5L
                                    : 0;
            }
        }
        for (int k = 0; k < 9; k++) {
            w[k / TAPS][k % TAPS] = fabsl((long double)aic_half_to_double(d->weight[(k * COUT + co) * C + c]));
        }
        sum += magnitude_of(f, x, w, row % m, column % m);
    }
    return sum;
}

#define SHAPE "conv2d(dtype=float16, fm_shape=[1,7,5,16], kernel_shape=[1,3,3,16,16], pad=[2,1,1,2], pad_value=-1.5, "

/* Not below the formula, and above it by no more than rounding takes; never below fast's. */
START_TEST(bound_is_that_of_the_formula)
{
    enum { HO = 8, WO = 6 };
    data *d = malloc(sizeof *d), *fast = malloc(sizeof *fast);
    ck_assert_ptr_nonnull(d);
    ck_assert_ptr_nonnull(fast);
    uint64_t state = 24;
    int larger = 0;
    fill(d, &state);
    memcpy(fast, d, sizeof *d);
    allow(SHAPE "init_l1out=false, accumulate=winograd)", d);
    allow(SHAPE "init_l1out=false, accumulate=fast)", fast);
    for (int co = 0; co < COUT; co++) {
        for (int p = 0; p < HO * WO; p++) {
            const int cell = p * 16 + co;
            const long double initial = fabsl((long double)d->dst[cell]), u = 0x1p-24L;
            long double bound = 0;
            for (int f = 0; f < 2; f++) {
                const long double k = C + (f == 0 ? 13 : 21), n = magnitude_at(d, f, p / WO, p % WO, co);
                bound = fmaxl(bound, k * u / (1 - k * u) * n + u * (initial + n));
            }
            const long double least = (long double)(fast->allowed[cell].high - fast->allowed[cell].exact);
            const long double got = (long double)(d->allowed[cell].high - d->allowed[cell].exact);
            larger += bound > least;
            bound = fmaxl(bound, least);
            /* high and exact are doubles: their difference has rounding errors of its own */
            const long double slack = 0x1p-51L * fabsl((long double)d->allowed[cell].high);
            ck_assert_msg(got >= bound - slack && got <= bound * (1 + 0x1p-40L) + slack, "%d: %La, not %La", cell, got,
                          bound);
            ck_assert(d->allowed[cell].exact == fast->allowed[cell].exact);
        }
    }
    ck_assert_int_gt(larger, COUT * HO * WO / 2);
    free(d);
    free(fast);
}
END_TEST

/* Where magnitudes are not exact in a double, the bound is larger than in exact arithmetic all the same. */
START_TEST(bound_is_rounded_outward)
{
    uint64_t state = 7;
    for (int i = 0; i < 10000; i++) {
        const int f = (int)(i % 2), m = f == 0 ? 2 : 4;
        const aic_conv2d_desc desc = parse("conv2d(dtype=float16, fm_shape=[1,6,6,16], kernel_shape=[1,3,3,16,16], "
                                           "accumulate=winograd)")
                                         .stage[0]
                                         .desc.conv2d;
        uint16_t feature_map[36 * 16] = {0}, weight[9 * 16 * 16] = {0};
        float dst[16 * 16] = {0};
        long double x[SIDE][SIDE] = {{0}}, w[TAPS][TAPS] = {{0}};
        for (int k = 0; k < 36; k++) {
            feature_map[k * 16] = (uint16_t)aic_rng_range(&state, 1, 0x7BFF);
            x[k / 6][k % 6] = (long double)aic_half_to_double(feature_map[k * 16]);
        }
        for (int k = 0; k < 9; k++) {
            weight[k * 256] = (uint16_t)aic_rng_range(&state, 1, 0x7BFF);
            w[k / 3][k % 3] = (long double)aic_half_to_double(weight[k * 256]);
        }
        void *operands[] = {dst, feature_map, weight};
        double magnitude[16];
        aic_winograd_magnitudes(&desc, operands, m, (const int64_t[]){0, 0}, 0, magnitude);
        const long double exact = magnitude_of(f, x, w, 1, 1), u = 0x1p-24L, k = 16 + (f == 0 ? 13 : 21);
        const long double bound = k * u / (1 - k * u) * exact + u * (1 + exact);
        ck_assert((long double)aic_winograd_bound(m, 16, magnitude[5], -1) >= bound * (1 - 0x1p-60L));
    }
}
END_TEST

/* An infinity or a NaN in a tile leaves the bound of fast there, the other m and other tiles as they are. */
START_TEST(direct_sums_where_a_tile_is_not_finite)
{
    data *d = malloc(sizeof *d);
    ck_assert_ptr_nonnull(d);
    uint64_t state = 3;
    fill(d, &state);
    const aic_conv2d_desc desc = parse(SHAPE "accumulate=winograd)").stage[0].desc.conv2d;
    void *operands[] = {d->dst, d->feature_map, d->weight};
    d->feature_map[(6 * W + 4) * C + 3] = 0x7C00; /* row 6, column 4: in windows of results from (5, 4) on */
    double two[16], four[16];
    aic_winograd_magnitudes(&desc, operands, 2, (const int64_t[]){4, 2}, 0, two);
    aic_winograd_magnitudes(&desc, operands, 4, (const int64_t[]){4, 0}, 0, four);
    ck_assert(isfinite(two[0]) && isfinite(two[5]) && isfinite(four[0])); /* columns -2..3 */
    aic_winograd_magnitudes(&desc, operands, 2, (const int64_t[]){4, 4}, 0, two);
    aic_winograd_magnitudes(&desc, operands, 4, (const int64_t[]){4, 4}, 0, four);
    ck_assert(!isfinite(two[0]) && !isfinite(two[5]) && !isfinite(four[0]) && !isfinite(four[15]));
    ck_assert(aic_winograd_bound(2, C, two[0], 0) == 0 && aic_winograd_bound(4, C, 1, (double)NAN) == 0);
    d->feature_map[(6 * W + 4) * C + 3] = 0;
    d->weight[(4 * COUT + 7) * C + 5] = 0x7E00; /* channel 7 of the output alone */
    aic_winograd_magnitudes(&desc, operands, 4, (const int64_t[]){0, 0}, 7, four);
    ck_assert(!isfinite(four[0]));
    aic_winograd_magnitudes(&desc, operands, 4, (const int64_t[]){0, 0}, 8, four);
    ck_assert(isfinite(four[0]));
    free(d);
}
END_TEST

/* ---- where the key has no effect ---- */

/* All that is no float16 3x3 of stride 1 and dilation 1 is the same kernel as fast, and no canonical form makes it one.
 */
START_TEST(other_shapes_are_fast)
{
    static const struct {
        const char *rest;
        aic_accumulate canonical;
    } rows[] = {
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,3,3,16,16]", AIC_ACCUMULATE_WINOGRAD},
        {"dtype=float16, fm_shape=[1,9,9,4], kernel_shape=[1,3,3,16,4], pad=[1,1,1,1]", AIC_ACCUMULATE_WINOGRAD},
        {"dtype=int8, fm_shape=[1,9,9,32], kernel_shape=[1,3,3,16,32]", AIC_ACCUMULATE_CUBE},
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,3,1,16,16]", AIC_ACCUMULATE_FAST},
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,5,3,16,16]", AIC_ACCUMULATE_FAST},
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,3,3,16,16], stride=[1,2]", AIC_ACCUMULATE_FAST},
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,3,3,16,16], stride=[2,1]", AIC_ACCUMULATE_FAST},
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,3,3,16,16], dilation=[2,1]", AIC_ACCUMULATE_FAST},
        {"dtype=float16, fm_shape=[1,9,9,16], kernel_shape=[1,3,3,16,16], dilation=[1,2]", AIC_ACCUMULATE_FAST},
        {"dtype=float16, fm_shape=[1,3,3,16], kernel_shape=[1,3,3,16,16], stride=[7,7]", AIC_ACCUMULATE_FAST},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char text[256];
        snprintf(text, sizeof text, "conv2d(%s, accumulate=winograd)", rows[r].rest);
        const aic_semantics semantics = aic_semantics_init();
        aic_conv2d_desc desc = parse(text).stage[0].desc.conv2d;
        ck_assert_msg(aic_winograd_applies(&desc) == (rows[r].canonical == AIC_ACCUMULATE_WINOGRAD), "row %zu", r);
        aic_op_conv2d.canonicalise(&desc, &semantics);
        ck_assert_msg(desc.accumulate == rows[r].canonical, "row %zu: %d", r, (int)desc.accumulate);
    }
    aic_spec mmad = parse("mmad(dtype=float16, m=5, n=6, k=7, accumulate=winograd)");
    ck_assert(!aic_spec_exact(&mmad));
    aic_op_mmad.clear_ignored(&mmad.stage[0].desc);
    ck_assert_int_eq(mmad.stage[0].desc.mmad.accumulate, AIC_ACCUMULATE_FAST);
}
END_TEST

Suite *suite_winograd(void)
{
    Suite *suite = suite_create("winograd");
    TCase *tests = tcase_create("winograd");
    tcase_add_test(tests, matrices_are_exactly_the_convolution);
    tcase_add_test(tests, opposite_points);
    tcase_add_test(tests, bound_is_that_of_the_formula);
    tcase_add_test(tests, bound_is_rounded_outward);
    tcase_add_test(tests, direct_sums_where_a_tile_is_not_finite);
    tcase_add_test(tests, other_shapes_are_fast);
    suite_add_tcase(suite, tests);
    return suite;
}
