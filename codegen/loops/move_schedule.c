/* Schedules of moves: tiles that complete the cache lines they touch, in registers that are filled. */
#include "codegen/explain.h"
#include "codegen/integer.h"
#include "codegen/loops/move.h"
#include "codegen/machine.h"

#include <math.h>
#include <stdlib.h>

/* The box that writes most. */
static const aic_box *main_box(const aic_move *move)
{
    const aic_box *largest = &move->box[0];
    for (unsigned i = 1; i < move->boxes; i++) {
        if (aic_box_bytes(move, &move->box[i]) > aic_box_bytes(move, largest)) {
            largest = &move->box[i];
        }
    }
    return largest;
}

static const aic_move_schedule WIDEST = {.rows = 64, .cols = 64, .vector = 64, .unroll = 4, .band = 64};

/* Costs are in vector operations. Shuffles of 64 bytes take more than twice as long as those of 32 and less; a tile has
 * addresses to compute; a line that is stored in parts, with other lines between them, is taken up again. */
static const double TILE_COST = 2, WIDE_SHUFFLE = 2.5, PART_COST = 1;
enum { SHUFFLE_BYTES = 32 };
/* Code must be compiled: doubling a tile is worth it for more than this share of the run time. */
static const double SIZE_COST = 0.04;

static double passes_of(const aic_move *move, const aic_move_plan *p)
{
    double passes = 0;
    if (p->tile.unit > 0) { /* half of one for every bit of a turn, and one that puts lanes in order */
        const int64_t odd = p->tile.cols % 2 != 0 ? p->tile.cols : p->tile.rows;
        return log2((double)aic_power_within(odd)) / 2 + 1;
    }
    int64_t rows = p->tile.rows < 16 / move->size ? p->tile.rows : 16 / move->size;
    for (; p->transposes && p->tile.cols > 1 && rows > 1; rows /= 2) {
        passes++;
    }
    return p->vector > SHUFFLE_BYTES ? passes * WIDE_SHUFFLE : passes;
}

/* Lanes that are put into registers behind the first one, where columns are gathered; the others are made up for by
 * wide stores of columns. */
static double lanes_of(const aic_move_plan *p, double bytes)
{
    return p->tile.gather > 0 && p->tile.unit == 0 ? bytes / AIC_MOVE_LANE - bytes / (double)p->vector : 0;
}

/* Stores of lines that were begun before. */
static double parts_of(const aic_move *move, const aic_move_plan *p, double bytes)
{
    const double line = (double)p->machine->line_bytes, column = (double)(p->tile.rows * move->size);
    return p->transposes && p->tile.gather == 0 && p->read.out > p->tile.rows * move->size && column < line
               ? bytes / column - bytes / line
               : 0;
}

/* A load and a store of every vector, the shuffles of transpositions, and what a tile costs. */
static double predict_box(const aic_move *move, const aic_box *box, const aic_move_plan *p)
{
    double bytes = (double)aic_box_bytes(move, box), run = (double)(p->transposes ? move->size : p->run);
    double tile = p->chunk != 0 ? (double)p->chunk : (double)(p->tile.rows * p->tile.cols) * run;
    double access = (double)p->vector;
    if (p->transposes) {
        int64_t column = p->tile.unit > 0 ? p->tile.unit : p->tile.rows * move->size;
        access = column < 16 || column > p->vector ? access : (double)column;
    } else if (p->run < p->vector) {
        access = run;
    }
    const bool odd = p->transposes && !aic_is_power(p->tile.rows) && p->tile.unit == 0 &&
                     p->tile.cols * move->size > AIC_MOVE_LANE; /* stores of a lane */
    const double stores = odd ? bytes / AIC_MOVE_LANE : bytes / access,
                 loads = odd ? bytes / (double)p->vector : stores;
    const double loaded = p->follow.extent > 1 ? (double)p->tile.cols / (double)aic_move_columns(p) : 1;
    double cost = loads * loaded + stores + bytes * loaded / (double)p->vector * passes_of(move, p) +
                  lanes_of(p, bytes) + bytes / tile * TILE_COST + parts_of(move, p, bytes) * PART_COST;
    return cost * (1 + SIZE_COST * log2(tile / run));
}

