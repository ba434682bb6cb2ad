/* load_data_transpose as a move of squares (AscendC Fixpipe). */
#include "codegen/loops/move.h"

enum { FRACTAL_BYTES = 512, ROW_BYTES = 32, ROWS = 16 };

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    const aic_load_data_transpose_desc *d = desc;
    int64_t size = (int64_t)aic_dtype_size(d->dtype), fractals = size == 2 ? 1 : 2;
    int64_t side = size == 1 ? 32 : 16, next = (d->dstFracGap + 1) * FRACTAL_BYTES;
    const aic_blocked_stride row = {1, ROW_BYTES, 0};
    /* The fractals of a square lie below each other, of 4-byte elements side by side. */
    const aic_blocked_stride in_column =
        size == 4 ? (aic_blocked_stride){8, FRACTAL_BYTES, size} : (aic_blocked_stride){1, size, 0};
    const aic_blocked_stride out_row = size == 1 ? (aic_blocked_stride){ROWS, next, ROW_BYTES} : row;
    const aic_blocked_stride out_column =
        size == 4 ? (aic_blocked_stride){8, next, size} : (aic_blocked_stride){1, size, 0};
    const aic_move_axis dims[] = {
        {d->repeatTimes,
         {1, (d->dstGap + 1) * FRACTAL_BYTES, 0},
         {1, d->srcStride * fractals * FRACTAL_BYTES, 0},
         false},
        {side, out_row, in_column, false},
        {side, out_column, row, false},
    };
    if (d->repeatTimes == 0) {
        aic_work_empty(work);
        return;
    }
    aic_move *move = aic_move_begin(work);
    aic_move_describe(move, (unsigned)size, dims, sizeof dims / sizeof *dims);
    aic_move_shift_input(move, d->startIndex * fractals * FRACTAL_BYTES);
}

const aic_generator aic_generator_load_data_transpose = {.describe = describe};
