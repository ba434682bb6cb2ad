/* Moves between layouts as boxes.
 *
 * An index of a logical dimension splits into parts at the block sizes of both sides. Whole blocks make loops of all
 * parts; what is left over in the last block makes boxes of its own: whole blocks of the finer side, a part of one, and
 * zeros for the rest of a padded block. */
#include "codegen/integer.h"
#include "codegen/loops/move.h"

/* What a dimension adds to a box. Those of a move are on the stack, so that they are small. */
typedef struct interval {
    int64_t out, in; /* bytes to the first element */
    unsigned dims;
    struct {
        int64_t extent, out, in;
    } dim[3];
    int64_t valid; /* of the last dimension; 0: all */
} interval;

enum { INTERVALS = 3, MOVE_DIMS = 6 };

/* A dimension's intervals: those that copy, and those that are only written. */
typedef struct cut {
    interval copy[INTERVALS], zero, covered[2], all;
    unsigned copies, covereds;
    bool has_zero;
} cut;

/* Blocks that follow each other as their elements do are none. */
static aic_blocked_stride plain(aic_blocked_stride s)
{
    if (s.block > 1 && s.outer == s.inner * s.block) {
        return (aic_blocked_stride){.block = 1, .outer = s.inner};
    }
    return s;
}

static int64_t at(const aic_blocked_stride *s, int64_t index)
{
    return index / s->block * s->outer + index % s->block * s->inner;
}

/* From one multiple of `step`, itself a divisor or a multiple of the block, to the next. */
static int64_t stride(const aic_blocked_stride *s, int64_t step)
{
    return step >= s->block ? step / s->block * s->outer : step * s->inner;
}

static void add_part(interval *p, const aic_move_axis *d, int64_t extent, int64_t step)
{
    if (extent > 1 || step == 1) {
        p->dim[p->dims].extent = extent;
        p->dim[p->dims].out = stride(&d->out, step);
        p->dim[p->dims++].in = stride(&d->in, step);
    }
}

/* `count` steps of `large`, each of large/small steps of `small`, each of `small` elements. */
static interval make_interval(const aic_move_axis *d, int64_t first, int64_t count, int64_t large, int64_t small)
{
    interval p = {.out = at(&d->out, first), .in = at(&d->in, first)};
    add_part(&p, d, count, large);
    if (large > small) {
        add_part(&p, d, large / small, small);
    }
    if (large > 1 && small > 1) {
        add_part(&p, d, small, 1);
    }
    return p;
}

/* Whole blocks and a rest, of the output alone. */
static unsigned cut_output(const aic_move_axis *d, int64_t extent, interval intervals[2])
{
    aic_move_axis o = {.extent = extent, .out = d->out, .in = d->out};
    int64_t whole = extent / o.out.block, rest = extent % o.out.block;
    unsigned count = 0;
    if (whole > 0) {
        intervals[count++] = make_interval(&o, 0, whole, o.out.block, o.out.block);
    }
    if (rest > 0) {
        intervals[count++] = make_interval(&o, whole * o.out.block, rest, 1, 1);
    }
    return count;
}

static void cut_padding(cut *c, const aic_move_axis *d, int64_t end)
{
    int64_t padded = d->padded ? aic_round_up(d->extent, d->out.block) : end;
    interval all[2];
    cut_output(d, padded, all);
    c->all = all[0];
    c->covereds = cut_output(d, end, c->covered);
    c->has_zero = padded > end;
    if (c->has_zero) {
        c->zero = make_interval(&(aic_move_axis){.out = d->out, .in = d->out}, end, padded - end, 1, 1);
    }
}

static void cut_dim(cut *c, const aic_move_axis *dim, unsigned size)
{
    aic_move_axis d = *dim;
    d.in = plain(d.in);
    if (!d.padded) {
        d.out = plain(d.out);
    }
    aic_blocked_stride out = plain(d.out);
    bool dense = d.padded && d.out.block > 1 && d.out.inner == size;
    int64_t end = d.extent;
    *c = (cut){.copies = 0};
    if (!dense) { /* its padding is a box of its own, so that blocks without a jump are none */
        aic_move_axis o = d;
        o.out = out;
        d = o;
    }
    int64_t large = d.out.block > d.in.block ? d.out.block : d.in.block;
    int64_t small = d.out.block + d.in.block - large;
    small = small == 1 ? large : small;
    int64_t whole = d.extent / large, rest = d.extent % large, done = whole * large;
    if (whole > 0) {
        c->copy[c->copies++] = make_interval(&d, 0, whole, large, small);
    }
    if (rest >= small) {
        c->copy[c->copies++] = make_interval(&d, done, rest / small, small, small);
        done += rest / small * small;
    }
    if (done < d.extent) {
        interval p = make_interval(&d, done, dense ? small : d.extent - done, 1, 1);
        p.valid = dense ? d.extent - done : 0;
        end = dense ? done + small : end;
        c->copy[c->copies++] = p;
    }
    d.out = dim->out;
    cut_padding(c, &d, end);
}

