/* Analysis of element-wise kernels, and their schedules. */
#include "codegen/loops/elementwise.h"
#include "codegen/explain.h"
#include "codegen/integer.h"
#include "codegen/machine.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- plans ---- */

_Static_assert(AIC_ELEMENTWISE_STREAMS <= (int)AIC_BOX_INPUTS, "a box has steps for every stream");

/* The dimension along which vectors run: the one in which the output is dense, else that in which most streams are. */
static unsigned innermost(const aic_elementwise *elementwise, const aic_elementwise_box *from, const aic_box *box)
{
    unsigned best = 0;
    int most = -1;
    for (unsigned i = 0; i < box->dims; i++) {
        int dense = box->dim[i].out == elementwise->size ? 2 * AIC_ELEMENTWISE_STREAMS : 0;
        for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
            dense += from->reads[k] && (box->dim[i].in[k] == elementwise->size || box->dim[i].in[k] == 0);
        }
        if (dense > most) {
            most = dense;
            best = i;
        }
    }
    return best;
}

/* Adds a dimension that goes on where the run ends in the output. */
static void add_digit(aic_elementwise_plan *p, const aic_box_dim *d)
{
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        p->folded[k] = p->folded[k] || (p->from->reads[k] && d->in[k] != p->inner.in[k] * p->inner.extent);
    }
    p->period = p->inner.extent;
    p->inner.extent *= d->extent;
    p->digit[p->digits++] = *d;
}

static bool is_aligned(int64_t bytes)
{
    return bytes % AIC_MOVE_PAST_ALIGN == 0;
}

/* After how many vectors of `lanes` a pattern of `extent` elements begins in the same lane again: the least common
 * multiple of both, in vectors. Both are positive. */
static int64_t period_of(int64_t lanes, int64_t extent)
{
    int64_t divisor = extent; /* the greatest one of both */
    for (int64_t rest = lanes; rest != 0;) {
        const int64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return extent / divisor;
}

/* Whether the run is shorter than a vector, or its end is not aligned as stores past the caches must be. */
static bool is_short(const aic_elementwise_plan *p)
{
    return p->inner.extent < p->lanes || (p->past && !is_aligned(p->inner.extent * p->elementwise->size));
}

/* Makes one run of what would be several short ones. */
static void lengthen(aic_elementwise_plan *p)
{
    enum { PERIOD_MAX = 16 }; /* vectors, each of them code of its own */
    unsigned i = 0;
    while (i < p->box.dims && is_short(p) && p->digits < AIC_ELEMENTWISE_DIGITS) {
        const bool follows = p->box.dim[i].out == p->inner.out * p->inner.extent;
        if (follows && period_of(p->lanes, p->inner.extent) <= PERIOD_MAX) {
            const aic_box_dim next = aic_box_take(&p->box, i);
            add_digit(p, &next);
            i = 0;
        } else {
            i++;
        }
    }
}

static aic_division divide(const aic_elementwise_plan *p)
{
    int64_t iterations[AIC_BOX_DIMS + 1];
    for (unsigned i = 0; i < p->box.dims; i++) {
        iterations[i] = p->box.dim[i].extent;
    }
    iterations[p->box.dims] = p->chunk > 0 ? p->inner.extent / p->chunk : 0;
    return aic_divide(iterations, (int)p->box.dims + 1);
}

static void make_plan(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                      const aic_elementwise_schedule *schedule, bool past, aic_elementwise_plan *p)
{
    *p = (aic_elementwise_plan){.elementwise = elementwise,
                                .from = box,
                                .box = box->box,
                                .inner = {.extent = 1, .out = elementwise->size},
                                .digits = 1,
                                .period = 1,
                                .lanes = schedule->vector / elementwise->size,
                                .past = past};
    aic_box_coalesce(&p->box);
    if (p->box.dims > 0) {
        p->inner = aic_box_take(&p->box, innermost(elementwise, box, &p->box));
    }
    p->digit[0] = p->inner;
    if (p->inner.out == elementwise->size) {
        lengthen(p);
    }
    aic_box_sort(&p->box);
    const int64_t vectors = period_of(p->lanes, p->period);
    p->chunk = aic_round_up(schedule->unroll, vectors) * p->lanes;
    p->division = divide(p);
}

void aic_elementwise_plan_make(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                               const aic_elementwise_schedule *schedule, aic_elementwise_plan *p)
{
    make_plan(elementwise, box, schedule, false, p);
}

static int64_t bytes_of(const aic_elementwise *elementwise, const aic_elementwise_box *box)
{
    int64_t bytes = elementwise->size;
    for (unsigned i = 0; i < box->box.dims; i++) {
        bytes *= box->box.dim[i].extent;
    }
    return bytes;
}

bool aic_elementwise_plan_past(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                               const aic_elementwise_schedule *schedule, const aic_machine *machine,
                               aic_elementwise_plan *plan)
{
    aic_elementwise_schedule narrow = *schedule;
    narrow.vector = AIC_MOVE_PAST_ALIGN; /* the widest store that an address of this alignment allows */
    if (bytes_of(elementwise, box) < machine->past_bytes || box->reads[AIC_ELEMENTWISE_OLD]) {
        return false;
    }
    make_plan(elementwise, box, &narrow, true, plan);
    bool aligned = plan->inner.out == elementwise->size && is_aligned(plan->inner.extent * elementwise->size);
    aligned = aligned && is_aligned(plan->box.out) && is_aligned(box->pair);
    for (unsigned i = 0; i < plan->box.dims; i++) {
        aligned = aligned && is_aligned(plan->box.dim[i].out);
    }
    return aligned;
}

/* ---- schedules ---- */

/* Costs are in vector operations. These are what an iteration and a run cost beside their vectors. */
static const double LOOP_COST = 2, RUN_COST = 4;

/* A longer loop body takes longer to compile: the cost grows by this share for each register of an iteration. */
static const double SIZE_COST = 0.01;

/* Where operands do not stay in the second-level cache, an access that is wider than the path to that cache costs this
 * much for each width of the path: the width gains nothing there, and some processors lose time by it. */
static const double WIDE_COST = 1.25;

/* Words of the output from one word of an input. */
static unsigned outputs_of(const aic_elementwise_box *box)
{
    return box->pair != 0 ? 2 : 1;
}

/* Bytes that a box reads and writes. */
static double traffic_of(const aic_elementwise *elementwise, const aic_elementwise_box *box)
{
    unsigned streams = outputs_of(box);
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        streams += box->reads[k];
    }
    return (double)bytes_of(elementwise, box) * streams;
}

