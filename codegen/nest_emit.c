/* Code of a nest: a function a box, loops around a tile, and the frame that calls them in turn.
 *
 *     for the box's dimensions
 *       for band along `write`
 *         for tile along `read`
 *           for tile along `write` within the band
 *             move rows x cols units */
#include "codegen/generator.h"
#include "codegen/nest.h"
#include "codegen/vec.h"

#include <stdio.h>

enum { POINTERS_MAX = 1 + AIC_NEST_INPUTS };

typedef struct walk {
    aic_emit *e;
    const aic_nest *nest;
    const aic_nest_plan *p;
    unsigned pointers; /* the output's and the inputs' */
} walk;

static int64_t stride_of(const aic_nest_dim *d, unsigned pointer)
{
    return pointer == 0 ? d->out : d->in[pointer - 1];
}

/* ---- one run ---- */

static LLVMTypeRef piece_type(aic_emit *e, int64_t bytes)
{
    return bytes <= 8 ? LLVMIntTypeInContext(e->context, (unsigned)bytes * 8) : aic_vector(e->i8, (unsigned)bytes);
}

static int64_t piece_within(const walk *w, int64_t bytes)
{
    int64_t piece = w->p->vector;
    while (piece > bytes) {
        piece /= 2;
    }
    return piece;
}

/* The nest's value, over and over. */
static LLVMValueRef constant_piece(const walk *w, int64_t bytes)
{
    LLVMValueRef byte[64];
    for (int64_t i = 0; i < bytes; i++) {
        byte[i] = LLVMConstInt(w->e->i8, w->nest->value >> (i % w->nest->size * 8) & 0xff, false);
    }
    return LLVMConstBitCast(LLVMConstVector(byte, (unsigned)bytes), piece_type(w->e, bytes));
}

/* One access; in NULL: the constant. */
static void move_piece(const walk *w, LLVMValueRef out, LLVMValueRef in, int64_t offset, int64_t bytes)
{
    aic_emit *e = w->e;
    LLVMValueRef value =
        in == NULL ? constant_piece(w, bytes) : aic_load(e, piece_type(e, bytes), in, offset, w->nest->size);
    aic_store(e, value, out, offset, w->nest->size);
}

/* Bytes first to last in the fewest accesses: the last one overlaps the one before where it must. */
static void move_bytes(const walk *w, LLVMValueRef out, LLVMValueRef in, int64_t first, int64_t last)
{
    if (last == first) {
        return;
    }
    int64_t piece = piece_within(w, last - first);
    for (int64_t at = first; at < last; at += piece) {
        move_piece(w, out, in, at + piece <= last ? at : last - piece, piece);
    }
}

static void move_long_run(const walk *w, LLVMValueRef out, LLVMValueRef in)
{
    aic_emit *e = w->e;
    int64_t chunk = w->p->chunk, run = w->p->run;
    aic_loop loop;
    aic_loop_begin(e, &loop, "run", aic_int(e, 0), aic_int(e, run), chunk, NULL, 0);
    LLVMValueRef at = run % chunk == 0 ? loop.index : aic_min(e, loop.index, aic_int(e, run - chunk));
    move_bytes(w, aic_at(e, out, at), in == NULL ? NULL : aic_at(e, in, at), 0, chunk);
    aic_loop_end(e, &loop);
}

static void move_run(const walk *w, LLVMValueRef out, LLVMValueRef in)
{
    if (w->p->chunk != 0) {
        move_long_run(w, out, in);
        return;
    }
    move_bytes(w, out, NULL, w->p->run_valid, w->p->run);
    move_bytes(w, out, in, 0, w->p->run_valid);
}

/* ---- one tile ---- */

static void emit_tile(const walk *w, LLVMValueRef *pointer)
{
    const aic_nest_plan *p = w->p;
    aic_emit *e = w->e;
    if (p->transposes) {
        aic_emit_transpose(e, p, w->nest->size, pointer[0], pointer[1]);
        return;
    }
    for (int64_t col = 0; col < p->cols; col++) {
        for (int64_t row = 0; row < p->rows; row++) {
            LLVMValueRef moved[POINTERS_MAX] = {NULL};
            for (unsigned i = 0; i < w->pointers; i++) {
                int64_t offset = row * stride_of(&p->write, i) + col * stride_of(&p->read, i);
                moved[i] = aic_at_const(e, pointer[i], offset);
            }
            move_run(w, moved[0], moved[1]);
        }
    }
}

/* ---- the loops ---- */

/* Where the tile at `index` begins: earlier where it would stick out. */
static void advance(const walk *w, const aic_nest_dim *d, int64_t tile, LLVMValueRef index, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    LLVMValueRef first = d->extent % tile == 0 ? index : aic_min(e, index, aic_int(e, d->extent - tile));
    for (unsigned i = 0; i < w->pointers; i++) {
        pointer[i] = aic_at(e, pointer[i], aic_mul(e, first, stride_of(d, i)));
    }
}

static void copy_pointers(LLVMValueRef *to, LLVMValueRef *from)
{
    for (unsigned i = 0; i < POINTERS_MAX; i++) {
        to[i] = from[i];
    }
}

