/* Tensor arithmetic as boxes.
 *
 * Channels: in each operand, channel c lies in lane (Q + c) % lanes, row (Q + c) / lanes. Between the channels at which
 * an operand goes back to its first lane, all operands go from lane to lane; `lanes` channels further on they do so
 * again, a row further. Flat memory is one lane.
 *
 * Batches: boxes go over the output's words. Where elements of 16 bits come from elements of 8, a word of an input
 * makes a pair of them, the second from its upper half; where they become elements of 8, an input has two words to one
 * of the output. The last word, if batches do not fill it, is a box that keeps the rest. */
#include "codegen/ops/arith_elementwise.h"

enum { WORD_BITS = 32, WORD_BYTES = 4 };

static const struct {
    aic_atomic_op number;
    aic_elementwise_op op;
} OPS[] = {
    {AIC_ATOMIC_BM_MUL, AIC_ELEMENTWISE_MUL},     {AIC_ATOMIC_BM_MAC, AIC_ELEMENTWISE_MAC},
    {AIC_ATOMIC_BM_ADD, AIC_ELEMENTWISE_ADD},     {AIC_ATOMIC_BM_SUB, AIC_ELEMENTWISE_SUB},
    {AIC_ATOMIC_BM_MAX, AIC_ELEMENTWISE_MAX},     {AIC_ATOMIC_BM_MIN, AIC_ELEMENTWISE_MIN},
    {AIC_ATOMIC_BM_SHIFT, AIC_ELEMENTWISE_SHIFT}, {AIC_ATOMIC_BM_AND, AIC_ELEMENTWISE_AND},
    {AIC_ATOMIC_BM_OR, AIC_ELEMENTWISE_OR},       {AIC_ATOMIC_BM_XOR, AIC_ELEMENTWISE_XOR},
    {AIC_ATOMIC_BM_SG, AIC_ELEMENTWISE_GREATER},  {AIC_ATOMIC_BM_SE, AIC_ELEMENTWISE_EQUAL},
    {AIC_ATOMIC_BM_DIV, AIC_ELEMENTWISE_DIV},     {AIC_ATOMIC_BM_CPY, AIC_ELEMENTWISE_COPY},
};

static aic_elementwise_op op_of(aic_atomic_op number)
{
    unsigned i = 0;
    while (OPS[i].number != number) { /* legal, therefore in the table */
        i++;
    }
    return OPS[i].op;
}

/* A word is a tensor of one element that is read everywhere: its strides are 0. */
static bool is_tensor(const aic_arith_operand *o)
{
    return o->source == AIC_ARITH_TENSOR || o->source == AIC_ARITH_WORD;
}

/* ---- what is computed ---- */

static aic_elementwise_input input_of(const aic_arith_operand *o)
{
    return (aic_elementwise_input){.is_constant = o->source == AIC_ARITH_CONSTANT,
                                   .constant = o->constant,
                                   .bits = (unsigned)o->bits,
                                   .sign = o->sign,
                                   .spread = o->broadcast[AIC_ARITH_N]};
}

/* What an operation does not read is no part of its code's key. */
static void drop_unread(aic_elementwise_value *v)
{
    const bool is_float = aic_elementwise_is_float(v),
               compares = v->op == AIC_ELEMENTWISE_GREATER || v->op == AIC_ELEMENTWISE_EQUAL;
    v->select = compares ? v->select : 0;
    v->half_up = v->half_up && v->right != 0;
    v->fused = v->fused && is_float && v->op == AIC_ELEMENTWISE_MAC;
    v->number = v->number && is_float && (v->op == AIC_ELEMENTWISE_MAX || v->op == AIC_ELEMENTWISE_MIN);
}

aic_elementwise_value aic_arith_value(const aic_arith *p)
{
    aic_elementwise_value v = {.op = op_of(p->number),
                               .a = input_of(&p->operand[AIC_ARITH_INPUT0]),
                               .b = input_of(&p->operand[AIC_ARITH_INPUT1]),
                               .out = input_of(&p->operand[AIC_ARITH_OUTPUT]),
                               .select = p->select_value,
                               .arithmetic = p->shift_type == 1,
                               .half_up = p->rounding == AIC_ROUNDING_HALF_UP,
                               .fused = p->mac == AIC_MAC_FUSED,
                               .number = p->minmax_nan == AIC_MINMAX_NUMBER,
                               .left = p->lshift,
                               .right = p->rshift};
    drop_unread(&v);
    if (v.op == AIC_ELEMENTWISE_COPY && v.a.bits < WORD_BITS) { /* whole words are copied */
        v.a.constant = (v.a.constant & 0xff) * 0x01010101;
        v.a.bits = WORD_BITS;
    }
    return v;
}

