/* A move as uses of parts (parts/move.h): a function a box, and the body that calls them in turn. */
#include "codegen/integer.h"
#include "codegen/loops/move.h"
#include "codegen/machine.h"

/* Fills and copies have at most one input. */
enum { POINTERS = 2 };

static const char *const POINTER[POINTERS] = {"out", "in"};

/* A box that is being used. */
typedef struct usage {
    const aic_move *move;
    const aic_move_plan *p;
    aic_move_key key;
    aic_use use;
} usage;

static int64_t stride_of(const aic_box_dim *d, unsigned pointer)
{
    return pointer == 0 ? d->out : d->in[pointer - 1];
}

static unsigned pointers_of(const usage *u)
{
    return u->key.fill ? 1 : POINTERS;
}

/* ---- the key ---- */

/* Whether the last of these tiles begins where a number says. */
static bool begins_earlier(const aic_move_plan *p, const aic_box_dim *d, int64_t tile)
{
    return p->transposes || d->extent % tile != 0;
}

/* Bytes from a row to the next where rows may follow each other in a lane; else 0. */
static int64_t row_pitch(const aic_move_plan *p, int64_t size, int64_t bytes)
{
    if (p->tile.unit > 0) {
        return p->tile.cols % 2 != 0 && bytes == p->tile.cols * size ? bytes : 0;
    }
    const int64_t row = p->tile.cols * size;
    return row < AIC_MOVE_LANE && (bytes == row || bytes == row - p->tile.over * size) ? bytes : 0;
}

/* Bytes from a column to the next where these follow each other; else 0. */
static int64_t column_pitch(const aic_move_plan *p, int64_t size)
{
    return p->follow.extent == 1 && p->read.out == p->tile.rows * size ? p->read.out : 0;
}

/* Bytes of a line where the lines that a tile stores to are fetched for writing; else 0. Columns that begin anywhere in
 * a line are stored across lines, and such a store holds up those behind it until both lines have come. Halves of lines
 * gain, too; smaller parts would fetch each line too often, and whole lines are waited for once. */
static int64_t fetched_line(const aic_move_plan *p, int64_t size)
{
    const int64_t line = p->machine->line_bytes, bytes = p->tile.rows * size;
    const bool begin_anywhere = !aic_is_power(bytes) || p->read.out % aic_least(bytes, line) != 0;
    return !p->past && p->tile.gather == 0 && p->tile.unit == 0 && p->read.out >= line &&
                   (begin_anywhere || 2 * bytes == line)
               ? line
               : 0;
}

/* How far ahead a core must fetch what it does not follow by itself: in tiles, of which lines. */
enum { TILES_AHEAD = 8, COLUMNS_AHEAD = 2, LINES_AHEAD = 2 };

/* Whether the core must be told of what is beyond the second-level cache. */
static bool wants_fetching(const aic_move_plan *p)
{
    return p->machine->run_lines > 1 && 2 * p->bytes > p->machine->l2_bytes;
}

/* Bytes from a row to that of a later tile which turned tiles fetch, as it comes long after those before; else 0. */
static int64_t turned_later(const aic_move_plan *p)
{
    const int64_t few = 2 * p->machine->run_lines * p->machine->line_bytes, rows = p->write.extent * p->write.in[0];
    return p->next.extent > 1 && rows < few && rows < p->next.in[0] ? TILES_AHEAD * p->next.in[0] : 0;
}

/* Tiles beside each other that fetch the lines of a later tile's rows between them, as they share these. */
static int64_t fetching_tiles(const aic_move_plan *p, int64_t size)
{
    return aic_least(aic_power_within(p->tile.rows), aic_most(AIC_LINE_BYTES / (p->tile.cols * size), 1));
}

/* Bytes from a row to that which has its place in the next band, or behind the only one in the next step of the loop
 * around it; 0: there is none. */
