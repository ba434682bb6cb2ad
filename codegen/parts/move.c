/* The box of a move; see move.h.
 *
 *     for burst of `near`, the box's dimensions, `near` within the burst
 *       for band along `write` (or `next`)
 *         for tile along `read` (and `follow`)
 *           for tile along `write` (or `next`, and tile along `write`) within the band
 *             move rows x cols runs or elements */
#include "codegen/parts/move.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"

#include <stdio.h>
#include <string.h>

/* Fills and copies have at most one input. */
enum { POINTERS = 2 };

static const char *const PARAMS[POINTERS + 2] = {"out", "in", "first", "last"};

typedef struct walk {
    aic_emit *e;
    const aic_move_key *k;
    int64_t skip;                   /* columns of a tile that the one before has stored */
    LLVMValueRef pointer[POINTERS]; /* the output's and the input's; that is NULL where there is none */
    LLVMValueRef first, last;       /* iterations that are done of the loop that is divided */
    LLVMValueRef mask;              /* the bytes of a run that are read; NULL: the key says which */
    LLVMValueRef gathered;          /* where columns are gathered before they are written */
    LLVMValueRef aside;             /* where lines of the input are copied before they are transposed */
} walk;

/* A number of a pointer. */
static LLVMValueRef number_of(const walk *w, unsigned pointer, const char *name)
{
    return aic_number(w->e, "%s.%s", PARAMS[pointer], name);
}

/* Moves the pointers by `index` steps of this name; steps that the key knows are given. */
static void advance_by(walk *w, const char *name, LLVMValueRef index, const int64_t known[POINTERS])
{
    for (unsigned i = 0; i < POINTERS; i++) {
        if (w->pointer[i] != NULL) {
            LLVMValueRef bytes =
                known[i] > 0 ? aic_mul(w->e, index, known[i]) : aic_times(w->e, index, number_of(w, i, name));
            w->pointer[i] = aic_at(w->e, w->pointer[i], bytes);
        }
    }
}

static void advance(walk *w, const char *name, LLVMValueRef index)
{
    advance_by(w, name, index, (const int64_t[POINTERS]){0, 0});
}

/* Transposed elements are neighbours along `write` in the output and along `read` in the input. */
static void advance_write(walk *w, LLVMValueRef index)
{
    const bool known = w->k->transposes && w->k->group == 0;
    advance_by(w, "write", index, (const int64_t[POINTERS]){known ? w->k->size : 0, known ? w->k->row_pitch : 0});
}

static void advance_read(walk *w, LLVMValueRef index)
{
    const bool known = w->k->transposes && w->k->follow == 0;
    advance_by(w, "read", index, (const int64_t[POINTERS]){known ? w->k->column_pitch : 0, known ? w->k->size : 0});
}

/* Where the tile at `index` begins: no later than `last` says, as it would stick out. */
static LLVMValueRef within(const walk *w, LLVMValueRef index, bool over, const char *last)
{
    return over ? aic_min(w->e, index, aic_number(w->e, "%s", last)) : index;
}

/* Begins a loop to `trips` in steps; the one that is divided does those from w->first to w->last. */
static void begin_loop(const walk *w, aic_loop *loop, const char *text, int64_t number, const char *trips, int64_t step)
{
    aic_emit *e = w->e;
    LLVMValueRef from = aic_int(e, 0), to = aic_trips(e, "%s", trips);
    if (w->k->divided == number) {
        from = aic_mul(e, w->first, step);
        to = step == 1 ? w->last : aic_min(e, aic_mul(e, w->last, step), to);
    }
    aic_loop_begin(e, loop, text, from, to, step, NULL, 0);
}

/* ---- one run ---- */

LLVMTypeRef aic_move_bytes_type(aic_emit *e, int64_t bytes)
{
    return bytes <= 8 ? LLVMIntTypeInContext(e->context, (unsigned)bytes * 8) : aic_vector(e->i8, (unsigned)bytes);
}