/* ---- batches ---- */

/* Output words first, first + step, ... of the word batches, or the pairs that begin there. */
typedef struct words {
    int64_t first, count, step;
    bool pairs;
    aic_elementwise_part part;
} words;

enum { WORDS_MAX = 3 };

/* Whether a word of an input has elements for two of the output's. */
static bool widens(const aic_arith *p)
{
    bool narrow = false;
    for (int i = AIC_ARITH_INPUT0; i < AIC_ARITH_OPERANDS; i++) {
        narrow = narrow || (is_tensor(&p->operand[i]) && p->operand[i].bits < p->operand[AIC_ARITH_OUTPUT].bits);
    }
    return narrow;
}

static unsigned cut_batches(const aic_arith *p, words set[WORDS_MAX])
{
    const int64_t per_word = WORD_BITS / p->operand[AIC_ARITH_OUTPUT].bits, step = widens(p) ? 2 : 1;
    const int64_t full = p->shape[AIC_ARITH_N] / per_word, rest = p->shape[AIC_ARITH_N] % per_word;
    unsigned sets = 0;
    if (full >= step) {
        set[sets++] = (words){.first = 0, .count = full / step, .step = step, .pairs = step == 2};
    }
    if (full % step > 0) {
        set[sets++] = (words){.first = full - 1, .count = 1, .step = step};
    }
    if (rest > 0) {
        const aic_elementwise_part part = {.half = (unsigned)(full % step), .count = (unsigned)rest};
        set[sets++] = (words){.first = full, .count = 1, .step = step, .part = part};
    }
    return sets;
}

/* The operand's word batch that has the first elements of the output's word batch. */
static int64_t batch_of(const aic_arith *p, const aic_arith_operand *o, int64_t word)
{
    return o->broadcast[AIC_ARITH_N] ? 0 : word * o->bits / p->operand[AIC_ARITH_OUTPUT].bits;
}

/* ---- channels ---- */

/* `count` channels in neighbouring lanes, `periods` times. */
typedef struct channels {
    int64_t first, count, periods;
} channels;

enum { CHANNELS_MAX = 2 * AIC_ARITH_OPERANDS + 2 };

_Static_assert((int)WORDS_MAX *(int)CHANNELS_MAX <= (int)AIC_ELEMENTWISE_BOXES,
               "an element-wise kernel has boxes for all words and channels");

/* The first channel from `channel` on where an operand goes back to lane 0; at most `end`. */
static int64_t next_cut(const aic_arith *p, int64_t channel, int64_t end)
{
    int64_t next = end;
    for (int i = 0; i < AIC_ARITH_OPERANDS; i++) {
        const int64_t cut = p->lanes - p->operand[i].lane;
        if (is_tensor(&p->operand[i]) && cut > channel && cut < next) {
            next = cut;
        }
    }
    return next;
}

static unsigned cut_channels(const aic_arith *p, channels set[CHANNELS_MAX])
{
    const int64_t periods = p->shape[AIC_ARITH_C] / p->lanes, rest = p->shape[AIC_ARITH_C] % p->lanes;
    unsigned sets = 0;
    for (int64_t first = 0, next; periods > 0 && first < p->lanes; first = next) {
        next = next_cut(p, first, p->lanes);
        set[sets++] = (channels){first, next - first, periods};
    }
    for (int64_t first = 0, next; first < rest; first = next) {
        next = next_cut(p, first, rest);
        set[sets++] = (channels){periods * p->lanes + first, next - first, 1};
    }
    return sets;
}

/* ---- boxes ---- */

/* Where a pointer of the box - the output's or a stream's - begins, and its steps. */
typedef struct track {
    int64_t *start, *step[5];
} track;

static track track_of(aic_box *box, int stream)
{
    track t = {.start = stream < 0 ? &box->out : &box->in[stream]};
    for (unsigned i = 0; i < box->dims; i++) {
        t.step[i] = stream < 0 ? &box->dim[i].out : &box->dim[i].in[stream];
    }
    return t;
}