static int64_t next_rows(const aic_move_plan *p, const aic_box_dim *along)
{
    return along->extent > p->tile.band ? p->tile.band * along->in[0]
           : p->near.extent > 1         ? p->near.in[0]
           : p->box.dims > 0            ? p->box.dim[p->box.dims - 1].in[0]
                                        : 0;
}

/* Whether a core must be told of the rows that tiles read: it follows by itself those that are long and few, and those
 * that have a line or two between them. Tiles that copy rows aside or gather columns fetch in their own way. */
static bool leaves_rows(const aic_move_plan *p, int64_t size, int64_t rows, int64_t group)
{
    enum { FEW = 16 };
    const bool few = rows <= FEW && p->read.extent * p->follow.extent * size >= p->machine->burst_bytes;
    return p->tile.stage == 0 && p->tile.gather == 0 && p->rows_valid >= p->write.extent &&
           p->tile.rows % (fetching_tiles(p, size) * group) == 0 && p->tile.rows * size >= AIC_MOVE_LANE &&
           p->write.in[0] >= 2 * p->machine->line_bytes && !few;
}

/* Bytes from a row to that of a later tile which is fetched; 0: none is. What is fetched is waited for unless some
 * kilobytes are moved first, and is gone if these are more than half of the second-level cache. So it is what has the
 * tile's place in the rows behind a band where the band is that much; where rows follow each other, what so many bytes
 * behind a short band begins with; else a tile further on in the same rows. */
static int64_t fetched_later(const aic_move_plan *p, int64_t size)
{
    enum { SOON = 4 << 10 };
    const int64_t row = p->read.extent * p->follow.extent * size, group = p->next.extent > 1 ? p->write.extent : 1;
    const aic_box_dim *along = p->next.extent > 1 ? &p->next : &p->write;
    const int64_t rows = aic_least(p->tile.band, along->extent) * group, moved = 2 * rows * row;
    if (!wants_fetching(p)) {
        return 0;
    }
    if (p->tile.unit > 0) {
        return turned_later(p);
    }
    if (!leaves_rows(p, size, rows, group)) {
        return 0;
    }
    const int64_t step = next_rows(p, along);
    const bool follow = step <= moved, kept = moved <= p->machine->l2_bytes / 2;
    return step > 0 && kept && (follow || moved >= SOON) ? aic_most(step, follow ? SOON : 0)
                                                         : LINES_AHEAD * p->machine->line_bytes;
}

/* How far ahead lines of the input are fetched: what a core reads of a row that shares sets with others, where the row
 * is as long, as the rows are more than the core follows by itself; and the columns that tiles of many rows have next.
 */
static int64_t fetched_ahead(const aic_move_plan *p, int64_t size)
{
    const aic_machine *machine = p->machine;
    const int64_t ahead = machine->run_lines * machine->line_bytes;
    if (p->tile.stage > 0) {
        return machine->run_lines > 1 && p->read.extent * size >= p->tile.stage * size + ahead ? ahead : 0;
    }
    return p->follow.extent > 1 && p->tile.gather > 0 && wants_fetching(p) ? COLUMNS_AHEAD * p->tile.cols * size : 0;
}

/* Whether the box is what a move of many tiles leaves over at its edges. */
static bool is_rest(const aic_move *move, const aic_move_plan *p)
{
    enum { PART = 3, MANY = 8 << 10 };
    int64_t bytes = 0;
    for (unsigned i = 0; i < move->boxes; i++) {
        bytes += aic_box_bytes(move, &move->box[i]);
    }
    return bytes >= MANY && PART * p->bytes <= bytes;
}

/* How many rows are read is a number in a rest, so that all rests have little code between them: a tenth more time of a
 * tile is little of all there. */
