/* conv2d's plain-C reference: the formulas of TIK conv2d, line by line. */
#include "frontend/core/diag.h"
#include "frontend/reference/reference.h"
#include "frontend/reference/sum.h"
#include "frontend/reference/value.h"
#include "frontend/reference/winograd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Element index of dst[co/16][ho*Wo + wo][co%16]. */
static int64_t output_cell(const sizes *s, int64_t co, int64_t ho, int64_t wo)
{
    return (co / 16 * s->round_howo + ho * s->wo + wo) * 16 + co % 16;
}

/* The operands as factors (sum.h). */
typedef struct factors {
    size_t size; /* bytes of each */
    unsigned char *feature_map;
    unsigned char *weight;  /* [Cout][k], those of an output channel in the order of the reduction */
    unsigned char *window;  /* [k], the other factors: what the kernel of an output position meets */
    unsigned char *padding; /* a block of channels */
} factors;

static void free_factors(factors *in)
{
    free(in->feature_map);
    free(in->weight);
    free(in->window);
    free(in->padding);
}

static aic_status make_factors(const aic_conv2d_desc *desc, const sizes *s, void *const operands[], factors *in)
{
    const int64_t feature_map = s->c1 * s->h * s->w * s->c0, weight = s->k * s->cout;
    const size_t size = aic_reference_factor_size(desc->dtype);
    *in = (factors){size, calloc((size_t)feature_map, size), calloc((size_t)weight, size), calloc((size_t)s->k, size),
                    calloc((size_t)s->block, size)};
    if (!in->feature_map || !in->weight || !in->window || !in->padding) {
        free_factors(in);
        return aic_fail_memory("conv2d", (size_t)(feature_map + weight + s->k + s->block) * size);
    }
    const int8_t integer = desc->dtype == AIC_INT8 ? (int8_t)desc->pad_value : 0;
    const uint16_t half = aic_reference_float16(desc->pad_value, AIC_OVERFLOW_IEEE);
    for (int64_t i = 0; i < s->block; i++) {
        aic_reference_make_factor(desc->dtype, desc->dtype == AIC_INT8 ? (const void *)&integer : &half, 0, in->padding,
                                  i);
    }
    for (int64_t i = 0; i < feature_map; i++) {
        aic_reference_make_factor(desc->dtype, operands[1], i, in->feature_map, i);
    }
    for (int64_t i = 0; i < weight; i++) { /* weight[c1][kh][kw][co][c0], the first three of which are a tap */
        const int64_t tap = i / s->block / s->cout, co = i / s->block % s->cout, c0 = i % s->block;
        aic_reference_make_factor(desc->dtype, operands[2], i, in->weight, co * s->k + tap * s->block + c0);
    }
    return AIC_OK;
}

/* ---- all of the output ---- */

/* What is to be found out of every element of dst. */
typedef struct request {
    const aic_conv2d_desc *desc;
    const aic_semantics *semantics;
    const sizes *size;
    void *const *operands;
    const factors *in;
    aic_allowed *allowed; /* of aic_conv2d_reference_allowed() */
} request;

/* Leaves in the window what kernel position (kh, kw) and channel c0 of block c1 meet, for a group of channels; the
 * block's channels are neighbours in feature_map. */
static void open_window(const request *r, int64_t ho, int64_t wo, int64_t group)
{
    const aic_conv2d_desc *desc = r->desc;
    const sizes *s = r->size;
    const size_t size = r->in->size, bytes = (size_t)s->block * size;
    unsigned char *x = r->in->window;
    for (int64_t c1 = 0; c1 < s->blocks; c1++) {
        const int64_t channel = group * s->inputs + c1 * s->block;
        for (int64_t kh = 0; kh < s->kh; kh++) {
            const int64_t h = ho * desc->stride[0] + kh * desc->dilation[0] - desc->pad[2];
            for (int64_t kw = 0; kw < s->kw; kw++) {
                const int64_t w = wo * desc->stride[1] + kw * desc->dilation[1] - desc->pad[0];
                const bool inside = h >= 0 && h < s->h && w >= 0 && w < s->w;
                const int64_t cell = ((channel / s->c0 * s->h + h) * s->w + w) * s->c0 + channel % s->c0;
                memcpy(x, inside ? r->in->feature_map + cell * (int64_t)size : r->in->padding, bytes);
                x += bytes;
            }
        }
    }
}

/* Visits every element of dst with its index in memory. */
static void walk(const request *r, void (*visit)(const request *r, const aic_reference_products *p, int64_t cell))
{
    const sizes *s = r->size;
    for (int64_t ho = 0; ho < s->ho; ho++) {
        for (int64_t wo = 0; wo < s->wo; wo++) {
            for (int64_t co = 0; co < s->cout; co++) {
                if (co % s->outputs == 0) {
                    open_window(r, ho, wo, co / s->outputs);
                }
                const unsigned char *weight = r->in->weight + co * s->k * (int64_t)r->in->size;
                const aic_reference_products p = {r->in->window, weight, s->k, s->k0};
                visit(r, &p, output_cell(s, co, ho, wo));
            }
        }
    }
}

static void store(const request *r, const aic_reference_products *p, int64_t cell)
{
    const bool old = !r->desc->init_l1out;
    if (r->desc->dtype == AIC_INT8) {
        int32_t *out = (int32_t *)r->operands[0] + cell;
        *out = aic_reference_add_int8(p, r->semantics->int_overflow, old ? *out : 0);
    } else {
        float *out = (float *)r->operands[0] + cell;
        *out = aic_reference_sum(aic_reference_add_float(p, r->desc->accumulate, r->semantics->sum, old ? *out : 0));
    }
}

static void allow(const request *r, const aic_reference_products *p, int64_t cell)
{
    const float *dst = r->operands[0];
    const aic_exact_sum sum = aic_reference_add_exactly(p, r->desc->init_l1out ? 0 : dst[cell]);
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
    const sizes s = sizes_of(descriptor);
    factors in;
    const request r = {.desc = descriptor, .semantics = semantics, .size = &s, .operands = operands, .in = &in};
    aic_status status = make_factors(descriptor, &s, operands, &in);
    if (status == AIC_OK) {
        walk(&r, store);
        free_factors(&in);
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
    factors in;
    const request r = {.desc = desc, .size = &s, .operands = operands, .in = &in, .allowed = allowed};
    aic_status status = make_factors(desc, &s, operands, &in);
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
    free_factors(&in);
    return AIC_OK;
}
