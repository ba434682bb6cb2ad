/* What texpands fills (PTO ISA TEXPANDS, operation; data layouts, section 8). */
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <string.h>

enum { SCALAR = 1, V_ROW, V_COL };

/* Row and column of a storage element of a tile in boxes. */
static void find(const aic_texpands_desc *desc, int64_t element, int64_t *row, int64_t *column)
{
    const int64_t narrow = desc->fractal == 1024 ? 16 : 32 / (int64_t)aic_dtype_size(desc->dtype);
    const bool boxed = desc->slayout != AIC_SLAYOUT_NONE_BOX, down = desc->slayout == AIC_SLAYOUT_COL_MAJOR;
    const int64_t rows = !boxed ? 1 : down ? narrow : 16, cols = !boxed ? 1 : down ? 16 : narrow;
    const int64_t box = element / (rows * cols), within = element % (rows * cols);
    const bool across = desc->blayout == AIC_BLAYOUT_ROW_MAJOR; /* boxes of a row of boxes follow each other */
    const int64_t line = across ? desc->cols / cols : desc->rows / rows;
    *row = (across ? box / line : box % line) * rows + (down ? within % rows : within / cols);
    *column = (across ? box % line : box / line) * cols + (down ? within / rows : within % cols);
}

/* Elements of a ConvTile's shape, whose dimensions end before the first 0. */
static int64_t elements_of(const aic_texpands_desc *desc)
{
    int64_t elements = 1;
    for (size_t i = 0; i < sizeof desc->shape / sizeof desc->shape[0] && desc->shape[i] != 0; i++) {
        elements *= desc->shape[i];
    }
    return elements;
}

/* A valid size: static, or what the call gives. */
static int64_t size_of(const aic_tracer *t, int64_t size, void *const operands[], int operand)
{
    return size != AIC_DYNAMIC ? size : (int64_t)(int32_t)aic_trace_load(t, AIC_INT32, operands[operand], 0);
}

bool aic_trace_texpands(aic_tracer *t, const aic_texpands_desc *desc, void *const operands[], int64_t element,
                        uint64_t *bits)
{
    const bool tile = desc->layout == AIC_LAYOUT_ND, vec = desc->loc == AIC_LOC_VEC;
    aic_step step = AIC_STEP_FILL;
    if (tile) {
        int64_t row, column;
        find(desc, element, &row, &column);
        t->channel = column;
        step = vec ? step : AIC_STEP_FILL_MAT;
        aic_trace_put(t, "texpands, row %" PRId64 ", column %" PRId64 ":\n", row, column);
        if (vec || t->semantics->mat_valid == AIC_MAT_VALID_VALID) {
            const int64_t rows = size_of(t, desc->v_row, operands, V_ROW),
                          columns = size_of(t, desc->v_col, operands, V_COL);
            if (row >= rows || column >= columns) {
                return aic_trace_unwritten(t, "the valid region is %" PRId64 " x %" PRId64, rows, columns);
            }
        }
    } else if (element >= elements_of(desc)) {
        return aic_trace_unwritten(t, "it is behind the shape's %" PRId64 " elements", elements_of(desc));
    } else {
        aic_trace_put(t, "texpands, element %" PRId64 ":\n", element);
    }
    *bits = aic_trace_load(t, desc->dtype, desc->literal == AIC_NOT_GIVEN ? operands[SCALAR] : &desc->literal, 0);
    aic_trace_step(t, step, desc->literal == AIC_NOT_GIVEN ? "scalar" : "literal", "%s",
                   aic_trace_element(t, desc->dtype, *bits).text);
    return true;
}
