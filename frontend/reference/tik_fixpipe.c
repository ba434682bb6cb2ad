/* tik_fixpipe's plain-C reference: the formulas of TIK conv2d, element by element. */
#include "frontend/reference/reference.h"
#include "frontend/reference/value.h"

#include <math.h>
#include <string.h>

/* One call: the descriptor, its operands, and how results overflow. */
typedef struct call {
    const aic_tik_fixpipe_desc *desc;
    aic_overflow overflow;
    void *dst;
    const void *src, *bias;
    const uint16_t *scales; /* NULL: mode_param */
} call;

static int64_t clamp_int32(int64_t value)
{
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}

/* Whether relu makes +0 of x: max(0, x), which leaves NaN alone. */
static bool is_cut(const call *c, double x)
{
    return c->desc->relu && !(x > 0 || isnan(x));
}

static void store_half(const call *c, int64_t to, float value)
{
    const uint16_t half = aic_reference_float16((double)value, c->overflow);
    ((uint16_t *)c->dst)[to] = is_cut(c, aic_reference_value(AIC_FLOAT16, &half)) ? 0 : half;
}

/* Element `from` of src, of burst i and column n, to element `to` of dst. */
static void store_float(const call *c, int64_t from, int64_t to, int64_t i, int64_t n)
{
    float x;
    memcpy(&x, (const float *)c->src + from, sizeof x);
    if (c->bias) {
        x += ((const float *)c->bias)[i * 16 + n];
    }
    if (c->desc->quantize_params == AIC_TIK_QUANTIZE_FP322FP16) {
        store_half(c, to, x);
    } else {
        x = is_cut(c, (double)x) ? 0 : x;
        memcpy((float *)c->dst + to, &x, sizeof x);
    }
}

/* The scale of int322fp16: of column n, or one for all. */
static float scale_of(const call *c, int64_t n)
{
    const uint16_t half = c->scales ? c->scales[n] : aic_reference_float16(c->desc->mode_param, AIC_OVERFLOW_IEEE);
    return (float)aic_reference_value(AIC_FLOAT16, &half);
}

static void store_int(const call *c, int64_t from, int64_t to, int64_t i, int64_t n)
{
    int64_t x = ((const int32_t *)c->src)[from];
    if (c->bias) {
        x = clamp_int32(x + ((const int32_t *)c->bias)[i * 16 + n]);
    }
    if (c->desc->quantize_params == AIC_TIK_QUANTIZE_INT322FP16) {
        store_half(c, to, (float)x * scale_of(c, n));
    } else {
        ((int32_t *)c->dst)[to] = (int32_t)(c->desc->relu && x < 0 ? 0 : x);
    }
}

aic_status aic_tik_fixpipe_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    const aic_tik_fixpipe_desc *desc = descriptor;
    const int64_t rows = desc->burst_len * 32 / (16 * (int64_t)aic_dtype_size(desc->src));
    const int64_t src_burst = (rows + 15) / 16 * 16 * 16;
    const int64_t dst_burst = rows * 16 + desc->dst_stride * 32 / (int64_t)aic_dtype_size(desc->dst);
    const call c = {
        .desc = desc,
        .overflow = semantics->overflow,
        .dst = operands[0],
        .src = operands[1],
        .bias = operands[2],
        .scales = operands[3],
    };
    for (int64_t i = 0; i < desc->cburst_num; i++) {
        for (int64_t p = 0; p < rows; p++) {
            for (int64_t n = 0; n < 16; n++) {
                const int64_t from = i * src_burst + p * 16 + n, to = i * dst_burst + p * 16 + n;
                (desc->src == AIC_FLOAT32 ? store_float : store_int)(&c, from, to, i, n);
            }
        }
    }
    return AIC_OK;
}
