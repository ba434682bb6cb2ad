/* nd2nz as a move (AscendC Fixpipe). */
#include "codegen/loops/move.h"

enum { ROW_BYTES = 32 };

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    const aic_nd2nz_desc *d = desc;
    int64_t size = (int64_t)aic_dtype_size(d->dtype);
    const aic_move_axis dims[] = {
        {d->ndNum, {1, d->dstNzMatrixStride * size, 0}, {1, d->srcNdMatrixStride * size, 0}, false},
        {d->nValue, {1, d->dstNzNStride * ROW_BYTES, 0}, {1, d->srcDValue * size, 0}, false},
        {d->dValue, {ROW_BYTES / size, d->dstNzC0Stride * ROW_BYTES, size}, {1, size, 0}, true},
    };
    if (d->ndNum == 0 || d->nValue == 0 || d->dValue == 0) {
        aic_work_empty(work);
        return;
    }
    aic_move_describe(aic_move_begin(work), (unsigned)size, dims, sizeof dims / sizeof *dims);
}

const aic_generator aic_generator_nd2nz = {.describe = describe};
