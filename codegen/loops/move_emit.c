/* Code of a move: a function a box, loops around a tile, and the frame that calls them in turn.
 *
 *     for burst of `near`, the box's dimensions, `near` within the burst
 *       for band along `write` (or `next`)
 *         for tile along `read` (and `follow`)
 *           for tile along `write` (or `next`, and tile along `write`) within the band
 *             move rows x cols runs or elements */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/loops/move.h"
#include "codegen/own.h"

#include <stdio.h>
#include <string.h>

/* Fills and copies have at most one input. */
enum { POINTERS_MAX = 2 };

static const char *const PARAMS[POINTERS_MAX + 2] = {"out", "in", "first", "last"};

typedef struct walk {
    aic_emit *e;
    const aic_move *move;
    const aic_move_plan *p;
    unsigned pointers;        /* the output's and, where there is one, the input's; the other is NULL */
    LLVMValueRef first, last; /* iterations that are done of the loop that is divided */
    LLVMValueRef aside;       /* where lines of the input are copied before they are transposed */
} walk;

static int64_t stride_of(const aic_box_dim *d, unsigned pointer)
{
    return pointer == 0 ? d->out : d->in[pointer - 1];
}

/* Begins a loop over `extent` in steps; the one that is divided does those from w->first to w->last. */
static void begin_loop(const walk *w, aic_loop *loop, const char *text, unsigned number, int64_t extent, int64_t step,
                       LLVMValueRef *carried)
{
    aic_emit *e = w->e;
    LLVMValueRef from = aic_int(e, 0), to = aic_int(e, extent);
    if (w->p->division.loop == (int)number) {
        from = aic_mul(e, w->first, step);
        to = aic_min(e, aic_mul(e, w->last, step), to);
    }
    aic_loop_begin(e, loop, text, from, to, step, carried, carried == NULL ? 0 : w->pointers);
}

/* ---- one run ---- */

static LLVMTypeRef bytes_type(aic_emit *e, int64_t bytes)
{
    return bytes <= 8 ? LLVMIntTypeInContext(e->context, (unsigned)bytes * 8) : aic_vector(e->i8, (unsigned)bytes);
}

static int64_t width_within(const walk *w, int64_t bytes)
{
    int64_t width = w->p->vector;
    while (width > bytes) {
        width /= 2;
    }
    return width;
}

/* The move's value, over and over. */
static LLVMValueRef constant_bytes(const walk *w, int64_t bytes)
{
    LLVMValueRef byte[AIC_LANES_MAX];
    aic_limit("bytes of a constant", (size_t)bytes, AIC_LANES_MAX);
    for (int64_t i = 0; i < bytes; i++) {
        byte[i] = LLVMConstInt(w->e->i8, w->move->value >> (i % w->move->size * 8) & 0xff, false);
    }
    return LLVMConstBitCast(LLVMConstVector(byte, (unsigned)bytes), bytes_type(w->e, bytes));
}

static LLVMValueRef load_bytes(const walk *w, LLVMValueRef in, int64_t offset, int64_t bytes)
{
    return aic_load(w->e, bytes_type(w->e, bytes), in, offset, w->move->size);
}

/* The first `valid` of `bytes` bytes from memory, in accesses that fit exactly, the rest of it constant. */
static LLVMValueRef load_part(const walk *w, LLVMValueRef in, int64_t offset, int64_t bytes, int64_t valid)
{
    aic_emit *e = w->e;
    LLVMValueRef value = constant_bytes(w, bytes);
    for (int64_t done = 0, part; done < valid; done += part) {
        part = bytes >= 16 ? 8 : bytes > 2 ? bytes / 2 : 1;
        while (part > 1 && part > valid - done) {
            part /= 2;
        }
        LLVMTypeRef parts = aic_vector(bytes_type(e, part), (unsigned)(bytes / part));
        LLVMValueRef at = LLVMConstInt(e->i32, (unsigned long long)(done / part), false);
        value = LLVMBuildInsertElement(e->builder, LLVMBuildBitCast(e->builder, value, parts, ""),
                                       load_bytes(w, in, offset + done, part), at, "");
    }
    return LLVMBuildBitCast(e->builder, value, bytes_type(e, bytes), "");
}

static void store_bytes(const walk *w, LLVMValueRef value, LLVMValueRef out, int64_t offset, int64_t bytes)
{
    if (w->p->past) {
        aic_store_past(w->e, value, out, offset, (unsigned)bytes);
    } else {
        aic_store(w->e, value, out, offset, w->move->size);
    }
}

/* `bytes` bytes in the fewest accesses: the last one overlaps the one before where it must. From `valid` on they are
 * constant, all of them where there is no input. */