/* ---- products of intervals ---- */

static unsigned dims_of(const interval *const *intervals, unsigned count)
{
    unsigned dims = 0;
    for (unsigned i = 0; i < count; i++) {
        dims += intervals[i]->dims;
    }
    return dims;
}

static void add_box(aic_move *move, aic_box_op op, const interval *const *intervals, unsigned count)
{
    if (move->boxes == AIC_MOVE_BOXES || dims_of(intervals, count) > AIC_BOX_DIMS) {
        move->incomplete = true;
        return;
    }
    aic_box *box = &move->box[move->boxes++];
    *box = (aic_box){.op = op};
    const interval *partial = NULL;
    for (unsigned i = 0; i <= count; i++) {
        const interval *p = i < count ? intervals[i] : partial; /* the partial one comes last */
        if (p == NULL || (i < count && p->valid != 0)) {
            partial = p;
            continue;
        }
        box->out += p->out;
        box->in[0] += op == AIC_BOX_COPY ? p->in : 0;
        box->valid = p->valid;
        for (unsigned k = 0; k < p->dims; k++) {
            box->dim[box->dims++] = (aic_box_dim){p->dim[k].extent, p->dim[k].out, {p->dim[k].in}};
        }
    }
    aic_box_coalesce(box);
}

/* Counts through the numbers of intervals; false after the last combination. */
static bool next_choice(unsigned *choice, const unsigned *counts, unsigned dims)
{
    for (unsigned i = dims; i-- > 0;) {
        if (++choice[i] < counts[i]) {
            return true;
        }
        choice[i] = 0;
    }
    return false;
}

static void add_copies(aic_move *move, const cut *cuts, unsigned dims)
{
    unsigned choice[MOVE_DIMS] = {0}, counts[MOVE_DIMS];
    const interval *intervals[MOVE_DIMS] = {NULL};
    for (unsigned i = 0; i < dims; i++) {
        counts[i] = cuts[i].copies;
    }
    do {
        for (unsigned i = 0; i < dims; i++) {
            intervals[i] = &cuts[i].copy[choice[i]];
        }
        add_box(move, AIC_BOX_COPY, intervals, dims);
    } while (next_choice(choice, counts, dims));
}

/* The zeros of dimension z: in the dimensions before it where those are covered, in those behind it everywhere. */
static void add_zeros(aic_move *move, const cut *cuts, unsigned dims, unsigned z)
{
    unsigned choice[MOVE_DIMS] = {0}, counts[MOVE_DIMS];
    const interval *intervals[MOVE_DIMS] = {NULL};
    for (unsigned i = 0; i < dims; i++) {
        counts[i] = i < z ? cuts[i].covereds : 1;
        intervals[i] = i == z ? &cuts[i].zero : &cuts[i].all;
    }
    do {
        for (unsigned i = 0; i < z; i++) {
            intervals[i] = &cuts[i].covered[choice[i]];
        }
        add_box(move, AIC_BOX_FILL, intervals, dims);
    } while (next_choice(choice, counts, dims));
}

void aic_move_describe(aic_move *move, unsigned size, const aic_move_axis *dim, unsigned dims)
{
    cut cuts[MOVE_DIMS];
    *move = (aic_move){.size = size, .incomplete = dims > MOVE_DIMS};
    dims = dims > MOVE_DIMS ? MOVE_DIMS : dims;
    for (unsigned i = 0; i < dims; i++) {
        cut_dim(&cuts[i], &dim[i], size);
    }
    add_copies(move, cuts, dims);
    for (unsigned i = 0; i < dims; i++) {
        if (cuts[i].has_zero) {
            add_zeros(move, cuts, dims, i);
        }
    }
}

void aic_move_shift_input(aic_move *move, int64_t bytes)
{
    for (unsigned i = 0; i < move->boxes; i++) {
        move->box[i].in[0] += bytes;
    }
}
