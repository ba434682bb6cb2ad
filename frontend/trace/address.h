/* Where elements of tensor arithmetic lie (data layouts, section 7), for traces: from an element to its word and back.
 */
#pragma once

#include "frontend/core/stage.h"

enum { AIC_AT_N, AIC_AT_C, AIC_AT_H, AIC_AT_W, AIC_AT_RANK };

/* A tensor in flat memory, which is one lane, or in local memory. Addresses and strides in words. */
typedef struct aic_trace_tensor {
    int64_t parts; /* elements of a word: of neighbouring batches */
    int64_t lanes, lane_words;
    int64_t lane, word; /* of the first element */
    int64_t shape[AIC_AT_RANK], stride[AIC_AT_RANK];
    bool single[AIC_AT_RANK]; /* it has one index there, which counts for all */
} aic_trace_tensor;

/* single: NULL for none. */
aic_trace_tensor aic_trace_tensor_of(int64_t bits, aic_memory memory, const aic_semantics *semantics, int64_t address,
                                     const int64_t *shape, const int64_t *stride, const bool *single);

/* The word that holds an element, counted in the whole memory. */
int64_t aic_trace_word(const aic_trace_tensor *t, const int64_t at[AIC_AT_RANK]);

/* The element of the lowest part of a word; false where the word holds none. Every word holds one element of a part at
 * most, which strides that nest see to. */
bool aic_trace_find(const aic_trace_tensor *t, int64_t word, int64_t at[AIC_AT_RANK]);

/* The indices that add up to `rest`: index d, below sizes[d], adds strides[d]. The strides nest: each leaves room for
 * all that is below it. False where none do. */
enum { AIC_TRACE_NESTED_MAX = 4 };
bool aic_trace_nested(int64_t rest, int count, const int64_t *sizes, const int64_t *strides, int64_t *index);