/* The move's value, over and over. */
static LLVMValueRef constant_bytes(const walk *w, int64_t bytes)
{
    LLVMValueRef byte[AIC_LANES_MAX];
    aic_limit("bytes of a constant", (size_t)bytes, AIC_LANES_MAX);
    for (int64_t i = 0; i < bytes; i++) {
        byte[i] = LLVMConstInt(w->e->i8, (uint64_t)w->k->value >> (i % w->k->size * 8) & 0xff, false);
    }
    return LLVMConstBitCast(LLVMConstVector(byte, (unsigned)bytes), aic_move_bytes_type(w->e, bytes));
}

static LLVMValueRef load_bytes(const walk *w, LLVMValueRef in, int64_t offset, int64_t bytes)
{
    return aic_load(w->e, aic_move_bytes_type(w->e, bytes), in, offset, (unsigned)w->k->size);
}

/* The first `valid` of `bytes` bytes, not all of them, from memory, in accesses that fit exactly, the rest of it
 * constant. */
static LLVMValueRef load_part(const walk *w, LLVMValueRef in, int64_t offset, int64_t bytes, int64_t valid)
{
    aic_emit *e = w->e;
    LLVMValueRef value = constant_bytes(w, bytes);
    if (w->mask != NULL && w->k->value == 0) {
        return aic_load_lanes_or_zero(e, aic_vector(e->i8, (unsigned)bytes), w->mask, in, offset);
    }
    if (w->mask != NULL) {
        LLVMValueRef some = aic_load_lanes(e, aic_vector(e->i8, (unsigned)bytes), w->mask, in, offset);
        return LLVMBuildSelect(e->builder, w->mask, some, value, "");
    }
    for (int64_t done = 0, part; done < valid; done += part) {
        part = 8; /* or, as it is less than `bytes`, half of these at most */
        while (part > 1 && part > valid - done) {
            part /= 2;
        }
        LLVMTypeRef parts = aic_vector(aic_move_bytes_type(e, part), (unsigned)(bytes / part));
        LLVMValueRef at = LLVMConstInt(e->i32, (unsigned long long)(done / part), false);
        value = LLVMBuildInsertElement(e->builder, LLVMBuildBitCast(e->builder, value, parts, ""),
                                       load_bytes(w, in, offset + done, part), at, "");
    }
    return LLVMBuildBitCast(e->builder, value, aic_move_bytes_type(e, bytes), "");
}

static void store_bytes(const walk *w, LLVMValueRef value, LLVMValueRef out, int64_t offset, int64_t bytes)
{
    if (w->k->past) {
        aic_store_past(w->e, value, out, offset, (unsigned)bytes);
    } else {
        aic_store(w->e, value, out, offset, (unsigned)w->k->size);
    }
}

/* An access of `width` bytes from `at` on, the first `valid` of which are read; the others are constant, all of them
 * where there is no input. */
static void move_access(const walk *w, int64_t at, int64_t width, int64_t valid)
{
    LLVMValueRef value;
    if (w->k->fill || valid <= 0) {
        value = constant_bytes(w, width);
    } else if (valid < width) {
        value = load_part(w, w->pointer[1], at, width, valid);
    } else {
        value = load_bytes(w, w->pointer[1], at, width);
    }
    store_bytes(w, value, w->pointer[0], at, width);
}

/* `bytes` bytes in the fewest accesses: the last one overlaps the one before where it must. */
static void move_bytes(const walk *w, int64_t bytes)
{
    const int64_t width = aic_least(w->k->vector, aic_power_within(bytes));
    for (int64_t next = 0; next < bytes; next += width) {
        move_access(w, next + width <= bytes ? next : bytes - width, width, width);
    }
}

/* The accesses of a run, of which the last one begins where `last` points to. */
static void move_run(const walk *w, const walk *last)
{
    const aic_move_key *k = w->k;
    for (int64_t i = 0; i < k->accesses; i++) {
        const int64_t valid = k->valid > 0 ? k->valid - i * k->run : k->run;
        if (i > 0 && i + 1 == k->accesses) {
            move_access(last, 0, k->run, valid);
        } else {
            move_access(w, i * k->run, k->run, valid);
        }
    }
}

