/* The part of an element-wise kernel's box (boxes.h): loops around runs, a run in vectors, the rest of it in smaller
 * ones. Nothing is written that does not belong to the run, and nothing read but what lies between elements of it. All
 * loads of a batch come before its stores, which may be to the same elements. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/boxes.h"

#include <string.h>

enum { POINTERS = AIC_ELEMENTWISE_POINTERS, OPERANDS_MAX = 3, BATCH = 4 };

/* Neighbouring words of a stream, loaded. */
typedef struct window {
    LLVMValueRef value; /* NULL: none */
    int64_t low;        /* bytes from the stream's pointer to the first one */
} window;

/* A run being emitted. */
typedef struct run {
    aic_emit *e;
    const aic_elementwise_key *k;
    aic_elementwise_value value;
    aic_elementwise_part part;
    int64_t period;
    LLVMValueRef pointer[POINTERS];               /* the output's, then the streams'; NULL: not read */
    LLVMValueRef scalar[AIC_ELEMENTWISE_STREAMS]; /* of streams that broadcast along the run */
    window window[AIC_ELEMENTWISE_STREAMS];       /* of folded streams that are the same in every period */
    LLVMValueRef first, last;                     /* the iterations of the divided loop that this call does */
    LLVMValueRef ends;                            /* the lanes behind the last whole vector; NULL: no masks */
    LLVMValueRef mask;                            /* the lanes that are elements; NULL: all */
} run;

static bool reads(const run *r, unsigned stream)
{
    return r->k->reads[stream] != AIC_STREAM_NONE;
}

static bool is_folded(const run *r, unsigned stream)
{
    return r->k->reads[stream] == AIC_STREAM_FOLDED;
}

/* A number of a pointer. */
static LLVMValueRef number_of(const run *r, unsigned pointer, const char *name)
{
    return aic_number(r->e, "%s.%s", aic_elementwise_pointer[pointer], name);
}

/* A pointer `index` periods further on. */
static LLVMValueRef after_periods(const run *r, unsigned pointer, LLVMValueRef index)
{
    const aic_elementwise_key *k = r->k;
    aic_emit *e = r->e;
    if (pointer > 0 && is_folded(r, pointer - 1)) {
        return aic_at(e, r->pointer[pointer], aic_mul(e, index, aic_elementwise_fold(k, k->digits - 1, pointer - 1)));
    }
    if (pointer > 0 && k->reads[pointer - 1] < AIC_STREAM_NEAR) {
        return r->pointer[pointer];
    }
    if (pointer > 0 ? k->reads[pointer - 1] == AIC_STREAM_APART : !k->dense) {
        return aic_at(e, r->pointer[pointer], aic_times(e, index, number_of(r, pointer, "period")));
    }
    return aic_at(e, r->pointer[pointer],
                  aic_mul(e, index, r->period * (pointer > 0 ? k->step[pointer - 1] : k->size)));
}

/* Bytes from a stream's pointer to element e of the run. */
static int64_t offset_of(const run *r, unsigned stream, int64_t e)
{
    const aic_elementwise_key *k = r->k;
    int64_t bytes = 0;
    if (!is_folded(r, stream)) {
        return e * k->step[stream];
    }
    for (int64_t i = 0; i + 1 < k->digits; i++) {
        bytes += e % k->extent[i] * aic_elementwise_fold(k, i, stream);
        e /= k->extent[i];
    }
    return bytes + e * aic_elementwise_fold(k, k->digits - 1, stream);
}

/* The address of element e where elements lie apart. */
static LLVMValueRef apart(const run *r, unsigned pointer, LLVMValueRef base, int64_t e)
{
    const int64_t vector = e / r->k->lanes, lane = e % r->k->lanes;
    if (vector > 0) {
        base = aic_at(r->e, base, aic_mul(r->e, number_of(r, pointer, "vector"), vector));
    }
    return lane == 0
               ? base
               : aic_at(r->e, base, aic_number(r->e, "%s.%lld", aic_elementwise_pointer[pointer], (long long)lane));
}

static LLVMTypeRef element_type(const run *r)
{
    return LLVMIntTypeInContext(r->e->context, 8 * (unsigned)r->k->size);
}

