/* Analysis of a move: which loops are one, which way its operands are dense, and the tiles that follow. */
#include "codegen/loops/move.h"
#include "codegen/integer.h"
#include "codegen/machine.h"
#include "frontend/core/diag.h"

#include <stdlib.h>

static const struct {
    const char *name;
    unsigned inputs;
} OPS[] = {
    [AIC_BOX_FILL] = {"fill", 0},
    [AIC_BOX_COPY] = {"copy", 1},
    [AIC_BOX_ELEMENTWISE] = {"elementwise", AIC_BOX_INPUTS},
};

unsigned aic_box_op_inputs(aic_box_op op)
{
    return OPS[op].inputs;
}

const char *aic_box_op_name(aic_box_op op)
{
    return OPS[op].name;
}

/* ---- coalescing ---- */

static bool is_partial(const aic_box *box)
{
    return box->valid != 0 && box->valid < box->dim[box->dims - 1].extent;
}

/* Whether the two are one dimension: a step of `outer` is all of `inner`, in every operand. */
static bool is_one(const aic_box *box, const aic_box_dim *outer, const aic_box_dim *inner)
{
    bool one = outer->out == inner->out * inner->extent;
    for (unsigned k = 0; k < OPS[box->op].inputs; k++) {
        one = one && outer->in[k] == inner->in[k] * inner->extent;
    }
    return one;
}

static void drop(aic_box *box, unsigned dim)
{
    for (unsigned i = dim; i + 1 < box->dims; i++) {
        box->dim[i] = box->dim[i + 1];
    }
    box->dims--;
}

static bool join_once(aic_box *box)
{
    unsigned fixed = is_partial(box) ? box->dims - 1 : box->dims; /* a partial dimension ends in every block */
    for (unsigned outer = 0; outer < box->dims; outer++) {
        for (unsigned inner = 0; inner < box->dims; inner++) {
            if (inner != outer && inner != fixed && outer != fixed && is_one(box, &box->dim[outer], &box->dim[inner])) {
                aic_box_dim joined = box->dim[inner];
                joined.extent *= box->dim[outer].extent;
                box->dim[inner] = joined;
                drop(box, outer);
                return true;
            }
        }
    }
    return false;
}

void aic_box_coalesce(aic_box *box)
{
    bool partial = is_partial(box);
    box->valid = partial ? box->valid : 0;
    for (unsigned i = box->dims; i-- > 0;) {
        if (box->dim[i].extent == 1) { /* which a partial one is not */
            drop(box, i);
        }
    }
    while (join_once(box)) {
    }
}

static int outer_first(const void *a, const void *b)
{
    const aic_box_dim *x = a, *y = b;
    return (llabs(x->out) < llabs(y->out)) - (llabs(x->out) > llabs(y->out));
}

aic_box_dim aic_box_take(aic_box *box, unsigned dim)
{
    aic_box_dim taken = box->dim[dim];
    drop(box, dim);
    return taken;
}

void aic_box_sort(aic_box *box)
{
    qsort(box->dim, box->dims, sizeof box->dim[0], outer_first);
}

/* ---- schedules ---- */

enum { TILE_MAX = 64, ODD_ROWS_MAX = 40, CHUNK_VECTORS_MAX = 16, BAND_MAX = 1 << 20, VECTOR_MIN = 16 };

aic_status aic_check_power(const char *field, int64_t value, int64_t most)
{
    if (value < 1 || value > most || (value & (value - 1)) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %lld is no power of two of 1..%lld", field,
                        (long long)value, (long long)most);
    }
    return AIC_OK;
}

aic_status aic_check_vector(const aic_target *target, int64_t bytes)
{
    aic_status status = aic_check_power("vector", bytes, target->vector_bits / 8);
    return status == AIC_OK && bytes < VECTOR_MIN
               ? aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vector = %lld is less than %d", (long long)bytes,
                          VECTOR_MIN)
               : status;
}

aic_status aic_move_check_room(bool incomplete)
{
    return incomplete ? aic_fail(AIC_INTERNAL, "codegen", "more than %d boxes, or than %d dimensions of one",
                                 AIC_MOVE_BOXES, AIC_BOX_DIMS)
                      : AIC_OK;
}

