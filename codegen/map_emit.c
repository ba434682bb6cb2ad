/* Code of a map's box: loops around runs, a run in vectors, the rest of it in smaller ones; nothing is accessed that
 * does not belong to the run. All loads of a batch come before its stores, which may be to the same elements. */
#include "codegen/map.h"
#include "codegen/vec.h"

enum { POINTERS = 1 + AIC_MAP_STREAMS, BATCH = 4 };

/* A run being emitted. */
typedef struct run {
    aic_emit *e;
    const aic_map_plan *p;
    LLVMValueRef pointer[POINTERS];       /* the output's, then the streams'; NULL: not read */
    LLVMValueRef scalar[AIC_MAP_STREAMS]; /* of streams that broadcast along the run */
} run;

static int64_t stride_of(const aic_nest_dim *d, unsigned pointer)
{
    return pointer == 0 ? d->out : d->in[pointer - 1];
}

static LLVMTypeRef element_type(const run *r)
{
    return LLVMIntTypeInContext(r->e->context, 8 * r->p->map->size);
}

/* ---- one vector ---- */

static LLVMValueRef gather(const run *r, LLVMValueRef pointer, int64_t stride, int64_t first, unsigned n)
{
    aic_emit *e = r->e;
    LLVMValueRef value = LLVMGetPoison(aic_vector(element_type(r), n));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = aic_load(e, element_type(r), pointer, (first + i) * stride, r->p->map->size);
        value = LLVMBuildInsertElement(e->builder, value, one, LLVMConstInt(e->i32, i, false), "");
    }
    return value;
}

/* Elements first .. first+n-1 from the pointers of the batch on. */
static LLVMValueRef load(const run *r, LLVMValueRef *pointer, unsigned stream, int64_t first, unsigned n)
{
    const int64_t size = r->p->map->size, stride = r->p->inner.in[stream];
    if (!r->p->from->reads[stream]) {
        return NULL;
    }
    if (r->scalar[stream] != NULL) {
        return aic_splat(r->e, r->scalar[stream], n);
    }
    if (stride != size) {
        return gather(r, pointer[1 + stream], stride, first, n);
    }
    return aic_load(r->e, aic_vector(element_type(r), n), pointer[1 + stream], first * size, (unsigned)size);
}

static void scatter(const run *r, LLVMValueRef value, LLVMValueRef pointer, int64_t first, unsigned n)
{
    aic_emit *e = r->e;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = LLVMBuildExtractElement(e->builder, value, LLVMConstInt(e->i32, i, false), "");
        aic_store(e, one, pointer, (first + i) * r->p->inner.out, r->p->map->size);
    }
}

static void store(const run *r, LLVMValueRef value, LLVMValueRef pointer, int64_t first, unsigned n)
{
    const unsigned size = r->p->map->size;
    if (r->p->inner.out != size) {
        scatter(r, value, pointer, first, n);
    } else if (r->p->past) {
        aic_store_past(r->e, value, pointer, first * size, n * size);
    } else {
        aic_store(r->e, value, pointer, first * size, size);
    }
}

/* ---- a run ---- */

/* `count` vectors of n elements each from element `first` on. */
static void emit_batch(const run *r, LLVMValueRef *pointer, int64_t first, unsigned count, unsigned n)
{
    LLVMValueRef result[BATCH], stream[BATCH][AIC_MAP_STREAMS];
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < AIC_MAP_STREAMS; k++) {
            stream[i][k] = load(r, pointer, k, first + i * n, n);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        result[i] = aic_emit_map_value(r->e, &r->p->map->value, &r->p->from->part, stream[i], n);
    }
    for (unsigned i = 0; i < count; i++) {
        store(r, result[i], pointer[0], first + i * n, n);
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

static void emit_long_run(run *r, int64_t chunk, int64_t end)
{
    LLVMValueRef moved[POINTERS] = {NULL};
    aic_loop loop;
    aic_loop_begin(r->e, &loop, "run", aic_int(r->e, 0), aic_int(r->e, end), chunk, NULL, 0);
    for (unsigned i = 0; i < POINTERS; i++) {
        if (r->pointer[i] != NULL) {
            moved[i] = aic_at(r->e, r->pointer[i], aic_mul(r->e, loop.index, stride_of(&r->p->inner, i)));
        }
    }
    emit_elements(r, moved, 0, chunk);
    aic_loop_end(r->e, &loop);
}

static void emit_run(run *r)
{
    const int64_t chunk = r->p->lanes * r->p->unroll, extent = r->p->inner.extent, end = extent / chunk * chunk;
    for (unsigned k = 0; k < AIC_MAP_STREAMS; k++) {
        bool fixed = r->p->from->reads[k] && r->p->inner.in[k] == 0;
        r->scalar[k] =
            fixed ? aic_load(r->e, element_type(r), r->pointer[1 + k], 0, r->p->map->size) : (LLVMValueRef)NULL;
    }
    if (end > 0) {
        emit_long_run(r, chunk, end);
    }
    emit_elements(r, r->pointer, end, extent);
}

/* ---- the loops ---- */

static void emit_dims(run *r, unsigned dim)
{
    if (dim == r->p->box.dims) {
        emit_run(r);
        return;
    }
    const aic_nest_dim *d = &r->p->box.dim[dim];
    LLVMValueRef carried[POINTERS];
    unsigned place[POINTERS], count = 0;
    for (unsigned i = 0; i < POINTERS; i++) {
        if (r->pointer[i] != NULL && stride_of(d, i) != 0) {
            place[count] = i;
            carried[count++] = r->pointer[i];
        }
    }
    aic_loop loop;
    aic_loop_begin(r->e, &loop, "dim", aic_int(r->e, 0), aic_int(r->e, d->extent), 1, carried, count);
    run inner = *r;
    for (unsigned i = 0; i < count; i++) {
        inner.pointer[place[i]] = carried[i];
    }
    emit_dims(&inner, dim + 1);
    for (unsigned i = 0; i < count; i++) {
        carried[i] = aic_at_const(r->e, carried[i], stride_of(d, place[i]));
    }
    aic_loop_end(r->e, &loop);
}

LLVMValueRef aic_emit_map_box(aic_emit *e, const aic_map_plan *p, const char *name)
{
    static const char *const PARAMS[AIC_MAP_OPERANDS] = {"out", "in0", "in1"};
    run r = {.e = e, .p = p};
    aic_emit_function(e, name, false, PARAMS, p->map->operands, 0);
    aic_emit_aliases(e);
    LLVMValueRef function = e->function;
    r.pointer[0] = aic_at_const(e, aic_emit_param(e, 0), p->box.out);
    for (unsigned k = 0; k < AIC_MAP_STREAMS; k++) {
        if (p->from->reads[k]) {
            r.pointer[1 + k] = aic_at_const(e, aic_emit_param(e, p->map->operand[k]), p->box.in[k]);
        }
    }
    emit_dims(&r, 0);
    aic_emit_function_end(e);
    return function;
}
