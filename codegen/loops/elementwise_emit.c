/* Code of an element-wise kernel's box: loops around runs, a run in vectors, the rest of it in smaller ones. Nothing is
 * written that does not belong to the run, and nothing read but what lies between elements of it. All loads of a batch
 * come before its stores, which may be to the same elements. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/loops/elementwise.h"

#include <string.h>

enum { POINTERS = 1 + AIC_ELEMENTWISE_STREAMS, BATCH = 4 };

static const char *const POINTER_NAMES[POINTERS] = {
    "out",
    [1 + AIC_ELEMENTWISE_A] = "a",
    [1 + AIC_ELEMENTWISE_A_NEXT] = "a.next",
    [1 + AIC_ELEMENTWISE_B] = "b",
    [1 + AIC_ELEMENTWISE_B_NEXT] = "b.next",
    [1 + AIC_ELEMENTWISE_OLD] = "old",
    [1 + AIC_ELEMENTWISE_OLD_NEXT] = "old.next",
};

/* Neighbouring words of a stream, loaded. */
typedef struct window {
    LLVMValueRef value; /* NULL: none */
    int64_t low;        /* bytes from the stream's pointer to the first one */
} window;

/* A run being emitted. */
typedef struct run {
    aic_emit *e;
    const aic_elementwise_plan *p;
    LLVMValueRef pointer[POINTERS];               /* the output's, then the streams'; NULL: not read */
    LLVMValueRef scalar[AIC_ELEMENTWISE_STREAMS]; /* of streams that broadcast along the run */
    bool single[AIC_ELEMENTWISE_STREAMS];         /* of streams that have one element: it is loaded once for all runs */
    window window[AIC_ELEMENTWISE_STREAMS];       /* of folded streams that are the same in every period */
    LLVMValueRef first, last;                     /* the iterations of the divided loop that this call does */
} run;

static int64_t stride_of(const aic_box_dim *d, unsigned pointer)
{
    return pointer == 0 ? d->out : d->in[pointer - 1];
}

/* Bytes that a pointer moves in a period. */
static int64_t period_bytes(const aic_elementwise_plan *p, unsigned pointer)
{
    const bool folded = pointer > 0 && p->folded[pointer - 1];
    return folded ? stride_of(&p->digit[p->digits - 1], pointer) : stride_of(&p->inner, pointer) * p->period;
}

/* Bytes from a stream's pointer to element e of the run. */
static int64_t offset_of(const aic_elementwise_plan *p, unsigned stream, int64_t e)
{
    int64_t bytes = 0;
    if (!p->folded[stream]) {
        return e * p->inner.in[stream];
    }
    for (unsigned i = 0; i + 1 < p->digits; i++) {
        bytes += e % p->digit[i].extent * p->digit[i].in[stream];
        e /= p->digit[i].extent;
    }
    return bytes + e * p->digit[p->digits - 1].in[stream];
}

static LLVMTypeRef element_type(const run *r)
{
    return LLVMIntTypeInContext(r->e->context, 8 * r->p->elementwise->size);
}

/* ---- loads ---- */

/* Elements first .. first+count-1, if they lie close enough together to be permuted from two vectors. */
static window open_window(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, int64_t count)
{
    const int64_t size = r->p->elementwise->size;
    int64_t low = offset_of(r->p, stream, first), high = low, lanes = 1;
    for (int64_t i = 1; i < count; i++) {
        const int64_t offset = offset_of(r->p, stream, first + i);
        low = offset < low ? offset : low;
        high = offset > high ? offset : high;
    }
    const int64_t words = (high - low) / size + 1;
    while (lanes < words) {
        lanes *= 2;
    }
    if (lanes > 2 * r->p->lanes) {
        return (window){NULL, 0};
    }
    return (window){aic_load_part(r->e, element_type(r), (unsigned)lanes, (unsigned)words, pointer, low), low};
}

static LLVMValueRef permute(const run *r, const window *w, unsigned stream, int64_t first, unsigned n)
{
    unsigned from[AIC_LANES_MAX];
    aic_limit("elements of a vector", n, AIC_LANES_MAX);
    for (unsigned i = 0; i < n; i++) {
        from[i] = (unsigned)((offset_of(r->p, stream, first + i) - w->low) / r->p->elementwise->size);
    }
    return aic_permute(r->e, w->value, from, n);
}

static LLVMValueRef gather(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, unsigned n)
{
    aic_emit *e = r->e;
    LLVMValueRef value = LLVMGetPoison(aic_vector(element_type(r), n));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one =
            aic_load(e, element_type(r), pointer, offset_of(r->p, stream, first + i), r->p->elementwise->size);
        value = LLVMBuildInsertElement(e->builder, value, one, LLVMConstInt(e->i32, i, false), "");
    }
    return value;
}

/* Elements that are not neighbours. */
static LLVMValueRef load_apart(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, unsigned n)
{
    const window w = open_window(r, stream, pointer, first, n);
    return w.value != NULL ? permute(r, &w, stream, first, n) : gather(r, stream, pointer, first, n);
}