static void move_bytes(const walk *w, LLVMValueRef out, LLVMValueRef in, int64_t bytes, int64_t valid)
{
    int64_t width = width_within(w, bytes);
    for (int64_t next = 0; next < bytes; next += width) {
        int64_t at = next + width <= bytes ? next : bytes - width;
        LLVMValueRef value;
        if (in == NULL || valid <= at) {
            value = constant_bytes(w, width);
        } else if (valid < at + width) {
            value = load_part(w, in, at, width, valid - at);
        } else {
            value = load_bytes(w, in, at, width);
        }
        store_bytes(w, value, out, at, width);
    }
}

static void move_long_run(const walk *w, LLVMValueRef out, LLVMValueRef in)
{
    aic_emit *e = w->e;
    int64_t chunk = w->p->chunk, run = w->p->run;
    aic_loop loop;
    begin_loop(w, &loop, "run: chunks of a contiguous run", AIC_MOVE_DIMENSION + w->p->box.dims + 1, run, chunk, NULL);
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
    return w->p->tile.stage * w->move->size;
}

/* Copies the tile's lines aside, row after row, then transposes them from there. */
static void emit_staged_tile(const walk *w, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    aic_move_plan aside = *w->p;
    const int64_t line = staged_bytes(w);
    aside.write.in[0] = line;
    aside.next.in[0] = aside.write.extent * line;
    LLVMTypeRef type = bytes_type(e, aside.vector);
    for (int64_t row = 0; row < aside.tile.rows; row++) {
        int64_t within = aside.tile.next_count > 1 ? row % aside.write.extent : row,
                next = (row - within) / aside.write.extent;
        int64_t from = next * w->p->next.in[0] + within * w->p->write.in[0];
        for (int64_t at = 0; within < aside.rows_valid && at < line; at += aside.vector) {
            LLVMValueRef value = aic_load(e, type, pointer[1], from + at, w->move->size);
            aic_store(e, value, w->aside, row * line + at, (unsigned)aside.vector);
        }
    }
    aic_loop columns;
    aic_loop_begin(e, &columns, "column: columns of a tile that is copied aside", aic_int(e, 0),
                   aic_int(e, aside.tile.stage), aside.tile.cols, NULL, 0);
    aic_emit_transpose(e, &aside, w->move->size, aic_at(e, pointer[0], aic_mul(e, columns.index, aside.read.out)),
                       aic_at(e, w->aside, aic_mul(e, columns.index, w->move->size)));
    aic_loop_end(e, &columns);
}

static void emit_runs(const walk *w, LLVMValueRef *pointer)
{
    const aic_move_plan *p = w->p;
    aic_emit *e = w->e;
    for (int64_t col = 0; col < p->tile.cols; col++) {
        for (int64_t row = 0; row < p->tile.rows; row++) {
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
    } else if (w->p->tile.stage != 0) {
        emit_staged_tile(w, pointer);
    } else {
        aic_emit_transpose(w->e, w->p, w->move->size, pointer[0], pointer[1]);
    }
}

/* ---- the loops ---- */

/* Where the tile at `index` begins: earlier where it would stick out. */
static void advance(const walk *w, const aic_box_dim *d, int64_t tile, LLVMValueRef index, LLVMValueRef *pointer)
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
    aic_loop_begin(w->e, &writes, "write: tiles along the output's innermost dimension", first, last, w->p->tile.rows,
                   NULL, 0);
    copy_pointers(tile, pointer);
    advance(w, &w->p->write, w->p->tile.rows, writes.index, tile);
    emit_tile(w, tile);
    aic_loop_end(w->e, &writes);
}

static void emit_nexts(const walk *w, LLVMValueRef *pointer, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = w->e;
    aic_loop nexts;
    LLVMValueRef start[POINTERS_MAX];
    aic_loop_begin(e, &nexts, "next: tiles along the next dimension of the output", first, last, w->p->tile.next_count,
                   NULL, 0);
    copy_pointers(start, pointer);
    advance(w, &w->p->next, w->p->tile.next_count, nexts.index, start);
    emit_tile(w, start);
    aic_loop_end(e, &nexts);
}

/* A band of tiles with the columns at `column`, an index of `follow` where there is one. */
static void emit_band(const walk *w, LLVMValueRef *pointer, LLVMValueRef column, LLVMValueRef first, LLVMValueRef last)
{
    const aic_move_plan *p = w->p;
    LLVMValueRef start[POINTERS_MAX];
    copy_pointers(start, pointer);
    if (p->follow.extent > 1) {
        advance(w, &p->follow, p->tile.follow_count, column, start);
    } else {
        advance(w, &p->read, p->tile.stage != 0 ? p->tile.stage : aic_move_columns(p), column, start);
    }
    (p->next.extent > 1 ? emit_nexts : emit_writes)(w, start, first, last);
}

/* Columns that a tile of `tail` columns is loaded with: as many as make a lane where there are that many, as loading
 * parts takes more than shuffling whole ones, and where columns have a lane each. */
