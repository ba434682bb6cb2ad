/* Where transdata takes an element from: the indices of a cell of dst, and the cell of src that has them (data layouts,
 * sections 2 to 4 and 7). */
#include "frontend/layout/layout.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <string.h>

enum { SRC = 1 };

static int64_t cell_of(const aic_tensor *t, aic_layout layout, const int64_t at[AIC_TENSOR_RANK_MAX])
{
    aic_layout_stride stride[AIC_TENSOR_RANK_MAX];
    int64_t cell = 0;
    aic_layout_strides(layout, t, stride);
    for (int d = 0; d < AIC_TENSOR_RANK_MAX; d++) {
        cell += at[d] / stride[d].block * stride[d].outer + at[d] % stride[d].block * stride[d].inner;
    }
    return cell;
}

bool aic_trace_transdata(aic_tracer *t, const aic_transdata_desc *desc, void *const operands[], int64_t element,
                         uint64_t *bits)
{
    const aic_tensor whole = aic_transdata_tensor(desc);
    const aic_layout_info *dst = aic_layout_get(desc->dst);
    int64_t at[AIC_TENSOR_RANK_MAX];
    char where[96] = "";
    bool inside = true;
    aic_layout_indices(desc->dst, &whole, element, at);
    for (size_t d = 0; d < strlen(dst->tensor); d++) {
        inside = inside && at[d] < whole.size[d];
        aic_text_add(where, sizeof where, "%s%c %" PRId64, d == 0 ? "" : ", ", dst->tensor[d], at[d]);
    }
    t->channel = at[dst->tensor[0] == 'O' ? 0 : 1];
    aic_trace_put(t, "transdata, %s:\n", where);
    if (!inside && !dst->padded) {
        return aic_trace_unwritten(t, "a word has parts for more batches than there are");
    }
    if (!inside) {
        aic_trace_event(t, AIC_EVENT_PADDING, true);
        aic_trace_step(t, AIC_STEP_BLOCK_PADDING, "padding", "0: the tensor has no such element");
        *bits = 0;
        return true;
    }
    const int64_t from = cell_of(&whole, desc->src, at);
    *bits = aic_trace_load(t, desc->dtype, operands[SRC], from);
    aic_trace_step(t, AIC_STEP_LAYOUT, "copied", "%s = %s", aic_trace_place(t, SRC, from).text,
                   aic_trace_element(t, desc->dtype, *bits).text);
    return true;
}
