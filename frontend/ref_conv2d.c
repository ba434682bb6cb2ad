/* conv2d's plain-C reference: the formulas of TIK conv2d, sections 5.1 to 5.3 and 6, line by line. It shares nothing
 * with the generator but the derived sizes of section 4. Written to be read, not to be fast. */
#include "frontend/op_conv2d.h"

#include "frontend/diag.h"
#include "frontend/half.h"

#include <math.h>
#include <stdlib.h>

/* One output position: where its window lies in the feature map. */
typedef struct window {
    const aic_conv2d_desc *desc;
    const aic_conv2d_sizes *size;
    int64_t ho, wo;
} window;

/* Element index of feature_map[c1][h][w][0] that kernel position (kh, kw) meets, or -1 in the padding. */
static int64_t input_cell(const window *at, int64_t c1, int64_t kh, int64_t kw)
{
    const aic_conv2d_desc *desc = at->desc;
    const aic_conv2d_sizes *s = at->size;
    const int64_t h = at->ho * desc->stride[0] + kh * desc->dilation[0] - desc->pad[2];
    const int64_t w = at->wo * desc->stride[1] + kw * desc->dilation[1] - desc->pad[0];
    return h >= 0 && h < s->h && w >= 0 && w < s->w ? ((c1 * s->h + h) * s->w + w) * s->c0 : -1;
}

/* Element index of weight[c1][kh][kw][co][0]. */
static int64_t weight_cell(const aic_conv2d_sizes *s, int64_t c1, int64_t kh, int64_t kw, int64_t co)
{
    return (((c1 * s->kh + kh) * s->kw + kw) * s->cout + co) * s->c0;
}

/* Element index of dst[co/16][ho*Wo + wo][co%16]. */
static int64_t output_cell(const aic_conv2d_sizes *s, int64_t co, int64_t ho, int64_t wo)
{
    return (co / 16 * s->round_howo + ho * s->wo + wo) * 16 + co % 16;
}

/* ---- int8: section 5.3 ---- */

/* The exact sum: at most 4096*255*255 products of at most 2^14 each fit in 64 bits with room. */
static int64_t sum_int8(const window *at, const int8_t *feature_map, const int8_t *weight, int64_t co)
{
    const aic_conv2d_sizes *s = at->size;
    const int64_t pad_value = (int64_t)at->desc->pad_value;
    int64_t sum = 0;
    for (int64_t c1 = 0; c1 < s->c1; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw);
                const int8_t *w = weight + weight_cell(s, c1, kh, kw, co);
                for (int64_t c0 = 0; c0 < s->c0; c0++) {
                    const int64_t x = cell < 0 ? pad_value : feature_map[cell + c0];
                    sum += x * w[c0];
                }
            }
        }
    }
    return sum;
}

static void reference_int8(const aic_conv2d_desc *desc, const aic_conv2d_sizes *s, void *const operands[])
{
    int32_t *dst = operands[0];
    for (int64_t ho = 0; ho < s->ho; ho++) {
        for (int64_t wo = 0; wo < s->wo; wo++) {
            const window at = {desc, s, ho, wo};
            for (int64_t co = 0; co < s->cout; co++) {
                int32_t *out = dst + output_cell(s, co, ho, wo);
                int64_t sum = (desc->init_l1out ? 0 : *out) + sum_int8(&at, operands[1], operands[2], co);
                *out = (int32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
            }
        }
    }
}

/* ---- float16 ---- */

/* The operands with every half as the double of the same value. */
typedef struct doubles {
    double *feature_map;
    double *weight;
    double pad_value; /* rounded once to half */
} doubles;

static double *to_doubles(const uint16_t *halves, int64_t count)
{
    double *values = malloc((size_t)count * sizeof *values);
    for (int64_t i = 0; values && i < count; i++) {
        values[i] = aic_half_to_double(halves[i]);
    }
    return values;
}

static void free_doubles(doubles *in)
{
    free(in->feature_map);
    free(in->weight);
}

static aic_status make_doubles(const aic_conv2d_desc *desc, const aic_conv2d_sizes *s, void *const operands[],
                               doubles *in)
{
    const int64_t feature_map = s->c1 * s->h * s->w * s->c0;
    const int64_t weight = s->k * s->cout;
    in->feature_map = to_doubles(operands[1], feature_map);
    in->weight = to_doubles(operands[2], weight);
    in->pad_value = aic_half_to_double(aic_half_from_double(desc->pad_value));
    if (!in->feature_map || !in->weight) {
        free_doubles(in);
        aic_fail_memory("conv2d", (size_t)(feature_map + weight) * sizeof(double));
        return AIC_OUT_OF_MEMORY;
    }
    return AIC_OK;
}

/* The block model of section 5.2. */
static float sum_cube(const window *at, const doubles *in, int64_t co, float acc)
{
    const aic_conv2d_sizes *s = at->size;
    double sum = 0;
    int64_t in_block = 0;
    for (int64_t c1 = 0; c1 < s->c1; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw);
                const double *w = in->weight + weight_cell(s, c1, kh, kw, co);
                for (int64_t c0 = 0; c0 < s->c0; c0++) {
                    const double x = cell < 0 ? in->pad_value : in->feature_map[cell + c0];
                    sum = sum + x * w[c0];
                    if (++in_block == s->k0) {
                        acc = (float)((double)acc + sum);
                        sum = 0;
                        in_block = 0;
                    }
                }
            }
        }
    }
    /* C0 = 4: the zero products that complete the last block do not change its sum, which is never -0. */
    return in_block > 0 ? (float)((double)acc + sum) : acc;
}

/* The sum of all products without any rounding. A product of halves is a multiple of 2^-48 below 2^32; with at
 * most 2^28 products both counters stay within 64 bits. */