static void move_long_run(const walk *w)
{
    aic_emit *e = w->e;
    walk chunk = *w;
    aic_loop loop;
    begin_loop(w, &loop, "run: chunks of a contiguous run", AIC_MOVE_DIMENSION + w->k->dims + 1, "run", w->k->chunk);
    LLVMValueRef at = within(w, loop.index, w->k->chunk_over, "run.last");
    for (unsigned i = 0; i < POINTERS; i++) {
        chunk.pointer[i] = w->pointer[i] == NULL ? NULL : aic_at(e, w->pointer[i], at);
    }
    move_bytes(&chunk, w->k->chunk);
    aic_loop_end(e, &loop);
}

/* ---- one tile ---- */

/* Copies the tile's lines aside, then transposes them from there. */
static void emit_staged_tile(const walk *w)
{
    const aic_move_key *k = w->k;
    aic_emit *e = w->e;
    aic_emit_move_aside(e, k, w->pointer[1], w->aside);
    aic_loop columns;
    aic_loop_begin(e, &columns, "column: columns of a tile that is copied aside", aic_int(e, 0), aic_int(e, k->stage),
                   k->cols, NULL, 0);
    walk out = *w;
    if (k->gather > 0) {
        out.pointer[0] = aic_at(e, out.pointer[0], aic_mul(e, columns.index, k->gather));
    } else {
        advance_read(&out, columns.index);
    }
    aic_emit_transpose(e, k, w->skip, out.pointer[0], aic_at(e, w->aside, aic_mul(e, columns.index, k->size)),
                       k->stage * k->size);
    aic_loop_end(e, &columns);
}

/* The addresses further on by the numbers of this name and index; index 0 has none, as it is 0. */
static walk beside(const walk *w, const char *name, int64_t index)
{
    walk other = *w;
    for (unsigned i = 0; i < POINTERS && index > 0; i++) {
        if (w->pointer[i] != NULL) {
            LLVMValueRef offset = aic_number(w->e, "%s.%s.%lld", PARAMS[i], name, (long long)index);
            other.pointer[i] = aic_at(w->e, w->pointer[i], offset);
        }
    }
    return other;
}

/* Run number `i` of the tile. */
static walk run_of(const walk *w, int64_t i)
{
    const int64_t named = aic_move_runs_named(w->k);
    const walk column = beside(w, "col", i / named);
    return beside(&column, "run", i % named);
}

/* The last access of a run. */
static walk last_access(const walk *w)
{
    walk last = *w;
    for (unsigned i = 0; i < POINTERS; i++) {
        last.pointer[i] = w->pointer[i] == NULL ? NULL : aic_at(w->e, w->pointer[i], aic_number(w->e, "run.last"));
    }
    return last;
}

static void emit_runs(const walk *w)
{
    const aic_move_key *k = w->k;
    const walk last = k->accesses > 1 ? last_access(w) : *w;
    for (int64_t i = 0; i < k->cols * k->rows; i++) {
        const walk run = run_of(w, i), end = run_of(&last, i);
        if (k->chunk > 0) {
            move_long_run(&run);
        } else {
            move_run(&run, &end);
        }
    }
}

static void emit_tile(const walk *w)
{
    if (!w->k->transposes) {
        emit_runs(w);
    } else if (w->k->stage != 0) {
        emit_staged_tile(w);
    } else {
        aic_emit_transpose(w->e, w->k, w->skip, w->pointer[0], w->pointer[1], 0);
    }
}

/* ---- columns that are gathered ---- */