aic_status aic_move_check_schedule(const aic_target *target, const aic_move_schedule *schedule)
{
    const struct {
        const char *field;
        int64_t value, most;
    } rows[] = {
        {"rows", schedule->rows, TILE_MAX},
        {"cols", schedule->cols, TILE_MAX},
        {"unroll", schedule->unroll, CHUNK_VECTORS_MAX},
        {"band", schedule->band, BAND_MAX},
    };
    aic_status status = aic_check_vector(target, schedule->vector);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        status = status == AIC_OK ? aic_check_power(rows[i].field, rows[i].value, rows[i].most) : status;
        if (status != AIC_OK) {
            return status;
        }
    }
    if (schedule->band < schedule->rows) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "band = %lld is less than rows = %lld",
                        (long long)schedule->band, (long long)schedule->rows);
    }
    return AIC_OK;
}

/* ---- plans ---- */

/* A box moves at most this much straight-line, in accesses of up to a vector; runs beyond it are loops. */
enum { TILE_ACCESSES = 64 };

/* Number of the dimension with this stride; -1: there is none. Operand -1 is the output. */
static int find_stride(const aic_box *box, int operand, int64_t stride)
{
    for (unsigned i = 0; i < box->dims; i++) {
        if ((operand < 0 ? box->dim[i].out : box->dim[i].in[operand]) == stride) {
            return (int)i;
        }
    }
    return -1;
}

/* Takes the dimension with the smallest stride out of the box; one of a single element when none is left. */
static aic_box_dim take_nearest(aic_box *box, int operand)
{
    aic_box_dim nearest = {.extent = 1};
    unsigned at = 0;
    for (unsigned i = 0; i < box->dims; i++) {
        int64_t stride = operand < 0 ? box->dim[i].out : box->dim[i].in[operand];
        int64_t best = operand < 0 ? box->dim[at].out : box->dim[at].in[operand];
        if (llabs(stride) < llabs(best)) {
            at = i;
        }
    }
    if (box->dims > 0) {
        nearest = box->dim[at];
        drop(box, at);
    }
    return nearest;
}

/* What is moved is a run: contiguous on both sides, or as long as an element. */
static void plan_run(aic_move_plan *p, unsigned size, int dense)
{
    p->run = p->run_valid = size;
    if (dense >= 0) {
        p->run = p->box.dim[dense].extent * size;
        p->run_valid = p->box.valid != 0 ? p->box.valid * size : p->run;
        drop(&p->box, (unsigned)dense);
    }
    p->write = take_nearest(&p->box, -1);
    p->read = (aic_box_dim){.extent = 1};
    if (OPS[p->box.op].inputs > 0) {
        p->read = take_nearest(&p->box, 0);
    }
}

static void tile_runs(aic_move_plan *p, const aic_move_schedule *schedule)
{
    int64_t most = TILE_ACCESSES * p->vector;
    if (p->run > p->vector * schedule->unroll && p->run_valid == p->run) {
        p->chunk = aic_least(p->vector * schedule->unroll, aic_power_within(p->run));
        p->tile.rows = p->tile.cols = 1;
        return;
    }
    p->tile.rows = aic_least(schedule->rows, aic_power_within(p->write.extent));
    p->tile.cols = aic_least(schedule->cols, aic_power_within(p->read.extent));
    while (p->tile.rows * p->tile.cols > 1 && p->tile.rows * p->tile.cols * p->run > most) {
        *(p->tile.rows > p->tile.cols ? &p->tile.rows : &p->tile.cols) /= 2;
    }
}

/* Rows that a tile of `rows` rows is done as: in lane blocks, the last of which overlaps the one before. */
static int64_t rows_done(int64_t rows, int64_t size)
{
    const int64_t block = aic_least(AIC_MOVE_LANE / size, aic_power_within(rows));
    return aic_round_up(rows, block);
}

/* Whether tiles of so many rows, no power of two, gain something: columns that follow each other in the output and are
 * shorter than a lane are stored over each other's ends. Longer ones that do are the same lines in two tiles of a power
 * of two, unless those do much twice. */
static bool suits_tile(const aic_move_plan *p, int64_t rows, int64_t size)
{
    const bool follow = p->read.out == rows * size, fills = rows * size >= AIC_MOVE_LANE;
    return follow && fills ? rows_done(rows, size) * 4 < 2 * aic_power_within(rows) * 3 : follow || fills;
}