static int64_t columns_of_tail(const walk *w)
{
    const int64_t lane = AIC_MOVE_LANE / w->move->size;
    int64_t cols = 1;
    while (cols < w->p->tile.tail || (cols < w->p->tile.cols && cols < lane && lane <= w->p->tile.rows)) {
        cols *= 2;
    }
    return cols;
}

/* The last tile along `read` where it is smaller than the others. */
static void emit_tail(const walk *w, LLVMValueRef *pointer, LLVMValueRef first, LLVMValueRef last)
{
    walk tail = *w;
    aic_move_plan plan = *w->p;
    LLVMValueRef start[POINTERS_MAX];
    plan.tile.cols = columns_of_tail(w);
    plan.tile.skip = plan.tile.cols - plan.tile.tail;
    tail.p = &plan;
    copy_pointers(start, pointer);
    advance(w, &plan.read, 1, aic_int(w->e, plan.read.extent - plan.tile.cols), start);
    (plan.next.extent > 1 ? emit_nexts : emit_writes)(&tail, start, first, last);
}

static void emit_tiles(const walk *w, LLVMValueRef *pointer)
{
    aic_emit *e = w->e;
    const aic_move_plan *p = w->p;
    aic_loop bands, reads;
    const int64_t along = p->next.extent > 1 ? p->next.extent : p->write.extent;
    LLVMValueRef extent = aic_int(e, along);
    begin_loop(w, &bands, "band: bands of tiles", AIC_MOVE_DIMENSION + p->box.dims, along, p->tile.band, NULL);
    LLVMValueRef end =
        bands.header == NULL ? extent : aic_min(e, aic_add(e, bands.index, aic_int(e, p->tile.band)), extent);
    int64_t columns = p->tile.tail != 0 ? p->read.extent / p->tile.cols * p->tile.cols : p->read.extent;
    if (p->follow.extent > 1) {
        begin_loop(w, &reads, "follow: tiles along the input's two innermost dimensions",
                   AIC_MOVE_DIMENSION + p->box.dims + 1, p->follow.extent, p->tile.follow_count, NULL);
    } else {
        aic_loop_begin(e, &reads, "read: tiles along the input's innermost dimension", aic_int(e, 0),
                       aic_int(e, columns), p->tile.stage != 0 ? p->tile.stage : p->tile.cols, NULL, 0);
    }
    emit_band(w, pointer, reads.index, bands.index, end);
    aic_loop_end(e, &reads);
    if (p->tile.tail != 0) {
        emit_tail(w, pointer, bands.index, end);
    }
    aic_loop_end(e, &bands);
}

static void emit_burst(const walk *w, LLVMValueRef *pointer)
{
    aic_loop loop;
    LLVMValueRef start[POINTERS_MAX];
    aic_loop_begin(w->e, &loop, "near: within a burst", aic_int(w->e, 0), aic_int(w->e, w->p->burst), 1, NULL, 0);
    copy_pointers(start, pointer);
    advance(w, &w->p->near, 1, loop.index, start);
    emit_tiles(w, start);
    aic_loop_end(w->e, &loop);
}

static void name_pointers(const walk *w, const aic_loop *loop)
{
    for (unsigned i = 0; i < w->pointers; i++) {
        aic_name_carried(w->e, loop, i, "%s.at", PARAMS[i]);
    }
}

static void emit_dims(const walk *w, unsigned dim, LLVMValueRef *pointer)
{
    if (dim == w->p->box.dims) {
        emit_burst(w, pointer);
        return;
    }
    const aic_box_dim *d = &w->p->box.dim[dim];
    LLVMValueRef carried[POINTERS_MAX], inner[POINTERS_MAX];
    copy_pointers(carried, pointer);
    if (w->p->division.loop == (int)(AIC_MOVE_DIMENSION + dim)) {
        advance(w, d, 1, w->first, carried);
    }
    aic_loop loop;
    begin_loop(w, &loop, "dim: a dimension of the box", AIC_MOVE_DIMENSION + dim, d->extent, 1, carried);
    name_pointers(w, &loop);
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
    begin_loop(w, &loop, "burst: bursts of neighbouring runs of the input", AIC_MOVE_BURSTS, w->p->near.extent,
               w->p->burst, NULL);
    copy_pointers(start, pointer);
    advance(w, &w->p->near, w->p->burst, loop.index, start);
    emit_dims(w, 0, start);
    aic_loop_end(w->e, &loop);
}

