/* Where nd2nz, load_data and load_data_transpose take an element from (AscendC Fixpipe, sections 7.1 to 7.3). A fractal
 * has 16 rows of 32 bytes. */
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
    const int64_t c0 = ROW_BYTES / (int64_t)aic_dtype_size(desc->dtype);
    int64_t at[AIC_AXES_MAX];
    if (!aic_trace_find(t, element, at)) {
        return aic_trace_unwritten(t, "it lies between rows, blocks or matrices");
    }
    const int64_t *block = &at[t->output.rank - 3]; /* behind the matrix, where there are several */
    const int64_t matrix = t->output.rank > 3 ? at[0] : 0, row = block[1], column = block[0] * c0 + block[2];
    t->channel = column;
    aic_trace_put(t, "nd2nz, matrix %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", matrix, row, column);
    if (column >= desc->dValue) {
        aic_trace_event(t, AIC_EVENT_PADDING, true);
        aic_trace_step(t, AIC_STEP_COLUMN_PADDING, "padding", "0: src has %" PRId64 " columns", desc->dValue);
        *bits = 0;
        return true;
    }
    *bits = copied(t, AIC_STEP_MOVE, desc->dtype, operands,
                   matrix * desc->srcNdMatrixStride + row * desc->srcDValue + column);
    return true;
}

bool aic_trace_load_data(aic_tracer *t, const aic_load_data_desc *desc, void *const operands[], int64_t element,
                         uint64_t *bits)
{
    const int64_t width = ROW_BYTES / (int64_t)aic_dtype_size(desc->dtype), fractal = ROWS * width;
    int64_t at[AIC_AXES_MAX];
    if (!aic_trace_find(t, element, at)) {
        return aic_trace_unwritten(t, "it lies in the gap behind a fractal");
    }
    const int64_t i = at[0], row = at[1], column = at[2];
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
    const int64_t fractals = size == 2 ? 1 : 2;
    int64_t at[AIC_AXES_MAX];
    if (!aic_trace_find(t, element, at)) {
        return aic_trace_unwritten(t, "it lies in the gap behind a fractal");
    }
    const int64_t i = at[0], second = fractals > 1 ? at[1] : 0, *cell = &at[fractals > 1 ? 2 : 1];
    const int64_t r = cell[0] + (size == 1 ? second * ROWS : 0);
    const int64_t c = cell[1] + (size == 4 ? second * width : 0);
    const place source = place_of(width, c, r);
    const int64_t from = (desc->startIndex + i * desc->srcStride) * fractals + source.fractal;
    aic_trace_put(t, "load_data_transpose, square %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", i, r, c);
    aic_trace_event(t, AIC_EVENT_INVALID_READ, i + 1 == desc->repeatTimes && c > 0);
    *bits = copied(t, AIC_STEP_MOVE, desc->dtype, operands, from * fractal + source.cell);
    return true;
}