/* Indices of a `next` of `extent` whose rows, all of `write`, make one tile: they fill a line; or, where lines would
 * end within `write`, as many as leave the fewest rows to be done twice. */
static int64_t rows_together(const aic_move_plan *p, int64_t size, int64_t extent)
{
    const int64_t rows = p->write.extent;
    if (aic_is_power(rows)) {
        return rows * size <= p->machine->line_bytes
                   ? aic_least(p->machine->line_bytes / (rows * size), aic_power_within(extent))
                   : 1;
    }
    int64_t best = 1, least = INT64_MAX;
    for (int64_t count = 1; count <= extent && count * rows <= ODD_ROWS_MAX; count++) {
        const int64_t done = aic_parts(extent, count) * rows_done(count * rows, size);
        if (done < least && suits_tile(p, count * rows, size)) {
            least = done;
            best = count;
        }
    }
    return best;
}

/* Rows of a tile: all of a short `write`, even if they are no power of two, where they fill a lane or columns follow
 * each other in the output. */
static int64_t choose_rows(const aic_move_plan *p, unsigned size, const aic_move_schedule *schedule)
{
    const int64_t rows = p->write.extent;
    const bool whole = rows <= ODD_ROWS_MAX && rows <= schedule->rows && suits_tile(p, rows, size);
    const bool partial = p->rows_valid < rows;
    return partial || whole ? rows : aic_least(schedule->rows, aic_power_within(rows));
}

/* Takes the dimension that continues in the input where `read` ends, where a lane holds at least two indices of it:
 * loads of `read` alone would leave half of every lane empty; or where they leave an eighth, or columns are
 * gathered, and whole indices of it are most columns of a tile, unless its lines push each other out. Rows must fill a
 * lane, as only then columns have lanes of their own and may be stored anywhere. A row goes on with the bytes behind
 * it, so those of the next one must follow.
 */
static void take_follow(aic_move_plan *p, unsigned size, const aic_move_schedule *schedule)
{
    const int64_t lane = VECTOR_MIN / size;
    const int follow = find_stride(&p->box, 0, p->read.extent * size);
    const int64_t row = follow >= 0 ? p->box.dim[follow].extent * p->read.extent : 0;
    const int64_t most = schedule->cols / p->read.extent * p->read.extent;
    const bool alone = p->read.extent * 8 >= aic_round_up(p->read.extent, lane) * 7 && !aic_move_columns_collide(p);
    const bool waits = follow >= 0 && aic_move_parts_collide(p, &p->box.dim[follow], size, most / p->read.extent,
                                                             choose_rows(p, size, schedule));
    const bool fills = !alone && !waits && p->read.extent % lane != 0 && most * 8 >= schedule->cols * 7;
    if (p->read.extent > 1 && (2 * p->read.extent <= lane || fills) && choose_rows(p, size, schedule) >= lane &&
        schedule->cols >= lane && p->rows_valid == p->write.extent && row >= lane && p->write.in[0] >= row * size) {
        p->follow = p->box.dim[follow];
        drop(&p->box, (unsigned)follow);
    }
}

static void plan_transposition(aic_move_plan *p, int write, int read, const aic_move_schedule *schedule)
{
    p->transposes = true;
    p->write = p->box.dim[write];
    p->read = (aic_box_dim){.extent = 1};
    p->rows_valid = p->rows_stored != 0 ? p->rows_stored : p->box.valid != 0 ? p->box.valid : p->write.extent;
    if (read >= 0) {
        p->read = p->box.dim[read];
        drop(&p->box, (unsigned)(read > write ? read : write));
        drop(&p->box, (unsigned)(read > write ? write : read));
    } else {
        drop(&p->box, (unsigned)write);
    }
    const unsigned size = (unsigned)p->write.out;
    if (aic_move_plan_turn(p, size, schedule)) {
        const int together = find_stride(&p->box, -1, p->write.extent * size);
        if (together >= 0 && aic_is_power(p->write.extent) && p->write.extent * size <= p->machine->line_bytes) {
            p->next = p->box.dim[together];
            drop(&p->box, (unsigned)together);
        }
        return;
    }
    take_follow(p, size, schedule);
    int64_t bytes = p->write.extent * p->write.out;
    int next = find_stride(&p->box, -1, bytes);
    const bool fills = bytes <= p->machine->line_bytes && aic_is_power(bytes);
    if (next >= 0 && (fills || rows_together(p, p->write.out, p->box.dim[next].extent) > 1)) {
        p->next = p->box.dim[next];
        drop(&p->box, (unsigned)next);
    }
}

