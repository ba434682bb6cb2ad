/* conv2d's plain-C reference: the formulas of TIK conv2d, line by line. */
#include "frontend/core/diag.h"
#include "frontend/reference/exact_sum.h"
#include "frontend/reference/reference.h"
#include "frontend/reference/value.h"
#include "frontend/reference/winograd.h"

#include <math.h>
#include <stdlib.h>

/* Section 4, under the document's names. */
typedef struct sizes {
    int64_t c1, h, w, c0;       /* feature map */
    int64_t kh, kw, cout;       /* kernel */
    int64_t blocks, block;      /* of the weight: blocks of channels that an output sees, channels of a block */
    int64_t inputs, outputs;    /* channels of a group */
    int64_t ho, wo, round_howo; /* output image; rows of dst */
    int64_t k, k0;              /* length of the reduction, and of one of its blocks */
} sizes;

static sizes sizes_of(const aic_conv2d_desc *desc)
{
    sizes s = {
        .c1 = desc->fm_shape[0],
        .h = desc->fm_shape[1],
        .w = desc->fm_shape[2],
        .c0 = desc->fm_shape[3],
        .kh = desc->kernel_shape[1],
        .kw = desc->kernel_shape[2],
        .cout = desc->kernel_shape[3],
        .blocks = desc->kernel_shape[0],
        .block = desc->kernel_shape[4],
        .inputs = desc->fm_shape[0] * desc->fm_shape[3] / desc->groups,
        .outputs = desc->kernel_shape[3] / desc->groups,
        .k0 = desc->dtype == AIC_INT8 ? 32 : 16,
    };
    const int64_t hk = desc->dilation[0] * (s.kh - 1) + 1, wk = desc->dilation[1] * (s.kw - 1) + 1;
    s.ho = (s.h + desc->pad[2] + desc->pad[3] - hk) / desc->stride[0] + 1; /* hk is not larger: the rules see to it */
    s.wo = (s.w + desc->pad[0] + desc->pad[1] - wk) / desc->stride[1] + 1;
    s.round_howo = (s.ho * s.wo + 15) / 16 * 16;
    s.k = s.blocks * s.kh * s.kw * s.block;
    return s;
}

/* One output position: where its window lies in the feature map. */
typedef struct window {
    const aic_conv2d_desc *desc;
    const sizes *size;
    int64_t ho, wo;
} window;

/* Element index of the first channel of block c1 of the group of output channel co that kernel position (kh, kw) meets,
 * in feature_map, or -1 in the padding. The block's channels are neighbours there. */
static int64_t input_cell(const window *at, int64_t c1, int64_t kh, int64_t kw, int64_t co)
{
    const aic_conv2d_desc *desc = at->desc;
    const sizes *s = at->size;
    const int64_t h = at->ho * desc->stride[0] + kh * desc->dilation[0] - desc->pad[2];
    const int64_t w = at->wo * desc->stride[1] + kw * desc->dilation[1] - desc->pad[0];
    const int64_t channel = co / s->outputs * s->inputs + c1 * s->block;
    return h >= 0 && h < s->h && w >= 0 && w < s->w
               ? ((channel / s->c0 * s->h + h) * s->w + w) * s->c0 + channel % s->c0
               : -1;
}

/* Element index of weight[c1][kh][kw][co][0]. */
static int64_t weight_cell(const sizes *s, int64_t c1, int64_t kh, int64_t kw, int64_t co)
{
    return (((c1 * s->kh + kh) * s->kw + kw) * s->cout + co) * s->block;
}

/* Element index of dst[co/16][ho*Wo + wo][co%16]. */
static int64_t output_cell(const sizes *s, int64_t co, int64_t ho, int64_t wo)
{
    return (co / 16 * s->round_howo + ho * s->wo + wo) * 16 + co % 16;
}

/* ---- int8 ---- */

/* The exact sum: at most 4096*255*255 products of at most 2^14 each fit in 64 bits with room. */
static int64_t sum_int8(const window *at, const int8_t *feature_map, const int8_t *weight, int64_t co)
{
    const sizes *s = at->size;
    const int32_t pad_value = (int32_t)at->desc->pad_value;
    int64_t sum = 0;
    for (int64_t c1 = 0; c1 < s->blocks; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw, co);
                const int8_t *w = weight + weight_cell(s, c1, kh, kw, co);
                int32_t block = 0; /* of at most 32 products */
                for (int64_t c0 = 0; c0 < s->block; c0++) {
                    const int32_t x = cell < 0 ? pad_value : feature_map[cell + c0];
                    block += x * w[c0];
                }
                sum += block;
            }
        }
    }
    return sum;
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
    double *values = calloc((size_t)count, sizeof *values);
    for (int64_t i = 0; values && i < count; i++) {
        values[i] = aic_reference_value(AIC_FLOAT16, &halves[i]);
    }
    return values;
}