typedef struct exact_sum {
    int64_t whole;    /* in units of 1 */
    int64_t part;     /* in units of 2^-48, 0 .. 2^48-1 after each addition */
    double special;   /* the sum of the products that are infinite or NaN */
    double magnitude; /* the sum of absolute values, for the bound */
} exact_sum;

static void exact_add(exact_sum *sum, double product)
{
    sum->magnitude += fabs(product);
    if (!isfinite(product)) {
        sum->special += product;
        return;
    }
    const int64_t whole = (int64_t)product;
    sum->whole += whole;
    sum->part += (int64_t)((product - (double)whole) * 0x1p48);
    sum->whole += sum->part >> 48;
    sum->part &= (INT64_C(1) << 48) - 1;
}

static exact_sum sum_exactly(const window *at, const doubles *in, int64_t co)
{
    const aic_conv2d_sizes *s = at->size;
    exact_sum sum = {0, 0, 0, 0};
    for (int64_t c1 = 0; c1 < s->c1; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw);
                const double *w = in->weight + weight_cell(s, c1, kh, kw, co);
                for (int64_t c0 = 0; c0 < s->c0; c0++) {
                    exact_add(&sum, (cell < 0 ? in->pad_value : in->feature_map[cell + c0]) * w[c0]);
                }
            }
        }
    }
    return sum;
}

/* a + b as the rounded sum and its rounding error, both exact. */
static double two_sum(double a, double b, double *error)
{
    const double sum = a + b;
    const double b_part = sum - a;
    *error = (a - (sum - b_part)) + (b - b_part);
    return sum;
}

#define TERMS 4

/* The sum of finite terms, exact when it fits in a double and else rounded to odd: rounding the result once more, to
 * float32, gives the correctly rounded exact sum. */
static double sum_to_odd(const double terms[TERMS])
{
    double partial[TERMS]; /* non-overlapping, of growing magnitude, together exactly the terms so far */
    int count = 0;
    for (int t = 0; t < TERMS; t++) {
        double rest = terms[t];
        int kept = 0;
        for (int p = 0; p < count; p++) {
            double error;
            rest = two_sum(rest, partial[p], &error);
            if (error != 0) {
                partial[kept++] = error;
            }
        }
        partial[kept++] = rest;
        count = kept;
    }
    double sum = partial[--count];
    double error = 0;
    while (count > 0 && error == 0) {
        sum = two_sum(sum, partial[--count], &error);
    }
    if (error != 0 && (aic_bits_of_double(sum) & 1) == 0) {
        sum = nextafter(sum, error > 0 ? (double)INFINITY : -(double)INFINITY);
    }
    return sum;
}

/* I + sum: within one unit in the last place of a double, and (float) of it is correctly rounded. */
static double exact_value(float initial, const exact_sum *sum)
{
    if (!isfinite(initial) || !isfinite(sum->special)) {
        return (double)initial + sum->special;
    }
    const int64_t low = sum->whole & INT64_C(0xFFFFFFFF);
    const double terms[TERMS] = {
        (double)sum->part * 0x1p-48,
        (double)low,
        (double)(sum->whole - low),
        (double)initial,
    };
    return sum_to_odd(terms);
}

aic_status aic_conv2d_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    (void)semantics;
    const aic_conv2d_desc *desc = descriptor;
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    if (desc->dtype == AIC_INT8) {
        reference_int8(desc, &s, operands);
        return AIC_OK;
    }
    doubles in;
    aic_status status = make_doubles(desc, &s, operands, &in);
    if (status != AIC_OK) {
        return status;
    }
    for (int64_t ho = 0; ho < s.ho; ho++) {
        for (int64_t wo = 0; wo < s.wo; wo++) {
            const window at = {desc, &s, ho, wo};
            for (int64_t co = 0; co < s.cout; co++) {
                float *out = (float *)operands[0] + output_cell(&s, co, ho, wo);
                const float initial = desc->init_l1out ? 0 : *out;
                if (desc->accumulate == AIC_ACCUMULATE_CUBE) {
                    *out = sum_cube(&at, &in, co, initial);
                } else {
                    const exact_sum sum = sum_exactly(&at, &in, co);
                    *out = (float)exact_value(initial, &sum);
                }
            }
        }
    }
    free_doubles(&in);
    return AIC_OK;
}

aic_status aic_conv2d_reference_bound(const void *descriptor, const aic_semantics *semantics, void *const operands[],
                                      double *exact, double *bound)
{
    (void)semantics;
    const aic_conv2d_desc *desc = descriptor;
    const aic_conv2d_sizes s = aic_conv2d_sizes_of(desc);
    const float *dst = operands[0];
    doubles in;
    aic_status status = make_doubles(desc, &s, operands, &in);
    if (status != AIC_OK) {
        return status;
    }
    for (int64_t i = 0; i < s.cout * s.round_howo; i++) { /* what stays: the rows past howo */
        exact[i] = (double)dst[i];
        bound[i] = 0;
    }
    for (int64_t ho = 0; ho < s.ho; ho++) {
        for (int64_t wo = 0; wo < s.wo; wo++) {
            const window at = {desc, &s, ho, wo};
            for (int64_t co = 0; co < s.cout; co++) {
                const int64_t out = output_cell(&s, co, ho, wo);
                const float initial = desc->init_l1out ? 0 : dst[out];
                const exact_sum sum = sum_exactly(&at, &in, co);
                exact[out] = exact_value(initial, &sum);
                bound[out] = (double)s.k * 0x1p-24 * (fabs((double)initial) + sum.magnitude);
            }
        }
    }
    free_doubles(&in);
    return AIC_OK;
}