/* Steps of a burst; 1: the loop stays where it is. Fewer steps than a burst has are one where they share lines, which
 * the first-level cache would not keep until the next of them. */
static int64_t burst_of(const aic_move_plan *p, const aic_box_dim *near)
{
    const aic_machine *machine = p->machine;
    const int64_t step = llabs(near->in[0]), burst = aic_power_within(machine->burst_bytes / step);
    const bool shares = step < machine->line_bytes && 2 * p->bytes > machine->l1_bytes;
    return burst <= near->extent ? burst : shares ? near->extent : 1;
}

/* Loops of short steps in the input that a loop of long ones would tear apart. */
static void plan_bursts(aic_move_plan *p)
{
    unsigned at = 0;
    for (unsigned i = 1; i < p->box.dims; i++) {
        at = llabs(p->box.dim[i].in[0]) < llabs(p->box.dim[at].in[0]) ? i : at;
    }
    if (OPS[p->box.op].inputs == 0 || p->box.dims < 2 || at == p->box.dims - 1 || p->box.dim[at].in[0] == 0) {
        return;
    }
    const int64_t burst = burst_of(p, &p->box.dim[at]);
    if (burst > 1) {
        p->near = p->box.dim[at];
        p->burst = burst;
        drop(&p->box, at);
    }
}

/* Columns of a tile, and those of them that are none: a row shorter than a lane is loaded with what follows it, instead
 * of in parts, where rows lie at least that far apart and there is a row before the last. */
static void choose_columns(aic_move_plan *p, unsigned size, int64_t most)
{
    const int64_t extent = p->read.extent, lane = VECTOR_MIN / size,
                  apart = aic_move_columns_apart(&p->write, extent, size),
                  wide = apart > 0 ? apart : 2 * aic_power_within(extent);
    p->tile.cols = aic_least(most, aic_power_within(extent));
    if ((apart > 0 || p->tile.cols < extent) && wide <= most && wide <= lane && lane <= p->tile.rows &&
        p->write.in[0] >= extent * size && aic_least(p->tile.rows, p->rows_valid) > 1) {
        p->tile.cols = wide;
        p->tile.over = wide - extent;
    }
}

/* Columns of a tile with `follow`: whole indices of it, with the fewest columns that are loaded in vain. False: no tile
 * of so many columns has several. */
static bool choose_following(aic_move_plan *p, unsigned size, int64_t most)
{
    const int64_t lane = VECTOR_MIN / size, extent = p->read.extent;
    int64_t best = 0;
    for (int64_t cols = lane; cols <= most; cols *= 2) {
        const int64_t count = aic_least(cols / extent, p->follow.extent);
        const int64_t gain = count * extent * TILE_MAX / cols;
        if (count > 1 && gain > best && cols - count * extent < lane) {
            best = gain;
            p->tile.cols = cols;
            p->tile.follow_count = count;
            p->tile.over = cols - count * extent;
        }
    }
    return best > 0;
}

/* Columns of a last tile of `rest` columns: a power of two, and where its rows are loaded by lanes, no few of them, so
 * that kernels have the same code: a few stores more cost little beside that, unless they begin anywhere in lines. */
static int64_t tail_of(const aic_move_plan *p, int64_t rest, int64_t lane)
{
    const int64_t columns = aic_power_within(2 * rest - 1);
    if (lane > p->tile.rows) {
        return columns;
    }
    return aic_is_power(p->tile.rows) ? aic_most(columns, aic_least(lane, 2 * p->tile.cols) / 4) : rest;
}