/* ---- loads ---- */

/* Elements first .. first+count-1, if they lie close enough together to be permuted from two vectors. */
static window open_window(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, int64_t count)
{
    const int64_t size = r->k->size;
    int64_t low = offset_of(r, stream, first), high = low, lanes = 1;
    for (int64_t i = 1; i < count; i++) {
        const int64_t offset = offset_of(r, stream, first + i);
        low = offset < low ? offset : low;
        high = offset > high ? offset : high;
    }
    const int64_t words = (high - low) / size + 1;
    while (lanes < words) {
        lanes *= 2;
    }
    if (lanes > 2 * r->k->lanes) {
        return (window){NULL, 0};
    }
    return (window){aic_load_part(r->e, element_type(r), (unsigned)lanes, (unsigned)words, pointer, low), low};
}

static LLVMValueRef permute(const run *r, const window *w, unsigned stream, int64_t first, unsigned n)
{
    unsigned from[AIC_LANES_MAX];
    aic_limit("elements of a vector", n, AIC_LANES_MAX);
    for (unsigned i = 0; i < n; i++) {
        from[i] = (unsigned)((offset_of(r, stream, first + i) - w->low) / r->k->size);
    }
    return aic_permute(r->e, w->value, from, n);
}

static LLVMValueRef gather(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, unsigned n)
{
    aic_emit *e = r->e;
    const bool is_apart = r->k->reads[stream] == AIC_STREAM_APART;
    LLVMValueRef value = LLVMGetPoison(aic_vector(element_type(r), n));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = is_apart ? apart(r, 1 + stream, pointer, first + i) : pointer;
        LLVMValueRef one =
            aic_load(e, element_type(r), at, is_apart ? 0 : offset_of(r, stream, first + i), (unsigned)r->k->size);
        value = LLVMBuildInsertElement(e->builder, value, one, LLVMConstInt(e->i32, i, false), "");
    }
    return value;
}

/* Elements that are not neighbours. */
static LLVMValueRef load_apart(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, unsigned n)
{
    const bool is_apart = r->k->reads[stream] == AIC_STREAM_APART;
    const window w = is_apart ? (window){NULL, 0} : open_window(r, stream, pointer, first, n);
    return w.value != NULL ? permute(r, &w, stream, first, n) : gather(r, stream, pointer, first, n);
}

/* `count` vectors of n elements each of a stream, from element `first` on; NULL where it is not read. */
static void load(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, unsigned count, unsigned n,
                 LLVMValueRef value[][AIC_ELEMENTWISE_STREAMS])
{
    const unsigned size = (unsigned)r->k->size;
    const bool dense = r->k->reads[stream] == AIC_STREAM_NEAR && r->k->step[stream] == size;
    window all = r->window[stream];
    if (is_folded(r, stream) && all.value == NULL) {
        all = open_window(r, stream, pointer, first, (int64_t)count * n);
    }
    for (unsigned i = 0; i < count; i++, first += n) {
        if (!reads(r, stream)) {
            value[i][stream] = NULL;
        } else if (r->scalar[stream] != NULL) {
            value[i][stream] = aic_splat(r->e, r->scalar[stream], n);
        } else if (dense && r->mask != NULL) {
            value[i][stream] = aic_load_lanes(r->e, aic_vector(element_type(r), n), r->mask, pointer, first * size);
        } else if (dense) {
            value[i][stream] = aic_load(r->e, aic_vector(element_type(r), n), pointer, first * size, size);
        } else if (all.value != NULL) {
            value[i][stream] = permute(r, &all, stream, first, n);
        } else {
            value[i][stream] = load_apart(r, stream, pointer, first, n);
        }
    }
}

/* ---- stores ---- */

static void scatter(const run *r, LLVMValueRef value, LLVMValueRef pointer, int64_t first, unsigned n)
{
    aic_emit *e = r->e;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = LLVMBuildExtractElement(e->builder, value, LLVMConstInt(e->i32, i, false), "");
        aic_store(e, one, apart(r, 0, pointer, first + i), 0, (unsigned)r->k->size);
    }
}