/* `count` columns that follow each other in the buffer: their parts of a band, in the widest accesses. */
static void write_columns(const walk *w, int64_t count, LLVMValueRef out, LLVMValueRef from)
{
    aic_emit *e = w->e;
    aic_move_key key = *w->k;
    walk column = {.e = e, .k = &key};
    aic_loop columns;
    key.vector = key.past ? AIC_MOVE_LANE : key.vector; /* as addresses are aligned */
    aic_loop_begin(e, &columns, "gathered: columns that are written", aic_int(e, 0), aic_int(e, count), 1, NULL, 0);
    column.pointer[0] = aic_at(e, out, aic_times(e, columns.index, aic_number(e, "out.read")));
    column.pointer[1] = aic_at(e, from, aic_mul(e, columns.index, key.gather));
    move_bytes(&column, key.gather);
    aic_loop_end(e, &columns);
}

/* All columns, with `follow` those of one index of `read` after those of another: in the output they are near. */
static void write_gathered(const walk *w)
{
    const aic_move_key *k = w->k;
    aic_emit *e = w->e;
    if (k->follow == 0) {
        write_columns(w, k->stage > 0 ? k->stage : k->cols - k->over, w->pointer[0], w->gathered);
        return;
    }
    aic_loop reads;
    aic_loop_begin(e, &reads, "gathered: indices of `read`", aic_int(e, 0), aic_int(e, (k->cols - k->over) / k->follow),
                   1, NULL, 0);
    write_columns(w, k->follow, aic_at(e, w->pointer[0], aic_times(e, reads.index, aic_number(e, "column"))),
                  aic_at(e, w->gathered, aic_mul(e, reads.index, k->follow * k->gather)));
    aic_loop_end(e, &reads);
}

/* A tile that is gathered; what its rows have further on is fetched. */
static void gather_tile(const walk *w)
{
    const aic_move_key *k = w->k;
    for (int64_t row = 0; row < k->rows && k->follow > 0 && k->ahead > 0; row++) {
        LLVMValueRef from = aic_move_row(w->e, k, w->pointer[1], row);
        for (int64_t at = 0; at < k->cols * k->size; at += AIC_LINE_BYTES) {
            aic_fetch_to_read(w->e, from, k->ahead + at);
        }
    }
    emit_tile(w);
}

/* A band of tiles that begins at `first`: gathered, then written. */
static void emit_gathered(const walk *w, LLVMValueRef first)
{
    const aic_move_key *k = w->k;
    aic_emit *e = w->e;
    const int64_t group = k->group > 0 ? k->group : 1;
    walk band = *w;
    aic_loop writes;
    advance_write(&band, within(w, first, k->write_over, "write.last"));
    walk tile = band;
    tile.pointer[0] = w->gathered;
    if (k->writes) {
        aic_loop_begin(e, &writes, "write: tiles that are gathered", aic_int(e, 0),
                       aic_int(e, k->gather / (k->size * group)), k->rows / group, NULL, 0);
        advance_write(&tile, writes.index);
        gather_tile(&tile);
        aic_loop_end(e, &writes);
    } else {
        gather_tile(&tile);
    }
    write_gathered(&band);
}

/* ---- the loops ---- */

/* A band of tiles, first .. last-1 along `write` or `next`; those of the only band begin at 0. */
static void emit_writes(const walk *w, LLVMValueRef first, LLVMValueRef last)
{
    const aic_move_key *k = w->k;
    walk tile = *w;
    aic_loop writes;
    if (k->gather > 0) {
        emit_gathered(w, first);
        return;
    }
    if (!k->writes && !k->bands) {
        emit_tile(w);
        return;
    }
    if (!k->writes) {
        advance_write(&tile, within(w, first, k->write_over, "write.last"));
        emit_tile(&tile);
        return;
    }
    const bool steps = !k->write_over && !k->transposes; /* from tile to tile by additions */
    const unsigned carried = !steps ? 0 : k->fill ? 1 : POINTERS;
    if (steps) {
        advance_write(&tile, first);
    }
    aic_loop_begin(w->e, &writes, "write: tiles along the output's innermost dimensions", first, last,
                   k->group > 0 ? k->rows / k->group : k->rows, tile.pointer, carried);
    if (!steps) {
        advance_write(&tile, within(w, writes.index, k->write_over, "write.last"));
    }
    emit_tile(&tile);
    for (unsigned i = 0; i < carried; i++) {
        tile.pointer[i] = aic_at(w->e, tile.pointer[i], number_of(w, i, "tile"));
    }
    aic_loop_end(w->e, &writes);
}

