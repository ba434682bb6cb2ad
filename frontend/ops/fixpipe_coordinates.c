/* fixpipe: coordinates of its operands (AscendC Fixpipe). */
#include "frontend/ops/fixpipe.h"

enum { DST, SRC, WORDS }; /* in calling order */

/* Blocks of columns that are `block` elements apart; rows of the last one, which may be narrower, are `tail` apart. */
static void add_blocks(aic_coordinates *c, const aic_fixpipe_desc *desc, const aic_fixpipe_strides *to, int64_t columns)
{
    const int64_t count = (columns + to->width - 1) / to->width, last = columns - (count - 1) * to->width;
    aic_axis_add(c, "C1", count, to->block);
    aic_axis_add(c, "row", desc->mSize, to->row);
    aic_axis_add(c, "C0", to->width, 1);
    c->tail = last != to->width ? last : 0;
    c->tail_pitch = to->tail;
}

void aic_fixpipe_coordinates(const void *descriptor, const aic_semantics *semantics, int operand, aic_coordinates *c)
{
    (void)semantics;
    const aic_fixpipe_desc *desc = descriptor;
    aic_fixpipe_strides to = aic_fixpipe_strides_of(desc);
    const bool several = aic_fixpipe_has_matrices(desc);
    if (operand == WORDS) {
        AIC_AXES_NAME(c, "column");
    } else if (operand == DST && desc->format == AIC_FORMAT_NZ) {
        add_blocks(c, desc, &to, desc->nSize + (aic_fixpipe_fills(desc) ? 16 : 0));
    } else {
        const int64_t matrix = operand == DST ? to.matrix : desc->srcNdStride * 256;
        if (several) {
            aic_axis_add(c, "matrix", to.matrices, matrix);
        }
        if (operand == DST) {
            aic_axis_add(c, "row", desc->mSize, to.row);
            aic_axis_add(c, "column", desc->nSize, 1);
        } else {
            to = (aic_fixpipe_strides){.width = 16, .block = desc->srcStride * 16, .row = 16, .tail = 16};
            add_blocks(c, desc, &to, desc->nSize);
        }
    }
}