static void emit_tiles(const walk *w, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    const aic_nest_plan *p = w->p;
    aic_loop bands, reads, writes;
    LLVMValueRef start[POINTERS_MAX], tile[POINTERS_MAX];
    LLVMValueRef extent = aic_int(e, p->write.extent);
    aic_loop_begin(e, &bands, "band", aic_int(e, 0), extent, p->band, NULL, 0);
    LLVMValueRef end = bands.header == NULL ? extent : aic_min(e, aic_add(e, bands.index, aic_int(e, p->band)), extent);
    aic_loop_begin(e, &reads, "read", aic_int(e, 0), aic_int(e, p->read.extent), p->cols, NULL, 0);
    copy_pointers(start, pointer);
    advance(w, &p->read, p->cols, reads.index, start);
    aic_loop_begin(e, &writes, "write", bands.index, end, p->rows, NULL, 0);
    copy_pointers(tile, start);
    advance(w, &p->write, p->rows, writes.index, tile);
    emit_tile(w, tile);
    aic_loop_end(e, &writes);
    aic_loop_end(e, &reads);
    aic_loop_end(e, &bands);
}

static void emit_dims(const walk *w, unsigned dim, LLVMValueRef *pointer)
{
    if (dim == w->p->box.dims) {
        emit_tiles(w, pointer);
        return;
    }
    const aic_nest_dim *d = &w->p->box.dim[dim];
    LLVMValueRef carried[POINTERS_MAX], inner[POINTERS_MAX];
    copy_pointers(carried, pointer);
    aic_loop loop;
    aic_loop_begin(w->e, &loop, "dim", aic_int(w->e, 0), aic_int(w->e, d->extent), 1, carried, w->pointers);
    copy_pointers(inner, carried);
    emit_dims(w, dim + 1, inner);
    for (unsigned i = 0; i < w->pointers; i++) {
        carried[i] = aic_at_const(w->e, carried[i], stride_of(d, i));
    }
    aic_loop_end(w->e, &loop);
}

/* void name(out, in...): the box. */
static LLVMValueRef emit_box(aic_emit *e, const aic_nest *nest, const aic_box *box, const aic_schedule *schedule,
                             const char *name)
{
    static const char *const PARAMS[POINTERS_MAX] = {"out", "in0", "in1", "in2"};
    aic_nest_plan plan;
    aic_nest_plan_make(nest, box, schedule, &plan);
    walk w = {.e = e, .nest = nest, .p = &plan, .pointers = 1 + aic_nest_op_inputs(box->op)};
    aic_emit_function(e, name, false, PARAMS, w.pointers, 0);
    LLVMValueRef function = e->function, pointer[POINTERS_MAX] = {NULL};
    for (unsigned i = 0; i < w.pointers; i++) {
        pointer[i] = aic_at_const(e, aic_emit_param(e, i), i == 0 ? box->out : box->in[i - 1]);
    }
    emit_dims(&w, 0, pointer);
    aic_emit_function_end(e);
    return function;
}

/* ---- the frame ---- */

static unsigned inputs_of(const aic_nest *nest)
{
    unsigned most = 0;
    for (unsigned i = 0; i < nest->boxes; i++) {
        unsigned inputs = aic_nest_op_inputs(nest->box[i].op);
        most = inputs > most ? inputs : most;
    }
    return most;
}

/* name(out, in...): every box. */
static void emit_frame(aic_emit *e, const aic_nest *nest, LLVMValueRef *boxes, const char *name)
{
    static const char *const PARAMS[POINTERS_MAX] = {"out", "in0", "in1", "in2"};
    LLVMValueRef args[POINTERS_MAX];
    aic_emit_function(e, name, true, PARAMS, 1 + inputs_of(nest), 0);
    for (unsigned i = 0; i < nest->boxes; i++) {
        unsigned count = 1 + aic_nest_op_inputs(nest->box[i].op);
        for (unsigned k = 0; k < count; k++) {
            args[k] = aic_emit_param(e, k);
        }
        aic_emit_call(e, boxes[i], args, count);
    }
    aic_emit_function_end(e);
}

static aic_status emit_nest(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    static const char *const FORMS[] = {"", "_packed"};
    const aic_nest *nest = &work->nest;
    LLVMValueRef boxes[AIC_NEST_BOXES];
    char name[160];
    aic_status status = aic_nest_check_schedule(e->target, schedule);
    if (status != AIC_OK) {
        return status;
    }
    for (unsigned i = 0; i < nest->boxes; i++) {
        snprintf(name, sizeof name, "%s_box%u", symbol, i);
        boxes[i] = emit_box(e, nest, &nest->box[i], schedule, name);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, FORMS[i]);
        emit_frame(e, nest, boxes, name);
    }
    return AIC_OK;
}

static aic_status check_nest(const aic_work *work, const aic_target *target, const aic_schedule *schedule,
                             aic_sizes *sizes)
{
    (void)work;
    *sizes = (aic_sizes){.workspace_bytes = 0};
    return aic_nest_check_schedule(target, schedule);
}

const aic_shape aic_shape_nest = {
    .candidates = aic_nest_candidates,
    .bound = aic_nest_bound,
    .check = check_nest,
    .emit = emit_nest,
    .report = aic_nest_report,
};