static void set_valid_rows(usage *u)
{
    enum { FEW = 4 };
    const aic_move_plan *p = u->p;
    aic_move_key *k = &u->key;
    const int64_t rows = k->group > 0 ? k->group : k->rows, valid = aic_least(p->rows_valid, rows);
    k->masks = valid > FEW && valid < rows && !aic_is_power(valid) && k->row_pitch == 0 && is_rest(u->move, p);
    k->valid = k->masks ? aic_move_rows_up_to(valid) : valid;
}

static void set_transposition(usage *u)
{
    const aic_move_plan *p = u->p;
    aic_move_key *k = &u->key;
    const int64_t in = p->write.in[0];
    k->group = p->next.extent > 1 ? p->write.extent : 0;
    k->row_pitch = row_pitch(p, k->size, in);
    k->next_pitch = k->group > 0 ? row_pitch(p, k->size, p->next.in[0] - (k->group - 1) * in) : 0;
    k->column_pitch = column_pitch(p, k->size);
    set_valid_rows(u);
    k->stored = p->rows_stored;
    k->follow = p->follow.extent > 1 ? p->tile.follow_count : 0;
    k->over = p->tile.over;
    k->tail = p->tile.tail;
    k->stage = p->tile.stage;
    k->unit = p->tile.unit;
    k->gather = p->tile.gather;
    k->fetch = fetched_line(p, k->size);
    k->ahead = fetched_ahead(p, k->size);
    k->later = fetched_later(p, k->size) > 0;
}

/* Columns of the tiles along `read`, or indices of `follow`. */
static int64_t columns_of_tile(const aic_move_plan *p)
{
    return p->follow.extent > 1 ? p->tile.follow_count : p->tile.stage != 0 ? p->tile.stage : aic_move_columns(p);
}

/* The same of all tiles of that size. */
static int64_t columns_of(const aic_move_plan *p)
{
    return p->follow.extent > 1 ? p->follow.extent
           : p->tile.tail != 0  ? p->read.extent / p->tile.cols * p->tile.cols
                                : p->read.extent;
}

/* Runs of bytes: the size of elements is no part of the code, nor where the last access begins, nor how many of a run
 * of one access are read, where a mask says it. */
static void set_runs(usage *u, const aic_target *target)
{
    const aic_move_plan *p = u->p;
    aic_move_key *k = &u->key;
    const bool partial = !k->fill && p->run_valid > 0 && p->run_valid < p->run;
    k->vector = 0;
    k->run = aic_least(p->vector, aic_power_within(p->run));
    k->accesses = aic_parts(p->run, k->run);
    k->masks =
        partial && k->accesses == 1 && k->run >= AIC_MOVE_LANE && !aic_is_power(p->run_valid) && aic_has_masks(target);
    k->valid = !partial ? 0 : k->masks ? 1 : p->run_valid;
    k->value = k->fill || p->run_valid < p->run ? u->move->value : 0;
}

static void make_key(usage *u, const aic_target *target)
{
    const aic_move_plan *p = u->p;
    const bool fill = aic_box_op_inputs(p->box.op) == 0;
    aic_move_key *k = &u->key;
    *k = (aic_move_key){.size = u->move->size,
                        .fill = fill,
                        .vector = p->vector,
                        .past = p->past,
                        .dims = p->box.dims,
                        .near = p->near.extent > 1,
                        .divided = p->division.loop,
                        .rows = p->tile.rows,
                        .cols = p->tile.cols,
                        .transposes = p->transposes};
    if (p->transposes) {
        set_transposition(u);
    } else if (p->chunk > 0) {
        k->chunk = p->chunk;
        k->chunk_over = p->run % p->chunk != 0;
    } else {
        set_runs(u, target);
    }
    k->value = fill ? u->move->value : k->value;
    k->size = p->transposes || k->value != 0 ? k->size : 1;
    const aic_box_dim *along = p->next.extent > 1 ? &p->next : &p->write;
    const int64_t tile = p->next.extent > 1 ? p->tile.next_count : p->tile.rows;
    k->bands = along->extent > p->tile.band;
    k->writes = aic_least(along->extent, p->tile.band) > tile;
    k->write_over = (k->bands || k->writes) && begins_earlier(p, along, tile);
    const aic_box_dim *across = p->follow.extent > 1 ? &p->follow : &p->read;
    k->reads = columns_of(p) > columns_of_tile(p);
    k->read_over = k->reads && k->tail == 0 && begins_earlier(p, across, columns_of_tile(p));
}

