/* transdata as a move between two layouts (data layouts). */
#include "codegen/loops/move.h"
#include "frontend/layout/layout.h"

#include <string.h>

/* In bytes. */
static aic_blocked_stride in_bytes(const aic_layout_stride *p, int64_t size)
{
    return (aic_blocked_stride){.block = p->block, .outer = p->outer * size, .inner = p->inner * size};
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)semantics;
    const aic_transdata_desc *d = desc;
    const char *letters = aic_layout_shape_letters(d->src, d->dst);
    const aic_layout_info *dst = aic_layout_get(d->dst);
    const int64_t size = (int64_t)aic_dtype_size(d->dtype);
    const aic_tensor tensor = aic_transdata_tensor(d);
    aic_layout_stride in[AIC_TENSOR_RANK_MAX], out[AIC_TENSOR_RANK_MAX];
    aic_move_axis dims[AIC_TENSOR_RANK_MAX];
    unsigned count = (unsigned)strlen(letters);
    aic_layout_strides(d->src, &tensor, in);
    aic_layout_strides(d->dst, &tensor, out);
    for (unsigned k = 0; k < count; k++) {
        const size_t i = (size_t)(strchr(dst->tensor, letters[k]) - dst->tensor);
        dims[k] = (aic_move_axis){d->shape[k], in_bytes(&out[i], size), in_bytes(&in[i], size), dst->padded};
    }
    aic_move_describe(aic_move_begin(work), (unsigned)size, dims, count);
}

const aic_generator aic_generator_transdata = {.describe = describe};
