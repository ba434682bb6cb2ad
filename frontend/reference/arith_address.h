/* Where elements of tensor arithmetic lie, in either entry (data layouts). */
#pragma once

#include <aic/spec.h>

enum { AIC_N, AIC_C, AIC_H, AIC_W, AIC_NCHW };

/* A tensor operand, under the document's names; addresses and strides in 32-bit words. */
typedef struct aic_reference_tensor {
    unsigned char *memory;
    int64_t P;                /* elements in a word: of neighbouring batches */
    int64_t X, S, Q, R;       /* lanes, and words of one; lane and word of the address. Flat memory is one lane */
    int64_t stride[AIC_NCHW]; /* of word batches, rows of channels, H, W */
    bool is_1[AIC_NCHW];      /* it has size 1 there and is broadcast */
} aic_reference_tensor;

/* What the descriptor says of an operand; `broadcast` NULL: none of the flags. */
aic_reference_tensor aic_reference_tensor_of(void *memory, int64_t bits, aic_memory kind,
                                             const aic_semantics *semantics, int64_t address,
                                             const int64_t shape[AIC_NCHW], const int64_t stride[AIC_NCHW],
                                             const bool broadcast[AIC_NCHW]);

/* Where element number i of the shape is, W fastest. */
static inline void aic_reference_at(const int64_t shape[AIC_NCHW], int64_t i, int64_t at[AIC_NCHW])
{
    for (int d = AIC_W; d >= AIC_N; d--) {
        at[d] = i % shape[d];
        i /= shape[d];
    }
}

/* The word that holds an element; the number of the element in its word, 0 being the lowest. */
uint32_t aic_reference_load(const aic_reference_tensor *t, const int64_t at[AIC_NCHW]);
void aic_reference_store(const aic_reference_tensor *t, const int64_t at[AIC_NCHW], uint32_t word);
int64_t aic_reference_part(const aic_reference_tensor *t, const int64_t at[AIC_NCHW]);
