/* What texpands fills (PTO ISA TEXPANDS, operation; data layouts, section 8). */
#include "frontend/ops/texpands.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>

enum { SCALAR = 1, V_ROW, V_COL };

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
        int64_t at[AIC_AXES_MAX];
        (void)aic_trace_find(t, element, at); /* a tile has no gaps */
        const int64_t row = at[0], column = at[1];
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
    } else if (element >= aic_texpands_filled(desc)) {
        return aic_trace_unwritten(t, "it is behind the shape's %" PRId64 " elements", aic_texpands_filled(desc));
    } else {
        aic_trace_put(t, "texpands, element %" PRId64 ":\n", element);
    }
    *bits = aic_trace_load(t, desc->dtype, desc->literal == AIC_NOT_GIVEN ? operands[SCALAR] : &desc->literal, 0);
    aic_trace_step(t, step, desc->literal == AIC_NOT_GIVEN ? "scalar" : "literal", "%s",
                   aic_trace_element(t, desc->dtype, *bits).text);
    return true;
}
