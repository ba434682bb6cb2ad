/* Rounding up of channels, halves, and the layout of weights. A channel that is added has no weights, starts at 0 and
 * stays there. */
#include "tools/superres/constants.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS_FIRST = 4, CHANNELS_HALF = 16, CHANNELS_INT8 = 32, LAST_BLOCK = 16 };

static int64_t round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

form_sizes constants_sizes(const plan_request *r, int i)
{
    const network_layer *l = &r->network->layer[i];
    const bool int8 = r->mode == PLAN_INT8, last = i + 1 == r->network->count;
    form_sizes s = {.h = r->height, .w = r->width, .c1 = 1, .c0 = CHANNELS_FIRST, .fast = r->mode == PLAN_FAST};
    s.cout = round_up(l->out, last ? LAST_BLOCK : CHANNELS_INT8);
    s.pad = int8 && i == 0 ? -PIXEL_ZERO : 0;
    if (i > 0) {
        s.c0 = int8 ? CHANNELS_INT8 : CHANNELS_HALF;
        s.c1 = round_up(l->in, CHANNELS_INT8) / s.c0;
    }
    return s;
}

/* The weights of the layer as [cout, in, 3, 3] in the type that they are multiplied in. */
static void *convert_weights(const plan_request *r, int i, int64_t cout)
{
    const network_layer *l = &r->network->layer[i];
    const size_t count = (size_t)l->out * (size_t)l->in * NETWORK_TAPS;
    const size_t each = r->mode == PLAN_INT8 ? 1 : 2;
    void *converted = calloc((size_t)cout * (size_t)l->in * NETWORK_TAPS, each);
    if (converted != NULL && r->mode == PLAN_INT8) {
        memcpy(converted, r->int8->layer[i].weights, count);
    } else if (converted != NULL) {
        for (size_t k = 0; k < count; k++) {
            ((uint16_t *)converted)[k] = element_half((double)l->weights[k]);
        }
    }
    return converted;
}

static int pack_weights(constants *c, const plan_request *r, int i, const form_sizes *s)
{
    const aic_dtype type = r->mode == PLAN_INT8 ? AIC_INT8 : AIC_FLOAT16;
    const int64_t in = i == 0 ? r->network->layer[i].in : s->c1 * s->c0;
    const int64_t shape[] = {s->cout, r->network->layer[i].in, NETWORK_SIDE, NETWORK_SIDE};
    /* Blocks of channels beyond those that there are: 40 channels take three blocks of 16, and there is memory for
     * four. */
    const size_t bytes = (size_t)(round_up(in, s->c0) * s->cout * NETWORK_TAPS) * aic_dtype_size(type);
    void *converted = convert_weights(r, i, s->cout);
    c->weights = calloc(1, bytes);
    int status = CLI_DONE;
    if (converted == NULL || c->weights == NULL) {
        status = cli_fail_memory(r->network->layer[i].name, bytes);
    } else {
        const aic_status packed = aic_pack_weights(type, converted, shape, s->c0, c->weights);
        status = packed == AIC_OK ? CLI_DONE : cli_fail_library(r->network->layer[i].name, packed);
    }
    free(converted);
    return status;
}

static void fill_half(constants *c, const network_layer *l)
{
    memcpy(c->start, l->bias, (size_t)l->out * sizeof *c->start);
}

/* The word of scale 1, signed results. */
static const uint64_t SCALE_1 = UINT64_C(0x3F800000) | UINT64_C(1) << AIC_QUANT_SIGN_BIT;

static void fill_int8(constants *c, const network_layer *l, const quantised_layer *q, int64_t cout)
{
    for (int64_t o = 0; o < cout; o++) {
        const int32_t start = o < l->out ? q->start[o] : SUM_OFFSET;
        memcpy(&c->start[o], &start, sizeof start);
        c->factor[o] = o < l->out ? q->factor[o] : 0;
        c->words[o] = o < l->out && q->word != NULL ? q->word[o] : SCALE_1;
    }
}

int constants_open(constants *c, const plan_request *r, int i)
{
    const network_layer *l = &r->network->layer[i];
    const form_sizes s = constants_sizes(r, i);
    const size_t cout = (size_t)s.cout;
    *c = (constants){.start = calloc(cout, sizeof *c->start),
                     .slope = calloc(cout, sizeof *c->slope),
                     .factor = calloc(cout, sizeof *c->factor),
                     .words = calloc(cout, sizeof *c->words)};
    if (c->start == NULL || c->slope == NULL || c->factor == NULL || c->words == NULL) {
        return cli_fail_memory(l->name, cout * sizeof *c->words);
    }
    if (l->slope != NULL) {
        memcpy(c->slope, l->slope, (size_t)l->out * sizeof *c->slope);
    }
    if (r->mode == PLAN_INT8) {
        fill_int8(c, l, &r->int8->layer[i], s.cout);
    } else {
        fill_half(c, l);
    }
    return pack_weights(c, r, i, &s);
}

void constants_close(constants *c)
{
    free(c->weights);
    free(c->start);
    free(c->slope);
    free(c->factor);
    free(c->words);
    *c = (constants){0};
}