/* In the order of the box's dimensions: word batches, rows, lanes, H, W. `behind`: word batches after the first. */
static void locate(const aic_arith *p, const aic_arith_operand *o, const words *w, const channels *c, int64_t behind,
                   track t)
{
    const int64_t at[AIC_ARITH_RANK] = {0, c->first, 0, 0}, batch = o->stride[AIC_ARITH_N] * WORD_BYTES;
    *t.start = aic_arith_word(p, o, at) * WORD_BYTES + (batch_of(p, o, w->first) + behind) * batch;
    *t.step[0] = batch_of(p, o, w->step) * batch;
    *t.step[1] = o->stride[AIC_ARITH_C] * WORD_BYTES;
    *t.step[2] = c->count > 1 ? p->lane_words * WORD_BYTES : 0;
    *t.step[3] = o->stride[AIC_ARITH_H] * WORD_BYTES;
    *t.step[4] = o->stride[AIC_ARITH_W] * WORD_BYTES;
}

static void locate_input(const aic_arith *p, const aic_arith_operand *o, const words *w, const channels *c, int stream,
                         aic_elementwise_box *box)
{
    const int64_t parts = WORD_BITS / p->operand[AIC_ARITH_OUTPUT].bits;
    const int64_t count = box->part.count != 0 ? box->part.count : parts, per_word = WORD_BITS / o->bits;
    if (!is_tensor(o)) {
        return;
    }
    box->reads[stream] = true;
    locate(p, o, w, c, 0, track_of(&box->box, stream));
    if (count > per_word && !o->broadcast[AIC_ARITH_N]) {
        box->reads[stream + 1] = true;
        locate(p, o, w, c, 1, track_of(&box->box, stream + 1));
    }
}

static void add_box(const aic_arith *p, const words *w, const channels *c, aic_elementwise *elementwise)
{
    const aic_arith_operand *output = &p->operand[AIC_ARITH_OUTPUT];
    const int64_t extents[] = {w->count, c->periods, c->count, p->shape[AIC_ARITH_H], p->shape[AIC_ARITH_W]};
    aic_elementwise_box *box = &elementwise->box[elementwise->boxes++];
    *box = (aic_elementwise_box){.box = {.op = AIC_BOX_ELEMENTWISE, .dims = sizeof extents / sizeof *extents},
                                 .part = w->part};
    for (unsigned i = 0; i < box->box.dims; i++) {
        box->box.dim[i].extent = extents[i];
    }
    locate(p, output, w, c, 0, track_of(&box->box, -1));
    locate_input(p, &p->operand[AIC_ARITH_INPUT0], w, c, AIC_ELEMENTWISE_A, box);
    locate_input(p, &p->operand[AIC_ARITH_INPUT1], w, c, AIC_ELEMENTWISE_B, box);
    if (w->part.count != 0 || aic_elementwise_reads_old(&elementwise->value)) {
        box->reads[AIC_ELEMENTWISE_OLD] = true;
        locate(p, output, w, c, 0, track_of(&box->box, AIC_ELEMENTWISE_OLD));
    }
    box->pair = w->pairs ? output->stride[AIC_ARITH_N] * WORD_BYTES : 0;
    if (w->pairs && box->reads[AIC_ELEMENTWISE_OLD]) {
        box->reads[AIC_ELEMENTWISE_OLD_NEXT] = true;
        locate(p, output, w, c, 1, track_of(&box->box, AIC_ELEMENTWISE_OLD_NEXT));
    }
}

void aic_arith_elementwise(const aic_arith *p, aic_work *work)
{
    const bool local = p->memory == AIC_MEMORY_LOCAL;
    words batch[WORDS_MAX];
    channels channel[CHANNELS_MAX];
    const unsigned batches = cut_batches(p, batch), sets = cut_channels(p, channel);
    aic_elementwise *elementwise = aic_elementwise_begin(work);
    *elementwise = (aic_elementwise){.size = WORD_BYTES, .value = aic_arith_value(p), .operands = AIC_ARITH_OPERANDS};
    elementwise->operand[AIC_ELEMENTWISE_A] = elementwise->operand[AIC_ELEMENTWISE_A_NEXT] =
        local ? 0 : AIC_ARITH_INPUT0;
    elementwise->operand[AIC_ELEMENTWISE_B] = elementwise->operand[AIC_ELEMENTWISE_B_NEXT] =
        local ? 0 : AIC_ARITH_INPUT1;
    for (unsigned i = 0; i < batches; i++) {
        for (unsigned k = 0; k < sets; k++) {
            add_box(p, &batch[i], &channel[k], elementwise);
        }
    }
}
