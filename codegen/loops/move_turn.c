/* Plans of tiles of an odd number of rows or columns that follow each other; parts/move_turn.c says how they are moved.
 */
#include "codegen/integer.h"
#include "codegen/loops/move.h"

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