/* The last tile along `read` where it is smaller than the others. */
static void emit_tail(const walk *w, LLVMValueRef first, LLVMValueRef last)
{
    walk tail = *w;
    aic_move_key key = *w->k;
    key.cols = aic_move_tail_columns(key.size, key.rows, key.cols, key.tail);
    key.later = false; /* how tiles share what they fetch is that of the others */
    tail.k = &key;
    tail.skip = key.cols - key.tail;
    for (unsigned i = 0; i < POINTERS; i++) {
        tail.pointer[i] = aic_at(w->e, w->pointer[i], number_of(w, i, "tail"));
    }
    emit_writes(&tail, first, last);
}

/* The tiles of a band: those of one size along `read` or `follow`, then a smaller one. */
static void emit_band(const walk *w, LLVMValueRef first, LLVMValueRef last)
{
    enum { UNDIVIDED = -2 };
    const aic_move_key *k = w->k;
    walk column = *w;
    aic_loop reads;
    const int64_t step = k->follow > 0 ? k->follow : k->stage > 0 ? k->stage : k->cols;
    if (k->reads) {
        begin_loop(w, &reads, "read: tiles along the input's innermost dimensions",
                   k->follow > 0 ? AIC_MOVE_DIMENSION + k->dims + 1 : UNDIVIDED, "columns", step);
        advance_read(&column, within(w, reads.index, k->read_over, "read.last"));
        emit_writes(&column, first, last);
        aic_loop_end(w->e, &reads);
    } else {
        emit_writes(w, first, last);
    }
    if (k->tail != 0) {
        emit_tail(w, first, last);
    }
}

/* Indices of a band: those of its tile, if it has one. */
static LLVMValueRef band_of(const walk *w)
{
    const aic_move_key *k = w->k;
    return k->writes ? aic_number(w->e, "band") : aic_int(w->e, k->group > 0 ? k->rows / k->group : k->rows);
}

/* Whether a band has nothing but tiles along `write`, which those of the next band follow. */
static bool has_one_pass(const aic_move_key *k)
{
    return k->writes && !k->reads && k->tail == 0 && k->gather == 0;
}

/* All bands, or those that the call says, by one loop over their tiles. */
static void emit_pass(const walk *w)
{
    aic_emit *e = w->e;
    LLVMValueRef along = aic_number(e, "along"), first = aic_int(e, 0), last = along;
    if (w->k->divided == AIC_MOVE_DIMENSION + w->k->dims) {
        LLVMValueRef band = band_of(w);
        first = aic_times(e, w->first, band);
        last = aic_min(e, aic_times(e, w->last, band), along);
    }
    emit_writes(w, first, last);
}

static void emit_tiles(const walk *w)
{
    const aic_move_key *k = w->k;
    aic_emit *e = w->e;
    aic_loop bands;
    if (!k->bands) {
        emit_band(w, aic_int(e, 0), k->writes ? aic_trips(e, "along") : NULL);
        return;
    }
    if (has_one_pass(k)) {
        emit_pass(w);
        return;
    }
    begin_loop(w, &bands, "band: bands of tiles", AIC_MOVE_DIMENSION + k->dims, "bands", 1);
    LLVMValueRef band = band_of(w), start = aic_times(e, bands.index, band);
    LLVMValueRef end = aic_min(e, aic_add(e, start, band), aic_number(e, "along"));
    emit_band(w, start, end);
    aic_loop_end(e, &bands);
}

