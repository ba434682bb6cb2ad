/* Code of a nest: a function a box, loops around a tile, and the frame that calls them in turn.
 *
 *     for burst of `near`, the box's dimensions, `near` within the burst
 *       for band along `write` (or `next`)
 *         for tile along `read`
 *           for tile along `write` (or `next`, and tile along `write`) within the band
 *             move rows x cols units */
#include "codegen/generator.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/vec.h"
#include "codegen/loops/nest.h"

#include <stdio.h>

/* Fills and copies have at most one input. */
enum { POINTERS_MAX = 2 };

static const char *const PARAMS[POINTERS_MAX] = {"out", "in"};

typedef struct walk {
    aic_emit *e;
    const aic_nest *nest;
    const aic_nest_plan *p;
    unsigned pointers;  /* the output's and, where there is one, the input's; the other is NULL */
    LLVMValueRef aside; /* where lines of the input are copied before they are transposed */
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
    LLVMValueRef byte[AIC_LANES_MAX];
    aic_limit("bytes of a constant", (size_t)bytes, AIC_LANES_MAX);
    for (int64_t i = 0; i < bytes; i++) {
        byte[i] = LLVMConstInt(w->e->i8, w->nest->value >> (i % w->nest->size * 8) & 0xff, false);
    }
    return LLVMConstBitCast(LLVMConstVector(byte, (unsigned)bytes), piece_type(w->e, bytes));
}

static LLVMValueRef load_piece(const walk *w, LLVMValueRef in, int64_t offset, int64_t bytes)
{
    return aic_load(w->e, piece_type(w->e, bytes), in, offset, w->nest->size);
}

/* The first `valid` bytes of a piece from memory, in accesses that fit exactly, the rest of it constant. */
static LLVMValueRef load_part(const walk *w, LLVMValueRef in, int64_t offset, int64_t bytes, int64_t valid)
{
    aic_emit *e = w->e;
    LLVMValueRef piece = constant_piece(w, bytes);
    for (int64_t done = 0, part; done < valid; done += part) {
        part = bytes / 2 < 8 ? bytes / 2 : 8;
        while (part > valid - done) {
            part /= 2;
        }
        LLVMTypeRef parts = aic_vector(piece_type(e, part), (unsigned)(bytes / part));
        LLVMValueRef at = LLVMConstInt(e->i32, (unsigned long long)(done / part), false);
        piece = LLVMBuildInsertElement(e->builder, LLVMBuildBitCast(e->builder, piece, parts, ""),
                                       load_piece(w, in, offset + done, part), at, "");
    }
    return LLVMBuildBitCast(e->builder, piece, piece_type(e, bytes), "");
}

static void store_piece(const walk *w, LLVMValueRef value, LLVMValueRef out, int64_t offset, int64_t bytes)
{
    if (w->p->past) {
        aic_store_past(w->e, value, out, offset, (unsigned)bytes);
    } else {
        aic_store(w->e, value, out, offset, w->nest->size);
    }
}

/* `bytes` bytes in the fewest accesses: the last one overlaps the one before where it must. From `valid` on they are
 * constant, all of them where there is no input. */
static void move_bytes(const walk *w, LLVMValueRef out, LLVMValueRef in, int64_t bytes, int64_t valid)
{
    int64_t piece = piece_within(w, bytes);
    for (int64_t next = 0; next < bytes; next += piece) {
        int64_t at = next + piece <= bytes ? next : bytes - piece;
        LLVMValueRef value;
        if (in == NULL || valid <= at) {
            value = constant_piece(w, piece);
        } else if (valid < at + piece) {
            value = load_part(w, in, at, piece, valid - at);
        } else {
            value = load_piece(w, in, at, piece);
        }
        store_piece(w, value, out, at, piece);
    }
}

static void move_long_run(const walk *w, LLVMValueRef out, LLVMValueRef in)
{
    aic_emit *e = w->e;
    int64_t chunk = w->p->chunk, run = w->p->run;
    aic_loop loop;
    aic_loop_begin(e, &loop, "run", aic_int(e, 0), aic_int(e, run), chunk, NULL, 0);
    LLVMValueRef at = run % chunk == 0 ? loop.index : aic_min(e, loop.index, aic_int(e, run - chunk));
    move_bytes(w, aic_at(e, out, at), in == NULL ? NULL : aic_at(e, in, at), chunk, chunk);
    aic_loop_end(e, &loop);
}