/* `count` vectors of n elements each of a stream, from element `first` on; NULL where it is not read. */
static void load(const run *r, unsigned stream, LLVMValueRef pointer, int64_t first, unsigned count, unsigned n,
                 LLVMValueRef value[][AIC_ELEMENTWISE_STREAMS])
{
    const unsigned size = r->p->elementwise->size;
    const bool dense = !r->p->folded[stream] && r->p->inner.in[stream] == size;
    window all = r->window[stream];
    if (r->p->folded[stream] && all.value == NULL) {
        all = open_window(r, stream, pointer, first, (int64_t)count * n);
    }
    for (unsigned i = 0; i < count; i++, first += n) {
        if (!r->p->from->reads[stream]) {
            value[i][stream] = NULL;
        } else if (r->scalar[stream] != NULL) {
            value[i][stream] = aic_splat(r->e, r->scalar[stream], n);
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
        aic_store(e, one, pointer, (first + i) * r->p->inner.out, r->p->elementwise->size);
    }
}

static void store(const run *r, LLVMValueRef value, LLVMValueRef pointer, int64_t first, unsigned n)
{
    const unsigned size = r->p->elementwise->size;
    if (r->p->inner.out != size) {
        scatter(r, value, pointer, first, n);
    } else if (r->p->past) {
        aic_store_past(r->e, value, pointer, first * size, n * size);
    } else {
        aic_store(r->e, value, pointer, first * size, size);
    }
}

/* ---- a run ---- */

static void name_inputs(const run *r, LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS])
{
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        if (stream[k] != NULL) {
            aic_name(r->e, stream[k], "%s.value", POINTER_NAMES[1 + k]);
        }
    }
}

/* `count` vectors of n elements each from element `first` on: those of the inputs' lower halves, then, where the box
 * has pairs, of their upper ones. */
static void emit_batch(const run *r, LLVMValueRef *pointer, int64_t first, unsigned count, unsigned n)
{
    const aic_elementwise_box *box = r->p->from;
    LLVMValueRef result[2][BATCH], stream[BATCH][AIC_ELEMENTWISE_STREAMS];
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        load(r, k, pointer[1 + k], first, count, n, stream);
    }
    for (unsigned i = 0; i < count; i++) {
        name_inputs(r, stream[i]);
        result[0][i] = aic_emit_elementwise_value(r->e, &r->p->elementwise->value, &box->part, stream[i], n);
        if (box->pair != 0) {
            stream[i][AIC_ELEMENTWISE_OLD] = stream[i][AIC_ELEMENTWISE_OLD_NEXT];
            result[1][i] = aic_emit_elementwise_value(r->e, &r->p->elementwise->value,
                                                      &(aic_elementwise_part){.half = 1}, stream[i], n);
        }
    }
    for (unsigned half = 0; half < (box->pair != 0 ? 2u : 1u); half++) {
        for (unsigned i = 0; i < count; i++) {
            aic_name(r->e, result[half][i], "result");
            store(r, result[half][i], aic_at_const(r->e, pointer[0], half * box->pair), first + i * n, n);
        }
    }
}

/* Elements first .. last-1, straight-line: whole vectors, then halves of them. */
static void emit_elements(const run *r, LLVMValueRef *pointer, int64_t first, int64_t last)
{
    for (unsigned n = (unsigned)r->p->lanes; first < last; n /= 2) {
        while (first + n <= last) {
            int64_t left = (last - first) / n;
            unsigned count = left < BATCH ? (unsigned)left : BATCH;
            emit_batch(r, pointer, first, count, n);
            first += (int64_t)count * n;
        }
    }
}

/* Whether it is the chunks of the run that are divided. */
static bool divides_run(const aic_elementwise_plan *p)
{
    return p->division.loop == (int)p->box.dims;
}

/* Elements 0 .. end-1, whole chunks. */
static void emit_long_run(run *r, int64_t end)
{
    const aic_elementwise_plan *p = r->p;
    LLVMValueRef moved[POINTERS] = {NULL};
    aic_loop loop;
    LLVMValueRef from = aic_int(r->e, 0), to = aic_int(r->e, end / p->period);
    if (divides_run(p)) {
        from = aic_mul(r->e, r->first, p->chunk / p->period);
        to = aic_mul(r->e, r->last, p->chunk / p->period);
    }
    aic_loop_begin(r->e, &loop, "run: chunks of the innermost dimension", from, to, p->chunk / p->period, NULL, 0);
    for (unsigned i = 0; i < POINTERS; i++) {
        if (r->pointer[i] != NULL) {
            moved[i] = aic_at(r->e, r->pointer[i], aic_mul(r->e, loop.index, period_bytes(p, i)));
        }
    }
    emit_elements(r, moved, 0, p->chunk);
    aic_loop_end(r->e, &loop);
}