double aic_move_cost(const aic_move *move, const aic_move_derived *derived)
{
    double cost = 0;
    for (unsigned i = 0; i < move->boxes; i++) {
        cost += predict_box(move, &move->box[i], &derived->box[i]);
    }
    return cost;
}

/* A walk through the schedules of a plan. */
typedef struct walk {
    aic_plan *plan;
    const aic_move *move;
    const aic_visitor *visitor;
    bool ended;
} walk;

static void offer(walk *w, const aic_move_schedule *schedule)
{
    w->ended = w->ended || !aic_plan_offer(w->plan, schedule, sizeof *schedule, w->visitor);
}

/* Columns that fill a vector's lanes when `rows` rows leave some free. */
static int64_t columns_for(int64_t rows, int64_t vector, int64_t size)
{
    int64_t lanes = vector / 16, down = rows * size / 16;
    down = down < 1 ? 1 : down;
    return 16 / size * (down < lanes ? lanes / down : 1);
}

/* Whether a loop outside of the tiles has shorter steps in the input than they have from row to row: its next tiles
 * share lines with these, which a longer band would push out. */
static bool goes_between(const aic_move_plan *widest)
{
    bool between = widest->near.extent > 1 && llabs(widest->near.in[0]) < llabs(widest->write.in[0]);
    for (unsigned i = 0; i < widest->box.dims; i++) {
        between = between || llabs(widest->box.dim[i].in[0]) < llabs(widest->write.in[0]);
    }
    return between;
}

/* Where columns share fewer sets of the first-level cache than rows, lines of many of them push each other out before
 * the lines behind them are written. Bands are longer there: two lines, or where columns share one or two sets, an
 * eighth of the cache. Where the cache does not hold as many rows meanwhile, tiles take half a line of each. */
static void lengthen_band(aic_move_schedule *s, const aic_move_plan *widest, int64_t size)
{
    enum { LINES = 2, EIGHTH = 8, FEW = 2, SOME = 4 };
    const aic_machine *machine = widest->machine;
    const int64_t ways = machine->l1_ways, columns = aic_move_lines_held(machine, widest->read.out),
                  rows = aic_move_lines_held(machine, widest->write.in[0]);
    if (machine->run_lines == 1 || widest->next.extent > 1 || goes_between(widest) || columns > SOME * ways ||
        columns > widest->read.extent || columns >= rows) {
        return;
    }
    if (columns > FEW * ways) {
        s->band = aic_most(s->band, LINES * machine->line_bytes / size);
        return;
    }
    const int64_t part = machine->l1_bytes / EIGHTH / size;
    if (part / s->cols > rows) {
        s->cols = machine->line_bytes / (2 * size);
    }
    s->band = aic_most(s->band, aic_power_within(part / s->cols));
}

/* Columns that begin anywhere in a line are stored to it in parts: bands are as long as a few lines of a column, so
 * that the parts follow each other, as far as a quarter of the first-level cache holds the rows' lines meanwhile. Where
 * such a band is not all rows, and rows are short, what ends in the middle of a line at its sides is as much as before.
 */
static void complete_lines(aic_move_schedule *s, const aic_move_plan *widest, int64_t size)
{
    enum { LINES = 4, QUARTER = 4, SHORT = 8 };
    const aic_machine *machine = widest->machine;
    const int64_t line = machine->line_bytes, read = widest->read.extent * size,
                  rows = aic_power_within(aic_least(LINES * line / size, machine->l1_bytes / QUARTER / line)),
                  held = aic_move_lines_held(machine, widest->write.in[0]);
    const bool alone = widest->next.extent == 1 && widest->follow.extent == 1 && widest->tile.unit == 0,
               anywhere = widest->read.out >= line && widest->read.out % (line / 2) != 0,
               all = widest->write.extent <= rows;
    if (machine->run_lines > 1 && alone && anywhere && !goes_between(widest) &&
        (all ? read > line && widest->write.extent <= 2 * held : read >= SHORT * line && rows <= held)) {
        s->band = aic_most(s->band, rows);
    }
}