static void store(const run *r, LLVMValueRef value, LLVMValueRef pointer, int64_t first, unsigned n)
{
    const unsigned size = (unsigned)r->k->size;
    if (!r->k->dense) {
        scatter(r, value, pointer, first, n);
    } else if (r->mask != NULL) {
        aic_store_lanes(r->e, value, r->mask, pointer, first * size);
    } else if (r->k->past) {
        aic_store_past(r->e, value, pointer, first * size, n * size);
    } else {
        aic_store(r->e, value, pointer, first * size, size);
    }
}

/* ---- a run ---- */

/* The largest multiple of a power of two within a count. */
static LLVMValueRef multiple_in(aic_emit *e, LLVMValueRef count, int64_t power)
{
    return LLVMBuildAnd(e->builder, count, aic_int(e, -power), "");
}

static void name_inputs(const run *r, LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS])
{
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        if (stream[k] != NULL) {
            aic_name(r->e, stream[k], "%s.value", aic_elementwise_pointer[1 + k]);
        }
    }
}

/* `count` vectors of n elements each from element `first` on: those of the inputs' lower halves, then, where the box
 * has pairs, of their upper ones. */
static void emit_batch(const run *r, LLVMValueRef *pointer, int64_t first, unsigned count, unsigned n)
{
    const unsigned halves = r->k->pair ? 2 : 1;
    LLVMValueRef result[2][BATCH], stream[BATCH][AIC_ELEMENTWISE_STREAMS];
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        load(r, k, pointer[1 + k], first, count, n, stream);
    }
    for (unsigned i = 0; i < count; i++) {
        name_inputs(r, stream[i]);
        result[0][i] = aic_emit_elementwise_value(r->e, &r->value, &r->part, stream[i], n);
        if (halves > 1) {
            stream[i][AIC_ELEMENTWISE_OLD] = stream[i][AIC_ELEMENTWISE_OLD_NEXT];
            result[1][i] =
                aic_emit_elementwise_value(r->e, &r->value, &(aic_elementwise_part){.half = 1}, stream[i], n);
        }
    }
    for (unsigned half = 0; half < halves; half++) {
        LLVMValueRef to = half == 0 ? pointer[0] : aic_at(r->e, pointer[0], number_of(r, 0, "pair"));
        for (unsigned i = 0; i < count; i++) {
            aic_name(r->e, result[half][i], "result");
            store(r, result[half][i], to, first + i * n, n);
        }
    }
}

/* The first `count` elements, straight-line: whole vectors, then halves of them. */
static void emit_elements(const run *r, LLVMValueRef *pointer, int64_t count)
{
    int64_t first = 0;
    for (unsigned n = (unsigned)r->k->lanes; first < count; n /= 2) {
        while (first + n <= count) {
            const int64_t left = (count - first) / n;
            const unsigned vectors = left < BATCH ? (unsigned)left : BATCH;
            emit_batch(r, pointer, first, vectors, n);
            first += (int64_t)vectors * n;
        }
    }
}

/* Whether it is the chunks of the run that are divided. */
static bool divides_run(const run *r)
{
    return r->k->divided == r->k->dims;
}

/* The elements in whole chunks. */
static void emit_long_run(run *r)
{
    aic_emit *e = r->e;
    const int64_t step = r->k->chunk / r->period;
    LLVMValueRef moved[POINTERS] = {NULL}, from = aic_int(e, 0), to;
    aic_loop loop;
    if (divides_run(r)) {
        from = aic_mul(e, r->first, step);
        to = aic_mul(e, r->last, step);
    } else {
        to = aic_trips(e, "run");
    }
    aic_loop_begin(e, &loop, "run: chunks of the innermost dimension", from, to, step, NULL, 0);
    for (unsigned i = 0; i < POINTERS; i++) {
        moved[i] = r->pointer[i] == NULL ? NULL : after_periods(r, i, loop.index);
    }
    emit_elements(r, moved, r->k->chunk);
    aic_loop_end(e, &loop);
}

/* A vector of n elements, `index` elements behind the pointers. */
static void emit_vector_at(const run *r, LLVMValueRef index, unsigned n)
{
    LLVMValueRef moved[POINTERS] = {NULL};
    for (unsigned i = 0; i < POINTERS; i++) {
        moved[i] = r->pointer[i] == NULL ? NULL : after_periods(r, i, index);
    }
    emit_batch(r, moved, 0, 1, n);
}

