/* Lines of a tile that share sets of the first-level cache: those of rows are copied aside before they are transposed,
 * those of columns are gathered before they are written. */
#include "codegen/integer.h"
#include "codegen/loops/move.h"
#include "codegen/machine.h"

#include <stdint.h>

/* Sets of the first-level cache, of l1_ways lines each. */
static int64_t l1_sets(const aic_machine *machine)
{
    return machine->l1_bytes / (machine->line_bytes * machine->l1_ways);
}

int64_t aic_move_lines_held(const aic_machine *machine, int64_t bytes)
{
    int64_t apart = bytes % machine->line_bytes == 0 ? bytes / machine->line_bytes : 1;
    int64_t used = l1_sets(machine);
    while (used > 1 && apart % 2 == 0) {
        apart /= 2;
        used /= 2;
    }
    return used * machine->l1_ways;
}

/* Whether lines of the tile's rows push each other out of the first-level cache: rows a multiple of many lines apart
 * share few of its sets. */
static bool rows_collide(const aic_move_plan *p)
{
    enum { ROWS_MAX = 64 };
    const aic_machine *machine = p->machine;
    const int64_t line = machine->line_bytes, sets = l1_sets(machine);
    int64_t most = 0, first[ROWS_MAX];
    if (p->write.in[0] % line != 0 || (p->tile.next_count > 1 && p->next.in[0] % line != 0) ||
        p->tile.rows > ROWS_MAX) {
        return false;
    }
    const int64_t group = p->tile.next_count > 1 ? p->write.extent : p->tile.rows;
    for (int64_t row = 0; row < p->tile.rows; row++) {
        int64_t same = 0;
        first[row] = (row / group * p->next.in[0] + row % group * p->write.in[0]) / line % sets;
        for (int64_t other = 0; other <= row; other++) {
            same += row % group < p->rows_valid && other % group < p->rows_valid && first[other] == first[row];
        }
        most = same > most ? same : most;
    }
    return most > machine->l1_ways;
}

/* Rows that collide are read whole lines at a time; in parts, a line would be gone before it is used up. As many lines
 * as the core likes, where their copies leave half of the first-level cache and the last tile does not repeat much; a
 * single one from memory, or where columns are parts of lines that the next tile along the output goes on with. */
int64_t aic_move_staged_columns(const aic_move_plan *p, unsigned size)
{
    const aic_machine *machine = p->machine;
    const int64_t columns = machine->line_bytes / size, extent = p->read.extent;
    if (p->tile.cols >= columns || extent < columns || !rows_collide(p)) {
        return 0;
    }
    int64_t lines = p->past || p->next.extent > 1 ? 1 : machine->run_lines;
    while (lines > 1 &&
           (lines * columns > extent || p->tile.rows * lines * machine->line_bytes > machine->l1_bytes / 2 ||
            aic_round_up(extent, lines * columns) - extent > extent / 8)) {
        lines /= 2;
    }
    return lines * columns;
}

/* The few rows of an odd `write` become a tile of as many indices of `next` as fill registers, in which rows of a
 * column are stored together, where not many are done twice. Those that are copied aside leave half of the first-level
 * cache; the places of others are as many numbers of the part. */
void aic_move_fill_registers(aic_move_plan *p, unsigned size)
{
    enum { WASTE = 8, ROWS_MAX = AIC_NUMBERS_MAX * 4 / 5 };
    enum { GROUP_MAX = 16 }; /* lane blocks of a tile are as many as rows of a group, at most */
    const int64_t group = p->write.extent, lane = AIC_MOVE_LANE / size;
    const bool aside = p->tile.stage > 0;
    const int64_t bytes = group * (aside ? p->tile.stage * size : 1),
                  most = aside ? p->machine->l1_bytes / 2 : ROWS_MAX;
    const int64_t done = p->next.extent + p->next.extent / WASTE;
    int64_t count = p->vector / size;
    while (count > lane && (count * bytes > most || aic_round_up(p->next.extent, count) > done)) {
        count /= 2;
    }
    if (!aic_is_power(group) && group <= GROUP_MAX && count <= p->next.extent && count * bytes <= most &&
        aic_round_up(p->next.extent, count) <= done) {
        p->tile.next_count = count;
        p->tile.rows = count * group;
        p->tile.cols = aic_least(lane, p->tile.cols);
    }
}

