/* How conv2d makes one element (TIK conv2d, sections 4 and 5). The reduction index k counts channels within a block,
 * kernel columns, kernel rows, blocks of channels; every block of K0 neighbours is one step. */
#include "frontend/numeric/half.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

/* The output element, and the indices of the reduction's loops. */
typedef struct position {
    const aic_conv2d_desc *desc;
    void *const *operands;
    int64_t c0, kh, kw, cout, k, wo;
    int64_t row, column; /* of the output: ho*Wo + wo, and the output channel */
} position;

static int64_t outputs(int64_t image, int64_t padding, int64_t taps, int64_t dilation, int64_t stride)
{
    return (image + padding - ((taps - 1) * dilation + 1)) / stride + 1;
}

static bool find(const aic_conv2d_desc *desc, void *const operands[], int64_t element, position *p)
{
    const int64_t *fm = desc->fm_shape, *kernel = desc->kernel_shape, *pad = desc->pad;
    const int64_t ho = outputs(fm[1], pad[2] + pad[3], kernel[1], desc->dilation[0], desc->stride[0]);
    const int64_t wo = outputs(fm[2], pad[0] + pad[1], kernel[2], desc->dilation[1], desc->stride[1]);
    const int64_t rows = (ho * wo + 15) & ~INT64_C(15);
    *p = (position){
        .desc = desc,
        .operands = operands,
        .c0 = fm[3],
        .kh = kernel[1],
        .kw = kernel[2],
        .cout = kernel[3],
        .k = fm[0] * kernel[1] * kernel[2] * fm[3],
        .wo = wo,
        .row = element / 16 % rows,
        .column = element / (16 * rows) * 16 + element % 16,
    };
    return p->row < ho * wo;
}

/* The input cell of reduction index k: its row and column in the image, which may lie in the padding. */
typedef struct cell {
    int64_t c1, kh, kw, h, w;
    bool inside;
    int64_t input, weight; /* elements */
} cell;

static cell cell_of(const position *p, int64_t k)
{
    const aic_conv2d_desc *desc = p->desc;
    const int64_t tap = k / p->c0, c0 = k % p->c0;
    cell c = {.c1 = tap / (p->kh * p->kw), .kh = tap / p->kw % p->kh, .kw = tap % p->kw};
    c.h = p->row / p->wo * desc->stride[0] + c.kh * desc->dilation[0] - desc->pad[2];
    c.w = p->row % p->wo * desc->stride[1] + c.kw * desc->dilation[1] - desc->pad[0];
    c.inside = c.h >= 0 && c.h < desc->fm_shape[1] && c.w >= 0 && c.w < desc->fm_shape[2];
    c.input = ((c.c1 * desc->fm_shape[1] + c.h) * desc->fm_shape[2] + c.w) * p->c0 + c0;
    c.weight = (tap * p->cout + p->column) * p->c0 + c0;
    return c;
}

/* Names a block by its first cell: "c1 0 kh 1 kw 2 (padding)". */
static void name_block(const position *p, int64_t k, int64_t k0, char text[64])
{
    const cell c = cell_of(p, k);
    if (p->c0 == k0) {
        snprintf(text, 64, "c1 %" PRId64 " kh %" PRId64 " kw %" PRId64 "%s", c.c1, c.kh, c.kw,
                 c.inside ? "" : " (padding)");
    } else { /* blocks of several kernel positions */
        snprintf(text, 64, "k %" PRId64 "..%" PRId64, k, (k + k0 < p->k ? k + k0 : p->k) - 1);
    }
}

static uint64_t trace_int8(aic_sink *out, const position *p, aic_int_overflow overflow, int64_t old)
{
    enum { K0 = 32 };
    const int64_t blocks = (p->k + K0 - 1) / K0;
    int64_t acc = old;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t sum = 0;
        for (int64_t k = b * K0; k < (b + 1) * K0 && k < p->k; k++) {
            const cell c = cell_of(p, k);
            const int64_t x =
                c.inside ? (int8_t)aic_trace_load(AIC_INT8, p->operands[1], c.input) : (int64_t)p->desc->pad_value;
            sum += x * (int8_t)aic_trace_load(AIC_INT8, p->operands[2], c.weight);
        }
        acc += sum;
        if (aic_trace_shows(out, b, blocks)) {
            char what[64];
            name_block(p, b * K0, K0, what);
            aic_trace_step(out, what, "sum %" PRId64 ", acc %" PRId64, sum, acc);
        }
    }
    return (uint32_t)aic_trace_int32(out, overflow, acc);
}

static uint64_t trace_float16(aic_sink *out, const position *p, aic_sum_model model, float old)
{
    enum { K0 = 16 };
    const int64_t blocks = (p->k + K0 - 1) / K0;
    const uint16_t pad_value = aic_half_from_double(p->desc->pad_value);
    aic_trace_sum sum = aic_trace_sum_begin(model, old);
    for (int64_t b = 0; b < blocks; b++) {
        for (int64_t k = b * K0; k < (b + 1) * K0 && k < p->k; k++) {
            const cell c = cell_of(p, k);
            const uint16_t x = c.inside ? (uint16_t)aic_trace_load(AIC_FLOAT16, p->operands[1], c.input) : pad_value;
            const uint16_t w = (uint16_t)aic_trace_load(AIC_FLOAT16, p->operands[2], c.weight);
            aic_trace_sum_add(&sum, aic_half_to_double(x) * aic_half_to_double(w));
        }
        char what[64];
        const bool shown = aic_trace_shows(out, b, blocks);
        name_block(p, b * K0, K0, what);
        aic_trace_sum_block(out, &sum, shown ? what : NULL);
    }
    return aic_trace_result(aic_trace_sum_end(out, &sum));
}

bool aic_trace_conv2d(aic_sink *out, const aic_conv2d_desc *desc, const aic_semantics *semantics,
                      void *const operands[], int64_t element, uint64_t *bits)
{
    position p;
    if (!find(desc, operands, element, &p)) {
        return false;
    }
    const bool is_int8 = desc->dtype == AIC_INT8;
    const aic_dtype dtype = is_int8 ? AIC_INT32 : AIC_FLOAT32;
    char what[96];
    snprintf(what, sizeof what, "conv2d, ho %" PRId64 ", wo %" PRId64 ", output channel %" PRId64 ":\n", p.row / p.wo,
             p.row % p.wo, p.column);
    aic_sink_put(out, what);
    uint64_t old = 0;
    if (!desc->init_l1out) {
        const bool channel = desc->l1out == AIC_L1OUT_CHANNEL;
        old = aic_trace_load(dtype, operands[0], channel ? p.column : element);
        aic_trace_step(out, channel ? "l1out" : "old dst", "%s", aic_trace_element(dtype, old).text);
    }
    *bits = is_int8 ? trace_int8(out, &p, semantics->int_overflow, (int32_t)old)
                    : trace_float16(out, &p, semantics->sum, aic_trace_float(old));
    return true;
}
