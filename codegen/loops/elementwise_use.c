/* An element-wise kernel as uses of parts: the keys of its boxes and their numbers. */
#include "codegen/loops/elementwise.h"

#include <stdlib.h>

enum { POINTERS = AIC_ELEMENTWISE_POINTERS };

/* A box that is being used. */
typedef struct usage {
    const aic_elementwise_plan *p;
    int64_t rest; /* elements behind the iterations of the run */
    aic_elementwise_key key;
    aic_use use;
} usage;

static int64_t stride_of(const aic_box_dim *d, unsigned pointer)
{
    return pointer == 0 ? d->out : d->in[pointer - 1];
}

/* ---- the key ---- */

/* Whether the box reads the stream, or it is the output. */
static bool is_used(const usage *u, unsigned pointer)
{
    return pointer == 0 || u->p->from->reads[pointer - 1];
}

static aic_stream_reading reading_of(const aic_elementwise_plan *p, unsigned stream)
{
    const int64_t step = p->inner.in[stream];
    bool moves = false;
    for (unsigned i = 0; i < p->box.dims; i++) {
        moves = moves || p->box.dim[i].in[stream] != 0;
    }
    /* two vectors hold a window of elements that lie near */
    return !p->from->reads[stream]                                  ? AIC_STREAM_NONE
           : p->folded[stream]                                      ? AIC_STREAM_FOLDED
           : step == 0                                              ? (moves ? AIC_STREAM_SAME : AIC_STREAM_SINGLE)
           : llabs(step) / p->elementwise->size + 1 <= 2 * p->lanes ? AIC_STREAM_NEAR
                                                                    : AIC_STREAM_APART;
}

static void set_stream(usage *u, unsigned stream)
{
    const aic_elementwise_plan *p = u->p;
    aic_elementwise_key *k = &u->key;
    int64_t *const fold[AIC_ELEMENTWISE_DIGITS] = {k->fold0, k->fold1, k->fold2, k->fold3};
    k->reads[stream] = reading_of(p, stream);
    k->operand[stream] = p->from->reads[stream] ? p->elementwise->operand[stream] : 0;
    k->step[stream] = k->reads[stream] == AIC_STREAM_NEAR ? p->inner.in[stream] : 0;
    for (unsigned i = 0; p->folded[stream] && i < p->digits; i++) {
        k->digits = p->digits;
        fold[i][stream] = p->digit[i].in[stream];
    }
}

static void set_value(aic_elementwise_key *k, const aic_elementwise_value *v)
{
    const aic_elementwise_input *const in[] = {&v->a, &v->b, &v->out};
    k->value = v->op;
    k->select = v->select;
    k->arithmetic = v->arithmetic;
    k->half_up = v->half_up;
    k->fused = v->fused;
    k->number = v->number;
    k->left = v->left;
    k->right = v->right;
    for (unsigned i = 0; i < sizeof in / sizeof *in; i++) {
        k->bits[i] = in[i]->bits;
        k->sign[i] = in[i]->sign;
        k->spread[i] = in[i]->spread;
        k->constant[i] = in[i]->is_constant;
        k->word[i] = in[i]->is_constant ? in[i]->constant : 0;
    }
}

/* Whether a number says what remains behind the chunks: tests at the end of a run cost about a nanosecond, too much
 * for a run of few chunks. Folded streams have other patterns in each vector. */
static bool counts_rest(const aic_elementwise_plan *p)
{
    enum { CHUNKS = 8 };
    return p->digits == 1 && p->inner.extent >= CHUNKS * p->chunk;
}

/* Whether elements that fill no vector are loaded and stored by a mask: it is one step for any number of them, which
 * then is no part of the code. */
static bool has_masks(const aic_elementwise_plan *p, const aic_elementwise_key *k, const aic_target *target)
{
    bool dense = k->dense && !k->past;
    for (unsigned s = 0; s < AIC_ELEMENTWISE_STREAMS; s++) {
        const aic_stream_reading reading = (aic_stream_reading)k->reads[s];
        dense = dense && (reading < AIC_STREAM_NEAR || (reading == AIC_STREAM_NEAR && k->step[s] == k->size));
    }
    return dense && aic_has_masks(target) && (k->counts || k->rest % p->lanes != 0);
}