/* The cost of one load or store. */
static double access_cost(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                          const aic_elementwise_schedule *schedule, const aic_machine *machine)
{
    const int64_t width = schedule->vector;
    const bool wide = width > machine->path_bytes && traffic_of(elementwise, box) > (double)machine->l2_bytes;
    return wide ? WIDE_COST * (double)width / (double)machine->path_bytes : 1;
}

/* `access`: of one load or store. */
static double predict_box(const aic_elementwise *elementwise, const aic_elementwise_box *box,
                          const aic_elementwise_plan *p, double access)
{
    const double outputs = outputs_of(box);
    const double operations = outputs * aic_elementwise_operations(&elementwise->value);
    double runs = 1, accesses = outputs;
    for (unsigned i = 0; i < p->box.dims; i++) {
        runs *= (double)p->box.dim[i].extent;
    }
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        accesses += box->reads[k] && (p->folded[k] || p->inner.in[k] != 0);
    }
    int64_t vectors = p->inner.extent / p->lanes;
    for (int64_t rest = p->inner.extent % p->lanes; rest > 0; rest &= rest - 1) {
        vectors++;
    }
    double loops = (double)(p->inner.extent / p->chunk);
    return runs * ((double)vectors * (accesses * access + operations) + loops * LOOP_COST + RUN_COST);
}

enum { VECTOR_MIN = 16, UNROLL_MAX = 16 };

static void enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    static const int64_t UNROLLS[] = {4, 2, 1, 8, UNROLL_MAX};
    const size_t unrolls = sizeof UNROLLS / sizeof *UNROLLS - (space == AIC_SPACE_LEGAL ? 0 : 1);
    for (int64_t vector = VECTOR_MIN; vector <= plan->problem.target->vector_bits / 8; vector *= 2) {
        for (size_t k = 0; k < unrolls; k++) {
            const aic_elementwise_schedule s = {.vector = vector, .unroll = UNROLLS[k]};
            if (!aic_plan_offer(plan, &s, sizeof s, visitor)) {
                return;
            }
        }
    }
}

static double bound(const aic_plan *plan)
{
    const aic_elementwise *elementwise = aic_elementwise_of(plan);
    double bytes = 0;
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        bytes += traffic_of(elementwise, &elementwise->box[i]);
    }
    return bytes * 8 / plan->problem.target->vector_bits;
}

static aic_status derive(aic_plan *plan)
{
    const aic_elementwise_schedule *s = aic_elementwise_schedule_of(plan);
    const aic_elementwise *elementwise = aic_elementwise_of(plan);
    aic_status status = aic_move_check_room(elementwise->incomplete);
    if (status == AIC_OK) {
        status = aic_check_vector(plan->problem.target, s->vector);
    }
    if (status == AIC_OK) {
        status = aic_check_power("unroll", s->unroll, UNROLL_MAX);
    }
    if (status != AIC_OK) {
        return status;
    }
    aic_elementwise_derived *derived = plan->derived;
    int64_t items = 1;
    double cost = 0;
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        aic_elementwise_plan *p = &derived->box[i];
        const aic_elementwise_box *box = &elementwise->box[i];
        aic_elementwise_plan_make(elementwise, box, s, p);
        items = p->division.count > items ? p->division.count : items;
        cost += predict_box(elementwise, box, p, access_cost(elementwise, box, s, plan->problem.machine));
    }
    plan->cost = cost * (1 + SIZE_COST * (double)s->unroll);
    plan->requirements.needs = aic_elementwise_is_float(&elementwise->value) ? AIC_NEEDS_FLOAT : 0;
    aic_requirements_phase(&plan->requirements, "boxes", aic_division_items(items));
    return AIC_OK;
}

