/* transdata's plain-C reference: every element by the index formulas of its two layouts. It shares nothing with the
 * generator. Written to be read, not to be fast. */
#include "frontend/ops/transdata.h"

#include "frontend/layout/fractal.h"
#include "frontend/layout/layout.h"

#include <string.h>

static void clear(const aic_transdata_desc *desc, const aic_tensor *tensor, void *dst)
{
    int64_t dims[AIC_RANK_MAX];
    const int32_t rank = aic_layout_get(desc->dst)->dims(tensor, dims);
    size_t bytes = aic_dtype_size(desc->dtype);
    for (int32_t d = 0; d < rank; d++) {
        bytes *= (size_t)dims[d];
    }
    memset(dst, 0, bytes);
}

/* The next element, the last dimension first; false after the last one. */
static bool advance(const aic_tensor *tensor, int64_t at[AIC_TENSOR_RANK_MAX])
{
    for (int d = AIC_TENSOR_RANK_MAX - 1; d >= 0; d--) {
        if (++at[d] < tensor->size[d]) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

aic_status aic_transdata_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    (void)semantics;
    const aic_transdata_desc *desc = descriptor;
    const aic_tensor tensor = aic_transdata_tensor(desc);
    const aic_layout_info *dst = aic_layout_get(desc->dst), *src = aic_layout_get(desc->src);
    int64_t at[AIC_TENSOR_RANK_MAX] = {0};
    if (dst->padded) {
        clear(desc, &tensor, operands[0]);
    }
    do {
        aic_move_element(desc->dtype, operands[0], dst->cell(&tensor, at), operands[1], src->cell(&tensor, at));
    } while (advance(&tensor, at));
    return AIC_OK;
}