static void make_key(usage *u, const aic_target *target)
{
    const aic_elementwise_plan *p = u->p;
    const bool counts = counts_rest(p);
    const bool runs = p->inner.extent >= 2 * p->chunk; /* one iteration is no loop */
    u->rest = runs ? p->inner.extent % p->chunk : p->inner.extent;
    aic_elementwise_key *k = &u->key;
    *k = (aic_elementwise_key){.operands = p->elementwise->operands,
                               .size = p->elementwise->size,
                               .lanes = p->lanes,
                               .chunk = runs ? p->chunk : 0,
                               .rest = counts ? 0 : u->rest,
                               .counts = counts,
                               .dense = p->inner.out == p->elementwise->size,
                               .past = p->past,
                               .pair = p->from->pair != 0,
                               .dims = p->box.dims,
                               .divided = p->division.loop,
                               .digits = 1,
                               .half = p->from->part.half,
                               .count = p->from->part.count};
    set_value(k, &p->elementwise->value);
    for (unsigned s = 0; s < AIC_ELEMENTWISE_STREAMS; s++) {
        set_stream(u, s);
    }
    k->masks = has_masks(p, k, target);
    k->rest -= k->masks ? k->rest % p->lanes : 0;
    for (unsigned i = 0; k->digits > 1 && i + 1 < p->digits; i++) {
        k->extent[i] = p->digit[i].extent;
    }
    for (unsigned d = 0; d < p->box.dims; d++) {
        for (unsigned i = 0; i < POINTERS; i++) {
            const bool moves = is_used(u, i) && stride_of(&p->box.dim[d], i) != 0;
            k->moves |= moves ? aic_elementwise_moves(d, i) : 0;
        }
    }
}

/* ---- the numbers ---- */

static void give(usage *u, int64_t value, unsigned pointer, const char *name)
{
    aic_use_number(&u->use, value, "%s.%s", aic_elementwise_pointer[pointer], name);
}

/* Bytes that a pointer moves in `elements` elements, whole periods. */
static int64_t bytes_of(const usage *u, unsigned pointer, int64_t elements)
{
    const aic_elementwise_plan *p = u->p;
    const bool folded = pointer > 0 && p->folded[pointer - 1];
    return folded ? elements / p->period * stride_of(&p->digit[p->digits - 1], pointer)
                  : elements * stride_of(&p->inner, pointer);
}

static void give_run(usage *u, unsigned pointer)
{
    const aic_elementwise_key *k = &u->key;
    const int64_t step = stride_of(&u->p->inner, pointer);
    const bool stays = pointer > 0 && k->reads[pointer - 1] < AIC_STREAM_NEAR;
    const bool apart = pointer > 0 ? k->reads[pointer - 1] == AIC_STREAM_APART : !k->dense;
    if (k->chunk > 0 && (k->counts || k->masks || k->rest > 0) && !stays) {
        give(u, bytes_of(u, pointer, u->p->inner.extent - u->rest), pointer, "rest");
    }
    if (apart) {
        give(u, step * aic_elementwise_period(k), pointer, "period");
        give(u, step * k->lanes, pointer, "vector");
    }
    for (int64_t i = 1; apart && i < k->lanes; i++) {
        aic_use_number(&u->use, i * step, "%s.%lld", aic_elementwise_pointer[pointer], (long long)i);
    }
}

static void give_loops(usage *u)
{
    const aic_elementwise_plan *p = u->p;
    const aic_elementwise_key *k = &u->key;
    for (unsigned d = 0; d < p->box.dims; d++) {
        char name[AIC_NUMBER_NAME_MAX];
        (void)snprintf(name, sizeof name, "dim.%u", d);
        aic_use_trips(&u->use, p->box.dim[d].extent, name);
        for (unsigned i = 0; i < POINTERS; i++) {
            if ((k->moves & aic_elementwise_moves(d, i)) != 0) {
                give(u, stride_of(&p->box.dim[d], i), i, name);
            }
        }
    }
    if (k->counts) {
        aic_use_number(&u->use, u->rest, "rest");
    }
    if (k->masks) {
        aic_use_number(&u->use, u->rest % p->lanes, "ends");
    }
    if (k->chunk > 0) {
        aic_use_trips(&u->use, (p->inner.extent - u->rest) / aic_elementwise_period(k), "run");
        aic_use_trips(&u->use, p->inner.extent / k->chunk, "run.parts");
    }
}

static aic_box_function use_box(aic_program *program, const aic_target *target, const aic_elementwise_plan *p,
                                unsigned box)
{
    usage u = {.p = p};
    make_key(&u, target);
    aic_use_begin(&u.use, program, &aic_part_elementwise, &u.key);
    give_loops(&u);
    for (unsigned i = 0; i < POINTERS; i++) {
        if (is_used(&u, i)) {
            give(&u, i == 0 ? p->box.out : p->box.in[i - 1], i, "at");
            give_run(&u, i);
        }
    }
    if (u.key.pair) {
        give(&u, p->from->pair, 0, "pair");
    }
    return (aic_box_function){aic_program_add(program, &u.use, p->past ? "box%u_past" : "box%u", box),
                              p->division.count};
}

void aic_compose_elementwise(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    const aic_elementwise *elementwise = aic_elementwise_of(plan);
    const aic_elementwise_derived *derived = plan->derived;
    aic_box_use box[AIC_ELEMENTWISE_BOXES];
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        aic_elementwise_plan past;
        box[i] = (aic_box_use){.plain = use_box(program, plan->problem.target, &derived->box[i], i)};
        if (aic_elementwise_plan_past(elementwise, &elementwise->box[i], aic_elementwise_schedule_of(plan),
                                      plan->problem.machine, &past)) {
            box[i].past = use_box(program, plan->problem.target, &past, i);
        }
    }
    aic_compose_boxes(program, plan, box, elementwise->boxes, elementwise->operands, bodies);
}