/* ---- the numbers ---- */

static void give_steps(usage *u, const aic_box_dim *d, const char *name)
{
    for (unsigned i = 0; i < pointers_of(u); i++) {
        aic_use_number(&u->use, stride_of(d, i), "%s.%s", POINTER[i], name);
    }
}

/* A dimension along which there are tiles, `tile` indices of it each. */
static void give_tiles(usage *u, const aic_box_dim *d, const char *name, int64_t tile, bool over)
{
    give_steps(u, d, name);
    if (over) {
        aic_use_number(&u->use, d->extent - tile, "%s.last", name);
    }
}

static void give_loops(usage *u)
{
    const aic_move_plan *p = u->p;
    const aic_box_dim *along = p->next.extent > 1 ? &p->next : &p->write;
    if (u->key.near) {
        aic_use_trips(&u->use, aic_parts(p->near.extent, p->burst), "bursts");
        aic_use_trips(&u->use, p->burst, "burst");
        give_tiles(u, &p->near, "near", p->burst, true);
    }
    for (unsigned d = 0; d < p->box.dims; d++) {
        char name[AIC_NUMBER_NAME_MAX];
        (void)snprintf(name, sizeof name, "dim.%u", d);
        aic_use_trips(&u->use, p->box.dim[d].extent, name);
        give_steps(u, &p->box.dim[d], name);
    }
    if (u->key.bands) {
        aic_use_trips(&u->use, aic_parts(along->extent, p->tile.band), "bands");
    }
    if (u->key.bands && u->key.writes) {
        aic_use_number(&u->use, p->tile.band, "band");
    }
    if (u->key.bands || u->key.writes || (u->key.stage > 0 && u->key.group > 0)) {
        aic_use_trips(&u->use, along->extent, "along");
        const int64_t tile = p->next.extent > 1 ? p->tile.next_count : p->tile.rows;
        give_tiles(u, along, "write", p->tile.gather > 0 ? p->tile.band : tile, u->key.write_over);
    }
    if (u->key.reads) {
        aic_use_trips(&u->use, columns_of(p), "columns");
    }
    if (u->key.gather > 0 && u->key.follow > 0) {
        aic_use_number(&u->use, p->read.out, "column");
    }
    if (u->key.later) {
        aic_use_number(&u->use, fetched_later(p, u->move->size), "later");
        const int64_t tiles = fetching_tiles(p, u->move->size);
        if (p->tile.unit == 0 && tiles > 1) {
            aic_use_number(&u->use, p->tile.rows / tiles / (u->key.group > 0 ? u->key.group : 1) * along->in[0],
                           "later.rows");
        }
    }
    if (u->key.reads || u->key.stage > 0 || u->key.gather > 0) {
        give_tiles(u, p->follow.extent > 1 ? &p->follow : &p->read, "read", columns_of_tile(p), u->key.read_over);
    }
}

/* Where the runs of a tile begin, and the next tile. */
static void give_offsets(usage *u, unsigned i)
{
    const aic_move_plan *p = u->p;
    const int64_t rows = p->tile.rows, named = aic_move_runs_named(&u->key);
    const int64_t row = stride_of(&p->write, i), col = stride_of(&p->read, i);
    for (int64_t run = 1; run < named; run++) {
        aic_use_number(&u->use, run % rows * row + run / rows * col, "%s.run.%lld", POINTER[i], (long long)run);
    }
    for (int64_t c = 1; c < rows * p->tile.cols / named; c++) {
        aic_use_number(&u->use, c * col, "%s.col.%lld", POINTER[i], (long long)c);
    }
    if (u->key.writes && !u->key.write_over) {
        aic_use_number(&u->use, rows * row, "%s.tile", POINTER[i]);
    }
}