/* void name(out, in...; first, last): iterations of the box. */
static LLVMValueRef emit_box(aic_emit *e, const aic_move *move, const aic_box *box, const aic_move_plan *plan,
                             const char *name)
{
    walk w = {.e = e, .move = move, .p = plan, .pointers = 1 + aic_box_op_inputs(box->op)};
    aic_limit("operands of a box", w.pointers, POINTERS_MAX);
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, POINTERS_MAX, 2);
    aic_note_function(e, "box of a move by %s, its part first .. last-1",
                      plan->transposes ? "transposed tiles"
                      : plan->past     ? "stores past the caches"
                                       : "runs");
    w.first = aic_emit_param(e, POINTERS_MAX);
    w.last = aic_emit_param(e, POINTERS_MAX + 1);
    LLVMValueRef function = e->function, pointer[POINTERS_MAX] = {NULL};
    for (unsigned i = 0; i < w.pointers; i++) {
        pointer[i] = aic_at_const(e, aic_emit_param(e, i), i == 0 ? box->out : box->in[i - 1]);
    }
    if (plan->tile.stage != 0) {
        LLVMTypeRef lines = LLVMArrayType2(e->i8, (uint64_t)(plan->tile.rows * staged_bytes(&w)));
        w.aside = LLVMBuildAlloca(e->builder, lines, "aside");
        LLVMSetAlignment(w.aside, (unsigned)staged_bytes(&w));
    }
    emit_bursts(&w, pointer);
    aic_emit_function_end(e);
    return function;
}

/* ---- the frame ---- */

static const aic_move_schedule *schedule_of(const aic_plan *plan)
{
    return (const aic_move_schedule *)(const void *)plan->schedule.fields;
}

/* The plan of box `box`; false: it has none with stores past the caches. */
static bool plan_of(const aic_plan *plan, unsigned box, bool past, aic_move_plan *made)
{
    const aic_move *move = aic_move_of(plan);
    *made = ((const aic_move_derived *)plan->derived)->box[box];
    return !past || aic_move_plan_past(move, &move->box[box], schedule_of(plan), plan->problem.machine, made);
}

LLVMValueRef aic_emit_own_move(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *symbol)
{
    const aic_move *move = aic_move_of(plan);
    aic_move_plan made;
    (void)plan_of(plan, (unsigned)argument[0], argument[1] != 0, &made);
    return emit_box(e, move, &move->box[argument[0]], &made, symbol);
}

static aic_box_function use_box(aic_program *program, const aic_plan *plan, unsigned box, bool past)
{
    aic_own_key key = {.code = AIC_OWN_move, .plan = plan, .argument = {box, past}};
    aic_move_plan made;
    aic_use use;
    if (!plan_of(plan, box, past, &made)) {
        return (aic_box_function){0, 0};
    }
    aic_own_begin(&use, &key, POINTERS_MAX, 2);
    return (aic_box_function){aic_program_add(program, &use, past ? "box%u_past" : "box%u", box), made.division.count};
}

static void compose(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    aic_box_use box[AIC_MOVE_BOXES];
    const unsigned boxes = aic_move_of(plan)->boxes;
    for (unsigned i = 0; i < boxes; i++) {
        box[i].plain = use_box(program, plan, i, false);
        box[i].past = use_box(program, plan, i, true);
    }
    aic_compose_boxes(program, plan, box, boxes, POINTERS_MAX, bodies);
}

/* ---- the shape ---- */

_Static_assert(sizeof(aic_move) <= AIC_WORK_BYTES, "a description of a move fits");

aic_move *aic_move_begin(aic_work *work)
{
    return aic_work_begin(work, &aic_shape_move, sizeof(aic_move));
}

static aic_status derive(aic_plan *plan)
{
    aic_status status = aic_move_check_room(aic_move_of(plan)->incomplete);
    if (status == AIC_OK) {
        status = aic_move_check_schedule(plan->problem.target, schedule_of(plan));
    }
    if (status != AIC_OK) {
        return status;
    }
    const aic_move *move = aic_move_of(plan);
    aic_move_derived *derived = plan->derived;
    int64_t items = 1;
    for (unsigned i = 0; i < move->boxes; i++) {
        aic_move_plan_make(move, &move->box[i], schedule_of(plan), plan->problem.machine, &derived->box[i]);
        items = derived->box[i].division.count > items ? derived->box[i].division.count : items;
    }
    aic_requirements_phase(&plan->requirements, "boxes", aic_division_items(items));
    plan->cost = aic_move_cost(move, derived);
    return AIC_OK;
}

static const aic_field FIELDS[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_move_schedule, __VA_ARGS__)
#include "codegen/loops/move.def"
#undef AIC_FIELD
};

static const aic_record RECORD = {"schedule", FIELDS, sizeof FIELDS / sizeof *FIELDS};

const aic_shape aic_shape_move = {
    .name = "move",
    .schedule = &RECORD,
    .derived_bytes = sizeof(aic_move_derived),
    .rewrites = true,
    .enumerate = aic_move_enumerate,
    .derive = derive,
    .bound = aic_move_bound,
    .compose = compose,
    .report = aic_move_report,
    .nest = aic_move_nest,
};
