/* fixpipe's plain-C reference: the formulas of AscendC Fixpipe, element by element. */
#include "frontend/reference/reference.h"
#include "frontend/reference/value.h"

#include <math.h>
#include <string.h>

/* The quantisation word. */
typedef struct quantisation {
    float scale;
    bool shifts; /* MCB */
    int shift;   /* 0..16 */
    int offset;
    bool is_signed;
} quantisation;

/* `scalar`: the word of a scalar mode. */
static quantisation decode(uint64_t word, bool scalar, const aic_semantics *semantics)
{
    const bool cut = !scalar || semantics->scale_bits == AIC_SCALE_BITS_CUT;
    const uint32_t scale_bits = (uint32_t)word & (cut ? 0xFFFFE000 : 0xFFFFFFFF);
    const int n = (int)(word >> 32 & 0xF);
    const int offset = (int)(word >> 37 & 0x1FF);
    quantisation q = {
        .shifts = word >> 36 & 1,
        .shift = semantics->n_field == AIC_N_FIELD_BARE ? n : n + 1,
        .offset = offset >= 256 && semantics->offset_sign == AIC_OFFSET_SIGN_SIGNED ? offset - 512 : offset,
        .is_signed = word >> 46 & 1,
    };
    memcpy(&q.scale, &scale_bits, sizeof q.scale);
    return q;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* value / 2^count, rounded down, an arithmetic shift, or to nearest, ties to even. */
static int64_t shift_right(int64_t value, int count, aic_mcb_shift rounding)
{
    const int64_t divisor = INT64_C(1) << count;
    if (rounding == AIC_MCB_SHIFT_NEAREST) {
        return (int64_t)nearbyint((double)value / (double)divisor); /* the quotient is exact */
    }
    return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/* b8: a byte of int8 or uint8. */
static uint8_t to_byte(float p, const quantisation *q, aic_offset_clamp offset_clamp)
{
    /* Beyond +-4096 no offset changes which end of the range the result is clamped to. */
    const bool nine_bits = offset_clamp == AIC_OFFSET_CLAMP_CLAMP;
    const float low = nine_bits ? -256 : -4096, high = nine_bits ? 255 : 4096;
    const float t = isnan(p) ? 0 : p < low ? low : p > high ? high : p;
    const int64_t r = (int64_t)nearbyintf(t) + q->offset;
    return (uint8_t)(q->is_signed ? clamp(r, -128, 127) : clamp(r, 0, 255));
}

/* A source element, whichever type it is. */
typedef union source {
    float f32;
    int32_t i32;
} source;

/* Section 6.1. */
static float rectify_float(float x, const aic_semantics *semantics)
{
    const float zero = semantics->relu_zero == AIC_RELU_ZERO_PRODUCT ? 0 * x : 0;
    return x > 0 || isnan(x) ? x : zero;
}

static source rectify(aic_dtype type, source x, const aic_semantics *semantics)
{
    if (type == AIC_FLOAT32) {
        return (source){.f32 = rectify_float(x.f32, semantics)};
    }
    return x.i32 > 0 ? x : (source){.i32 = 0};
}

/* The product with the scale, rectified where that is done after scaling. */
static float scaled(const aic_fixpipe_desc *desc, const aic_semantics *semantics, float x, const quantisation *q)
{
    const float p = x * q->scale;
    return desc->reluEn && semantics->relu == AIC_RELU_ORDER_AFTER ? rectify_float(p, semantics) : p;
}

static bool is_scalar(aic_quant_pre mode)
{
    return mode == AIC_QUANT_DEQF16 || mode == AIC_QUANT_QF322B8_PRE || mode == AIC_QUANT_REQ8;
}

static bool is_scaled(aic_quant_pre mode)
{
    return mode != AIC_QUANT_NO_QUANT && mode != AIC_QUANT_F322F16 && mode != AIC_QUANT_F322BF16;
}

/* Section 6.2: one result, stored at `out`. */
static void store(const aic_fixpipe_desc *desc, const aic_semantics *semantics, source x, uint64_t word,
                  unsigned char *out)
{
    const quantisation q = decode(word, is_scalar(desc->quantPre), semantics);
    const aic_overflow overflow = semantics->overflow;
    uint16_t half;
    if (desc->reluEn && (semantics->relu == AIC_RELU_ORDER_BEFORE || !is_scaled(desc->quantPre))) {
        x = rectify(desc->src, x, semantics);
    }
    switch (desc->quantPre) {
    case AIC_QUANT_NO_QUANT:
        memcpy(out, &x, sizeof x);
        return;
    case AIC_QUANT_F322F16:
        half = aic_reference_float16((double)x.f32, overflow);
        break;
    case AIC_QUANT_F322BF16:
        half = aic_reference_bfloat16((double)x.f32, overflow);
        break;
    case AIC_QUANT_DEQF16:
    case AIC_QUANT_VDEQF16:
        half = aic_reference_float16((double)scaled(desc, semantics, (float)x.i32, &q), overflow);
        break;
    case AIC_QUANT_QF322B8_PRE:
    case AIC_QUANT_VQF322B8_PRE:
        *out = to_byte(scaled(desc, semantics, x.f32, &q), &q, semantics->offset_clamp);
        return;
    case AIC_QUANT_REQ8:
    case AIC_QUANT_VREQ8: {
        const int64_t y = q.shifts ? clamp(shift_right(x.i32, q.shift, semantics->shift), INT16_MIN, INT16_MAX) : x.i32;
        *out = to_byte(scaled(desc, semantics, (float)y, &q), &q, semantics->offset_clamp);
        return;
    }
    default: /* no mode of a valid descriptor */
        return;
    }
    memcpy(out, &half, sizeof half);
}

/* Byte offset of element (i, j, n) in dst. */
static int64_t target(const aic_fixpipe_desc *desc, int64_t i, int64_t j, int64_t n)
{
    const int64_t size = (int64_t)aic_dtype_size(desc->dst);
    if (desc->format == AIC_FORMAT_ROW_MAJOR) {
        return (i * desc->dstNdStride + j * desc->dstStride + n) * size;
    }
    if (desc->isChannelSplit) {
        return n / 8 * desc->dstStride * 32 + (j * 8 + n % 8) * 4;
    }
    if (size > 1) {
        return n / 16 * desc->dstStride * 32 + (j * 16 + n % 16) * size;
    }
    const bool odd_tail = !desc->fill_block && desc->nSize / 16 % 2 != 0 && n >= desc->nSize - 16;
    return n / 32 * desc->dstStride * 32 + j * (odd_tail ? 16 : 32) + n % 32;
}

/* What is done with every element of dst: the operands, and the offset of the result in bytes. */
typedef struct walk_state {
    const aic_fixpipe_desc *desc;
    const aic_semantics *semantics;
    unsigned char *out;       /* dst, or what is found out of it */
    const unsigned char *src; /* NULL where the values do not matter */
    const uint64_t *words;    /* NULL: deqScalar */
} walk_state;

static void walk(const walk_state *w, void (*visit)(const walk_state *w, int64_t from, uint64_t word, int64_t to))
{
    const aic_fixpipe_desc *desc = w->desc;
    const int64_t matrices = desc->format == AIC_FORMAT_ROW_MAJOR || desc->ndNum == 0 ? desc->ndNum : 1;
    for (int64_t i = 0; i < matrices; i++) {
        for (int64_t j = 0; j < desc->mSize; j++) {
            for (int64_t n = 0; n < desc->nSize; n++) {
                const int64_t from = i * desc->srcNdStride * 256 + n / 16 * desc->srcStride * 16 + j * 16 + n % 16;
                visit(w, from, w->words ? w->words[n] : desc->deqScalar, target(desc, i, j, n));
            }
        }
    }
}

static void store_result(const walk_state *w, int64_t from, uint64_t word, int64_t to)
{
    source x;
    memcpy(&x, w->src + from * (int64_t)sizeof x, sizeof x);
    store(w->desc, w->semantics, x, word, w->out + to);
}

/* fill_block: zeros behind an odd last block of 16 columns, as if there were 16 more. */
static void fill(const aic_fixpipe_desc *desc, unsigned char *out)
{
    const bool fills = desc->fill_block && desc->nSize / 16 % 2 != 0 && desc->ndNum != 0;
    for (int64_t j = 0; fills && j < desc->mSize; j++) {
        memset(out + target(desc, 0, j, desc->nSize), 0, 16);
    }
}

aic_status aic_fixpipe_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    const walk_state w = {descriptor, semantics, operands[0], operands[1], operands[2]};
    walk(&w, store_result);
    fill(descriptor, operands[0]);
    return AIC_OK;
}

static void store_sign(const walk_state *w, int64_t from, uint64_t word, int64_t to)
{
    (void)from;
    w->out[to] = word >> 46 & 1;
}

void aic_fixpipe_byte_signs(const void *descriptor, void *const operands[], unsigned char *is_signed)
{
    const walk_state w = {.desc = descriptor, .out = is_signed, .words = operands[2]};
    walk(&w, store_sign);
}