static void offer_transpositions(walk *w, const aic_move_plan *widest, int64_t vector)
{
    /* Bands fill the output's lines while those of the input that are read in part stay in the first-level cache. */
    const int64_t size = w->move->size, line = widest->machine->line_bytes;
    const bool is_power = aic_is_power(widest->tile.rows);
    aic_move_schedule s = {.vector = vector, .unroll = 4};
    s.rows = widest->tile.rows * size < vector ? widest->tile.rows : vector / size;
    s.cols = is_power ? columns_for(s.rows, vector, size) : vector / size;
    s.rows = is_power ? s.rows : WIDEST.rows;
    s.band = s.rows * size < line ? line / size : s.rows;
    if (widest->follow.extent > 1 && 2 * widest->read.extent * size > AIC_MOVE_LANE) {
        s.cols = WIDEST.cols; /* fewer load more in vain */
    }
    lengthen_band(&s, widest, size);
    complete_lines(&s, widest, size);
    offer(w, &s);
    s.cols *= s.cols < WIDEST.cols ? 2 : 1;
    offer(w, &s);
    s.band *= 4;
    offer(w, &s);
}

static void offer_runs(walk *w, int64_t vector)
{
    static const struct {
        int64_t rows, cols, band;
    } TILES[] = {{4, 4, 16}, {4, 8, 16}, {2, 2, 16}, {4, 4, 64}};
    for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++) {
        const aic_move_schedule s = {
            .rows = TILES[i].rows, .cols = TILES[i].cols, .vector = vector, .unroll = 4, .band = TILES[i].band};
        offer(w, &s);
    }
}

/* Every tile with the bands of one, four and sixteen of them. */
static void offer_all(walk *w, int64_t vector)
{
    enum { TILE_MAX = 64, UNROLL_MAX = 16, BANDS = 3 };
    aic_move_schedule s = {.vector = vector};
    for (s.rows = 1; s.rows <= TILE_MAX; s.rows *= 2) {
        for (s.cols = 1; s.cols <= TILE_MAX; s.cols *= 2) {
            for (s.unroll = 1; s.unroll <= UNROLL_MAX; s.unroll *= 2) {
                s.band = s.rows;
                for (int i = 0; i < BANDS && !w->ended; i++, s.band *= 4) {
                    offer(w, &s);
                }
            }
        }
    }
}

void aic_move_enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    walk w = {.plan = plan, .move = aic_move_of(plan), .visitor = visitor};
    aic_move_plan widest;
    aic_move_plan_make(w.move, main_box(w.move), &WIDEST, plan->problem.target, plan->problem.machine, &widest);
    for (int64_t vector = 16; vector <= plan->problem.target->vector_bits / 8; vector *= 2) {
        if (space == AIC_SPACE_LEGAL) {
            offer_all(&w, vector);
        } else if (widest.transposes) {
            offer_transpositions(&w, &widest, vector);
        } else {
            offer_runs(&w, vector);
        }
    }
}

double aic_move_bound(const aic_plan *plan)
{
    const aic_move *move = aic_move_of(plan);
    double bytes = 0;
    for (unsigned i = 0; i < move->boxes; i++) {
        const aic_box *box = &move->box[i];
        bytes += (double)aic_box_bytes(move, box) * (1 + aic_box_op_inputs(box->op));
    }
    return bytes * 8 / plan->problem.target->vector_bits;
}

/* ---- the report ---- */

static void report_dim(FILE *out, const char *name, const aic_box_dim *d, unsigned inputs)
{
    fprintf(out, "  %-6s %8lld, output +%lld", name, (long long)d->extent, (long long)d->out);
    for (unsigned k = 0; k < inputs; k++) {
        fprintf(out, ", input +%lld", (long long)d->in[k]);
    }
    fprintf(out, "\n");
}