static void tile_transposition(aic_move_plan *p, unsigned size, const aic_move_schedule *schedule)
{
    if (p->tile.unit > 0) {
        p->tile.next_count = p->next.extent > 1 ? rows_together(p, size, p->next.extent) : 1;
        p->tile.rows = p->next.extent > 1 ? p->write.extent * p->tile.next_count : p->tile.rows;
        return;
    }
    p->tile.rows = choose_rows(p, size, schedule);
    if (p->next.extent > 1) {
        p->tile.next_count = rows_together(p, size, p->next.extent);
        p->tile.rows = p->write.extent * p->tile.next_count;
    }
    int64_t most = schedule->cols;
    while (most > 1 && p->tile.rows * most * size > TILE_ACCESSES * p->vector) {
        most /= 2;
    }
    if (p->follow.extent > 1) {
        if (choose_following(p, size, most)) {
            return;
        }
        p->box.dim[p->box.dims++] = p->follow;
        p->follow.extent = 1;
    }
    choose_columns(p, size, most);
    p->tile.stage = aic_move_staged_columns(p, size);
    if (p->next.extent > 1 && (p->tile.stage > 0 || p->tile.cols * size < p->machine->line_bytes)) {
        aic_move_fill_registers(p, size);
    }
    int64_t rest = p->tile.stage == 0 && p->tile.over == 0 ? p->read.extent % p->tile.cols : 0;
    if (rest > 0 && 2 * rest <= p->tile.cols) {
        p->tile.tail = tail_of(p, rest, VECTOR_MIN / size);
    }
}

/* No less than a tile, and where lines are copied aside, no less than the tiles that the core likes; stores past the
 * caches are not prefetched. Where a tile has a number of indices of `next` that is no power of two, whole tiles. */
static int64_t band_of(const aic_move_plan *p, const aic_move_schedule *schedule)
{
    const int64_t tile = p->tile.stage == 0 || p->past ? p->tile.rows : p->tile.rows * p->machine->band_tiles;
    const int64_t band = schedule->band < tile ? tile : schedule->band;
    const int64_t tiles = aic_most(band / p->tile.rows, 1);
    return p->tile.next_count > 1 && !aic_is_power(p->write.extent) ? tiles * p->tile.next_count : band;
}

/* Makes a dimension of the box of the steps of `inner` along one of the tiles' dimensions. */
static void split(aic_move_plan *p, aic_box_dim *dim, int64_t inner)
{
    aic_box_dim outer = *dim;
    outer.extent /= inner;
    outer.out *= inner;
    outer.in[0] *= inner;
    dim->extent = inner;
    p->box.dim[p->box.dims++] = outer;
}

/* Bands become a dimension of the box where another one has steps in the input shorter than a line, or, where that
 * comes from memory, than a burst: it runs inside of a band, while the lines that it shares among its steps are near.
 */
static void split_bands(aic_move_plan *p)
{
    aic_box_dim *along = p->next.extent > 1 ? &p->next : &p->write;
    const int64_t most = p->past ? p->machine->burst_bytes / 2 : p->machine->line_bytes;
    bool is_short = false;
    for (unsigned i = 0; i < p->box.dims; i++) {
        const int64_t step = llabs(p->box.dim[i].in[0]);
        is_short = is_short || (step != 0 && step <= most && step < llabs(along->in[0]));
    }
    if (is_short && along->extent > p->tile.band && along->extent % p->tile.band == 0) {
        split(p, along, p->tile.band);
    }
}

/* Iterations of the plan's loops, in the order of their numbers. */
static aic_division divide(const aic_move_plan *p)
{
    int64_t iterations[AIC_MOVE_DIMENSION + AIC_BOX_DIMS + 2];
    int loops = 0;
    const int64_t along = p->next.extent > 1 ? p->next.extent : p->write.extent;
    iterations[loops++] = aic_parts(p->near.extent, p->burst);
    for (unsigned i = 0; i < p->box.dims; i++) {
        iterations[loops++] = p->box.dim[i].extent;
    }
    iterations[loops++] = aic_parts(along, p->tile.band);
    iterations[loops++] =
        p->chunk != 0 ? aic_parts(p->run, p->chunk) : aic_parts(p->follow.extent, p->tile.follow_count);
    return aic_divide(iterations, loops);
}