static void free_doubles(doubles *in)
{
    free(in->feature_map);
    free(in->weight);
}

static aic_status make_doubles(const aic_conv2d_desc *desc, const sizes *s, void *const operands[], doubles *in)
{
    const int64_t feature_map = s->c1 * s->h * s->w * s->c0;
    const int64_t weight = s->k * s->cout;
    in->feature_map = to_doubles(operands[1], feature_map);
    in->weight = to_doubles(operands[2], weight);
    const uint16_t pad_value = aic_reference_float16(desc->pad_value, AIC_OVERFLOW_IEEE);
    in->pad_value = aic_reference_value(AIC_FLOAT16, &pad_value);
    if (!in->feature_map || !in->weight) {
        free_doubles(in);
        aic_fail_memory("conv2d", (size_t)(feature_map + weight) * sizeof(double));
        return AIC_OUT_OF_MEMORY;
    }
    return AIC_OK;
}

/* The block model. */
static float sum_cube(const window *at, const doubles *in, int64_t co, float acc)
{
    const sizes *s = at->size;
    double sum = 0;
    int64_t in_block = 0;
    for (int64_t c1 = 0; c1 < s->blocks; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw, co);
                const double *w = in->weight + weight_cell(s, c1, kh, kw, co);
                for (int64_t c0 = 0; c0 < s->block; c0++) {
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
    /* Blocks of fewer channels: the zero products that complete the last block do not change its sum, which is never
     * -0. */
    return in_block > 0 ? (float)((double)acc + sum) : acc;
}

/* One float32 accumulator, every product and every sum rounded. */
static float sum_sequentially(const window *at, const doubles *in, int64_t co, float acc)
{
    const sizes *s = at->size;
    for (int64_t c1 = 0; c1 < s->blocks; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw, co);
                const double *w = in->weight + weight_cell(s, c1, kh, kw, co);
                for (int64_t c0 = 0; c0 < s->block; c0++) {
                    const double x = cell < 0 ? in->pad_value : in->feature_map[cell + c0];
                    acc = acc + (float)(x * w[c0]);
                }
            }
        }
    }
    return acc;
}

/* The old output and all products, without any rounding. */
static aic_exact_sum sum_exactly(const window *at, const doubles *in, int64_t co, float initial)
{
    const sizes *s = at->size;
    aic_exact_sum sum = {.special = 0};
    aic_exact_add(&sum, (double)initial);
    for (int64_t c1 = 0; c1 < s->blocks; c1++) {
        for (int64_t kh = 0; kh < s->kh; kh++) {
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t cell = input_cell(at, c1, kh, kw, co);
                const double *w = in->weight + weight_cell(s, c1, kh, kw, co);
                for (int64_t c0 = 0; c0 < s->block; c0++) {
                    aic_exact_add(&sum, (cell < 0 ? in->pad_value : in->feature_map[cell + c0]) * w[c0]);
                }
            }
        }
    }
    return sum;
}

/* ---- all of the output ---- */

/* What is to be found out of every element of dst. */
typedef struct request {
    const aic_conv2d_desc *desc;
    const aic_semantics *semantics;
    const sizes *size;
    void *const *operands;
    const doubles *in;    /* float16 */
    aic_allowed *allowed; /* of aic_conv2d_reference_allowed() */
} request;

static void walk(const request *r, void (*visit)(const request *r, const window *at, int64_t co, int64_t cell))
{
    for (int64_t ho = 0; ho < r->size->ho; ho++) {
        for (int64_t wo = 0; wo < r->size->wo; wo++) {
            const window at = {r->desc, r->size, ho, wo};
            for (int64_t co = 0; co < r->size->cout; co++) {
                visit(r, &at, co, output_cell(r->size, co, ho, wo));
            }
        }
    }
}

