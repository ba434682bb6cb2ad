/* How conv2d makes one element (TIK conv2d, sections 4 and 5). The reduction index k counts channels within a block,
 * kernel columns, kernel rows, blocks of channels; every block of K0 neighbours is one step. */
#include "frontend/numeric/element.h"
#include "frontend/reference/winograd.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

/* The output element, and the indices of the reduction's loops. */
typedef struct position {
    const aic_conv2d_desc *desc;
    void *const *operands;
    int64_t c0, kh, kw, cout, k, ho, wo; /* c0: channels of a block of the weight */
    int64_t first;                       /* input channel of the output's group */
    int64_t row, column;                 /* of the output: ho*Wo + wo, and the output channel */
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
        .c0 = kernel[4],
        .kh = kernel[1],
        .kw = kernel[2],
        .cout = kernel[3],
        .k = kernel[0] * kernel[1] * kernel[2] * kernel[4],
        .ho = ho,
        .wo = wo,
        .row = element / 16 % rows,
        .column = element / (16 * rows) * 16 + element % 16,
    };
    p->first = p->column / (kernel[3] / desc->groups) * (fm[0] * fm[3] / desc->groups);
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
    const int64_t width = desc->fm_shape[3], channel = p->first + c.c1 * p->c0 + c0;
    c.input = ((channel / width * desc->fm_shape[1] + c.h) * desc->fm_shape[2] + c.w) * width + channel % width;
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

/* Adds the products of the tap whose first is number k, `channels` of them, to the sum. */
static void add_tap(aic_tracer *t, const position *p, aic_trace_sum *sum, int64_t k, int64_t channels)
{
    const aic_dtype dtype = p->desc->dtype;
    const cell c = cell_of(p, k);
    const uint64_t pad =
        dtype == AIC_INT8 ? (uint8_t)(int8_t)p->desc->pad_value : aic_half_from_double(p->desc->pad_value);
    aic_trace_event(t, AIC_EVENT_PADDING, !c.inside);
    for (int64_t i = 0; i < channels; i++) {
        const uint64_t x = c.inside ? aic_trace_read(t, dtype, p->operands[1], c.input + i) : pad;
        aic_trace_sum_add(t, sum, dtype, x, aic_trace_read(t, dtype, p->operands[2], c.weight + i));
    }
}

/* The bound of Winograd's method is for people: a trace that only looks for events does without. */
static void allow_winograd(aic_tracer *t, const position *p, aic_trace_sum *sum)
{
    if (t->out && aic_winograd_applies(p->desc)) {
        sum->least =
            aic_winograd_bound_at(p->desc, p->operands, p->row / p->wo, p->row % p->wo, p->column, (double)sum->acc);
    }
}

static uint64_t add_up(aic_tracer *t, const position *p, uint64_t old)
{
    const aic_dtype dtype = p->desc->dtype, result = dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    const int64_t k0 = dtype == AIC_INT8 ? 32 : 16, blocks = (p->k + k0 - 1) / k0;
    aic_trace_sum sum;
    aic_trace_sum_begin(t, &sum, result, p->desc->accumulate, old, blocks, p->k);
    allow_winograd(t, p, &sum);
    for (int64_t b = 0; b < blocks; b++) {
        for (int64_t k = b * k0; k < (b + 1) * k0 && k < p->k; k += p->c0) { /* a block has whole taps */
            add_tap(t, p, &sum, k, p->c0);
        }
        char what[64] = "";
        const bool shown = aic_trace_shows(t, b, blocks);
        if (shown) {
            name_block(p, b * k0, k0, what);
        }
        aic_trace_sum_block(t, &sum, shown ? what : NULL);
    }
    return aic_trace_sum_end(t, &sum);
}

bool aic_trace_conv2d(aic_tracer *t, const aic_conv2d_desc *desc, void *const operands[], int64_t element,
                      uint64_t *bits)
{
    position p;
    const bool found = find(desc, operands, element, &p);
    t->channel = p.column;
    if (!found) {
        return aic_trace_unwritten(t, "row %" PRId64 " is past Ho*Wo, 0..%" PRId64, p.row, p.ho * p.wo - 1);
    }
    const aic_dtype dtype = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    aic_trace_put(t, "conv2d, ho %" PRId64 ", wo %" PRId64 ", output channel %" PRId64 ":\n", p.row / p.wo,
                  p.row % p.wo, p.column);
    if (desc->pad_value != 0) {
        aic_trace_step(t, AIC_STEP_PADDING, "padding", "%s", aic_trace_real(t, desc->pad_value).text);
    }
    const uint64_t old = desc->init_l1out ? 0 : aic_trace_old(t, dtype, operands[0], desc->l1out, element, p.column);
    *bits = add_up(t, &p, old);
    return true;
}