/* Whether lines of a tile's columns are more than the sets that they share hold: each waits for another to leave. */
bool aic_move_columns_collide(const aic_move_plan *p)
{
    return p->read.extent > aic_move_lines_held(p->machine, p->read.out);
}

/* Adds the lines that a tile stores to in a column of `read`, for so many indices of `follow`, to those of their sets;
 * returns the most lines of one. */
static int64_t count_lines(const aic_move_plan *p, int64_t column, const aic_box_dim *follow, int64_t count,
                           int64_t bytes, uint8_t *lines)
{
    const int64_t line = p->machine->line_bytes, sets = l1_sets(p->machine);
    int64_t most = 0, behind = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = column * p->read.out + i * follow->out;
        for (int64_t n = aic_most(at / line, behind); n <= (at + bytes - 1) / line; n++) {
            most = aic_most(most, ++lines[n % sets]);
            behind = n + 1;
        }
    }
    return most;
}

/* Columns of `read` that are nearly a multiple of all sets apart: those of the next indices of `follow` have the sets
 * of the neighbouring ones. Lines that are stored whole do not wait for what was in them; lanes that hold no index of
 * `read` alone, and rows that are gone from the cache before the next index is read, cost more than that. */
bool aic_move_parts_collide(const aic_move_plan *p, const aic_box_dim *follow, unsigned size, int64_t count,
                            int64_t rows)
{
    enum { SETS_MAX = 1024 };
    uint8_t lines[SETS_MAX] = {0};
    const aic_machine *machine = p->machine;
    const int64_t line = machine->line_bytes, bytes = aic_least(rows * size, line);
    const bool whole = bytes == line && p->read.out % line == 0 && follow->out % line == 0;
    int64_t most = 0;
    if (whole || l1_sets(machine) > SETS_MAX || aic_move_columns_collide(p) || p->read.extent * size > AIC_MOVE_LANE ||
        p->write.extent * line > machine->l1_bytes / 2) {
        return false;
    }
    for (int64_t column = 0; column < p->read.extent; column++) {
        most = aic_most(most, count_lines(p, column, follow, count, bytes, lines));
    }
    return most > machine->l1_ways;
}

/* Whether columns are gathered. Tiles with `follow`, and those that are turned, have all of a short `read`: pieces of a
 * few columns in turns, which are far apart. Past the caches only whole lines are written, which those tiles, and rows
 * of an odd `write`, are not. */
static bool gathers(const aic_move_plan *p, unsigned size)
{
    const bool turned = p->tile.unit > 0 && p->tile.cols % 2 != 0, follows = p->follow.extent > 1;
    const bool odd = p->next.extent > 1 && p->tile.stage > 0 && !aic_is_power(p->write.extent);
    return p->tile.rows * size >= AIC_MOVE_LANE &&
           (p->past ? turned || follows || odd : (turned || follows) && aic_move_columns_collide(p));
}

/* Bands of whole tiles whose columns are written one after the other: so many lines that those of a set are far enough
 * apart, two of a column at least, as lines come in pairs, and what half of the first-level cache holds. The last band
 * overlaps the one before. */
void aic_move_plan_gather(aic_move_plan *p, unsigned size)
{
    enum { APART = 8, PAIR = 2, WASTE = 8 };
    const aic_machine *machine = p->machine;
    const bool together = p->next.extent > 1;
    const aic_box_dim *along = together ? &p->next : &p->write;
    const int64_t step = together ? p->tile.next_count : p->tile.rows, tile = p->tile.rows * size;
    const int64_t columns = p->tile.stage > 0 ? p->tile.stage : p->tile.cols;
    const int64_t room = machine->l1_bytes / 2 - p->tile.rows * p->tile.stage * size;
    if (!gathers(p, size)) {
        return;
    }
    int64_t most = aic_most(PAIR, APART / p->tile.follow_count) * machine->line_bytes / tile, best = 1,
            least = INT64_MAX;
    most = aic_least(aic_least(most, room / (tile * columns)), along->extent / step);
    for (int64_t count = 1; count <= most; count++) {
        const int64_t done = aic_parts(along->extent, count * step) * count * step;
        if (done <= least || done <= along->extent + along->extent / WASTE) {
            best = count;
            least = done;
        }
    }
    p->tile.band = best * step;
    p->tile.gather = p->tile.band * along->out;
}

/* ---- tiles that turn ---- */

