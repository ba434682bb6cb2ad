/* Elements with gaps between them, as a batch of less than four has in 4N: a few elements, then as many bytes as make a
 * power of two that another batch would have. Moved one by one they cost an instruction each, so they become tiles of
 * all that a gap and its elements could hold: what lies in gaps of the input is read and not stored, gaps of the output
 * keep their value, as a mask leaves them out. */
#include "codegen/integer.h"
#include "codegen/loops/move.h"

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
