/* load_data as a move of fractals (AscendC Fixpipe). */
#include "codegen/loops/move.h"

enum { FRACTAL_BYTES = 512, ROW_BYTES = 32, ROWS = 16 };

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    const aic_load_data_desc *d = desc;
    int64_t size = (int64_t)aic_dtype_size(d->dtype);
    const aic_blocked_stride row = {1, ROW_BYTES, 0}, element = {1, size, 0};
    const aic_move_axis dims[] = {
        {d->repeatTimes, {1, (d->dstGap + 1) * FRACTAL_BYTES, 0}, {1, d->srcStride * FRACTAL_BYTES, 0}, false},
        {ROWS, row, d->ifTranspose ? element : row, false},
        {ROW_BYTES / size, element, d->ifTranspose ? row : element, false}, /* transposed: 16 x 16 */
    };
    if (d->repeatTimes == 0) {
        aic_work_empty(work);
        return;
    }
    aic_move *move = aic_move_begin(work);
    aic_move_describe(move, (unsigned)size, dims, sizeof dims / sizeof *dims);
    aic_move_shift_input(move, d->startIndex * FRACTAL_BYTES);
}

const aic_generator aic_generator_load_data = {.describe = describe};
