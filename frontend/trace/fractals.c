/* Where nd2nz, load_data and load_data_transpose take an element from (AscendC Fixpipe, sections 7.1 to 7.3). A fractal
 * has 16 rows of 32 bytes. */
#include "frontend/trace/address.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>

enum { ROWS = 16, ROW_BYTES = 32, SRC = 1 };

/* The element of src that is copied. */
static uint64_t copied(aic_tracer *t, aic_step step, aic_dtype dtype, void *const operands[], int64_t from)
{
    const uint64_t bits = aic_trace_load(t, dtype, operands[SRC], from);
    aic_trace_source(t, from);
    aic_trace_step(t, step, "copied", "%s = %s", aic_trace_place(t, SRC, from).text,
                   aic_trace_element(t, dtype, bits).text);
    return bits;
}

bool aic_trace_nd2nz(aic_tracer *t, const aic_nd2nz_desc *desc, void *const operands[], int64_t element, uint64_t *bits)
{
    enum { BLOCK, ROW, MATRIX, COLUMN };
    const int64_t c0 = ROW_BYTES / (int64_t)aic_dtype_size(desc->dtype);
    const int64_t sizes[] = {(desc->dValue + c0 - 1) / c0, desc->nValue, desc->ndNum, c0};
    const int64_t strides[] = {desc->dstNzC0Stride * c0, desc->dstNzNStride * c0, desc->dstNzMatrixStride, 1};
    int64_t at[AIC_TRACE_NESTED_MAX];
    if (!aic_trace_nested(element, AIC_TRACE_NESTED_MAX, sizes, strides, at)) {
        return aic_trace_unwritten(t, "it lies between rows, blocks or matrices");
    }
    const int64_t column = at[BLOCK] * c0 + at[COLUMN];
    t->channel = column;
    aic_trace_put(t, "nd2nz, matrix %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", at[MATRIX], at[ROW], column);
    if (column >= desc->dValue) {
        aic_trace_event(t, AIC_EVENT_PADDING, true);
        aic_trace_step(t, AIC_STEP_COLUMN_PADDING, "padding", "0: src has %" PRId64 " columns", desc->dValue);
        *bits = 0;
        return true;
    }
    *bits = copied(t, AIC_STEP_MOVE, desc->dtype, operands,
                   at[MATRIX] * desc->srcNdMatrixStride + at[ROW] * desc->srcDValue + column);
    return true;
}

bool aic_trace_load_data(aic_tracer *t, const aic_load_data_desc *desc, void *const operands[], int64_t element,
                         uint64_t *bits)
{
    const int64_t width = ROW_BYTES / (int64_t)aic_dtype_size(desc->dtype), fractal = ROWS * width;
    const int64_t step = (desc->dstGap + 1) * fractal, i = element / step, cell = element % step;
    if (cell >= fractal) { /* none is behind the last one */
        return aic_trace_unwritten(t, "it lies in the gap behind a fractal");
    }
    const int64_t row = cell / width, column = cell % width;
    const int64_t from_row = desc->ifTranspose ? column : row, from_column = desc->ifTranspose ? row : column;
    const int64_t number = desc->startIndex + i * desc->srcStride;
    const bool last = i + 1 == desc->repeatTimes;
    aic_trace_put(t, "load_data, fractal %" PRId64 ", row %" PRId64 ", column %" PRId64 "%s:\n", i, row, column,
                  desc->ifTranspose ? ", transposed" : "");
    aic_trace_event(t, AIC_EVENT_INVALID_READ, last && from_row > 0);
    *bits = copied(t, AIC_STEP_MOVE, desc->dtype, operands, number * fractal + from_row * width + from_column);
    return true;
}

/* The cell of row r and column c of a square, from its first fractal on. */
typedef struct place {
    int64_t fractal, cell;
} place;

/* Two fractals of bytes lie below each other, those of words side by side. */
static place place_of(int64_t width, int64_t r, int64_t c)
{
    return (place){r / ROWS + c / width, r % ROWS * width + c % width};
}

bool aic_trace_load_data_transpose(aic_tracer *t, const aic_load_data_transpose_desc *desc, void *const operands[],
                                   int64_t element, uint64_t *bits)
{
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype), width = ROW_BYTES / size, fractal = ROWS * width;
    const int64_t fractals = size == 2 ? 1 : 2, number = element / fractal, cell = element % fractal;
    int64_t i = 0, second = 0;
    bool found = false;
    for (; second < fractals && !found; second += !found) {
        const int64_t first = number - second * (desc->dstFracGap + 1);
        i = first / (desc->dstGap + 1);
        found = first >= 0 && first % (desc->dstGap + 1) == 0 && i < desc->repeatTimes;
    }
    if (!found) {
        return aic_trace_unwritten(t, "it lies in the gap behind a fractal");
    }
    const int64_t r = cell / width + (size == 1 ? second * ROWS : 0);
    const int64_t c = cell % width + (size == 4 ? second * width : 0);
    const place source = place_of(width, c, r);
    const int64_t from = (desc->startIndex + i * desc->srcStride) * fractals + source.fractal;
    aic_trace_put(t, "load_data_transpose, square %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", i, r, c);
    aic_trace_event(t, AIC_EVENT_INVALID_READ, i + 1 == desc->repeatTimes && c > 0);
    *bits = copied(t, AIC_STEP_MOVE, desc->dtype, operands, from * fractal + source.cell);
    return true;
}