static void give_runs(usage *u)
{
    const aic_move_plan *p = u->p;
    for (unsigned i = 0; i < pointers_of(u); i++) {
        give_offsets(u, i);
    }
    if (u->key.masks) {
        aic_use_number(&u->use, p->run_valid, "valid");
    }
    if (p->chunk > 0) {
        aic_use_trips(&u->use, p->run, "run");
    }
    if (p->chunk > 0 || u->key.accesses > 1) {
        aic_use_number(&u->use, p->run - (p->chunk > 0 ? p->chunk : u->key.run), "run.last");
    }
}

static void give_transposition(usage *u)
{
    const aic_move_plan *p = u->p;
    const aic_move_key *k = &u->key;
    const int64_t group = k->group > 0 ? k->group : k->rows, last = aic_least(p->rows_valid, group) - 1;
    if (k->masks) {
        aic_use_number(&u->use, last + 1, "valid");
    }
    for (int64_t row = 1; row < k->rows; row++) {
        const int64_t at = row / group * p->next.in[0] + aic_least(row % group, last) * p->write.in[0];
        if (row % group < k->valid && (k->row_pitch == 0 || k->group > 0) && (k->stage == 0 || row < group)) {
            aic_use_number(&u->use, at, "row.%lld", (long long)row);
        }
    }
    const int64_t tail = k->tail > 0 ? aic_move_tail_columns(k->size, k->rows, k->cols, k->tail) : 0;
    for (int64_t column = 1; column < aic_most(aic_move_columns(p), tail) && (k->column_pitch == 0 || k->follow > 0);
         column++) {
        aic_use_number(&u->use, aic_move_column(p, column), "column.%lld", (long long)column);
    }
    for (unsigned i = 0; i < POINTERS && k->tail > 0; i++) {
        aic_use_number(&u->use, (p->read.extent - tail) * stride_of(&p->read, i), "%s.tail", POINTER[i]);
    }
}

static aic_box_function use_box(aic_program *program, const aic_target *target, const aic_move *move,
                                const aic_move_plan *p, unsigned box)
{
    usage u = {.move = move, .p = p};
    make_key(&u, target);
    aic_use_begin(&u.use, program, &aic_part_move, &u.key);
    for (unsigned i = 0; i < pointers_of(&u); i++) {
        aic_use_number(&u.use, i == 0 ? p->box.out : p->box.in[i - 1], "%s.at", POINTER[i]);
    }
    give_loops(&u);
    (p->transposes ? give_transposition : give_runs)(&u);
    return (aic_box_function){aic_program_add(program, &u.use, p->past ? "box%u_past" : "box%u", box),
                              p->division.count};
}

static const aic_move_schedule *schedule_of(const aic_plan *plan)
{
    return (const aic_move_schedule *)(const void *)plan->schedule.fields;
}

static void compose(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    aic_box_use box[AIC_MOVE_BOXES];
    const aic_target *target = plan->problem.target;
    const aic_move *move = aic_move_of(plan);
    for (unsigned i = 0; i < move->boxes; i++) {
        const aic_move_plan *plain = &((const aic_move_derived *)plan->derived)->box[i];
        aic_move_plan past;
        box[i] = (aic_box_use){.plain = use_box(program, target, move, plain, i)};
        if (aic_move_plan_past(move, &move->box[i], schedule_of(plan), target, plan->problem.machine, &past)) {
            box[i].past = use_box(program, target, move, &past, i);
        }
    }
    aic_compose_boxes(program, plan, box, move->boxes, POINTERS, bodies);
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
        aic_move_plan_make(move, &move->box[i], schedule_of(plan), plan->problem.target, plan->problem.machine,
                           &derived->box[i]);
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