/* The run for the elements that fill no vector. */
static run ends_of(const run *r)
{
    run ends = *r;
    ends.mask = r->ends;
    return ends;
}

/* As many elements as a number says: whole vectors, then those behind them by a mask, or halves of vectors. */
static void emit_counted(const run *r)
{
    aic_emit *e = r->e;
    const int64_t lanes = r->k->lanes;
    LLVMValueRef count = aic_number(e, "rest");
    aic_loop loop;
    aic_loop_begin(e, &loop, "rest: vectors behind the chunks", aic_int(e, 0), multiple_in(e, count, lanes), lanes,
                   NULL, 0);
    emit_vector_at(r, loop.index, (unsigned)lanes);
    aic_loop_end(e, &loop);
    aic_branch branch;
    if (r->ends != NULL) {
        LLVMValueRef some = LLVMBuildICmp(e->builder, LLVMIntNE, aic_number(e, "ends"), aic_int(e, 0), "");
        const run ends = ends_of(r);
        aic_branch_begin(e, &branch, some);
        emit_vector_at(&ends, multiple_in(e, count, lanes), (unsigned)lanes);
        aic_branch_end(e, &branch);
        return;
    }
    for (int64_t n = lanes / 2; n > 0; n /= 2) {
        LLVMValueRef has = LLVMBuildAnd(e->builder, count, aic_int(e, n), "");
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntNE, has, aic_int(e, 0), ""));
        emit_vector_at(r, multiple_in(e, count, 2 * n), (unsigned)n);
        aic_branch_end(e, &branch);
    }
}

/* The elements behind the chunks. */
static void emit_rest(const run *r)
{
    run behind = *r;
    for (unsigned i = 0; i < POINTERS && r->k->chunk > 0; i++) {
        const bool stays = i > 0 && r->k->reads[i - 1] < AIC_STREAM_NEAR;
        if (r->pointer[i] != NULL && !stays) {
            behind.pointer[i] = aic_at(r->e, r->pointer[i], number_of(r, i, "rest"));
        }
    }
    if (r->k->counts) {
        emit_counted(&behind);
    } else {
        emit_elements(&behind, behind.pointer, r->k->rest);
        if (r->ends != NULL) {
            const run ends = ends_of(&behind);
            emit_batch(&ends, behind.pointer, r->k->rest, 1, (unsigned)r->k->lanes);
        }
    }
}

/* What is read once for the whole run. */
static void load_fixed(run *r, unsigned stream)
{
    const aic_elementwise_key *k = r->k;
    LLVMValueRef pointer = r->pointer[1 + stream];
    if (k->reads[stream] == AIC_STREAM_SAME) {
        r->scalar[stream] = aic_load(r->e, element_type(r), pointer, 0, (unsigned)k->size);
    } else if (is_folded(r, stream) && aic_elementwise_fold(k, k->digits - 1, stream) == 0) {
        r->window[stream] = open_window(r, stream, pointer, 0, r->period);
    }
}

static void emit_run(run *r)
{
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        load_fixed(r, k);
    }
    if (r->k->chunk > 0) {
        emit_long_run(r);
    }
    if (r->k->rest == 0 && !r->k->counts && !r->k->masks) {
        return;
    }
    if (!divides_run(r)) {
        emit_rest(r);
    } else { /* it goes with the last chunk */
        aic_branch branch;
        LLVMValueRef ends = aic_trips(r->e, "run.parts");
        aic_branch_begin(r->e, &branch, LLVMBuildICmp(r->e->builder, LLVMIntEQ, r->last, ends, ""));
        emit_rest(r);
        aic_branch_end(r->e, &branch);
    }
}

static void load_single(run *r)
{
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        if (r->k->reads[k] == AIC_STREAM_SINGLE) {
            r->scalar[k] = aic_load(r->e, element_type(r), r->pointer[1 + k], 0, (unsigned)r->k->size);
        }
    }
}

/* ---- the loops ---- */

/* Bytes that a pointer moves in a loop. */
static LLVMValueRef stride_of(const run *r, unsigned pointer, unsigned dim)
{
    return aic_number(r->e, "%s.dim.%u", aic_elementwise_pointer[pointer], dim);
}