static void move_run(const walk *w, LLVMValueRef out, LLVMValueRef in)
{
    if (w->p->chunk != 0) {
        move_long_run(w, out, in);
        return;
    }
    move_bytes(w, out, in, w->p->run, w->p->run_valid);
}

/* ---- one tile ---- */

/* Of a row of a tile that is copied aside: a line. */
static int64_t staged_bytes(const walk *w)
{
    return w->p->stage * w->nest->size;
}

/* Copies the tile's lines aside, row after row, then transposes them from there. */
static void emit_staged_tile(const walk *w, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    aic_nest_plan aside = *w->p;
    const int64_t line = staged_bytes(w);
    aside.write.in[0] = line;
    aside.next.in[0] = aside.write.extent * line;
    LLVMTypeRef type = piece_type(e, aside.vector);
    for (int64_t row = 0; row < aside.rows; row++) {
        int64_t within = aside.group > 1 ? row % aside.write.extent : row, next = (row - within) / aside.write.extent;
        int64_t from = next * w->p->next.in[0] + within * w->p->write.in[0];
        for (int64_t at = 0; within < aside.rows_valid && at < line; at += aside.vector) {
            LLVMValueRef value = aic_load(e, type, pointer[1], from + at, w->nest->size);
            aic_store(e, value, w->aside, row * line + at, (unsigned)aside.vector);
        }
    }
    aic_loop columns;
    aic_loop_begin(e, &columns, "column", aic_int(e, 0), aic_int(e, aside.stage), aside.cols, NULL, 0);
    aic_emit_transpose(e, &aside, w->nest->size, aic_at(e, pointer[0], aic_mul(e, columns.index, aside.read.out)),
                       aic_at(e, w->aside, aic_mul(e, columns.index, w->nest->size)));
    aic_loop_end(e, &columns);
}

static void emit_runs(const walk *w, LLVMValueRef *pointer)
{
    const aic_nest_plan *p = w->p;
    aic_emit *e = w->e;
    for (int64_t col = 0; col < p->cols; col++) {
        for (int64_t row = 0; row < p->rows; row++) {
            LLVMValueRef moved[POINTERS_MAX] = {NULL};
            for (unsigned i = 0; i < POINTERS_MAX; i++) {
                int64_t offset = row * stride_of(&p->write, i) + col * stride_of(&p->read, i);
                moved[i] = pointer[i] == NULL ? NULL : aic_at_const(e, pointer[i], offset);
            }
            move_run(w, moved[0], moved[1]);
        }
    }
}

static void emit_tile(const walk *w, LLVMValueRef *pointer)
{
    if (!w->p->transposes) {
        emit_runs(w, pointer);
    } else if (w->p->stage != 0) {
        emit_staged_tile(w, pointer);
    } else {
        aic_emit_transpose(w->e, w->p, w->nest->size, pointer[0], pointer[1]);
    }
}

/* ---- the loops ---- */

/* Where the tile at `index` begins: earlier where it would stick out. */
static void advance(const walk *w, const aic_nest_dim *d, int64_t tile, LLVMValueRef index, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    LLVMValueRef first = d->extent % tile == 0 ? index : aic_min(e, index, aic_int(e, d->extent - tile));
    for (unsigned i = 0; i < POINTERS_MAX; i++) {
        if (pointer[i] != NULL) {
            pointer[i] = aic_at(e, pointer[i], aic_mul(e, first, stride_of(d, i)));
        }
    }
}

static void copy_pointers(LLVMValueRef *to, LLVMValueRef *from)
{
    for (unsigned i = 0; i < POINTERS_MAX; i++) {
        to[i] = from[i];
    }
}

static void emit_writes(const walk *w, LLVMValueRef *pointer, LLVMValueRef first, LLVMValueRef last)
{
    aic_loop writes;
    LLVMValueRef tile[POINTERS_MAX];
    aic_loop_begin(w->e, &writes, "write", first, last, w->p->rows, NULL, 0);
    copy_pointers(tile, pointer);
    advance(w, &w->p->write, w->p->rows, writes.index, tile);
    emit_tile(w, tile);
    aic_loop_end(w->e, &writes);
}

static void emit_nexts(const walk *w, LLVMValueRef *pointer, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = w->e;
    aic_loop nexts;
    LLVMValueRef start[POINTERS_MAX];
    aic_loop_begin(e, &nexts, "next", first, last, w->p->group, NULL, 0);
    copy_pointers(start, pointer);
    advance(w, &w->p->next, w->p->group, nexts.index, start);
    emit_tile(w, start);
    aic_loop_end(e, &nexts);
}