static void report_box(FILE *out, const aic_move *move, const aic_box *box, const aic_move_plan *p)
{
    unsigned inputs = aic_box_op_inputs(box->op);
    fprintf(out, "%s of %lld bytes; dimensions and their steps in bytes:\n", aic_box_op_name(box->op),
            (long long)aic_box_bytes(move, box));
    for (unsigned i = 0; i < p->box.dims; i++) {
        report_dim(out, "loop", &p->box.dim[i], inputs);
    }
    report_dim(out, "write", &p->write, inputs);
    report_dim(out, "read", &p->read, inputs);
    if (p->follow.extent > 1) {
        report_dim(out, "follow", &p->follow, inputs);
    }
    if (p->transposes) {
        fprintf(out, "  transposes tiles of %lld x %lld elements", (long long)p->tile.rows, (long long)p->tile.cols);
        if (p->rows_valid < p->write.extent) {
            fprintf(out, ", %lld rows read", (long long)p->rows_valid);
        }
        if (p->tile.unit > 0) {
            fprintf(out, ", turned within %lld bytes", (long long)p->tile.unit);
        }
        if (p->tile.gather > 0) {
            fprintf(out, ", gathers %lld bytes of a column", (long long)p->tile.gather);
        }
        fprintf(out, "\n");
    } else {
        fprintf(out, "  moves %lld x %lld runs of %lld bytes, %lld of them read\n", (long long)p->tile.rows,
                (long long)p->tile.cols, (long long)p->run, (long long)(inputs == 0 ? 0 : p->run_valid));
    }
}

void aic_move_report(FILE *out, const aic_plan *plan)
{
    const aic_move *move = aic_move_of(plan);
    aic_explain_vectors(out, plan->problem.target);
    for (unsigned i = 0; i < move->boxes; i++) {
        report_box(out, move, &move->box[i], &((const aic_move_derived *)plan->derived)->box[i]);
    }
}

/* ---- loops ---- */

/* The tiles within the box's dimensions, in the order of move_emit.c. */
static void nest_tiles(FILE *out, int depth, const aic_move *move, const aic_move_plan *p)
{
    const bool nexts = p->next.extent > 1;
    const bool follows = p->follow.extent > 1;
    const int64_t along = nexts ? p->next.extent : p->write.extent,
                  column = p->tile.stage != 0 ? p->tile.stage : p->tile.cols;
    if (p->near.extent > 1) {
        aic_nest_line(out, depth++, "step of the burst", p->burst, "output +%lld bytes", (long long)p->near.out);
    }
    aic_nest_line(out, depth++, "band", aic_parts(along, p->tile.band), "%lld of %lld indices of the output",
                  (long long)(p->tile.band < along ? p->tile.band : along), (long long)along);
    aic_nest_line(out, depth++, "tile along the input",
                  follows ? aic_parts(p->follow.extent, p->tile.follow_count) : aic_parts(p->read.extent, column),
                  "%lld indices of the input", (long long)(follows ? aic_move_columns(p) : column));
    aic_nest_line(
        out, depth, "tile along the output",
        aic_parts(p->tile.band < along ? p->tile.band : along, nexts ? p->tile.next_count : p->tile.rows),
        p->transposes ? "transposes %lld x %lld elements of %lld bytes" : "moves %lld x %lld runs of %lld bytes",
        (long long)p->tile.rows, (long long)p->tile.cols, p->transposes ? (long long)move->size : (long long)p->run);
}

void aic_move_nest(FILE *out, const aic_plan *plan)
{
    const aic_move *move = aic_move_of(plan);
    for (unsigned i = 0; i < move->boxes; i++) {
        const aic_move_plan *p = &((const aic_move_derived *)plan->derived)->box[i];
        int depth = 0;
        if (p->near.extent > 1) {
            aic_nest_line(out, depth++, "burst", aic_parts(p->near.extent, p->burst),
                          "%lld neighbouring runs of the input", (long long)p->burst);
        }
        for (unsigned k = 0; k < p->box.dims; k++) {
            aic_nest_line(out, depth++, "dimension", p->box.dim[k].extent, "output +%lld bytes",
                          (long long)p->box.dim[k].out);
        }
        nest_tiles(out, depth, move, p);
    }
}