static void store_int8(const request *r, const window *at, int64_t co, int64_t cell)
{
    int32_t *out = (int32_t *)r->operands[0] + cell;
    const int64_t sum = (r->desc->init_l1out ? 0 : *out) + sum_int8(at, r->operands[1], r->operands[2], co);
    if (r->semantics->int_overflow == AIC_INT_OVERFLOW_WRAP) {
        *out = (int32_t)((sum & UINT32_MAX) - ((sum & INT64_C(0x80000000)) << 1));
    } else {
        *out = (int32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
    }
}

static void store_float(const request *r, const window *at, int64_t co, int64_t cell)
{
    float *out = (float *)r->operands[0] + cell;
    const float initial = r->desc->init_l1out ? 0 : *out;
    const bool cube = r->desc->accumulate == AIC_ACCUMULATE_CUBE;
    if (cube && r->semantics->sum == AIC_SUM_MODEL_BLOCK) {
        *out = aic_reference_sum(sum_cube(at, r->in, co, initial));
    } else if (cube && r->semantics->sum == AIC_SUM_MODEL_SEQUENTIAL) {
        *out = aic_reference_sum(sum_sequentially(at, r->in, co, initial));
    } else {
        const aic_exact_sum sum = sum_exactly(at, r->in, co, initial);
        *out = aic_reference_sum((float)aic_exact_value(&sum));
    }
}

static void allow(const request *r, const window *at, int64_t co, int64_t cell)
{
    const float *dst = r->operands[0];
    const aic_exact_sum sum = sum_exactly(at, r->in, co, r->desc->init_l1out ? 0 : dst[cell]);
    r->allowed[cell] = aic_exact_allowed(&sum, r->size->k, r->allowed[cell].high);
}

/* Leaves in `high` of every result of a tile the larger one of what is there and of Winograd's bound. */
static void allow_tile(const request *r, int m, const int64_t first[2], int64_t co)
{
    const sizes *s = r->size;
    const float *dst = r->operands[0];
    double magnitude[AIC_WINOGRAD_TILE * AIC_WINOGRAD_TILE];
    aic_winograd_magnitudes(r->desc, r->operands, m, first, co, magnitude);
    for (int64_t ho = first[0]; ho < first[0] + m && ho < s->ho; ho++) {
        for (int64_t wo = first[1]; wo < first[1] + m && wo < s->wo; wo++) {
            const int64_t cell = output_cell(s, co, ho, wo);
            const double own = magnitude[(ho - first[0]) * AIC_WINOGRAD_TILE + wo - first[1]];
            const double initial = r->desc->init_l1out ? 0 : (double)dst[cell];
            r->allowed[cell].high = fmax(r->allowed[cell].high, aic_winograd_bound(m, s->c1 * s->c0, own, initial));
        }
    }
}

/* Leaves in `high` of every result what is allowed beyond the bound of fast. */
static void allow_tiles(const request *r)
{
    for (int64_t i = 0; i < r->size->cout * r->size->round_howo; i++) {
        r->allowed[i].high = 0;
    }
    for (int m = 2; aic_winograd_applies(r->desc) && m <= AIC_WINOGRAD_TILE; m += 2) {
        for (int64_t ho = 0; ho < r->size->ho; ho += m) {
            for (int64_t wo = 0; wo < r->size->wo; wo += m) {
                const int64_t first[2] = {ho, wo};
                for (int64_t co = 0; co < r->size->cout; co++) {
                    allow_tile(r, m, first, co);
                }
            }
        }
    }
}

aic_status aic_conv2d_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    const aic_conv2d_desc *desc = descriptor;
    const sizes s = sizes_of(desc);
    doubles in;
    const request r = {.desc = desc, .semantics = semantics, .size = &s, .operands = operands, .in = &in};
    if (desc->dtype == AIC_INT8) {
        walk(&r, store_int8);
        return AIC_OK;
    }
    aic_status status = make_doubles(desc, &s, operands, &in);
    if (status == AIC_OK) {
        walk(&r, store_float);
        free_doubles(&in);
    }
    return status;
}

aic_status aic_conv2d_reference_allowed(const void *descriptor, const aic_semantics *semantics, void *const operands[],
                                        aic_allowed *allowed)
{
    (void)semantics;
    const aic_conv2d_desc *desc = descriptor;
    const sizes s = sizes_of(desc);
    const float *dst = operands[0];
    doubles in;
    const request r = {.desc = desc, .size = &s, .operands = operands, .in = &in, .allowed = allowed};
    aic_status status = make_doubles(desc, &s, operands, &in);
    if (status != AIC_OK) {
        return status;
    }
    allow_tiles(&r);
    walk(&r, allow);
    for (int64_t i = 0; i < s.cout * s.round_howo; i++) { /* what stays: the rows past howo */
        if (i / 16 % s.round_howo >= s.ho * s.wo) {
            allowed[i] = aic_allowed_within((double)dst[i], 0);
        }
    }
    free_doubles(&in);
    return AIC_OK;
}