/* A band of tiles with the columns at `column`. */
static void emit_band(const walk *w, LLVMValueRef *pointer, LLVMValueRef column, LLVMValueRef first, LLVMValueRef last)
{
    const aic_nest_plan *p = w->p;
    LLVMValueRef start[POINTERS_MAX];
    copy_pointers(start, pointer);
    advance(w, &p->read, p->stage != 0 ? p->stage : p->cols, column, start);
    (p->next.extent > 1 ? emit_nexts : emit_writes)(w, start, first, last);
}

/* The last tile along `read` where it is smaller than the others. */
static void emit_tail(const walk *w, LLVMValueRef *pointer, LLVMValueRef first, LLVMValueRef last)
{
    walk tail = *w;
    aic_nest_plan plan = *w->p;
    LLVMValueRef start[POINTERS_MAX];
    plan.cols = plan.tail;
    tail.p = &plan;
    copy_pointers(start, pointer);
    advance(w, &plan.read, 1, aic_int(w->e, plan.read.extent - plan.tail), start);
    (plan.next.extent > 1 ? emit_nexts : emit_writes)(&tail, start, first, last);
}

static void emit_tiles(const walk *w, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    const aic_nest_plan *p = w->p;
    aic_loop bands, reads;
    LLVMValueRef extent = aic_int(e, p->next.extent > 1 ? p->next.extent : p->write.extent);
    aic_loop_begin(e, &bands, "band", aic_int(e, 0), extent, p->band, NULL, 0);
    LLVMValueRef end = bands.header == NULL ? extent : aic_min(e, aic_add(e, bands.index, aic_int(e, p->band)), extent);
    int64_t columns = p->tail != 0 ? p->read.extent / p->cols * p->cols : p->read.extent;
    aic_loop_begin(e, &reads, "read", aic_int(e, 0), aic_int(e, columns), p->stage != 0 ? p->stage : p->cols, NULL, 0);
    emit_band(w, pointer, reads.index, bands.index, end);
    aic_loop_end(e, &reads);
    if (p->tail != 0) {
        emit_tail(w, pointer, bands.index, end);
    }
    aic_loop_end(e, &bands);
}

static void emit_burst(const walk *w, LLVMValueRef *pointer)
{
    aic_loop loop;
    LLVMValueRef start[POINTERS_MAX];
    aic_loop_begin(w->e, &loop, "near", aic_int(w->e, 0), aic_int(w->e, w->p->burst), 1, NULL, 0);
    copy_pointers(start, pointer);
    advance(w, &w->p->near, 1, loop.index, start);
    emit_tiles(w, start);
    aic_loop_end(w->e, &loop);
}