static void emit_dims(run *r, unsigned dim)
{
    aic_emit *e = r->e;
    LLVMValueRef carried[POINTERS];
    unsigned moving[POINTERS], count = 0;
    if (dim == r->k->dims) {
        emit_run(r);
        return;
    }
    for (unsigned i = 0; i < POINTERS; i++) {
        if ((r->k->moves & aic_elementwise_moves(dim, i)) != 0) {
            moving[count] = i;
            carried[count++] = r->pointer[i];
        }
    }
    LLVMValueRef from = aic_int(e, 0), to;
    if (r->k->divided == dim) {
        from = r->first;
        to = r->last;
        for (unsigned i = 0; i < count; i++) {
            carried[i] = aic_at(e, carried[i], aic_times(e, from, stride_of(r, moving[i], dim)));
        }
    } else {
        to = aic_trips(e, "dim.%u", dim);
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, "dim: a dimension of the box", from, to, 1, carried, count);
    for (unsigned i = 0; i < count; i++) {
        aic_name_carried(e, &loop, i, "%s.at", aic_elementwise_pointer[moving[i]]);
    }
    run inner = *r;
    for (unsigned i = 0; i < count; i++) {
        inner.pointer[moving[i]] = carried[i];
    }
    emit_dims(&inner, dim + 1);
    for (unsigned i = 0; i < count; i++) {
        carried[i] = aic_at(e, carried[i], stride_of(r, moving[i], dim));
    }
    aic_loop_end(e, &loop);
}

/* ---- the part ---- */

static aic_elementwise_value value_of(const aic_elementwise_key *k)
{
    aic_elementwise_input in[3];
    for (unsigned i = 0; i < 3; i++) {
        in[i] = (aic_elementwise_input){.is_constant = k->constant[i],
                                        .constant = k->word[i],
                                        .bits = (unsigned)k->bits[i],
                                        .sign = k->sign[i],
                                        .spread = k->spread[i]};
    }
    return (aic_elementwise_value){.op = (aic_elementwise_op)k->value,
                                   .a = in[0],
                                   .b = in[1],
                                   .out = in[2],
                                   .select = (uint32_t)k->select,
                                   .arithmetic = k->arithmetic,
                                   .half_up = k->half_up,
                                   .fused = k->fused,
                                   .number = k->number,
                                   .left = k->left,
                                   .right = k->right};
}

LLVMValueRef aic_emit_part_elementwise(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[OPERANDS_MAX] = {"out", "in0", "in1"};
    const char *names[OPERANDS_MAX + 2];
    const aic_elementwise_key *k = of;
    const unsigned operands = (unsigned)k->operands;
    run r = {.e = e,
             .k = k,
             .value = value_of(k),
             .part = {.half = (unsigned)k->half, .count = (unsigned)k->count},
             .period = aic_elementwise_period(k)};
    aic_limit("operands of an operation on elements", operands, OPERANDS_MAX);
    memcpy(names, PARAMS, sizeof PARAMS);
    names[operands] = "first";
    names[operands + 1] = "last";
    aic_emit_function(e, name, AIC_EMIT_HOT, names, operands, 2);
    aic_note_function(e, "box of an operation on elements, \"%s\", its part first .. last-1",
                      aic_elementwise_op_name(r.value.op));
    r.first = aic_emit_param(e, operands);
    r.last = aic_emit_param(e, operands + 1);
    aic_emit_aliases(e);
    r.pointer[0] = aic_at(e, aic_emit_param(e, 0), number_of(&r, 0, "at"));
    for (unsigned s = 0; s < AIC_ELEMENTWISE_STREAMS; s++) {
        if (reads(&r, s)) {
            LLVMValueRef operand = aic_emit_param(e, (unsigned)k->operand[s]);
            r.pointer[1 + s] = aic_at(e, operand, number_of(&r, 1 + s, "at"));
        }
    }
    r.ends = k->masks ? aic_first_lanes(e, aic_number(e, "ends"), (unsigned)k->lanes) : NULL;
    load_single(&r);
    emit_dims(&r, 0);
    return aic_emit_function_end(e);
}