static void emit_burst(const walk *w)
{
    walk near = *w;
    aic_loop loop;
    if (!w->k->near) {
        emit_tiles(w);
        return;
    }
    aic_loop_begin(w->e, &loop, "near: within a burst", aic_int(w->e, 0), aic_trips(w->e, "burst"), 1, NULL, 0);
    advance(&near, "near", loop.index);
    emit_tiles(&near);
    aic_loop_end(w->e, &loop);
}

static void emit_dims(const walk *w, unsigned dim)
{
    aic_emit *e = w->e;
    char name[AIC_NUMBER_NAME_MAX];
    walk inner = *w;
    LLVMValueRef carried[POINTERS];
    if (dim == w->k->dims) {
        emit_burst(w);
        return;
    }
    const unsigned count = w->k->fill ? 1 : POINTERS;
    const bool divided = w->k->divided == AIC_MOVE_DIMENSION + (int64_t)dim;
    (void)snprintf(name, sizeof name, "dim.%u", dim);
    if (divided) {
        advance(&inner, name, w->first);
    }
    memcpy(carried, inner.pointer, sizeof carried);
    aic_loop loop;
    aic_loop_begin(e, &loop, "dim: a dimension of the box", divided ? w->first : aic_int(e, 0),
                   divided ? w->last : aic_trips(e, "%s", name), 1, carried, count);
    for (unsigned i = 0; i < count; i++) {
        aic_name_carried(e, &loop, i, "%s.at", PARAMS[i]);
    }
    memcpy(inner.pointer, carried, sizeof carried);
    emit_dims(&inner, dim + 1);
    for (unsigned i = 0; i < count; i++) {
        carried[i] = aic_at(e, carried[i], number_of(w, i, name));
    }
    aic_loop_end(e, &loop);
}

/* All bursts of `near`, each with all loops inside. */
static void emit_bursts(const walk *w)
{
    walk burst = *w;
    aic_loop loop;
    if (!w->k->near) {
        emit_dims(w, 0);
        return;
    }
    begin_loop(w, &loop, "burst: bursts of neighbouring runs of the input", AIC_MOVE_BURSTS, "bursts", 1);
    LLVMValueRef start = aic_times(w->e, loop.index, aic_number(w->e, "burst"));
    advance(&burst, "near", within(w, start, true, "near.last"));
    emit_dims(&burst, 0);
    aic_loop_end(w->e, &loop);
}

LLVMValueRef aic_emit_part_move(aic_emit *e, const void *of, const char *name)
{
    const aic_move_key *k = of;
    walk w = {.e = e, .k = k};
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, POINTERS, 2);
    aic_note_function(e, "box of a move by %s, its part first .. last-1",
                      k->transposes ? "transposed tiles"
                      : k->past     ? "stores past the caches"
                                    : "runs");
    w.first = aic_emit_param(e, POINTERS);
    w.last = aic_emit_param(e, POINTERS + 1);
    LLVMValueRef function = e->function;
    for (unsigned i = 0; i < (k->fill ? 1U : POINTERS); i++) {
        w.pointer[i] = aic_at(e, aic_emit_param(e, i), number_of(&w, i, "at"));
    }
    w.mask = k->masks && !k->transposes ? aic_first_lanes(e, aic_number(e, "valid"), (unsigned)k->run) : NULL;
    if (k->stage != 0) {
        const int64_t line = k->stage * k->size;
        w.aside = LLVMBuildAlloca(e->builder, LLVMArrayType2(e->i8, (uint64_t)(k->rows * line)), "aside");
        LLVMSetAlignment(w.aside, AIC_LINE_BYTES);
    }
    if (k->gather != 0) {
        const int64_t columns = k->stage > 0 ? k->stage : k->cols;
        w.gathered = LLVMBuildAlloca(e->builder, LLVMArrayType2(e->i8, (uint64_t)(columns * k->gather)), "gathered");
        LLVMSetAlignment(w.gathered, AIC_LINE_BYTES);
    }
    emit_bursts(&w);
    aic_emit_function_end(e);
    return function;
}