static void emit_dims(const walk *w, unsigned dim, LLVMValueRef *pointer)
{
    if (dim == w->p->box.dims) {
        emit_burst(w, pointer);
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

/* All bursts of `near`, each with all loops inside. */
static void emit_bursts(const walk *w, LLVMValueRef *pointer)
{
    aic_loop loop;
    LLVMValueRef start[POINTERS_MAX];
    aic_loop_begin(w->e, &loop, "burst", aic_int(w->e, 0), aic_int(w->e, w->p->near.extent), w->p->burst, NULL, 0);
    copy_pointers(start, pointer);
    advance(w, &w->p->near, w->p->burst, loop.index, start);
    emit_dims(w, 0, start);
    aic_loop_end(w->e, &loop);
}

/* void name(out, in...): the box. */
static LLVMValueRef emit_box(aic_emit *e, const aic_nest *nest, const aic_box *box, const aic_nest_plan *plan,
                             const char *name)
{
    walk w = {.e = e, .nest = nest, .p = plan, .pointers = 1 + aic_nest_op_inputs(box->op)};
    aic_limit("operands of a box", w.pointers, POINTERS_MAX);
    aic_emit_function(e, name, false, PARAMS, w.pointers, 0);
    LLVMValueRef function = e->function, pointer[POINTERS_MAX] = {NULL};
    for (unsigned i = 0; i < w.pointers; i++) {
        pointer[i] = aic_at_const(e, aic_emit_param(e, i), i == 0 ? box->out : box->in[i - 1]);
    }
    if (plan->stage != 0) {
        LLVMTypeRef lines = LLVMArrayType2(e->i8, (uint64_t)(plan->rows * staged_bytes(&w)));
        w.aside = LLVMBuildAlloca(e->builder, lines, "aside");
        LLVMSetAlignment(w.aside, (unsigned)staged_bytes(&w));
    }
    emit_bursts(&w, pointer);
    aic_emit_function_end(e);
    return function;
}

/* ---- the frame ---- */

/* The functions of a box; `past`, for aligned outputs, NULL where there is none. */
typedef struct box_code {
    LLVMValueRef plain, past;
} box_code;

static box_code emit_box_code(aic_emit *e, const aic_nest *nest, unsigned i, const aic_schedule *schedule,
                              const char *symbol)
{
    char name[160];
    aic_nest_plan plan;
    box_code code = {NULL, NULL};
    const aic_box *box = &nest->box[i];
    aic_nest_plan_make(nest, box, schedule, &plan);
    snprintf(name, sizeof name, "%s_box%u", symbol, i);
    code.plain = emit_box(e, nest, box, &plan, name);
    if (aic_nest_plan_past(nest, box, schedule, &plan)) {
        snprintf(name, sizeof name, "%s_box%u_past", symbol, i);
        code.past = emit_box(e, nest, box, &plan, name);
    }
    return code;
}

static unsigned inputs_of(const aic_nest *nest)
{
    unsigned most = 0;
    for (unsigned i = 0; i < nest->boxes; i++) {
        unsigned inputs = aic_nest_op_inputs(nest->box[i].op);
        most = inputs > most ? inputs : most;
    }
    return most;
}

static void call_if(aic_emit *e, LLVMValueRef condition, LLVMValueRef function, LLVMValueRef *args, unsigned count)
{
    aic_branch branch;
    aic_branch_begin(e, &branch, condition);
    aic_emit_call(e, function, args, count);
    aic_branch_end(e, &branch);
}

/* name(out, in...): every box. */
static void emit_frame(aic_emit *e, const aic_nest *nest, const box_code *code, const char *name)
{
    LLVMValueRef args[POINTERS_MAX];
    bool past = false;
    aic_emit_function(e, name, true, PARAMS, 1 + inputs_of(nest), 0);
    LLVMValueRef low = LLVMBuildAnd(e->builder, LLVMBuildPtrToInt(e->builder, aic_emit_param(e, 0), e->i64, ""),
                                    aic_int(e, AIC_NEST_PAST_ALIGN - 1), "");
    LLVMValueRef is_aligned = LLVMBuildICmp(e->builder, LLVMIntEQ, low, aic_int(e, 0), "");
    LLVMValueRef is_not = LLVMBuildNot(e->builder, is_aligned, "");
    for (unsigned i = 0; i < nest->boxes; i++) {
        unsigned count = 1 + aic_nest_op_inputs(nest->box[i].op);
        for (unsigned k = 0; k < count; k++) {
            args[k] = aic_emit_param(e, k);
        }
        if (code[i].past == NULL) {
            aic_emit_call(e, code[i].plain, args, count);
            continue;
        }
        past = true;
        call_if(e, is_aligned, code[i].past, args, count);
        call_if(e, is_not, code[i].plain, args, count);
    }
    if (past) {
        aic_fence(e);
    }
    aic_emit_function_end(e);
}

static aic_status check_nest(const aic_work *work, const aic_target *target, const aic_schedule *schedule,
                             aic_sizes *sizes)
{
    *sizes = (aic_sizes){.workspace_bytes = 0};
    aic_status status = aic_nest_check_room(work->nest.incomplete);
    return status == AIC_OK ? aic_nest_check_schedule(target, schedule) : status;
}

static aic_status emit_nest(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    static const char *const FORMS[] = {"", "_packed"};
    const aic_nest *nest = &work->nest;
    box_code code[AIC_NEST_BOXES];
    char name[160];
    aic_sizes sizes;
    aic_status status = check_nest(work, e->target, schedule, &sizes);
    if (status != AIC_OK) {
        return status;
    }
    for (unsigned i = 0; i < nest->boxes; i++) {
        code[i] = emit_box_code(e, nest, i, schedule, symbol);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, FORMS[i]);
        emit_frame(e, nest, code, name);
    }
    return AIC_OK;
}

const aic_shape aic_shape_nest = {
    .candidates = aic_nest_candidates,
    .bound = aic_nest_bound,
    .check = check_nest,
    .emit = emit_nest,
    .report = aic_nest_report,
};