/* What is read once for the whole run. */
static void load_fixed(run *r, unsigned stream)
{
    const aic_elementwise_plan *p = r->p;
    LLVMValueRef pointer = r->pointer[1 + stream];
    if (r->single[stream]) {
        return;
    }
    r->scalar[stream] = NULL;
    r->window[stream] = (window){NULL, 0};
    if (!p->from->reads[stream]) {
        return;
    }
    if (!p->folded[stream] && p->inner.in[stream] == 0) {
        r->scalar[stream] = aic_load(r->e, element_type(r), pointer, 0, p->elementwise->size);
    } else if (p->folded[stream] && period_bytes(p, 1 + stream) == 0) {
        r->window[stream] = open_window(r, stream, pointer, 0, p->period);
    }
}

static void emit_run(run *r)
{
    const int64_t extent = r->p->inner.extent, end = extent / r->p->chunk * r->p->chunk;
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        load_fixed(r, k);
    }
    if (end > 0) {
        emit_long_run(r, end);
    }
    if (!divides_run(r->p)) {
        emit_elements(r, r->pointer, end, extent);
    } else if (end < extent) { /* the rest goes with the last chunk */
        aic_branch branch;
        LLVMValueRef ends = aic_int(r->e, r->p->division.count);
        aic_branch_begin(r->e, &branch, LLVMBuildICmp(r->e->builder, LLVMIntEQ, r->last, ends, ""));
        emit_elements(r, r->pointer, end, extent);
        aic_branch_end(r->e, &branch);
    }
}

/* Whether the stream has one element, wherever the box is. */
static bool is_single(const aic_elementwise_plan *p, unsigned stream)
{
    bool single = p->from->reads[stream] && !p->folded[stream] && p->inner.in[stream] == 0;
    for (unsigned i = 0; i < p->box.dims; i++) {
        single = single && p->box.dim[i].in[stream] == 0;
    }
    return single;
}

static void load_single(run *r)
{
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        r->single[k] = is_single(r->p, k);
        if (r->single[k]) {
            r->scalar[k] = aic_load(r->e, element_type(r), r->pointer[1 + k], 0, r->p->elementwise->size);
        }
    }
}

/* ---- the loops ---- */

static void emit_dims(run *r, unsigned dim)
{
    if (dim == r->p->box.dims) {
        emit_run(r);
        return;
    }
    const aic_box_dim *d = &r->p->box.dim[dim];
    LLVMValueRef carried[POINTERS];
    unsigned moving[POINTERS], count = 0;
    for (unsigned i = 0; i < POINTERS; i++) {
        if (r->pointer[i] != NULL && stride_of(d, i) != 0) {
            moving[count] = i;
            carried[count++] = r->pointer[i];
        }
    }
    LLVMValueRef from = aic_int(r->e, 0), to = aic_int(r->e, d->extent);
    if (r->p->division.loop == (int)dim) {
        from = r->first;
        to = r->last;
        for (unsigned i = 0; i < count; i++) {
            carried[i] = aic_at(r->e, carried[i], aic_mul(r->e, from, stride_of(d, moving[i])));
        }
    }
    aic_loop loop;
    aic_loop_begin(r->e, &loop, "dim: a dimension of the box", from, to, 1, carried, count);
    for (unsigned i = 0; i < count; i++) {
        aic_name_carried(r->e, &loop, i, "%s.at", POINTER_NAMES[moving[i]]);
    }
    run inner = *r;
    for (unsigned i = 0; i < count; i++) {
        inner.pointer[moving[i]] = carried[i];
    }
    emit_dims(&inner, dim + 1);
    for (unsigned i = 0; i < count; i++) {
        carried[i] = aic_at_const(r->e, carried[i], stride_of(d, moving[i]));
    }
    aic_loop_end(r->e, &loop);
}

LLVMValueRef aic_emit_elementwise_box(aic_emit *e, const aic_elementwise_plan *p, const char *name)
{
    static const char *const PARAMS[AIC_ELEMENTWISE_OPERANDS] = {"out", "in0", "in1"};
    const char *names[AIC_ELEMENTWISE_OPERANDS + 2];
    const unsigned operands = p->elementwise->operands;
    run r = {.e = e, .p = p};
    aic_limit("operands of an operation on elements", operands, AIC_ELEMENTWISE_OPERANDS);
    memcpy(names, PARAMS, sizeof PARAMS);
    names[operands] = "first";
    names[operands + 1] = "last";
    aic_emit_function(e, name, AIC_EMIT_HOT, names, operands, 2);
    aic_note_function(e, "box of an operation on elements, \"%s\", its part first .. last-1",
                      aic_elementwise_op_name(p->elementwise->value.op));
    r.first = aic_emit_param(e, operands);
    r.last = aic_emit_param(e, operands + 1);
    aic_emit_aliases(e);
    LLVMValueRef function = e->function;
    r.pointer[0] = aic_at_const(e, aic_emit_param(e, 0), p->box.out);
    for (unsigned k = 0; k < AIC_ELEMENTWISE_STREAMS; k++) {
        if (p->from->reads[k]) {
            r.pointer[1 + k] = aic_at_const(e, aic_emit_param(e, p->elementwise->operand[k]), p->box.in[k]);
        }
    }
    load_single(&r);
    emit_dims(&r, 0);
    aic_emit_function_end(e);
    return function;
}