/* ---- the report ---- */

static void report_dim(FILE *out, const aic_elementwise_box *box, const char *name, const aic_box_dim *d)
{
    fprintf(out, "  %-6s %8lld, output +%lld", name, (long long)d->extent, (long long)d->out);
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        if (box->reads[k]) {
            fprintf(out, ", input +%lld", (long long)d->in[k]);
        }
    }
    fprintf(out, "\n");
}

static void report(FILE *out, const aic_plan *plan)
{
    const aic_elementwise *elementwise = aic_elementwise_of(plan);
    aic_explain_vectors(out, plan->problem.target);
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        const aic_elementwise_plan *p = &((const aic_elementwise_derived *)plan->derived)->box[i];
        fprintf(out, "%s, %lld bytes; dimensions and their steps in bytes:\n",
                aic_elementwise_op_name(elementwise->value.op),
                (long long)bytes_of(elementwise, p->from) * outputs_of(p->from));
        for (unsigned k = 0; k < p->box.dims; k++) {
            report_dim(out, p->from, "loop", &p->box.dim[k]);
        }
        for (unsigned k = p->digits; k-- > 0;) {
            report_dim(out, p->from, "run", &p->digit[k]);
        }
    }
}

static void nest(FILE *out, const aic_plan *plan)
{
    const aic_elementwise *elementwise = aic_elementwise_of(plan);
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        const aic_elementwise_plan *p = &((const aic_elementwise_derived *)plan->derived)->box[i];
        int depth = 0;
        for (unsigned k = 0; k < p->box.dims; k++) {
            aic_nest_line(out, depth++, "dimension", p->box.dim[k].extent, "output +%lld bytes",
                          (long long)p->box.dim[k].out);
        }
        aic_nest_line(out, depth, "chunk of the run", p->inner.extent / p->chunk,
                      "%lld elements each in vectors of %lld; then %lld elements", (long long)p->chunk,
                      (long long)p->lanes, (long long)(p->inner.extent % p->chunk));
    }
}

/* ---- the shape ---- */

_Static_assert(sizeof(aic_elementwise) <= AIC_WORK_BYTES, "a description of an element-wise kernel fits");

aic_elementwise *aic_elementwise_begin(aic_work *work)
{
    return aic_work_begin(work, &aic_shape_elementwise, sizeof(aic_elementwise));
}

_Static_assert(offsetof(aic_elementwise, box) >= offsetof(aic_move, box),
               "boxes of a move lie before their new places");
_Static_assert(sizeof(aic_elementwise_box) >= sizeof(aic_box), "and do so the more the further behind they are");

/* In the place of the move, whose boxes are too many for a stack. */
aic_elementwise *aic_elementwise_begin_with_move(aic_work *work)
{
    aic_elementwise *made = (aic_elementwise *)(void *)work->part;
    const aic_move *move = (const aic_move *)(const void *)work->part;
    const unsigned boxes = move->boxes;
    const bool incomplete = move->incomplete;
    for (unsigned i = boxes; i-- > 0;) {
        aic_elementwise_box box = {.pair = 0};
        memcpy(&box.box, work->part + offsetof(aic_move, box) + i * sizeof box.box, sizeof box.box);
        box.box.op = AIC_BOX_ELEMENTWISE;
        memcpy(&made->box[i], &box, sizeof box);
    }
    memset(&made->box[boxes], 0, (size_t)((unsigned char *)(made + 1) - (unsigned char *)&made->box[boxes]));
    memset(made, 0, offsetof(aic_elementwise, box));
    made->boxes = boxes;
    made->incomplete = incomplete;
    work->shape = &aic_shape_elementwise;
    return made;
}

static const aic_field FIELDS[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_elementwise_schedule, __VA_ARGS__)
#include "codegen/loops/elementwise.def"
#undef AIC_FIELD
};

static const aic_record RECORD = {"schedule", FIELDS, sizeof FIELDS / sizeof *FIELDS};

const aic_shape aic_shape_elementwise = {
    .name = "elementwise",
    .schedule = &RECORD,
    .derived_bytes = sizeof(aic_elementwise_derived),
    .enumerate = enumerate,
    .derive = derive,
    .bound = bound,
    .compose = aic_compose_elementwise,
    .report = report,
    .nest = nest,
};
