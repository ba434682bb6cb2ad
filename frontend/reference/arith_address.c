/* Where elements of tensor arithmetic lie; see arith_address.h. */
#include "frontend/reference/arith_address.h"

#include <string.h>

enum { WORD_BYTES = 4, WORD_BITS = 32 };

/* Words one after the other; of dimensions of size 1 there is one. */
static void pack(aic_reference_tensor *t, const int64_t shape[AIC_NCHW])
{
    const int64_t h = t->is_1[AIC_H] ? 1 : shape[AIC_H], w = t->is_1[AIC_W] ? 1 : shape[AIC_W];
    const int64_t rows = (t->Q + shape[AIC_C] + t->X - 1) / t->X; /* of channels, in a lane */
    t->stride[AIC_W] = 1;
    t->stride[AIC_H] = w;
    t->stride[AIC_C] = h * w;
    t->stride[AIC_N] = rows * h * w;
}

aic_reference_tensor aic_reference_tensor_of(void *memory, int64_t bits, aic_memory kind,
                                             const aic_semantics *semantics, int64_t address,
                                             const int64_t shape[AIC_NCHW], const int64_t stride[AIC_NCHW],
                                             const bool broadcast[AIC_NCHW])
{
    const bool local = kind == AIC_MEMORY_LOCAL;
    aic_reference_tensor t = {.memory = memory, .P = WORD_BITS / bits, .X = 1};
    bool given = false;
    if (local) {
        t.X = semantics->lanes;
        t.S = semantics->lane_bytes / WORD_BYTES;
        t.Q = address / WORD_BYTES / t.S;
        t.R = address / WORD_BYTES % t.S;
    }
    for (int d = 0; d < AIC_NCHW; d++) {
        t.stride[d] = stride[d];
        t.is_1[d] = broadcast != NULL && broadcast[d];
        given = given || stride[d] != AIC_COMPACT;
    }
    if (!given) {
        pack(&t, shape);
    }
    return t;
}

/* Number of a word in the memory. */
static int64_t word_of(const aic_reference_tensor *t, const int64_t at[AIC_NCHW])
{
    int64_t index[AIC_NCHW];
    for (int d = 0; d < AIC_NCHW; d++) {
        index[d] = t->is_1[d] ? 0 : at[d];
    }
    const int64_t lane = (t->Q + index[AIC_C]) % t->X, row = (t->Q + index[AIC_C]) / t->X;
    const int64_t word = t->R + index[AIC_N] / t->P * t->stride[AIC_N] + row * t->stride[AIC_C] +
                         index[AIC_H] * t->stride[AIC_H] + index[AIC_W] * t->stride[AIC_W];
    return lane * t->S + word;
}

uint32_t aic_reference_load(const aic_reference_tensor *t, const int64_t at[AIC_NCHW])
{
    uint32_t word;
    memcpy(&word, t->memory + word_of(t, at) * WORD_BYTES, sizeof word);
    return word;
}

void aic_reference_store(const aic_reference_tensor *t, const int64_t at[AIC_NCHW], uint32_t word)
{
    memcpy(t->memory + word_of(t, at) * WORD_BYTES, &word, sizeof word);
}

int64_t aic_reference_part(const aic_reference_tensor *t, const int64_t at[AIC_NCHW])
{
    return t->is_1[AIC_N] ? 0 : at[AIC_N] % t->P;
}