/* Plans of tiles of an odd number of rows or columns that follow each other; parts/move_turn.c says how they are moved.
 */

/* Whether so many vectors can be turned: an odd number of them that registers hold besides what is in the making. */
static bool can_turn(const aic_move_plan *p, int64_t extent)
{
    enum { BESIDES = 3 };
    return extent > 1 && extent % 2 != 0 &&
           extent <= aic_least(AIC_MOVE_ODD_MAX, p->target->vector_registers - BESIDES);
}

/* Bytes within which lanes may take any order in one instruction: all of a register for elements of four bytes, and of
 * two where there are masks, as the same cores have that. */
static int64_t unit_of(const aic_move_plan *p, unsigned size)
{
    const bool all = size >= 4 || (size >= 2 && aic_has_masks(p->target));
    return all ? p->vector : AIC_MOVE_LANE;
}

/* Plans tiles of an odd number of rows that follow each other in the output, or of columns that do in the input. */
bool aic_move_plan_turn(aic_move_plan *p, unsigned size, const aic_move_schedule *schedule)
{
    const aic_box_dim *write = &p->write, *read = &p->read;
    const bool joins = can_turn(p, write->extent) && read->out == write->extent * size;
    const bool almost = read->extent * size == AIC_MOVE_LANE - 1; /* a row that fills a lane as it is */
    const bool parts = can_turn(p, read->extent) && !almost && write->in[0] == read->extent * size;
    const int64_t along = joins ? read->extent : write->extent;
    if ((p->target->has & AIC_HAS_PERMUTE) == 0 || !(joins || parts) || p->rows_valid < write->extent ||
        along * size < AIC_MOVE_LANE) {
        return false;
    }
    p->vector = aic_least(p->vector, aic_power_within(along * size));
    if (joins && unit_of(p, size) < p->vector) { /* lanes are stored one by one, or two together */
        p->vector = aic_least(p->vector, 2 * unit_of(p, size));
    }
    const int64_t most = joins ? schedule->cols : schedule->rows, each = p->vector / size;
    const int64_t count = aic_least(aic_most(most, each), aic_power_within(along));
    p->tile.rows = joins ? write->extent : count;
    p->tile.cols = joins ? count : read->extent;
    p->tile.unit = unit_of(p, size);
    return true;
}

/* ---- elements with gaps between them ---- */

/* Elements with gaps between them, as a batch of less than four has in 4N: a few elements, then as many bytes as make a
 * power of two that another batch would have. Moved one by one they cost an instruction each, so they become tiles of
 * all that a gap and its elements could hold: what lies in gaps of the input is read and not stored, gaps of the output
 * keep their value, as a mask leaves them out. */

/* Whether elements that begin so many bytes apart, each of them and what follows it, share a lane. */
static bool shares_lanes(int64_t step, int64_t bytes)
{
    return aic_is_power(step) && step > bytes && step <= AIC_MOVE_LANE;
}

/* The dimension that goes over elements which are dense in the input and few in the output, or -1; those of `few`
 * follow each other in the output, where it is not -1. */
static int find_spread(const aic_box *box, unsigned size, int few)
{
    const int64_t bytes = few >= 0 ? box->dim[few].extent * size : size;
    for (unsigned i = 0; i < box->dims; i++) {
        if ((int)i != few && box->dim[i].in[0] == size && shares_lanes(box->dim[i].out, bytes)) {
            return (int)i;
        }
    }
    return -1;
}

int64_t aic_move_spread(aic_box *box, unsigned size, const aic_target *target)
{
    int few = -1;
    for (unsigned i = 0; i < box->dims; i++) {
        few = box->dim[i].out == size ? (int)i : few;
    }
    const int spread = find_spread(box, size, few);
    if (box->op != AIC_BOX_COPY || box->valid != 0 || !aic_has_masks(target) || spread < 0 ||
        (few < 0 && box->dims == AIC_BOX_DIMS)) {
        return 0;
    }
    if (few < 0) {
        few = (int)box->dims++;
        box->dim[few] = (aic_box_dim){.extent = 1, .out = size};
    }
    const int64_t stored = box->dim[few].extent;
    box->dim[few].extent = box->dim[spread].out / size;
    return stored;
}

int64_t aic_move_columns_apart(const aic_box_dim *write, int64_t columns, unsigned size)
{
    return shares_lanes(write->in[0], columns * size) ? write->in[0] / size : 0;
}