static void make_plan(const aic_move *move, const aic_box *box, const aic_move_schedule *schedule,
                      const aic_target *target, const aic_machine *machine, bool past, aic_move_plan *p)
{
    *p = (aic_move_plan){.machine = machine,
                         .target = target,
                         .bytes = aic_box_bytes(move, box),
                         .box = *box,
                         .past = past,
                         .near = {.extent = 1},
                         .next = {.extent = 1},
                         .follow = {.extent = 1},
                         .tile = {.next_count = 1, .follow_count = 1},
                         .burst = 1,
                         .vector = schedule->vector};
    aic_box_coalesce(&p->box);
    p->rows_stored = past ? 0 : aic_move_spread(&p->box, move->size, target);
    int write = find_stride(&p->box, -1, move->size);
    int read = OPS[box->op].inputs > 0 ? find_stride(&p->box, 0, move->size) : write;
    const bool apart = write >= 0 && read < 0 && aic_move_columns_apart(&p->box.dim[write], 1, move->size) > 0;
    if (write >= 0 && write != read && (read >= 0 || apart || p->box.valid != 0)) {
        plan_transposition(p, write, read, schedule);
        tile_transposition(p, move->size, schedule);
    } else {
        plan_run(p, move->size, write == read ? write : -1);
        tile_runs(p, schedule);
    }
    p->tile.band = band_of(p, schedule);
    if (p->transposes) {
        aic_move_plan_gather(p, move->size);
        split_bands(p);
    }
    aic_box_sort(&p->box);
    plan_bursts(p);
    p->division = divide(p);
}

void aic_move_plan_make(const aic_move *move, const aic_box *box, const aic_move_schedule *schedule,
                        const aic_target *target, const aic_machine *machine, aic_move_plan *p)
{
    make_plan(move, box, schedule, target, machine, false, p);
}

/* ---- stores past the caches ---- */

int64_t aic_box_bytes(const aic_move *move, const aic_box *box)
{
    int64_t bytes = move->size;
    for (unsigned i = 0; i < box->dims; i++) {
        bytes *= box->dim[i].extent;
    }
    return bytes;
}

static bool is_aligned(int64_t bytes)
{
    return bytes % AIC_MOVE_PAST_ALIGN == 0;
}

/* Whether every store of the plan begins at a multiple of the alignment. */
static bool stores_aligned(const aic_move_plan *p, unsigned size)
{
    bool aligned = is_aligned(p->box.out) && (p->tile.gather > 0 || is_aligned(p->next.out)) &&
                   is_aligned(p->near.out) && is_aligned(p->follow.out);
    for (unsigned i = 0; i < p->box.dims; i++) {
        aligned = aligned && is_aligned(p->box.dim[i].out);
    }
    const bool contiguous =
        p->read.out == p->tile.rows * size && p->tile.rows == p->write.extent && p->follow.extent == 1;
    if (p->tile.unit > 0 && contiguous) { /* whole units */
        return aligned && is_aligned(p->tile.rows * p->read.extent * size);
    }
    if (p->transposes && contiguous && aic_is_power(p->tile.rows)) { /* so that every lane of a tile is aligned */
        return aligned && is_aligned(p->tile.rows * aic_move_columns(p) * size) &&
               is_aligned(p->tile.rows * p->read.extent * size);
    }
    aligned = aligned && is_aligned(p->read.out);
    if (p->tile.gather > 0) {
        const aic_box_dim *along = p->next.extent > 1 ? &p->next : &p->write;
        return aligned && is_aligned(p->tile.gather) && is_aligned(along->extent * along->out);
    }
    if (p->transposes) {
        return aligned && is_aligned(p->tile.rows * size) && is_aligned(p->write.extent * size);
    }
    return aligned && is_aligned(p->write.out) && is_aligned(p->run);
}

bool aic_move_plan_past(const aic_move *move, const aic_box *box, const aic_move_schedule *schedule,
                        const aic_target *target, const aic_machine *machine, aic_move_plan *plan)
{
    aic_move_schedule narrow = *schedule;
    if (aic_box_bytes(move, box) < machine->past_bytes) {
        return false;
    }
    make_plan(move, box, schedule, target, machine, true, plan);
    if (plan->tile.gather > 0) {
        plan->burst = plan->near.extent;
        plan->division = divide(plan);
        return stores_aligned(plan, move->size);
    }
    narrow.vector = AIC_MOVE_PAST_ALIGN; /* the widest store that an address of this alignment allows */
    make_plan(move, box, &narrow, target, machine, true, plan);
    if (plan->transposes) { /* whole lines */
        narrow.rows = machine->line_bytes / move->size;
        narrow.band = narrow.band < narrow.rows ? narrow.rows : narrow.band;
        make_plan(move, box, &narrow, target, machine, true, plan);
    }
    plan->burst = plan->near.extent; /* such stores wait for nothing, loads do */
    plan->division = divide(plan);
    return stores_aligned(plan, move->size);
}
