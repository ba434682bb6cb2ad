/* Addresses of tensor arithmetic; see address.h. */
#include "frontend/trace/address.h"
#include "frontend/core/size.h"

enum { WORD_BYTES = 4, WORD_BITS = 32, N = AIC_AT_N, C = AIC_AT_C, H = AIC_AT_H, W = AIC_AT_W };

aic_trace_tensor aic_trace_tensor_of(int64_t bits, aic_memory memory, const aic_semantics *semantics, int64_t address,
                                     const int64_t *shape, const int64_t *stride, const bool *single)
{
    aic_trace_tensor t = {.parts = WORD_BITS / bits, .lanes = 1};
    bool compact = true;
    if (memory == AIC_MEMORY_LOCAL) {
        t.lanes = semantics->lanes;
        t.lane_words = semantics->lane_bytes / WORD_BYTES;
        t.lane = address / WORD_BYTES / t.lane_words;
        t.word = address / WORD_BYTES % t.lane_words;
    }
    for (int d = 0; d < AIC_AT_RANK; d++) {
        t.shape[d] = shape[d];
        t.stride[d] = stride[d];
        t.single[d] = single && single[d];
        compact = compact && stride[d] == AIC_COMPACT;
    }
    if (compact) { /* rows of W words, without gaps */
        t.stride[W] = 1;
        t.stride[H] = t.single[W] ? 1 : shape[W];
        t.stride[C] = t.stride[H] * (t.single[H] ? 1 : shape[H]);
        t.stride[N] = t.stride[C] * aic_size_blocks(t.lane + shape[C], t.lanes);
    }
    return t;
}

int64_t aic_trace_word(const aic_trace_tensor *t, const int64_t at[AIC_AT_RANK])
{
    const int64_t place = t->lane + at[C];
    int64_t word = t->word + place / t->lanes * t->stride[C];
    word += t->single[N] ? 0 : at[N] / t->parts * t->stride[N];
    word += t->single[H] ? 0 : at[H] * t->stride[H];
    word += t->single[W] ? 0 : at[W] * t->stride[W];
    return place % t->lanes * t->lane_words + word;
}

bool aic_trace_nested(int64_t rest, int count, const int64_t *sizes, const int64_t *strides, int64_t *index)
{
    int order[AIC_TRACE_NESTED_MAX] = {0}; /* by falling stride */
    for (int d = 0; d < count; d++) {
        int place = d;
        for (; place > 0 && strides[order[place - 1]] < strides[d]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = d;
        index[d] = 0;
    }
    for (int i = 0; i < count && rest >= 0; i++) {
        const int d = order[i];
        const int64_t most = sizes[d] - 1;
        if (most > 0) { /* no elements share a place: the stride is positive */
            index[d] = rest / strides[d] < most ? rest / strides[d] : most;
            rest -= index[d] * strides[d];
        }
    }
    return rest == 0;
}

bool aic_trace_find(const aic_trace_tensor *t, int64_t word, int64_t at[AIC_AT_RANK])
{
    const int64_t lane = t->lane_words > 0 ? word / t->lane_words : 0;
    const int64_t first = lane < t->lane ? 1 : 0; /* rows of channels before this tensor's first one */
    const int64_t channel = first * t->lanes + lane - t->lane;
    const int64_t rows = channel < t->shape[C] ? aic_size_blocks(t->shape[C] - channel, t->lanes) : 0;
    const int64_t sizes[AIC_AT_RANK] = {aic_size_blocks(t->shape[N], t->parts), rows, t->shape[H], t->shape[W]};
    const int64_t rest = word - lane * t->lane_words - t->word - first * t->stride[C];
    int64_t index[AIC_AT_RANK];
    const bool found = rows > 0 && aic_trace_nested(rest, AIC_AT_RANK, sizes, t->stride, index);
    if (!found) {
        return false;
    }
    at[N] = index[N] * t->parts;
    at[C] = index[C] * t->lanes + channel;
    at[H] = index[H];
    at[W] = index[W];
    return true;
}
